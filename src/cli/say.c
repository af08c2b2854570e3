#include "cli/say.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cli/paste.h"

#include <string.h>

/* --- Members ------------------------------------------------------------------------------ */

/* "item.id": a member of a member. */
static const skn_json *member_of(const skn_json *v, skn_str name)
{
    skn_str part;

    while (v && skn_str_split(&name, '.', &part)) {
        const skn_json *m = v->kind == SKN_JSON_OBJECT ? v->first : NULL;

        while (m && !skn_str_eq(m->key, part))
            m = m->next;
        v = m;
    }
    return v;
}

static skn_str text_of(const skn_json *v)
{
    return !v || v->kind == SKN_JSON_NULL                             ? SKN_NONE
           : v->kind == SKN_JSON_STRING || v->kind == SKN_JSON_NUMBER ? v->text
                                                                      : v->raw;
}

bool skn_has(const skn_json *v, const char *member)
{
    const skn_json *m = member_of(v, skn_str_of(member));

    if (!m || m->kind == SKN_JSON_NULL)
        return false;
    return m->kind == SKN_JSON_BOOL     ? m->boolean
           : m->kind == SKN_JSON_NUMBER ? !skn_str_is(m->text, "0")
           : m->kind == SKN_JSON_STRING ? m->text.n > 0
                                        : m->count > 0;
}

bool skn_is(const skn_json *v, const char *member, const char *text)
{
    return skn_str_is(skn_door_text(v, member), text);
}

const skn_json *skn_first(const skn_json *v, const char *member)
{
    const skn_json *list = skn_json_get(v, member);

    return list && (list->kind == SKN_JSON_ARRAY || list->kind == SKN_JSON_OBJECT) ? list->first
                                                                                   : NULL;
}

/* --- Texts with members ------------------------------------------------------------------- */

typedef struct slot {
    skn_str how, member;
    size_t  width;
} slot;

/* "sender agent 8" */
static slot read_slot(skn_str text)
{
    static const char words[] = ",yellow,bold,dim,sender,line,time,id,";
    slot              s = {.how = SKN_NONE};
    skn_str           word;
    int64_t           n;

    while (skn_str_split(&text, ' ', &word)) {
        if (!s.how.n && !s.member.n && text.n && skn_is_among(skn_str_of(words), word))
            s.how = word;
        else if (!s.member.n)
            s.member = word;
        else if (skn_str_int(word, &n))
            s.width = (size_t)n;
        else
            s.how = word;
    }
    return s;
}

/* The next piece of the text, and the slot behind it; false at the end. */
static bool next_slot(skn_str *rest, skn_str *before, slot *s, bool *any)
{
    ptrdiff_t open = skn_str_find(*rest, SKN_STR("{"));
    ptrdiff_t end = open < 0 ? -1 : skn_str_find(*rest, SKN_STR("}"));

    if (!rest->n)
        return false;
    *any = end > open;
    *before = *any ? skn_str_sub(*rest, 0, (size_t)open) : *rest;
    if (*any)
        *s = read_slot(skn_str_sub(*rest, (size_t)open + 1, (size_t)end));
    *rest = *any ? skn_str_sub(*rest, (size_t)end + 1, rest->n) : SKN_NONE;
    return true;
}

static bool obeyed_by_shell(skn_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] <= ' ' || strchr("\"'`$&|;<>()*?[]{}#~!\\", text.p[i]))
            return true;
    return false;
}

/* Is the end of this text inside of a command to paste? */
static bool in_command(bool before, skn_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '"' || text.p[i] == '\n')
            before = false;
        else if (skn_str_starts(skn_str_sub(text, i, text.n), SKN_STR("skein ")))
            before = true;
    return before;
}

static void pad(skn_cli *cli, const skn_json *v, skn_str text, size_t width)
{
    size_t used = skn_utf8_columns(text), left = used < width ? width - used : 0;
    bool   number = v && v->kind == SKN_JSON_NUMBER;

    skn_buf_fill(&cli->out.bytes, ' ', number ? left : 0);
    skn_clean_add(&cli->out.bytes, text, true);
    skn_buf_fill(&cli->out.bytes, ' ', number ? 0 : left);
}

static void show(skn_cli *cli, const skn_json *of, const slot *s, bool command)
{
    const skn_json *v = member_of(of, s->member);
    skn_str         text = text_of(v);
    int64_t         n = 0;

    if (skn_str_is(s->how, "sender"))
        skn_print_sender(cli, text, s->width);
    else if (skn_str_is(s->how, "line"))
        skn_print_line(cli, text, s->width);
    else if (skn_str_is(s->how, "id"))
        skn_print_id(cli, text);
    else if (skn_str_is(s->how, "yellow"))
        skn_print_colour(cli, SKN_YELLOW, text);
    else if (skn_str_is(s->how, "bold"))
        skn_print_colour(cli, SKN_BOLD, text);
    else if (skn_str_is(s->how, "dim"))
        skn_print_colour(cli, SKN_DIM, text);
    else if (skn_str_is(s->how, "time"))
        skn_print_time(cli, skn_time_parse(text, &n) ? n : 0);
    else if (skn_str_is(s->how, "s"))
        skn_print_raw(cli, skn_str_is(text, "1") ? SKN_STR("") : SKN_STR("s"));
    else if (!command || !obeyed_by_shell(text))
        pad(cli, v, text, s->width);
}

void skn_say(skn_cli *cli, const skn_json *v, const char *text)
{
    skn_str rest = skn_str_of(text), before, whole;
    bool    any, command = false;
    slot    s;

    while (next_slot(&rest, &before, &s, &any)) {
        whole = skn_str_of(skn_pasteable(cli, skn_arena_copy(cli->keep, before).p));
        skn_clean_add(&cli->out.bytes, whole, true);
        command = in_command(command, before);
        if (any)
            show(cli, v, &s, command);
    }
    skn_print_raw(cli, SKN_STR(""));
}

bool skn_say_safe(const skn_json *v, const char *text)
{
    skn_str rest = skn_str_of(text), before;
    bool    any;
    slot    s;

    while (next_slot(&rest, &before, &s, &any))
        if (any && obeyed_by_shell(text_of(member_of(v, s.member))))
            return false;
    return true;
}

void skn_say_if(skn_cli *cli, const skn_json *v, const char *member, const char *text)
{
    if (skn_has(v, member))
        skn_say(cli, v, text);
}

void skn_say_row(skn_cli *cli, const skn_json *v, const char *text)
{
    size_t row = skn_row_begin(cli);

    skn_say(cli, v, text);
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

void skn_say_block(skn_cli *cli, const skn_json *v, const char *heading, const char *member)
{
    if (!skn_has(v, member))
        return;
    skn_print_raw(cli, skn_str_of(heading));
    skn_print_block(cli, skn_door_text(v, member), 4);
}

/* The text with its members as they are, or encoded for a path. */
static skn_str filled(skn_cli *cli, const skn_json *v, const char *text, bool path)
{
    skn_str rest = skn_str_of(text), before, value;
    skn_buf b;
    bool    any;
    slot    s;

    skn_buf_init(&b, SIZE_MAX);
    while (next_slot(&rest, &before, &s, &any)) {
        skn_buf_add(&b, before);
        if (!any)
            continue;
        value = text_of(member_of(v, s.member));
        if (!path)
            skn_buf_add(&b, value);
        else if (skn_str_is(s.member, "world"))
            skn_buf_add(&b, skn_str_of(cli->door->world));
        else if (skn_str_is(s.member, "chat"))
            skn_buf_add(&b, skn_str_of(cli->door->chat));
        else
            skn_buf_add(&b, skn_str_of(skn_door_part(cli, value)));
    }
    value = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return value;
}

void skn_say_would(skn_cli *cli, const skn_json *v, const char *text)
{
    skn_would(cli, "%.*s", SKN_FMT(filled(cli, v, text, false)));
}

/* --- JSON --------------------------------------------------------------------------------- */

skein_rc skn_door_item(skn_cli *cli, const skn_json *v)
{
    skn_jw_raw(skn_item(cli), v->raw);
    return skn_item_end(cli);
}

skn_jw *skn_item_with(skn_cli *cli, const skn_json *v)
{
    skn_jw *w = skn_item(cli);

    skn_jw_object(w);
    for (const skn_json *m = v->first; m; m = m->next) {
        skn_jw_key_str(w, m->key);
        skn_jw_raw(w, m->raw);
    }
    return w;
}

skein_rc skn_say_list(skn_cli *cli, const skn_json_list *list, skn_say_item *say)
{
    skein_rc rc = SKEIN_OK;

    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < list->n && !rc; i++)
        rc = cli->json ? skn_door_item(cli, list->p[i]) : say(cli, list->p[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    return rc;
}

/* --- Requests ----------------------------------------------------------------------------- */

const char *skn_path(skn_cli *cli, const skn_json *of, const char *path)
{
    return filled(cli, of, path, true).p;
}

skein_rc skn_read(skn_cli *cli, const skn_json *of, const char *path, const skn_json **out)
{
    return skn_door_get(cli, out, "%s", skn_path(cli, of, path));
}

skein_rc skn_read_all(skn_cli *cli, const skn_json *of, const char *path, size_t most,
                      skn_json_list *out)
{
    return skn_door_all(cli, skn_path(cli, of, path), most, out);
}

skein_rc skn_send(skn_cli *cli, skn_door_body *b, const char *method, const skn_json *of,
                  const char *path, const skn_json **out)
{
    const char *whole = skn_path(cli, of, path);

    return b ? skn_door_send(b, method, whole, out)
             : skn_door_change(cli, method, whole, SKN_NONE, out);
}

skein_rc skn_body_read(skn_door_body *b, const skn_json **out)
{
    skn_jw_object_end(&b->w);
    return skn_json_parse(out, skn_body_keep(b->cli, &b->bytes), "it", b->cli->keep,
                          &b->cli->err);
}

void skn_body_option(skn_cli *cli, skn_jw *w, const char *option, const char *member)
{
    const char *given = skn_opt(cli, option);

    if (given)
        skn_jw_kstr(w, member, *given ? skn_str_of(given) : SKN_NONE);
}

skein_rc skn_do(skn_cli *cli, const skn_deed *deed, skn_door_body *b, const skn_json **thing)
{
    const skn_json *answer;
    skein_rc        rc;

    if (b && cli->dry_run)
        skn_buf_release(&b->bytes);
    if (cli->dry_run && (!cli->json || !deed->shows)) {
        skn_say_would(cli, *thing, deed->would);
        return SKEIN_OK;
    }
    if (!cli->dry_run && (rc = skn_send(cli, b, deed->method, *thing, deed->path, &answer)))
        return rc;
    if (!cli->dry_run && answer->kind == SKN_JSON_OBJECT)
        *thing = answer;
    if (cli->json)
        return skn_door_item(cli, *thing);
    skn_say(cli, *thing, deed->did);
    return SKEIN_OK;
}
