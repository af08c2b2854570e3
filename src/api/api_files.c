/* The files a conversation is about. They lie in the folder that agents read. */
#include "api/call.h"

#include <unistd.h>

/* The files of the chat, with what agents are sent of each. */
typedef struct told_files {
    skein_context_files list;
    skein_file_parts   *parts; /* NULL: no folder is known */
} told_files;

static skein_rc read_files(skn_api_call *c, told_files *out)
{
    const char *root = c->api->o.files;
    skein_rc rc = skein_context_file_list(c->engine, c->chat.id, c->mem, &out->list, &c->error);

    out->parts = !rc && root ? skn_context_files_read(&out->list, root, c->mem) : NULL;
    return rc;
}

/* What agents are sent of it. */
static void write_content(skn_jw *w, const skein_file_parts *parts)
{
    skn_jw_karray(w, "content");
    for (size_t i = 0; parts && i < parts->count; i++) {
        if (parts->at[i].note.p && !parts->at[i].text.n)
            continue;
        skn_jw_object(w);
        skn_jw_kstr(w, "item", parts->at[i].item);
        skn_jw_kint(w, "firstLine", (int64_t)parts->at[i].first_line);
        skn_jw_kint(w, "lastLine", (int64_t)parts->at[i].last_line);
        skn_jw_kstr(w, "text", parts->at[i].text);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_file(skn_api_call *c, const told_files *all, size_t i, bool content)
{
    const skein_file_parts *parts = all->parts ? &all->parts[i] : NULL;

    skn_jw_object(&c->w);
    skn_shape_file_members(&c->w, &all->list.at[i], parts);
    if (content)
        write_content(&c->w, parts);
    skn_jw_object_end(&c->w);
}

static skein_rc answer_files(skn_api_call *c, bool content)
{
    told_files all;
    skn_page   page;
    skein_rc   rc;

    if ((rc = read_files(c, &all)) ||
        (rc = skn_page_open(c, SKN_STR("files"), all.list.count, SKN_LIST_WHOLE, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        write_file(c, &all, (size_t)i, content);
    return skn_page_close(c, &page, NULL);
}

skein_rc skn_api_list_context_files(skn_api_call *c)
{
    bool     content;
    skein_rc rc = skn_call_query_flag(c, "content", &content);

    return rc ? rc : answer_files(c, content);
}

/* --- All of them -------------------------------------------------------------------------- */

static skein_rc bad_file(skn_api_call *c, size_t i, const char *why)
{
    return skn_call_wrong(c, why, "/files/%zu", i);
}

/* NULL, or why it is none. */
static const char *read_parts(skn_api_call *c, const skn_json *v, skein_context_file *out)
{
    const skn_json *items = skn_json_get(v, "items");
    skein_error     err;

    if (skn_json_text(v, "path", &out->path, &err) || !out->path.n)
        return "must be an object with the text \"path\"";
    if (skn_json_text(v, "prompt", &out->prompt, &err))
        return "\"prompt\" must be a text";
    if (!items || items->kind == SKN_JSON_NULL)
        return NULL;
    if (items->kind != SKN_JSON_ARRAY)
        return "\"items\" must be a list";
    out->items = SKN_ARRAY(c->mem, items->count + 1, skein_str);
    for (const skn_json *one = items->first; one; one = one->next) {
        if (one->kind != SKN_JSON_STRING)
            return "\"items\" must be a list of texts";
        out->items[out->item_count++] = one->text;
    }
    return NULL;
}

static skein_rc read_file(skn_api_call *c, const skn_json *v, size_t i, skein_context_file *out)
{
    const char *why;

    *out = (skein_context_file){.path = SKN_NONE};
    why = v->kind == SKN_JSON_OBJECT ? read_parts(c, v, out)
                                     : "must be an object with the text \"path\"";
    return why ? bad_file(c, i, why) : SKEIN_OK;
}

skein_rc skn_api_set_context_files(skn_api_call *c)
{
    const skn_json     *list;
    skein_context_files files = {0};
    size_t              bad;
    skein_rc            rc = skn_api_body_list(c, "files", &list);

    if (rc)
        return rc;
    files.at = SKN_ARRAY(c->mem, list->count + 1, skein_context_file);
    for (const skn_json *v = list->first; v; v = v->next, files.count++)
        if ((rc = read_file(c, v, files.count, &files.at[files.count])))
            return rc;
    rc = skein_context_file_replace(c->engine, c->chat.id, &files, &bad, &c->error);
    if (rc == SKEIN_INVALID && bad < files.count)
        return bad_file(c, bad, c->error.message);
    return rc ? rc : answer_files(c, false);
}

/* --- One of them -------------------------------------------------------------------------- */

static const skein_context_file *file_of(const skein_context_files *list, skn_str path)
{
    for (size_t i = 0; i < list->count; i++)
        if (skn_str_eq(list->at[i].path, path))
            return &list->at[i];
    return NULL;
}

static skein_rc no_file(skn_api_call *c)
{
    return skn_fail_hint(&c->error, SKEIN_NOT_FOUND, "\"skein files ls\" lists them",
                         "\"%.*s\" is not a context file here", SKN_FMT(c->params[2]));
}

static skein_rc answer_file(skn_api_call *c, skn_str path, bool content)
{
    told_files all;
    skein_rc   rc = read_files(c, &all);

    for (size_t i = 0; !rc && i < all.list.count; i++)
        if (skn_str_eq(all.list.at[i].path, path)) {
            write_file(c, &all, i, content);
            return SKEIN_OK;
        }
    return rc ? rc : no_file(c);
}

skein_rc skn_api_get_context_file(skn_api_call *c)
{
    return answer_file(c, c->params[2], true);
}

/* A file that is there lacks the item; where one is missing, a person has to put it there. */
static skein_rc hint_missing(skn_api_call *c, skn_str path, skein_rc rc)
{
    const char *root = c->api->o.files;
    skn_str     whole = skn_arena_printf(c->mem, "%s/%.*s", root, SKN_FMT(path));

    if (access(whole.p, F_OK) == 0)
        return skn_hint(&c->error, rc, "The file is %s; lines (\"142:156\") can be named too",
                        whole.p);
    skn_fail(&c->error, rc, "there is no file \"%.*s\"", SKN_FMT(path));
    return skn_hint(&c->error, rc, "Agents read files below %s: put it there", root);
}

/* What is not there gives a model nothing. */
static skein_rc check_there(skn_api_call *c, const skein_context_file *file)
{
    skein_file_spec  spec = {.path = file->path,
                             .read_full = file->item_count == 0,
                             .items = file->items,
                             .item_count = file->item_count};
    skein_file_parts parts;
    skein_rc         rc;

    if (!c->api->o.files)
        return SKEIN_OK;
    rc = skein_files_read(&parts, c->api->o.files, &spec, 0, c->mem, &c->error);
    return rc == SKEIN_NOT_FOUND ? hint_missing(c, file->path, rc) : rc;
}

/* What is there of it stays: all of a file is more than parts of it. */
static skein_rc add_to(skn_api_call *c, skein_context_file *file)
{
    const skein_context_file *before;
    skein_context_files       there;
    skein_context_file        sum;
    skein_rc rc = skein_context_file_list(c->engine, c->chat.id, c->mem, &there, &c->error);

    if (rc || !(before = file_of(&there, file->path)))
        return rc;
    if (!file->prompt.p)
        file->prompt = before->prompt;
    sum = (skein_context_file){
        .path = file->path,
        .items = SKN_ARRAY(c->mem, before->item_count + file->item_count + 1, skein_str),
        .prompt = file->prompt};
    for (size_t i = 0; i < before->item_count; i++)
        sum.items[sum.item_count++] = before->items[i];
    for (size_t i = 0; before->item_count && i < file->item_count; i++)
        if (!skn_str_in(sum.items, sum.item_count, file->items[i]))
            sum.items[sum.item_count++] = file->items[i];
    if (file->item_count)
        *file = sum;
    return SKEIN_OK;
}

skein_rc skn_api_add_context_file(skn_api_call *c)
{
    skein_context_file file = {.path = SKN_NONE};
    const char        *why;
    bool               dry;
    skein_rc           rc = skn_api_flag(c, "dryRun", &dry);

    if (rc)
        return rc;
    if ((why = read_parts(c, c->json, &file)))
        return skn_call_invalid(c, "", why);
    if ((rc = check_there(c, &file)) || (rc = add_to(c, &file)))
        return rc;
    if (dry) {
        skn_shape_file(&c->w, &file, NULL);
        return SKEIN_OK;
    }
    if ((rc = skein_context_file_set(c->engine, c->chat.id, &file, &c->error)))
        return skn_api_blame(c, rc);
    return answer_file(c, file.path, false);
}

skein_rc skn_api_remove_context_file(skn_api_call *c)
{
    const skein_context_file *file;
    skein_context_files       list;
    bool                      dry;
    skein_rc                  rc;

    if ((rc = skn_api_flag(c, "dryRun", &dry)) ||
        (rc = skein_context_file_list(c->engine, c->chat.id, c->mem, &list, &c->error)))
        return rc;
    if (!(file = file_of(&list, c->params[2])))
        return no_file(c);
    if (!dry && (rc = skein_context_file_remove(c->engine, c->chat.id, file->path, &c->error)))
        return rc;
    skn_shape_file(&c->w, file, NULL);
    return SKEIN_OK;
}
