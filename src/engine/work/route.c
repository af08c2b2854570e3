/* route.c: who has to answer a message. Names in the text decide, and the text stays as it is. */
#include "base/utf8.h"
#include "engine/tree/holds.h"
#include "engine/work/chat_work.h"
#include "engine/work/mention.h"

/* An agent answers what nobody else was named for, unless its settings say otherwise. */
static bool replies_by_itself(const skein_agent *agent, skn_arena *a)
{
    const skn_json *settings, *v;

    if (!agent->settings.n || skn_json_parse(&settings, agent->settings, "settings", a, NULL))
        return true;
    v = skn_json_get(settings, "autoReply");
    return !v || v->kind != SKN_JSON_BOOL || v->boolean;
}

/* Those that hear it: all agents of the world in a chat, in an agent's own conversation that one. */
static skein_rc find_agents(skn_working *w, skein_agents *out, skein_error *err)
{
    bool     found;
    skein_rc rc;

    if (w->chat.mode == SKEIN_CHAT)
        return skn_agent_rows(w->tx, w->chat.world_id, w->a, out, err);
    out->at = SKN_NEW(w->a, skein_agent);
    rc = skn_agent_get(w->tx, w->chat.agent_id, w->a, out->at, &found, err);
    out->count = rc == SKEIN_OK && found;
    return rc;
}

static bool wants_no_answer(const skein_message *m)
{
    for (size_t i = 0; i < m->instruction_count; i++)
        if (skn_str_is(m->instructions[i].type, "ReadOnly"))
            return true;
    return false;
}

static size_t named(skn_working *w, const skein_message *m, skn_routed *to)
{
    skn_str *names = SKN_ARRAY(w->a, to->agents.count, skn_str);
    size_t  *at, count;

    for (size_t i = 0; i < to->agents.count; i++)
        names[i] = to->agents.at[i].name;
    count = skn_mentions(m->content, names, to->agents.count, w->a, &at);
    for (size_t i = 0; i < count; i++)
        to->answers[at[i]] = true;
    return count;
}

skein_rc skn_route(skn_working *w, const skein_message *m, skn_routed *out, skein_error *err)
{
    bool     chat = w->chat.mode == SKEIN_CHAT;
    skein_rc rc = find_agents(w, &out->agents, err);

    if (rc)
        return rc;
    out->count = 0;
    out->answers = SKN_ARRAY(w->a, out->agents.count, bool);
    if (wants_no_answer(m))
        return SKEIN_OK;
    if (!chat || (named(w, m, out) == 0 && m->author_agent.v == 0))
        for (size_t i = 0; i < out->agents.count; i++)
            out->answers[i] = !chat || replies_by_itself(&out->agents.at[i], w->a);
    for (size_t i = 0; i < out->agents.count; i++) {
        if (out->agents.at[i].id.v == m->author_agent.v)
            out->answers[i] = false;
        out->count += out->answers[i];
    }
    return SKEIN_OK;
}

skein_rc skn_route_merge(skn_working *w, skn_str cause, skn_routed *to, skein_error *err)
{
    skn_map          *at = skn_map_new(w->a);
    skn_delivery_rows rows;
    skein_rc          rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err);

    for (size_t i = 0; rc == SKEIN_OK && i < to->agents.count; i++)
        *skn_map_slot_int(at, to->agents.at[i].id.v) = &to->answers[i];
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++) {
        bool *answers = *skn_map_slot_int(at, rows.at[i].agent_id);

        if (rows.at[i].lane_id || rows.at[i].state != SKN_QUEUED ||
            !skn_str_eq(rows.at[i].cause, cause) || !answers || !*answers)
            continue;
        *answers = false;
        to->count--;
    }
    return rc;
}

skein_rc skn_deliver(skn_working *w, const skein_message *m, const skn_routed *to,
                     skn_str cause, int64_t hops_left, const skn_saying *asked,
                     skein_error *err)
{
    skn_delivery_row row = {.conversation_id = w->chat.id,
                            .message_id = m->id.v,
                            .cause = cause,
                            .hops_left = hops_left,
                            .model = asked ? asked->model : SKN_NONE,
                            .most_tokens = asked ? asked->most_tokens : 0,
                            .created_at = w->now};
    skein_rc         rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < to->agents.count; i++) {
        row.agent_id = to->agents.at[i].id.v;
        if (to->answers[i])
            rc = skn_delivery_insert(w->tx, &row, err);
    }
    return rc;
}

/* --- Deliveries ---------------------------------------------------------------------------------------- */

static skn_str state_word(skn_delivery_state state)
{
    static const char *const words[] = {[SKN_QUEUED] = "queued",
                                        [SKN_WORKING] = "queued",
                                        [SKN_ANSWERED] = "answered",
                                        [SKN_UNANSWERED] = "failed",
                                        [SKN_DROPPED] = "inMemory"};

    return skn_str_of((size_t)state < sizeof words / sizeof *words ? words[state] : "inMemory");
}

/* The agents whose memory holds a message, each "inMemory"; to its author it was not delivered. */
static skein_rc add_lane(skn_working *w, skn_batch *b, const skn_lane_row *lane, size_t most,
                         const int64_t *authors, skein_deliveries *of, skein_error *err)
{
    skn_bits  *bits = skn_batch_bits(b);
    skn_thread t;
    bool       found;
    skein_rc   rc;

    if (!lane->agent_id || lane->agent_gone)
        return SKEIN_OK;
    rc = skn_thread_load(b->trees, w->chat.version_id, lane->id, &t, &found, err);
    if (rc || !found || (rc = skn_batch_held(b, &t, bits, err)))
        return rc;
    for (size_t i = 0; i < b->count; i++) {
        if (!skn_bit(bits, i) || authors[i] == lane->agent_id)
            continue;
        if (!of[i].at)
            of[i].at = SKN_ARRAY(w->a, most, skein_delivery);
        of[i].at[of[i].count++] = (skein_delivery){.agent = lane->agent_name,
                                                   .state = SKN_STR("inMemory")};
    }
    return SKEIN_OK;
}

/* The agent of a conversation of its own, or of a delegation, has no memory beside it: that it holds a message goes
 * without saying. In a delegation so does all but a failure. */
static void add_own(skn_working *w, const skn_delivery_row *row, skein_deliveries *of)
{
    bool told = row->lane_id ? row->state == SKN_UNANSWERED : w->chat.mode != SKEIN_CHAT;

    if (!told || of->count)
        return;
    of->at = SKN_NEW(w->a, skein_delivery);
    of->at[of->count++] = (skein_delivery){.agent = row->agent_name};
}

static void overlay(skn_working *w, const skn_delivery_row *row, skein_deliveries *of)
{
    bool failed = row->state == SKN_UNANSWERED;
    bool stopped = row->state == SKN_DROPPED && skn_str_eq(row->error, SKN_WAS_STOPPED);

    add_own(w, row, of);
    for (size_t i = 0; i < of->count; i++)
        if (skn_str_eq(of->at[i].agent, row->agent_name))
            of->at[i] = (skein_delivery){.agent = row->agent_name,
                                         .state = state_word(row->state),
                                         .error = failed ? row->error : SKN_NONE,
                                         .failed_at = failed ? row->closed_at : 0,
                                         .stopped_at = stopped ? row->closed_at : 0};
}

skein_rc skn_deliveries_read(skn_working *w, const skein_messages *messages,
                             skein_deliveries *out, skein_error *err)
{
    skn_idset         set;
    skn_ids           ids;
    skn_batch         batch;
    skn_trees         trees;
    skn_lane_rows     lanes;
    skn_delivery_rows rows;
    skein_deliveries *of;
    int64_t          *authors;
    skein_rc          rc;

    skn_idset_init(&set, w->a);
    for (size_t i = 0; i < messages->count; i++)
        skn_idset_add(&set, messages->at[i].id.v);
    ids = skn_idset_ids(&set);
    of = SKN_ARRAY(w->a, ids.count, skein_deliveries);
    authors = SKN_ARRAY(w->a, ids.count, int64_t);
    for (size_t i = 0; i < messages->count; i++) {
        size_t n = skn_idset_find(&set, messages->at[i].id.v);

        if (n != SIZE_MAX)
            authors[n] = messages->at[i].author_agent.v;
    }
    skn_trees_init(&trees, w->tx, w->a, w->chat.id);
    if ((rc = skn_batch_open(&batch, &trees, ids, err)) ||
        (rc = skn_lane_rows_top(w->tx, w->chat.id, w->a, &lanes, err)) ||
        (rc = skn_delivery_of(w->tx, &ids, w->a, &rows, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < lanes.count; i++)
        rc = add_lane(w, &batch, &lanes.at[i], lanes.count, authors, of, err);
    for (size_t i = 0; i < rows.count; i++)
        if (rows.at[i].conversation_id == w->chat.id)
            overlay(w, &rows.at[i], &of[skn_idset_find(&set, rows.at[i].message_id)]);
    for (size_t i = 0; i < messages->count; i++) {
        size_t n = skn_idset_find(&set, messages->at[i].id.v);

        out[i] = n == SIZE_MAX ? (skein_deliveries){0} : of[n];
    }
    return rc;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool name_char(char c)
{
    c = lower(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static skein_rc bad_name(skein_error *err, skn_str name, const char *why)
{
    skn_str shown = skn_utf8_cut(name, 80);

    if (!skn_utf8_valid(shown, NULL))
        shown = SKN_STR("?");
    skn_fail(err, SKEIN_INVALID, "the name \"%.*s\" %s", SKN_FMT(shown), why);
    return skn_hint(
        err, SKEIN_INVALID,
        "Use 1 to %d letters, digits, \"-\" and \"_\", the first a letter or digit.",
        SKN_NAME_MAX);
}

skein_rc skn_name_normal(skn_str name, skn_arena *a, skn_str *out, skein_error *err)
{
    char *low;

    *out = SKN_NONE;
    if (!name.n) {
        skn_fail(err, SKEIN_INVALID, "the name is empty");
        return skn_hint(err, SKEIN_INVALID, "Give it at least one letter or digit.");
    }
    if (name.n > SKN_NAME_MAX)
        return bad_name(err, name, "is too long");
    low = skn_arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++) {
        if (!name_char(name.p[i]))
            return bad_name(err, name, "has a character that names may not have");
        low[i] = lower(name.p[i]);
    }
    if (low[0] == '_' || low[0] == '-')
        return bad_name(err, name, "begins with neither a letter nor a digit");
    *out = (skn_str){low, name.n};
    return SKEIN_OK;
}

/* Those to look for, and those found. */
typedef struct search {
    skn_map   *known; /* lower-case name to its number + 1; 0 once it was found */
    skn_arena *a;
    skn_vec(size_t) found;
} search;

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool may_follow(char c)
{
    return blank(c) || line_end(c) || c == ',' || c == ':';
}

/* Reads the mention at the start of *line and cuts it off with what may follow; false when there
 * is none. */
static bool read_mention(search *s, skn_str *line)
{
    char    low[SKN_NAME_MAX];
    size_t  n = 0;
    size_t *number;

    if (!line->n || line->p[0] != '@')
        return false;
    while (n + 1 < line->n && n < sizeof low && name_char(line->p[n + 1])) {
        low[n] = lower(line->p[n + 1]);
        n++;
    }
    number = skn_map_get(s->known, (skn_str){low, n});
    *line = skn_str_sub(*line, n + 1, line->n);
    if (!number || (line->n && !may_follow(line->p[0])))
        return false;
    if (*number) {
        skn_vec_add(s->a, &s->found, *number - 1);
        *number = 0;
    }
    if (line->n && (line->p[0] == ',' || line->p[0] == ':'))
        *line = skn_str_sub(*line, 1, line->n);
    return true;
}

static void skip_blanks(skn_str *line)
{
    while (line->n && blank(line->p[0]))
        *line = skn_str_sub(*line, 1, line->n);
}

static void learn(search *s, const skn_str *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        skn_str name;
        void  **slot;

        if (skn_name_normal(names[i], s->a, &name, NULL))
            continue;
        slot = skn_map_slot(s->known, name);
        if (*slot)
            continue;
        *slot = SKN_NEW(s->a, size_t);
        *(size_t *)*slot = i + 1;
    }
}

size_t skn_mentions(skn_str text, const skn_str *names, size_t n, skn_arena *a, size_t **out)
{
    search s = {.known = skn_map_new(a), .a = a};

    learn(&s, names, n);
    while (text.n) {
        skip_blanks(&text);
        while (read_mention(&s, &text))
            skip_blanks(&text);
        while (text.n && !line_end(text.p[0]))
            text = skn_str_sub(text, 1, text.n);
        if (text.n)
            text = skn_str_sub(text, 1, text.n);
    }
    *out = s.found.p;
    return s.found.n;
}
