#include "cli/say.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "cli/paste.h"
#include "cli/place.h"

/* --- Members ------------------------------------------------------------------------------ */

/* "world", "0", "dry": what a text may name of the run itself, behind a dot. */
static const skn_json *member_of_run(skn_cli *cli, skn_str name)
{
    skn_json *v = SKN_NEW(cli->keep, skn_json);
    int64_t   arg;

    v->kind = SKN_JSON_STRING;
    if (skn_str_is(name, "dry")) {
        v->kind = SKN_JSON_BOOL;
        v->boolean = cli->dry_run;
    } else if (skn_str_is(name, "world")) {
        v->text = cli->door->world_name;
    } else if (skn_str_int(name, &arg) && arg >= 0 && (size_t)arg < cli->arg_count) {
        v->text = skn_arg(cli, (size_t)arg);
    }
    return v;
}

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

static const skn_json *find_member(skn_cli *cli, const skn_json *v, skn_str name)
{
    return skn_str_starts(name, SKN_STR(".")) ? member_of_run(cli, skn_str_sub(name, 1, name.n))
                                              : member_of(v, name);
}

static skn_str text_of(const skn_json *v)
{
    return !v || v->kind == SKN_JSON_NULL                             ? SKN_NONE
           : v->kind == SKN_JSON_STRING || v->kind == SKN_JSON_NUMBER ? v->text
                                                                      : v->raw;
}

/* Is it more than null, "", 0, false or an empty list? */
static bool says_something(const skn_json *m)
{
    if (!m || m->kind == SKN_JSON_NULL)
        return false;
    return m->kind == SKN_JSON_BOOL     ? m->boolean
           : m->kind == SKN_JSON_NUMBER ? !skn_str_is(m->text, "0")
           : m->kind == SKN_JSON_STRING ? m->text.n > 0
                                        : m->count > 0;
}

bool skn_has(const skn_json *v, const char *member)
{
    return says_something(member_of(v, skn_str_of(member)));
}

bool skn_is(const skn_json *v, const char *member, const char *text)
{
    return skn_str_is(skn_json_str(v, member), text);
}

const skn_json *skn_list_find(const skn_json_list *list, const char *member, skn_str text)
{
    for (size_t i = 0; i < list->n; i++)
        if (skn_str_eq(skn_json_str(list->p[i], member), text))
            return list->p[i];
    return NULL;
}

/* --- Sections ----------------------------------------------------------------------------- */

/* "title", "!title", "mode=chat" or "mode!=chat" */
static bool holds(skn_cli *cli, const skn_json *v, skn_str condition)
{
    ptrdiff_t       equal = skn_str_find(condition, SKN_STR("="));
    bool            inverted = skn_str_starts(condition, SKN_STR("!"));
    skn_str         name = skn_str_sub(condition, inverted, condition.n);
    const skn_json *m;

    if (equal < 0)
        return says_something(find_member(cli, v, name)) != inverted;
    name = skn_str_sub(condition, 0, (size_t)equal);
    inverted = skn_str_ends(name, SKN_STR("!"));
    name.n -= inverted;
    m = find_member(cli, v, name);
    return skn_str_eq(text_of(m), skn_str_sub(condition, (size_t)equal + 1, condition.n)) !=
           inverted;
}

/* Where the section ends that begins with the first byte. */
static size_t section_end(skn_str text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.n; i++) {
        depth += text.p[i] == '[';
        if (text.p[i] == ']' && --depth == 0)
            return i;
    }
    return text.n;
}

static void add_chosen(skn_cli *cli, const skn_json *v, skn_str text, skn_buf *out)
{
    ptrdiff_t open, colon;

    while ((open = skn_str_find(text, SKN_STR("["))) >= 0) {
        skn_str section = skn_str_sub(text, (size_t)open, text.n);
        size_t  end = section_end(section);

        skn_buf_add(out, skn_str_sub(text, 0, (size_t)open));
        text = skn_str_sub(section, end + 1, section.n);
        section = skn_str_sub(section, 1, end);
        colon = skn_str_find(section, SKN_STR(":"));
        if (colon > 0 && holds(cli, v, skn_str_sub(section, 0, (size_t)colon)))
            add_chosen(cli, v, skn_str_sub(section, (size_t)colon + 1, section.n), out);
    }
    skn_buf_add(out, text);
}

/* The text without the sections whose condition does not hold. */
static skn_str choose(skn_cli *cli, const skn_json *v, skn_str text)
{
    skn_buf b;

    if (skn_str_find(text, SKN_STR("[")) < 0)
        return text;
    skn_buf_init(&b, SIZE_MAX);
    add_chosen(cli, v, text, &b);
    return skn_buf_keep(&b, cli->keep);
}

/* --- Texts with members ------------------------------------------------------------------- */

typedef struct slot {
    skn_str how, member;
    size_t  width;
} slot;

/* "sender agent 8" */
static slot read_slot(skn_str text)
{
    static const char words[] = ",yellow,bold,dim,sender,line,time,id,block,list,size,";
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

/* "recall, remember" */
static void show_list(skn_cli *cli, const skn_json *list)
{
    for (const skn_json *v = list ? list->first : NULL; v; v = v->next) {
        skn_print_line(cli, text_of(v), 0);
        skn_print_raw(cli, v->next ? SKN_STR(", ") : SKN_STR(""));
    }
}

/* Of a list, the number of its items. */
static const skn_json *number_of(skn_cli *cli, const skn_json *v)
{
    skn_json *n;

    if (v && v->kind != SKN_JSON_ARRAY && v->kind != SKN_JSON_OBJECT)
        return v;
    n = SKN_NEW(cli->keep, skn_json);
    n->kind = SKN_JSON_NUMBER;
    n->text = skn_arena_printf(cli->keep, "%u", v ? (unsigned)v->count : 0);
    return n;
}

static bool show_coloured(skn_cli *cli, skn_str how, skn_str text)
{
    static const struct {
        const char *name;
        skn_colour  colour;
    } colours[] = {{"yellow", SKN_YELLOW}, {"bold", SKN_BOLD}, {"dim", SKN_DIM}};

    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (skn_str_is(how, colours[i].name)) {
            skn_print_colour(cli, colours[i].colour, text);
            return true;
        }
    return false;
}

static void show_slot(skn_cli *cli, const skn_json *of, const slot *s, bool command)
{
    const skn_json *v = find_member(cli, of, s->member);
    skn_str         text;
    int64_t         n = 0;

    if (skn_str_is(s->how, "size") || skn_str_is(s->how, "s"))
        v = number_of(cli, v);
    text = text_of(v);
    if (skn_str_is(s->how, "sender"))
        skn_print_sender(cli, text, s->width);
    else if (skn_str_is(s->how, "line"))
        skn_print_line(cli, text, s->width);
    else if (skn_str_is(s->how, "block"))
        skn_print_block(cli, text, (int)s->width);
    else if (skn_str_is(s->how, "list"))
        show_list(cli, v);
    else if (skn_str_is(s->how, "id"))
        skn_print_id(cli, text);
    else if (skn_str_is(s->how, "time"))
        skn_print_time(cli, skn_time_parse(text, &n) ? n : 0);
    else if (skn_str_is(s->how, "s"))
        skn_print_raw(cli, skn_str_is(text, "1") ? SKN_STR("") : SKN_STR("s"));
    else if (!show_coloured(cli, s->how, text) && (!command || !obeyed_by_shell(text)))
        pad(cli, v, text, s->width);
}

void skn_say(skn_cli *cli, const skn_json *v, const char *text)
{
    skn_str rest = choose(cli, v, skn_str_of(text)), before, whole;
    bool    any, command = false;
    slot    s;

    while (next_slot(&rest, &before, &s, &any)) {
        whole = skn_str_of(skn_pasteable(cli, skn_arena_copy(cli->keep, before).p));
        skn_clean_add(&cli->out.bytes, whole, true);
        command = in_command(command, before);
        if (any)
            show_slot(cli, v, &s, command);
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
    skn_print_block(cli, skn_json_str(v, member), 4);
}

/* The text with its members as they are, or encoded for a path. */
static skn_str filled(skn_cli *cli, const skn_json *v, const char *text, bool path)
{
    skn_str rest = choose(cli, v, skn_str_of(text)), before, value;
    skn_buf b;
    bool    any;
    slot    s;

    skn_buf_init(&b, SIZE_MAX);
    while (next_slot(&rest, &before, &s, &any)) {
        skn_buf_add(&b, before);
        if (!any)
            continue;
        value = text_of(find_member(cli, v, s.member));
        if (!path)
            skn_buf_add(&b, value);
        else if (skn_str_is(s.member, "world"))
            skn_buf_add(&b, skn_str_of(cli->door->world));
        else if (skn_str_is(s.member, "chat"))
            skn_buf_add(&b, skn_str_of(cli->door->chat));
        else
            skn_buf_add(&b, skn_str_of(skn_door_part(cli, value)));
    }
    return skn_buf_keep(&b, cli->keep);
}

/* --- JSON --------------------------------------------------------------------------------- */

skein_rc skn_door_item(skn_cli *cli, const skn_json *v)
{
    skn_jw_raw(skn_item(cli), v->raw);
    return skn_item_end(cli);
}

skn_jw *skn_item_with(skn_cli *cli, const skn_json *v)
{
    skn_jw *w = skn_item_begin(cli);

    for (const skn_json *m = v->first; m; m = m->next)
        skn_jw_member(w, m);
    return w;
}

skein_rc skn_say_list(skn_cli *cli, const skn_json_list *list, skn_say_item *say)
{
    skein_rc rc = SKEIN_OK;

    skn_list_begin(cli);
    for (size_t i = 0; i < list->n && !rc; i++)
        rc = cli->json ? skn_door_item(cli, list->p[i]) : say(cli, list->p[i]);
    skn_list_done(cli, rc);
    return rc;
}

skein_rc skn_tell(skn_cli *cli, skein_rc rc, const skn_json *v, const char *text)
{
    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, v);
    skn_say(cli, v, text);
    return SKEIN_OK;
}

skein_rc skn_tell_list(skn_cli *cli, skein_rc rc, const skn_json_list *list, const char *row,
                       const char *none)
{
    if (rc || cli->json)
        return rc ? rc : skn_say_list(cli, list, NULL);
    for (size_t i = 0; i < list->n; i++)
        skn_say_row(cli, list->p[i], row);
    if (!list->n && none)
        skn_say(cli, NULL, none);
    return SKEIN_OK;
}

skein_rc skn_item_read(skn_cli *cli, const skn_json **out)
{
    skn_jw_object_end(&cli->jw);
    return skn_json_parse(out, skn_arena_copy(cli->keep, skn_buf_str(&cli->item)), "the item",
                          cli->keep, &cli->err);
}

skein_rc skn_item_tell(skn_cli *cli, const char *text)
{
    const skn_json *v;
    skein_rc        rc;

    if (cli->json)
        return skn_item_close(cli);
    if (!(rc = skn_item_read(cli, &v)))
        skn_say(cli, v, text);
    return rc;
}

bool skn_dry(skn_cli *cli, const skn_json *v, const char *text)
{
    return cli->dry_run && skn_would(cli, "%.*s", SKN_FMT(filled(cli, v, text, false)));
}

/* --- Requests ----------------------------------------------------------------------------- */

const char *skn_path(skn_cli *cli, const skn_json *of, const char *path)
{
    return filled(cli, of, path, true).p;
}

/* The same, once the world and the conversation that it names are found. */
static skein_rc need_path(skn_cli *cli, const skn_json *of, const char *path, const char **out)
{
    skein_rc rc = SKEIN_OK;

    if (!cli->door->world && strstr(path, "{world}"))
        rc = skn_need_world(cli, NULL);
    if (!rc && !cli->door->chat && strstr(path, "{chat}"))
        rc = skn_need_chat(cli, NULL, NULL);
    *out = rc ? NULL : skn_path(cli, of, path);
    return rc;
}

skein_rc skn_read(skn_cli *cli, const skn_json *of, const char *path, const skn_json **out)
{
    const char *whole;
    skein_rc    rc = need_path(cli, of, path, &whole);

    return rc ? rc : skn_door_get(cli, out, "%s", whole);
}

skein_rc skn_read_all(skn_cli *cli, const skn_json *of, const char *path, size_t most,
                      skn_json_list *out)
{
    const char *whole;
    skein_rc    rc = need_path(cli, of, path, &whole);

    return rc ? rc : skn_door_all(cli, whole, most, out);
}

skein_rc skn_send(skn_cli *cli, skn_door_body *b, const char *method, const skn_json *of,
                  const char *path, const skn_json **out)
{
    const char *whole;
    skein_rc    rc = need_path(cli, of, path, &whole);

    if (rc && b)
        skn_buf_release(&b->bytes);
    if (rc)
        return rc;
    return b ? skn_door_send(b, method, whole, out)
             : skn_door_change(cli, method, whole, SKN_NONE, out);
}

skein_rc skn_body_read(skn_door_body *b, const skn_json **out)
{
    skn_jw_object_end(&b->w);
    return skn_json_parse(out, skn_buf_keep(&b->bytes, b->cli->keep), "it", b->cli->keep,
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
    if ((!cli->json || !deed->shows) && skn_dry(cli, *thing, deed->would))
        return SKEIN_OK;
    if (!cli->dry_run && (rc = skn_send(cli, b, deed->method, *thing, deed->path, &answer)))
        return rc;
    if (!cli->dry_run && answer->kind == SKN_JSON_OBJECT)
        *thing = answer;
    if (cli->json)
        return skn_door_item(cli, *thing);
    skn_say(cli, *thing, deed->did);
    return SKEIN_OK;
}
