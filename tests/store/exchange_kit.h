/* exchange_kit.h: a small world to move out and in, and the ways to do it. */
#ifndef SKN_TESTS_EXCHANGE_KIT_H
#define SKN_TESTS_EXCHANGE_KIT_H

#include "fixture.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "exchange/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T(text) skein_text(text)

/* An engine on a fixture's place, with memory for its answers. */
typedef struct place {
    skn_fixture  *fx;
    skn_fixture   own; /* of a second place */
    skein_engine *e;
    skein_mem    *mem;
    skein_error   err;
} place;

static inline void place_open(place *p, skn_fixture *fx)
{
    skein_options o = SKEIN_OPTIONS_INIT;

    *p = (place){.fx = fx, .mem = skein_mem_new()};
    o.store = T(fx->address);
    SKN_OK(skein_open(&p->e, &o, &p->err), p->err);
}

/* A second, empty store. */
static inline void place_new(place *p, const char *kind)
{
    skn_fixture fx;

    skn_fixture_new(&fx, kind);
    place_open(p, &fx);
    p->own = fx;
    p->fx = &p->own;
}

static inline void place_close(place *p)
{
    skein_close(p->e);
    skein_mem_free(p->mem);
    if (p->own.dir[0])
        skn_fixture_close(&p->own);
}

static inline const char *kind_of(const skn_fixture *fx)
{
    return fx->pg ? "pg" : "sqlite";
}

/* --- Files and bytes ---------------------------------------------------------------------- */

static inline const char *write_file(place *p, const char *name, skn_str bytes)
{
    static char path[300];
    FILE       *out = fopen(skn_fixture_file(p->fx, name, path), "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, out), bytes.n);
    assert_int_equal(fclose(out), 0);
    return path;
}

/* The export as bytes; the caller releases the buffer. */
static inline void export_to(place *p, const skn_export_request *req, skn_buf *out)
{
    skn_sink sink = skn_sink_buf(out);

    skn_buf_init(out, (size_t)64 << 20);
    SKN_OK(skn_export(p->e, req, &sink, &p->err), p->err);
}

static inline void archive_world(place *p, skein_world_id world, skn_buf *out)
{
    skn_export_request req = {.world = world, .format = SKN_FORMAT_ARCHIVE};

    export_to(p, &req, out);
}

static inline void archive_chat(place *p, skein_conversation_id chat, skn_buf *out)
{
    skn_export_request req = {.conversation = chat, .format = SKN_FORMAT_ARCHIVE};

    export_to(p, &req, out);
}

static inline skein_rc import_file(place *p, const char *path, const char *as, bool dry_run,
                                   skn_import_report *report)
{
    skn_import_request req = {.as_name = T(as), .dry_run = dry_run};

    return skn_import(p->e, path, &req, p->mem, report, &p->err);
}

static inline skein_rc import_bytes(place *p, skn_str bytes, const char *as,
                                    skn_import_report *report)
{
    return import_file(p, write_file(p, "in.skein", bytes), as, false, report);
}

static inline void assert_same_bytes(const skn_buf *a, const skn_buf *b)
{
    size_t at = 0, from;

    while (at < a->n && at < b->n && a->p[at] == b->p[at])
        at++;
    if (at == a->n && at == b->n)
        return;
    for (from = at; from > 0 && a->p[from - 1] != '\n';)
        from--;
    fail_msg("they differ at byte %zu of %zu and %zu: \"%.200s\" and \"%.200s\"", at, a->n,
             b->n, a->p + from, b->p + from);
}

static inline void assert_has(const skn_buf *b, const char *text)
{
    if (!b->p || !strstr(b->p, text))
        fail_msg("\"%s\" is not in: %.4000s", text, b->p ? b->p : "");
}

static inline void assert_lacks(const skn_buf *b, const char *text)
{
    if (b->p && strstr(b->p, text))
        fail_msg("\"%s\" is in: %.4000s", text, b->p);
}

static inline void assert_sound(place *p)
{
    skein_check check;

    SKN_OK(skein_fsck(p->e, p->mem, &check, &p->err), p->err);
    if (check.count)
        fail_msg("%zu findings, the first: %s: %s", check.count, check.at[0].invariant.p,
                 check.at[0].text.p);
}

/* --- A world ------------------------------------------------------------------------------ */

static inline skein_world make_world(place *p, const char *name)
{
    static const char *const names[] = {"lead", "ada", "bo"};
    skein_world w = {.name = T(name), .description = T("a \"plan\" \xe2\x80\xa8 – ✓")};

    SKN_OK(skein_world_new(p->e, &w, p->mem, &p->err), p->err);
    for (size_t i = 0; i < 3; i++) {
        skein_agent a = {.world = w.id, .name = T(names[i]), .lead_name = T(i ? "lead" : NULL)};

        a.system_prompt = T("Be brief.");
        SKN_OK(skein_agent_new(p->e, &a, p->mem, &p->err), p->err);
    }
    return w;
}

static inline skein_message say(place *p, skein_conversation_id chat, const char *lane,
                                const skein_new_message *m)
{
    skein_append_request req = {
        .conversation = chat, .lane = T(lane), .messages = m, .count = 1};
    skein_messages stored;

    SKN_OK(skein_append(p->e, &req, p->mem, &stored, &p->err), p->err);
    return stored.at[0];
}

static inline skein_message say_as(place *p, skein_conversation_id chat, skein_role role,
                                   const char *sender, const char *text, const char *reply_to)
{
    skein_new_message m = {.role = role, .sender = T(sender), .content = T(text)};

    m.reply_to = T(reply_to);
    m.created_at = INT64_C(1763214123456789);
    return say(p, chat, NULL, &m);
}

/* --- A room with replies ------------------------------------------------------------------ */

typedef struct room {
    skein_world        world;
    skein_conversation chat;
    skein_message      first, answer, aside;
} room;

static inline room make_room(place *p)
{
    room r = {.world = make_world(p, "launch")};

    SKN_OK(skein_chat_new(p->e, r.world.id, T("Plan the launch"), p->mem, &r.chat, &p->err),
           p->err);
    r.first = say_as(p, r.chat.id, SKEIN_USER, "human", "Plan it.\n2. not an entry", NULL);
    r.answer = say_as(p, r.chat.id, SKEIN_ASSISTANT, "lead", "I will split <b>this</b>.",
                      r.first.uid.p);
    r.aside = say_as(p, r.chat.id, SKEIN_ASSISTANT, "ada", "For your notes: noon.", NULL);
    return r;
}

static inline skn_export_request of_chat(const room *r, skn_format format)
{
    return (skn_export_request){
        .conversation = r->chat.id, .format = format, .now = INT64_C(1763214602000000)};
}

static inline void export_room(place *p, const room *r, skn_format format, skn_buf *out)
{
    skn_export_request req = of_chat(r, format);

    export_to(p, &req, out);
}

#endif
