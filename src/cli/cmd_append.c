#include "base/error.h"
#include "cli/commands.h"
#include "cli/delegation.h"
#include "cli/message_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Any text that may be stored fits into a line, also with every byte escaped. */
#define LINE_LIMIT  (6 * SKN_TEXT_LIMIT + ((size_t)1 << 20))
#define BATCH_LINES 1000
#define NOTED_MOST  20 /* members that no message has */
#define BATCH_BYTES ((size_t)32 << 20)

/* --- Lines of standard input -------------------------------------------------------------- */

typedef struct input {
    skn_buf bytes; /* read and not yet given out, from `at` on */
    size_t  at, searched;
    bool    end;
    int64_t number; /* of the line given out last */
} input;

static skein_rc read_more(skn_cli *cli, input *in)
{
    char    piece[65536];
    ssize_t n;

    if (in->at) { /* what was given out makes room */
        memmove(in->bytes.p, in->bytes.p + in->at, in->bytes.n - in->at);
        in->bytes.n -= in->at;
        in->searched -= in->at;
        in->at = 0;
    }
    do
        n = read(STDIN_FILENO, piece, sizeof piece);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return skn_fail(&cli->err, SKEIN_IO, "standard input cannot be read: %s",
                        strerror(errno));
    in->end = n == 0;
    skn_buf_add(&in->bytes, (skn_str){piece, (size_t)n});
    if (in->bytes.over)
        return skn_fail(&cli->err, SKEIN_LIMIT, "line %" PRId64 " is over %zu bytes",
                        in->number + 1, LINE_LIMIT);
    return SKEIN_OK;
}

static skein_rc next_line(skn_cli *cli, input *in, skn_str *line, bool *more)
{
    skein_rc rc;
    char    *newline;

    for (;;) {
        size_t left = in->bytes.n - in->searched;

        newline = left ? memchr(in->bytes.p + in->searched, '\n', left) : NULL;
        if (newline || in->end)
            break;
        in->searched = in->bytes.n;
        if ((rc = read_more(cli, in)))
            return rc;
    }
    *more = newline || in->at < in->bytes.n;
    if (!*more)
        return SKEIN_OK;
    *line = (skn_str){in->bytes.p + in->at, newline ? (size_t)(newline - in->bytes.p) - in->at
                                                    : in->bytes.n - in->at};
    in->at += line->n + (newline ? 1 : 0);
    in->searched = in->at;
    in->number++;
    return SKEIN_OK;
}

/* --- Batches ------------------------------------------------------------------------------ */

typedef struct batch {
    skein_world        world;
    skein_conversation chat;
    skein_at           expect; /* of the first batch */
    skn_vec(skein_new_message) messages;
    int64_t line_of[BATCH_LINES];
    size_t  bytes;
    skn_str lane;           /* in cli->keep */
    int64_t stored, known;  /* new ones, and those that were there already */
    skn_str first;          /* id of the first new one */
    skn_vec(skn_str) noted; /* members that no message has, and that were told */
} batch;

static void forget(skn_cli *cli, batch *b)
{
    skein_mem_reset(cli->mem);
    memset(&b->messages, 0, sizeof b->messages);
    b->bytes = 0;
}

/* Which line it was, where a line is at fault at all; what of the input is kept. */
static skein_rc explain(skn_cli *cli, const batch *b, size_t index)
{
    skein_error e = cli->err;
    bool of_a_line = e.rc == SKEIN_INVALID || e.rc == SKEIN_LIMIT || e.rc == SKEIN_CONFLICT ||
                     e.rc == SKEIN_NOT_FOUND;

    if (of_a_line && index < b->messages.n) {
        skn_fail(&cli->err, e.rc, "line %" PRId64 ": %s", b->line_of[index], e.message);
        skn_hint(&cli->err, e.rc, "%s", e.hint);
    }
    return cli->err.rc;
}

/* A message that was there before has no place in what was stored now. */
static void count(skn_cli *cli, batch *b, const skein_messages *stored)
{
    for (size_t i = 0; i < stored->count; i++) {
        bool fresh = stored->at[i].position >= 0;

        b->stored += fresh;
        b->known += !fresh;
        if (fresh && !b->first.p)
            b->first = skn_arena_copy(cli->keep, stored->at[i].uid);
    }
}

static skein_rc store(skn_cli *cli, batch *b)
{
    skein_append_request req = {.conversation = b->chat.id,
                                .lane = b->lane,
                                .messages = b->messages.p,
                                .count = b->messages.n,
                                .expect = b->expect,
                                .import = !skn_opt(cli, "strict")};
    skein_messages       stored = {NULL, 0};
    skein_rc             rc;

    if (!b->messages.n)
        return SKEIN_OK;
    if (!cli->dry_run) {
        if (b->lane.p && (rc = skn_lane_ensure(cli, &b->chat, b->lane, skn_opt(cli, "call"))))
            return rc;
        if ((rc = skein_append(cli->engine, &req, cli->mem, &stored, &cli->err)))
            return explain(cli, b, stored.count);
        count(cli, b, &stored);
        if ((rc = skn_print_stored(cli, &b->chat, &stored)))
            return rc;
    } else {
        b->stored += (int64_t)b->messages.n;
    }
    b->expect = (skein_at){{0}, 0};
    forget(cli, b);
    return SKEIN_OK;
}

static bool same_lane(skn_str a, skn_str b)
{
    return a.p && b.p ? skn_str_eq(a, b) : !a.p == !b.p;
}

/* Once for each name: a file has it in every line. */
static void note_unknown(skn_cli *cli, batch *b, const char *what, skn_str member)
{
    const char *near = skn_message_member_near(member, cli->mem);

    for (size_t i = 0; i < b->noted.n; i++)
        if (skn_str_eq(b->noted.p[i], member))
            return;
    skn_vec_add(cli->keep, &b->noted, skn_arena_copy(cli->keep, member));
    skn_note(cli, "%s: no message has \"%.*s\"; it is ignored.%s%s%s", what, SKN_FMT(member),
             near ? " Did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* An id that every command would read as something else could not be named. */
static skein_rc check_id(skn_cli *cli, const char *what, skn_str id)
{
    const char *other = !id.p                                         ? NULL
                        : skn_str_starts(id, SKN_STR("t_"))           ? "a thread"
                        : skn_str_starts(id, SKN_STR("sq_"))          ? "a squash"
                        : skn_is_lane(id)                             ? "a delegation"
                        : skn_is_version(id) || skn_is_version_at(id) ? "a version"
                                                                      : NULL;

    if (!other)
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_INVALID, "%s: \"%.*s\" is the name of %s, not of a message", what,
             SKN_FMT(id), other);
    return skn_hint(&cli->err, SKEIN_INVALID, "Leave the id out to get a new one.");
}

/* Reads a line into the batch; *other says that it is for another lane, and comes again. */
static skein_rc add_line(skn_cli *cli, batch *b, skn_str line, int64_t number, bool *other)
{
    skein_new_message m;
    skn_str           lane, unknown;
    char              what[48];
    skein_rc          rc;

    snprintf(what, sizeof what, "line %" PRId64, number);
    line = skn_arena_copy(cli->mem, line);
    if ((rc = skn_message_read(line, what, cli->mem, &m, &lane, &unknown, &cli->err)) ||
        (rc = check_id(cli, what, m.uid)))
        return rc;
    if (unknown.p && b->noted.n < NOTED_MOST)
        note_unknown(cli, b, what, unknown);
    if (!lane.p)
        lane = skn_str_of(skn_opt(cli, "lane"));
    *other = !same_lane(lane, b->lane) && b->messages.n;
    if (*other)
        return SKEIN_OK;
    b->lane = skn_arena_copy(cli->keep, lane);
    b->line_of[b->messages.n] = number;
    skn_vec_add(cli->mem, &b->messages, m);
    b->bytes += line.n;
    return SKEIN_OK;
}

static skein_rc append_lines(skn_cli *cli, batch *b, input *in)
{
    skn_str  line;
    bool     more, other;
    skein_rc rc;

    while (!(rc = next_line(cli, in, &line, &more)) && more) {
        if (!skn_str_trim(line).n)
            continue;
        if ((rc = add_line(cli, b, line, in->number, &other)))
            return rc;
        if (other &&
            ((rc = store(cli, b)) || (rc = add_line(cli, b, line, in->number, &other))))
            return rc;
        if ((b->messages.n == BATCH_LINES || b->bytes >= BATCH_BYTES) && (rc = store(cli, b)))
            return rc;
    }
    return rc ? rc : store(cli, b);
}

static skein_rc begin(skn_cli *cli, batch *b)
{
    const char *expect = skn_opt(cli, "expect");
    skein_rc    rc = skn_need_first_chat(cli, &b->world, &b->chat);

    if (!rc)
        skn_keep_state(cli, &b->chat);
    if (!rc && expect)
        rc = skn_need_state(cli, &b->chat, expect, &b->expect);
    if (!rc && skn_opt(cli, "call") && !skn_opt(cli, "lane"))
        rc = skn_fail(&cli->err, SKEIN_USAGE, "\"--call\" goes with \"--lane\"");
    return rc;
}

static void summary(skn_cli *cli, const batch *b, skein_rc rc)
{
    char known[64] = "", back[160] = "";

    if (b->known)
        snprintf(known, sizeof known, ", %" PRId64 " %s there already", b->known,
                 b->known == 1 ? "was" : "were");
    if (b->first.p)
        snprintf(back, sizeof back, " Take %s back with \"skein rm --from %.*s\".",
                 b->stored == 1 ? "it" : "them", SKN_FMT(b->first));
    if (cli->dry_run)
        skn_note(cli, "Would store %" PRId64 " message%s. Nothing was changed.", b->stored,
                 skn_plural(b->stored));
    else if (b->stored + b->known && !cli->json)
        skn_note(cli, "%" PRId64 " stored%s.%s", b->stored, known, back);
    if (rc && b->stored && !cli->json)
        skn_note(cli, "%" PRId64 " message%s before that %s stored, the rest is not.",
                 b->stored, skn_plural(b->stored), b->stored == 1 ? "is" : "are");
}

int skn_cmd_append(skn_cli *cli)
{
    batch    b = {.stored = 0};
    input    in = {.number = 0};
    skein_rc rc = begin(cli, &b);

    if (rc)
        return (int)rc;
    skn_buf_init(&in.bytes, LINE_LIMIT + 65536);
    if (cli->json)
        skn_list_begin(cli);
    rc = append_lines(cli, &b, &in);
    if (cli->json)
        skn_list_done(cli, rc);
    summary(cli, &b, rc);
    skn_buf_release(&in.bytes);
    return (int)rc;
}
