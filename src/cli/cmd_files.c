#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "cli/commands.h"

#include "base/error.h"
#include "cli/config_cli.h"
#include "cli/discover.h"
#include "cli/far.h"
#include "cli/far_view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Where they are ----------------------------------------------------------------------- */

/* Where agents read them, wherever this program runs: "files" in the data folder. */
static skein_rc files_folder(skn_cli *cli, const char **out)
{
    const char *folder = NULL;
    skn_traces  traces;
    skein_rc    rc;

    if (skn_place_file(cli)) {
        rc = skn_traces_of(cli, &traces);
        folder = traces.folder;
    } else {
        rc = skn_config_data(cli, &folder);
    }
    if (rc)
        return rc;
    if (!folder)
        return skn_fail(&cli->err, SKEIN_USAGE, "there is no home folder to keep data in");
    *out = skn_arena_printf(cli->keep, "%s/files", folder).p;
    return SKEIN_OK;
}

const char *skn_files_folder(skn_cli *cli)
{
    const char *folder;

    if (files_folder(cli, &folder)) {
        cli->err = (skein_error){0};
        return NULL;
    }
    return folder;
}

/* What agents are sent of each; NULL where no folder is known. */
static skein_file_parts *parts_of(skn_cli *cli, const skein_context_files *files)
{
    const char *folder = skn_files_folder(cli);

    return folder ? skn_context_files_read(files, folder, cli->keep) : NULL;
}

/* What agents miss of a file, or of an item of it, to standard error. */
static void tell_problem(skn_cli *cli, skn_str path, skn_str item, skn_str note)
{
    skn_note(cli, "%.*s%s%.*s: %.*s", SKN_FMT(path), item.n ? ", " : "", SKN_FMT(item),
             SKN_FMT(note));
}

static void tell_problems(skn_cli *cli, const skein_context_file *file,
                          const skein_file_parts *parts)
{
    for (size_t i = 0; parts && i < parts->count; i++)
        if (parts->at[i].note.p)
            tell_problem(cli, file->path, parts->at[i].item, parts->at[i].note);
}

static skein_rc tell_far_files(skn_cli *cli)
{
    const skn_json *whole = NULL, *list;
    skein_rc        rc = skn_far_get(cli, &whole, "%s/context-files", cli->far->chat);

    list = rc ? NULL : skn_json_get(whole, "data");
    for (const skn_json *f = list ? list->first : NULL; f; f = f->next) {
        const skn_json *all = skn_json_get(f, "problems");

        for (const skn_json *one = all ? all->first : NULL; one; one = one->next)
            tell_problem(cli, skn_far_text(f, "path"), skn_far_text(one, "item"),
                         skn_far_text(one, "detail"));
    }
    return rc;
}

skein_rc skn_tell_files(skn_cli *cli, skein_conversation_id chat)
{
    skein_context_files files;
    skein_file_parts   *parts;
    skein_rc            rc;

    if (cli->far)
        return tell_far_files(cli);
    if ((rc = skein_context_file_list(cli->engine, chat, cli->keep, &files, &cli->err)))
        return rc;
    parts = parts_of(cli, &files);
    for (size_t i = 0; parts && i < files.count; i++)
        tell_problems(cli, &files.at[i], &parts[i]);
    return SKEIN_OK;
}

/* --- Listing ------------------------------------------------------------------------------ */

static skein_rc file_out(skn_cli *cli, const skein_context_file *file,
                         const skein_file_parts *parts, const char *what)
{
    if (cli->json) {
        skn_shape_file(skn_item(cli), file, parts);
        return skn_item_end(cli);
    }
    skn_print_line(cli, file->path, 0);
    for (size_t i = 0; i < file->item_count; i++) {
        skn_print_raw(cli, i ? SKN_STR(", ") : SKN_STR("  "));
        skn_print_line(cli, file->items[i], 0);
    }
    if (file->prompt.n) {
        skn_print_raw(cli, SKN_STR("  prompt: "));
        skn_print_line(cli, file->prompt, 0);
    }
    skn_print(cli, "%s\n", what);
    tell_problems(cli, file, parts);
    return SKEIN_OK;
}

static skein_rc file_list(skn_cli *cli, skein_conversation *chat, skein_context_files *out)
{
    skein_world world;
    skein_rc    rc = skn_need_chat(cli, &world, chat);

    if (rc)
        return rc;
    return skein_context_file_list(cli->engine, chat->id, cli->keep, out, &cli->err);
}

int skn_cmd_files_ls(skn_cli *cli)
{
    skein_conversation  chat;
    skein_context_files files;
    skein_file_parts   *parts;
    skein_rc            rc = file_list(cli, &chat, &files);

    if (rc)
        return (int)rc;
    parts = parts_of(cli, &files);
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < files.count && !rc; i++)
        rc = file_out(cli, &files.at[i], parts ? &parts[i] : NULL, "");
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* What a person types is seen from here; a file below that folder is known by its path from there. */
static skn_str path_of(skn_cli *cli, const char *typed, const char *folder)
{
    char   *base = realpath(folder, NULL), *file = realpath(typed, NULL);
    size_t  n = base ? strlen(base) : 0;
    skn_str out = skn_str_of(typed);

    if (base && file && !strncmp(file, base, n) && file[n] == '/')
        out = skn_arena_copy(cli->keep, skn_str_of(file + n + 1));
    free(base);
    free(file);
    return out;
}

/* A file that is there lacks the item; where one is missing, a person has to put it there. */
static skein_rc hint_missing(skn_cli *cli, const char *folder, skn_str path, skein_rc rc)
{
    skn_str whole = skn_arena_printf(cli->keep, "%s/%.*s", folder, SKN_FMT(path));

    if (access(whole.p, F_OK) == 0)
        return skn_hint(&cli->err, rc, "The file is %s; lines (\"142:156\") can be named too",
                        whole.p);
    skn_fail(&cli->err, rc, "there is no file \"%.*s\"", SKN_FMT(path));
    return skn_hint(&cli->err, rc, "Agents read files below %s: put it there", folder);
}

static skein_rc read_parts(skn_cli *cli, const skein_context_file *file, skein_file_parts *out)
{
    skein_file_spec spec = {.path = file->path,
                            .read_full = file->item_count == 0,
                            .items = file->items,
                            .item_count = file->item_count};
    const char     *folder;
    skein_rc        rc = files_folder(cli, &folder);

    if (rc)
        return rc;
    rc = skein_files_read(out, folder, &spec, 0, cli->keep, &cli->err);
    return rc == SKEIN_NOT_FOUND ? hint_missing(cli, folder, file->path, rc) : rc;
}

/* --- Adding ------------------------------------------------------------------------------- */

static bool has_item(const skein_context_file *file, skn_str item)
{
    for (size_t i = 0; i < file->item_count; i++)
        if (skn_str_eq(file->items[i], item))
            return true;
    return false;
}

/* What is there of it stays: all of a file is more than parts of it. */
static skein_rc add_to(skn_cli *cli, skein_conversation_id chat, skein_context_file *file)
{
    skein_context_files there;
    skein_str          *items;
    skein_rc rc = skein_context_file_list(cli->engine, chat, cli->keep, &there, &cli->err);

    for (size_t i = 0; !rc && i < there.count; i++) {
        skein_context_file before = there.at[i];

        if (!skn_str_eq(before.path, file->path))
            continue;
        if (file->prompt.p)
            before.prompt = file->prompt;
        file->prompt = before.prompt;
        items = SKN_ARRAY(cli->keep, before.item_count + file->item_count + 1, skein_str);
        for (size_t k = 0; k < before.item_count; k++)
            items[k] = before.items[k];
        before.items = items;
        for (size_t k = 0; before.item_count && k < file->item_count; k++)
            if (!has_item(&before, file->items[k]))
                items[before.item_count++] = file->items[k];
        if (file->item_count)
            *file = before;
    }
    return rc;
}

/* What agents miss of it depends on the files before it, which take room too. */
static skein_rc file_added(skn_cli *cli, skein_conversation_id chat,
                           const skein_context_file *file)
{
    skein_context_files files;
    skein_file_parts   *parts, *own = NULL;
    skein_rc rc = skein_context_file_list(cli->engine, chat, cli->keep, &files, &cli->err);

    if (rc)
        return rc;
    parts = parts_of(cli, &files);
    for (size_t i = 0; parts && i < files.count; i++)
        if (skn_str_eq(files.at[i].path, file->path))
            own = &parts[i];
    return file_out(cli, file, own, "  added");
}

int skn_cmd_files_add(skn_cli *cli)
{
    skein_world        world;
    skein_file_parts   parts;
    skein_conversation chat;
    const char        *folder;
    skein_str         *items = SKN_ARRAY(cli->keep, cli->arg_count, skein_str);
    skein_context_file file = {SKN_NONE, items, cli->arg_count - 1,
                               skn_str_of(skn_opt(cli, "prompt"))};
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    for (size_t i = 1; i < cli->arg_count; i++)
        items[i - 1] = skn_arg(cli, i);
    if (rc || (rc = files_folder(cli, &folder)))
        return (int)rc;
    file.path = path_of(cli, cli->args[0], folder);
    if ((rc = read_parts(cli, &file, &parts)) || /* what is not there gives a model nothing */
        (rc = add_to(cli, chat.id, &file)))
        return (int)rc;
    if (cli->dry_run)
        return (int)file_out(cli, &file, NULL, "  (would be added)");
    if ((rc = skein_context_file_set(cli->engine, chat.id, &file, &cli->err)))
        return (int)rc;
    return (int)file_added(cli, chat.id, &file);
}

static skein_rc file_named(skn_cli *cli, const skein_context_files *files,
                           skein_context_file *out)
{
    const char *folder;
    skein_rc    rc = files_folder(cli, &folder);
    skn_str     path;

    if (rc)
        return rc;
    path = path_of(cli, cli->args[0], folder);
    for (size_t i = 0; i < files->count; i++)
        if (skn_str_eq(files->at[i].path, path) ||
            skn_str_eq(files->at[i].path, skn_arg(cli, 0))) {
            *out = files->at[i];
            return SKEIN_OK;
        }
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%s\" is not a context file here", cli->args[0]);
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein files ls\" lists them");
}

int skn_cmd_files_rm(skn_cli *cli)
{
    skein_conversation  chat;
    skein_context_files files;
    skein_context_file  file;
    skein_rc            rc = file_list(cli, &chat, &files);

    if (rc || (rc = file_named(cli, &files, &file)))
        return (int)rc;
    if (!cli->dry_run &&
        (rc = skein_context_file_remove(cli->engine, chat.id, file.path, &cli->err)))
        return (int)rc;
    return (int)file_out(cli, &file, NULL, cli->dry_run ? "  (would be removed)" : "  removed");
}

static skein_rc content_item(skn_cli *cli, const skein_context_file *file,
                             const skein_file_parts *parts)
{
    skn_jw *w = skn_item(cli);

    skn_jw_object(w);
    skn_shape_file_members(w, file, parts);
    skn_jw_key(w, "content");
    skn_jw_array(w);
    for (size_t i = 0; i < parts->count; i++) {
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
    skn_jw_object_end(w);
    return skn_item_end(cli);
}

static skein_rc file_content(skn_cli *cli, const skein_context_file *file,
                             const skein_file_parts *parts)
{
    if (cli->json)
        return content_item(cli, file, parts);
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->at[i].note.p && !parts->at[i].text.n)
            continue;
        skn_print_colour(cli, SKN_BOLD, file->path);
        if (parts->at[i].extracted)
            skn_print_raw(cli, SKN_STR(", as its prompt asks\n"));
        else
            skn_print(cli, ":%zu-%zu\n", parts->at[i].first_line, parts->at[i].last_line);
        skn_print_block(cli, parts->at[i].text, 0);
    }
    tell_problems(cli, file, parts);
    return SKEIN_OK;
}

int skn_cmd_files_show(skn_cli *cli)
{
    skein_conversation  chat;
    skein_context_files files;
    skein_file_parts   *parts;
    skein_context_file  one = {.path = SKN_NONE};
    const char         *folder;
    skein_rc            rc = file_list(cli, &chat, &files);

    if (rc || (rc = files_folder(cli, &folder)) ||
        (cli->arg_count && (rc = file_named(cli, &files, &one))))
        return (int)rc;
    parts = skn_context_files_read(&files, folder, cli->keep);
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; !rc && i < files.count; i++)
        if (!one.path.p || skn_str_eq(one.path, files.at[i].path))
            rc = file_content(cli, &files.at[i], &parts[i]);
    if (cli->in_list)
        skn_list_done(cli, rc);
    return (int)rc;
}
