#include "api/call.h"
#include "base/lines.h"
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

/* Any text that may be stored fits into a line, also with every byte escaped. */
#define LINE_LIMIT  (6 * SKN_TEXT_LIMIT + ((size_t)1 << 20))
#define BATCH_LINES 1000
#define NOTED_MOST  20 /* members that no message has */
#define BATCH_BYTES                                                                            \
    ((size_t)900 << 10) /* what every server takes at once; a longer line goes alone */

/* --- Lines of standard input -------------------------------------------------------------- */

static skein_rc next_line(skn_cli *cli, skn_lines *in, skn_str *line, bool *more)
{
    skein_rc rc = skn_lines_next(in, line, more, NULL, &cli->err);

    if (rc == SKEIN_IO)
        return skn_fail(&cli->err, rc, "standard input cannot be read: %s", strerror(errno));
    if (rc == SKEIN_DATA)
        return skn_fail(&cli->err, SKEIN_LIMIT, "line %" PRId64 " is over %zu bytes",
                        in->number + 1, LINE_LIMIT);
    return rc;
}

/* --- Batches ------------------------------------------------------------------------------ */

typedef struct batch {
    skein_world        world;
    skein_conversation chat;
    skn_vec(skn_str) messages; /* as JSON */
    int64_t line_of[BATCH_LINES];
    size_t  bytes;
    skn_str lane;           /* in cli->keep */
    int64_t stored, known;  /* new ones, and those that were there already */
    skn_str first;          /* id of the first new one */
    skn_vec(skn_str) noted; /* unknown members that were reported */
} batch;

static void forget_batch(skn_cli *cli, batch *b)
{
    skein_mem_reset(cli->mem);
    memset(&b->messages, 0, sizeof b->messages);
    b->bytes = 0;
}

/* Which line it was, where a line is at fault at all. */
static skein_rc explain(skn_cli *cli, const skn_cli *apart, const batch *b)
{
    skein_error e = apart->err;
    skn_str     at = skn_str_of(apart->at);
    int64_t     index;

    cli->err = e;
    cli->more = apart->more;
    cli->told = apart->told;
    if (skn_str_starts(at, SKN_STR("/messages/")) &&
        skn_str_int(skn_str_sub(at, sizeof "/messages/" - 1, at.n), &index) && index >= 0 &&
        (size_t)index < b->messages.n) {
        skn_fail(&cli->err, e.rc, "line %" PRId64 ": %s", b->line_of[index], e.message);
        skn_hint(&cli->err, e.rc, "%s", e.hint);
    }
    return e.rc;
}

/* A message that was there before has no place in what was stored now. */
static void count(skn_cli *cli, batch *b, const skein_message *m)
{
    bool fresh = m->position >= 0;

    b->stored += fresh;
    b->known += !fresh;
    if (fresh && !b->first.p)
        b->first = skn_arena_copy(cli->keep, m->uid);
}

static skein_rc print_stored(skn_cli *cli, skn_cli *apart, batch *b, const skn_json *list)
{
    skein_message       m;
    skein_message_facts facts;
    skein_rc            rc = SKEIN_OK;

    for (const skn_json *v = list ? list->first : NULL; v && !rc; v = v->next) {
        skn_door_read_message(apart, v, &m, &facts, NULL);
        count(cli, b, &m);
        if (cli->json)
            rc = skn_door_item(cli, v);
        else
            skn_print_oneline(cli, &m, &facts);
    }
    return rc;
}

skein_rc skn_append_send(skn_cli *cli, const skn_append *what, const skn_json **out)
{
    const skn_json *v;
    skn_door_body   b;
    skn_jw         *w = skn_door_body_begin(cli, &b);
    skein_rc        rc;

    skn_jw_kgiven(w, "lane", what->lane);
    skn_jw_kgiven(w, "spawnCallId", what->call_id);
    if (what->strict)
        skn_jw_kbool(w, "strict", true);
    skn_jw_karray(w, "messages");
    for (size_t i = 0; i < what->count; i++)
        skn_jw_raw(w, what->messages[i]);
    skn_jw_array_end(w);
    rc = skn_send(cli, &b, "POST", NULL, "{chat}/messages", &v);
    *out = rc ? NULL : skn_json_get(v, "messages");
    return rc;
}

/* What is asked and answered goes with the batch: there may be any number of them. */
static skein_rc send_batch(skn_cli *cli, batch *b)
{
    const skn_append  what = {.messages = b->messages.p,
                              .count = b->messages.n,
                              .lane = b->lane,
                              .call_id = skn_str_of(skn_opt(cli, "call")),
                              .strict = skn_opt(cli, "strict")};
    skn_door_question q;
    skn_cli          *apart = skn_door_ask_apart(cli, cli->mem, &q);
    const skn_json   *stored;

    if (skn_append_send(apart, &what, &stored))
        return explain(cli, apart, b);
    cli->door->match = NULL; /* it was expected of the first batch */
    return print_stored(cli, apart, b, stored);
}

static skein_rc store(skn_cli *cli, batch *b)
{
    skein_rc rc = SKEIN_OK;

    if (cli->dry_run)
        b->stored += (int64_t)b->messages.n;
    else if (b->messages.n && (rc = send_batch(cli, b)))
        return rc;
    forget_batch(cli, b);
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

    if (skn_str_in(b->noted.p, b->noted.n, member))
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
    return skn_fail_hint(&cli->err, SKEIN_INVALID, "Leave the id out to get a new one.",
                         "%s: \"%.*s\" is the name of %s, not of a message", what, SKN_FMT(id),
                         other);
}

/* The reader of JSON counts lines from the start of what it is given, which is one line. */
static skein_rc without_line(const char *what, skein_error *err)
{
    skein_error e = *err;
    skn_str     text = skn_str_of(e.message), name = skn_str_of(what);
    skn_str rest = skn_str_starts(text, name) ? skn_str_sub(text, name.n, text.n) : SKN_NONE;

    if (!skn_str_starts(rest, SKN_STR(": line 1, ")))
        return e.rc;
    return skn_fail(err, e.rc, "%s, %.*s", what, SKN_FMT(skn_str_sub(rest, 10, rest.n)));
}

/* What a line is at fault for is said before anything of its batch is sent. */
static skein_rc read_line(skn_cli *cli, batch *b, skn_str line, const char *what, skn_str *lane)
{
    const skn_json   *v;
    skein_new_message m;
    skn_str           unknown;
    skein_error       inner = {.rc = SKEIN_OK};
    skein_rc          rc;

    if (skn_json_parse(&v, line, what, cli->mem, &cli->err))
        return without_line(what, &cli->err);
    if ((rc = skn_message_read(v, cli->mem, &m, lane, &unknown, &inner)))
        return skn_fail(&cli->err, rc, "%s: %s", what, inner.message);
    if ((rc = check_id(cli, what, m.uid)))
        return rc;
    if (unknown.p && b->noted.n < NOTED_MOST)
        note_unknown(cli, b, what, unknown);
    return SKEIN_OK;
}

/* Reads a line into the batch; *other says that it is for another lane or too much, and comes again. */
static skein_rc add_line(skn_cli *cli, batch *b, skn_str line, int64_t number, bool *other)
{
    skn_str  lane;
    char     what[48];
    skein_rc rc;

    snprintf(what, sizeof what, "line %" PRId64, number);
    line = skn_arena_copy(cli->mem, line);
    if ((rc = read_line(cli, b, line, what, &lane)))
        return rc;
    if (!lane.p)
        lane = skn_str_of(skn_opt(cli, "lane"));
    *other = b->messages.n && (!same_lane(lane, b->lane) || b->bytes + line.n > BATCH_BYTES);
    if (*other)
        return SKEIN_OK;
    b->lane = skn_arena_copy(cli->keep, lane);
    b->line_of[b->messages.n] = number;
    skn_vec_add(cli->mem, &b->messages, line);
    b->bytes += line.n;
    return SKEIN_OK;
}

/* A list as --json prints it has an element in every line, between brackets and commas. */
static skn_str element_of(skn_str line)
{
    line = skn_str_trim(line);
    if (skn_str_starts(line, SKN_STR("[{")))
        line = skn_str_sub(line, 1, line.n);
    if (skn_str_ends(line, SKN_STR("},")) || skn_str_ends(line, SKN_STR("}]")))
        line.n--;
    return line;
}

static skein_rc append_lines(skn_cli *cli, batch *b, skn_lines *in)
{
    skn_str  line;
    bool     more, other;
    skein_rc rc;

    while (!(rc = next_line(cli, in, &line, &more)) && more) {
        if (!(line = element_of(line)).n)
            continue;
        if ((rc = add_line(cli, b, line, in->number, &other)))
            return rc;
        if (other &&
            ((rc = store(cli, b)) || (rc = add_line(cli, b, line, in->number, &other))))
            return rc;
        if (b->messages.n == BATCH_LINES && (rc = store(cli, b)))
            return rc;
    }
    return rc ? rc : store(cli, b);
}

static skein_rc begin_batch(skn_cli *cli, batch *b)
{
    const char *expect = skn_opt(cli, "expect");
    skein_rc    rc = skn_need_first_chat(cli, &b->world, &b->chat);

    if (!rc)
        skn_keep_state(cli, &b->chat);
    if (!rc && expect)
        rc = skn_need_state(cli, &b->chat, expect);
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

skein_rc skn_cmd_append(skn_cli *cli)
{
    batch     b = {.stored = 0};
    skn_lines in;
    skein_rc  rc = begin_batch(cli, &b);

    if (rc)
        return rc;
    skn_lines_of(&in, "standard input", STDIN_FILENO, LINE_LIMIT);
    skn_list_begin(cli);
    rc = append_lines(cli, &b, &in);
    skn_list_done(cli, rc);
    summary(cli, &b, rc);
    skn_lines_close(&in);
    return rc;
}
