#include "cli/far_world.h"

#include "base/clean.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cli/client.h"
#include "cli/far_view.h"

#include <string.h>

#define EXPORT_MS 600000
#define LINE_MOST ((size_t)64 << 10) /* of an export; what is longer is passed on in parts */

/* --- Making and removing ------------------------------------------------------------------ */

skein_rc skn_far_world_new(skn_cli *cli, skein_world *world)
{
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    skn_jw_kstr(w, "name", world->name);
    if (world->description.p)
        skn_jw_kstr(w, "description", world->description);
    if (world->turn_limit)
        skn_jw_kint(w, "turnLimit", world->turn_limit);
    if (world->compact_at)
        skn_jw_kint(w, "compactAt", world->compact_at);
    if (!(rc = skn_far_send(&b, "POST", "/worlds", &v)))
        skn_far_read_world(cli, v, world);
    return rc;
}

static skein_rc remove_at(skn_cli *cli, const char *path, bool force)
{
    const skn_json *none;

    return skn_far_change(
        cli, "DELETE", skn_arena_printf(cli->keep, "%s%s", path, force ? "?force=true" : "").p,
        SKN_NONE, &none);
}

skein_rc skn_far_remove_world(skn_cli *cli, bool force)
{
    return remove_at(cli, cli->door->world, force);
}

skein_rc skn_far_remove_chat(skn_cli *cli, bool force)
{
    return remove_at(cli, cli->door->chat, force);
}

/* --- Settings ----------------------------------------------------------------------------- */

static const skn_json *member_of(const skn_json *v, skn_str key)
{
    for (const skn_json *m = v && v->kind == SKN_JSON_OBJECT ? v->first : NULL; m; m = m->next)
        if (skn_str_eq(m->key, key))
            return m;
    return NULL;
}

/* A server merges what it gets into what it has: what is to go is named there, down to the last level. */
static void write_instead(skn_jw *w, const skn_json *old, const skn_json *value)
{
    if (value->kind != SKN_JSON_OBJECT || !old || old->kind != SKN_JSON_OBJECT) {
        skn_jw_raw(w, value->raw);
        return;
    }
    skn_jw_object(w);
    for (const skn_json *m = old->first; m; m = m->next)
        if (!member_of(value, m->key)) {
            skn_jw_key_str(w, m->key);
            skn_jw_null(w);
        }
    for (const skn_json *m = value->first; m; m = m->next) {
        skn_jw_key_str(w, m->key);
        write_instead(w, member_of(old, m->key), m);
    }
    skn_jw_object_end(w);
}

static void write_setting(skn_jw *w, const skn_json *old, skn_str key, const skn_json *value)
{
    const char *dot = memchr(key.p, '.', key.n);
    skn_str     name = dot ? skn_str_sub(key, 0, (size_t)(dot - key.p)) : key;

    skn_jw_key_str(w, name);
    if (!dot) {
        write_instead(w, member_of(old, name), value);
        return;
    }
    skn_jw_object(w);
    write_setting(w, member_of(old, name), skn_str_sub(key, name.n + 1, key.n), value);
    skn_jw_object_end(w);
}

/* These are the world's own, not its settings'. */
static bool is_own(skn_str key)
{
    return skn_str_is(key, "description") || skn_str_is(key, "turnLimit") ||
           skn_str_is(key, "compactAt");
}

skein_rc skn_far_world_set(skn_cli *cli, skn_str key, skn_str value, skein_world *now)
{
    const skn_json *was, *v;
    const char     *path;
    skn_far_body    b;
    skn_jw         *w;
    skein_rc        rc;

    if ((rc = skn_json_parse(&v, value, "the value", cli->keep, &cli->err)) ||
        (rc = skn_far_get(cli, &was, "%s", cli->door->world)))
        return rc;
    w = skn_far_body_begin(cli, &b);
    if (is_own(key)) {
        write_setting(w, was, key, v);
    } else {
        skn_jw_key(w, "settings");
        skn_jw_object(w);
        write_setting(w, skn_json_get(was, "settings"), key, v);
        skn_jw_object_end(w);
    }
    path = skn_arena_printf(cli->keep, "%s%s", cli->door->world,
                            cli->dry_run ? "?dryRun=true" : "")
               .p;
    if (!(rc = skn_far_send(&b, "PATCH", path, &v)))
        skn_far_read_world(cli, v, now);
    return rc;
}

/* --- Out of it ---------------------------------------------------------------------------- */

static const char *export_path(skn_cli *cli, const skn_far_export_spec *what)
{
    static const char *const lanes[] = {[SKN_DELEGATIONS_SUMMARY] = "summary",
                                        [SKN_DELEGATIONS_NONE] = "none",
                                        [SKN_DELEGATIONS_FULL] = "full"};

    return skn_arena_printf(cli->keep, "%s/export?format=%s&delegations=%s%s%s%s%s",
                            what->whole_world ? cli->door->world : cli->door->chat,
                            skn_format_name(what->format), lanes[what->delegations],
                            what->redact ? "&redact=true" : "",
                            what->no_memory_only ? "&memoryOnly=false" : "",
                            skn_far_parameter(cli, "threadId", what->thread),
                            skn_far_parameter(cli, "root", what->root))
        .p;
}

/* An export on its way: whole lines are passed on. */
typedef struct passing {
    const skn_sink *sink;
    bool            shown;
    skn_buf         line; /* begun */
} passing;

/* A carriage return is nothing that harms a file; what shows a file on a terminal cleans it again. */
static skein_rc pass_clean(passing *p, skn_str text, skein_error *err)
{
    skn_buf  clean;
    size_t   n;
    skein_rc rc;

    skn_buf_init(&clean, 4 * text.n + 1);
    for (; text.n; text = skn_str_sub(text, n + 1, text.n)) {
        const char *at = memchr(text.p, '\r', text.n);

        n = at ? (size_t)(at - text.p) : text.n;
        skn_clean_add(&clean, skn_str_sub(text, 0, n), true);
        skn_buf_add(&clean, at ? SKN_STR("\r") : SKN_STR(""));
    }
    rc = clean.starved ? skn_no_memory(err)
                       : p->sink->write(p->sink->arg, skn_buf_str(&clean), err);
    skn_buf_release(&clean);
    return rc;
}

static skein_rc pass(void *arg, skn_str piece, skein_error *err)
{
    passing *p = arg;
    skn_str  all;
    size_t   whole;
    skein_rc rc;

    if (!p->shown)
        return p->sink->write(p->sink->arg, piece, err);
    skn_buf_add(&p->line, piece);
    if (p->line.starved || p->line.over)
        return skn_no_memory(err);
    all = skn_buf_str(&p->line);
    for (whole = all.n; whole && all.p[whole - 1] != '\n'; whole--)
        ;
    if (!whole && all.n >= LINE_MOST)
        whole = skn_utf8_cut(all, all.n - 4).n;
    if (!whole)
        return SKEIN_OK;
    rc = pass_clean(p, skn_str_sub(all, 0, whole), err);
    memmove(p->line.p, p->line.p + whole, all.n - whole);
    p->line.n = all.n - whole;
    return rc;
}

skein_rc skn_far_export(skn_cli *cli, const skn_far_export_spec *what, const skn_sink *sink)
{
    passing          p = {.sink = sink, .shown = cli->far && skn_format_shown(what->format)};
    skn_request_spec ask = {
        .method = "GET", .path = export_path(cli, what), .take = pass, .arg = &p};
    skn_client_answer got;
    skein_rc          rc;

    skn_buf_init(&p.line, 2 * LINE_MOST);
    rc = skn_client_call(cli, &cli->door->server, &ask, EXPORT_MS, &got);
    if (!rc && p.line.n)
        rc = pass_clean(&p, skn_buf_str(&p.line), &cli->err);
    skn_buf_release(&p.line);
    return rc;
}

skein_rc skn_far_compact(skn_cli *cli, const skein_compaction *what, skein_message *out,
                         int64_t *covers, const skn_json **whole)
{
    skn_far_body b;
    skn_jw      *w = skn_far_body_begin(cli, &b);
    skn_str      lane = what->lane;
    skein_rc     rc;

    skn_jw_kstr(w, "content", what->content);
    skn_jw_kstr(w, "reason", what->reason);
    if (lane.n && lane.p[0] == '@')
        skn_jw_kstr(w, "agent", skn_str_sub(lane, 1, lane.n));
    else if (lane.n)
        skn_jw_kstr(w, "delegation", lane);
    if (what->model.n)
        skn_jw_kstr(w, "model", what->model);
    if (what->covers)
        skn_jw_kint(w, "covers", what->covers);
    rc = skn_far_send(&b, "POST",
                      skn_arena_printf(cli->keep, "%s/compactions", cli->door->chat).p, whole);
    if (rc)
        return rc;
    skn_far_read_message(cli, *whole, out, NULL, NULL);
    *covers = skn_far_int(*whole, "covers", 0);
    return SKEIN_OK;
}
