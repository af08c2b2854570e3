#include "roles.h"

#include "base/hash.h"
#include "child.h"
#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LIMIT ((size_t)1 << 20)

typedef struct process {
    skein_engine         *e;
    skein_conversation_id chat;
    skein_world_id        world;
    int                   number;
    int64_t               count; /* how often */
    uint64_t              seed;
    skein_mem            *mem;
} process;

_Noreturn static void die(const char *what, const skein_error *err)
{
    skn_child_die("%s: %s %s", what, skein_rc_name(err->rc), err->message);
}

static void report(void *arg, const char *line)
{
    (void)arg;
    skn_child_report("%s", line);
}

static bool give_up(void *arg, const char *what, const skein_error *err)
{
    (void)arg;
    die(what, err);
}

/* Says its messages from the n-th on, as many as go together; returns how many. */
static int64_t say(process *p, int64_t n, skn_buf *text)
{
    size_t               count = skn_load_batch(p->number, n);
    char                 uid[SKN_LOAD_BATCH][32];
    skein_new_message    m[SKN_LOAD_BATCH] = {0};
    skein_append_request r = {.conversation = p->chat, .messages = m, .count = count};
    skein_messages       stored;
    skein_error          err;

    skein_mem_reset(p->mem);
    for (size_t i = 0; i < count; i++) {
        skn_load_uid(p->number, n + (int64_t)i, uid[i]);
        skn_buf_clear(text);
        skn_load_text(p->number, n + (int64_t)i, text);
        m[i].role = SKEIN_USER;
        m[i].uid = skein_text(uid[i]);
        m[i].content = skn_arena_copy(p->mem, skn_buf_str(text));
    }
    if (skein_append(p->e, &r, p->mem, &stored, &err))
        die("append", &err);
    skn_child_report("said %d %" PRId64 " %zu", p->number, n, count);
    return (int64_t)count;
}

/* Says its numbered messages. */
static void role_append(process *p)
{
    skn_buf text;

    skn_buf_init(&text, TEXT_LIMIT);
    for (int64_t n = 0; n < p->count;)
        n += say(p, n, &text);
    skn_buf_release(&text);
}

/* The latest state, and the first message of it. */
static skein_at look(process *p, skein_messages *first)
{
    skein_slice slice = {.conversation = p->chat, .count = 1};
    skein_error err;
    skein_at    at;

    skein_mem_reset(p->mem);
    if (skein_read(p->e, &slice, p->mem, first, &at, &err))
        die("read", &err);
    return at;
}

/* Edits the first message or puts one before it, only if nothing has changed since it looked. */
static skein_rc change_first(process *p, int64_t i, skein_version *v, skein_message *made,
                             skein_error *err)
{
    skein_messages    first;
    skein_change      how = {.conversation = p->chat, .expect = look(p, &first)};
    skein_new_message n = {.role = SKEIN_USER};
    char              text[60];

    snprintf(text, sizeof text, "%s %d.%" PRId64, i % 2 ? "insert" : "amend", p->number, i);
    n.content = skein_text(text);
    if (i % 2)
        return skein_insert(p->e, &how, first.at[0].id, &n, p->mem, v, made, err);
    return skein_amend(p->e, &how, first.at[0].id, n.content, p->mem, v, made, err);
}

/* If something has changed since, it looks again. */
static void role_amend(process *p)
{
    skein_version v;
    skein_message made;
    skein_error   err;

    for (int64_t i = 0; i < p->count;) {
        skein_rc rc = change_first(p, i, &v, &made, &err);

        if (rc && rc != SKEIN_VERSION_CHANGED)
            die("change", &err);
        if (rc)
            continue;
        skn_child_report("made %.*s %016" PRIx64 " %" PRId64 " %.*s", SKN_FMT(made.uid),
                         skn_hash_bytes(1, made.content), v.number, SKN_FMT(v.kind));
        i++;
    }
}

/* Everything the load does. */
static void role_mixed(process *p)
{
    skn_load load = {.e = p->e,
                     .chat = p->chat,
                     .seed = p->seed,
                     .first = p->number,
                     .threads = 1,
                     .changes = p->count,
                     .tell = report,
                     .fail = give_up};

    skn_load_run(&load);
}

/* Sums up what it has seen, as a model would, while others go on talking; another that does the
 * same may be faster. */
static void sum_up(process *p)
{
    skein_error      err;
    skein_messages   first;
    skein_message    summary;
    skein_compaction what = {.seen = look(p, &first)};
    int64_t          covers;
    char             text[40];
    skein_rc         rc;

    snprintf(text, sizeof text, "seen %" PRId64, what.seen.length);
    what.content = skein_text(text);
    rc = skein_compact(p->e, p->chat, &what, p->mem, &summary, &covers, &err);
    if (rc && rc != SKEIN_NOTHING && rc != SKEIN_VERSION_CHANGED)
        die("compact", &err);
    if (rc == SKEIN_OK)
        skn_child_report("covers %" PRId64 " %" PRId64, what.seen.length, covers);
}

static void role_compact(process *p)
{
    skn_buf text;

    skn_buf_init(&text, TEXT_LIMIT);
    for (int64_t n = 0; n < p->count;) {
        n += say(p, n, &text);
        sum_up(p);
    }
    skn_buf_release(&text);
}

/* Uses the foreground conversation of every agent for the first time. */
static void role_first_use(process *p)
{
    skein_agents       agents;
    skein_conversation c;
    skein_error        err;

    if (skein_agent_list(p->e, p->world, p->mem, &agents, &err))
        die("agents", &err);
    for (size_t i = 0; i < agents.count; i++) {
        if (skein_conversation_of(p->e, agents.at[i].id, SKEIN_FOREGROUND, p->mem, &c, &err))
            die("first use", &err);
        skn_child_report("%.*s %.*s", SKN_FMT(agents.at[i].name), SKN_FMT(c.uid));
    }
}

/* A request that is sent more than once: an edit under a key, and a message with its own id. */
static void role_repeat(process *p)
{
    skein_change      how = {.conversation = p->chat, .key = skein_text("once")};
    skein_new_message m = {
        .uid = skein_text("only.one"), .role = SKEIN_USER, .content = skein_text("said once")};
    skein_append_request r = {.conversation = p->chat, .messages = &m, .count = 1};
    skein_messages       stored;
    skein_removal        out;
    skein_message        target;
    skein_error          err;

    if (skein_message_find(p->e, p->chat, 1, skein_text("first"), p->mem, &target, &err) ||
        skein_edit(p->e, &how, target.id, skein_text("revised"), p->mem, &out, &err) ||
        skein_append(p->e, &r, p->mem, &stored, &err))
        die("repeat", &err);
    skn_child_report("v%" PRId64 " %.*s %" PRId64, out.version.number, SKN_FMT(out.added.uid),
                     stored.at[0].id.v);
}

static const struct {
    const char *name;
    void (*run)(process *p);
} roles[] = {
    {"append", role_append},   {"amend", role_amend},     {"mixed", role_mixed},
    {"compact", role_compact}, {"first", role_first_use}, {"repeat", role_repeat},
};

int skn_role_run(char **args)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    process       p = {.mem = skein_mem_new()};
    skein_world   world;
    skein_error   err;

    options.store = skein_text(args[1]);
    p.number = (int)strtol(args[2], NULL, 10);
    p.count = strtoll(args[3], NULL, 10);
    p.seed = strtoull(args[4], NULL, 10);
    if (skein_open(&p.e, &options, &err) || skn_load_prepare(p.e, &p.chat, &err) ||
        skein_world_find(p.e, skein_text("office"), p.mem, &world, &err))
        die("open", &err);
    p.world = world.id;
    skn_child_wait_start();
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (!strcmp(args[0], roles[i].name))
            roles[i].run(&p);
    skein_close(p.e);
    skein_mem_free(p.mem);
    return 0;
}
