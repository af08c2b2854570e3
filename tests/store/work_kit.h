/* work_kit.h: short words for tests of agents at work: posting, answering, and what was told. */
#ifndef SKN_TESTS_WORK_KIT_H
#define SKN_TESTS_WORK_KIT_H

#include "store/kit.h"

#include "base/arena.h"
#include "base/buf.h"

#define LEASE ((int64_t)30000)

/* Says something as a person, and returns what the engine says to it. */
static inline skein_rc post_as(kit *k, const skein_post *what, skein_posted *out)
{
    skein_post p = *what;

    if (p.chat.v == 0)
        p.chat = k->how.conversation;
    return skein_post_message(k->e, &p, k->mem, out, &k->err);
}

static inline skein_posted post(kit *k, const char *text)
{
    skein_posted out;

    KIT_OK(k,
           post_as(k,
                   &(skein_post){.message = &(skein_new_message){.content = skein_text(text)}},
                   &out));
    return out;
}

/* "ada:queued bo:inMemory" */
static inline const char *shown(kit *k, const skein_deliveries *d)
{
    skn_buf buf;
    skn_str text;

    skn_buf_init(&buf, 1 << 16);
    for (size_t i = 0; i < d->count; i++)
        skn_buf_addf(&buf, "%s%s:%s", i ? " " : "", d->at[i].agent.p, d->at[i].state.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

/* Who has to answer and is not at it: "ada bo", oldest first. */
static inline const char *due(kit *k)
{
    skein_dues d;
    skn_buf    buf;
    skn_str    text;

    KIT_OK(k, skein_work_due(k->e, 100, k->mem, &d, &k->err));
    skn_buf_init(&buf, 1 << 16);
    for (size_t i = 0; i < d.count; i++)
        for (int a = 0; a < 3; a++)
            if (k->agent[a].id.v == d.at[i].agent.v)
                skn_buf_addf(&buf, "%s%s", i ? " " : "", k->agent[a].name.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

/* The oldest work of an agent. */
static inline int64_t due_of(kit *k, const char *agent)
{
    skein_dues d;

    KIT_OK(k, skein_work_due(k->e, 100, k->mem, &d, &k->err));
    for (size_t i = 0; i < d.count; i++)
        for (int a = 0; a < 3; a++)
            if (k->agent[a].id.v == d.at[i].agent.v && strcmp(k->agent[a].name.p, agent) == 0)
                return d.at[i].delivery;
    fail_msg("%s has nothing to do", agent);
    return 0;
}

static inline skein_turn begin(kit *k, const char *agent)
{
    skein_turn t;

    KIT_OK(k, skein_turn_begin(k->e, due_of(k, agent), skein_text("test"),
                               skein_text("demo/scripted"), LEASE, k->mem, &t, &k->err));
    assert_string_equal(t.agent_name.p, agent);
    return t;
}

/* Ends the turn with a text, or says why it cannot. */
static inline skein_rc finish(kit *k, skein_turn *t, const char *text)
{
    skein_new_message m = {.role = SKEIN_ASSISTANT, .content = skein_text(text)};
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1, .last = true};
    skein_message     stored;

    return skein_turn_step(k->e, t, &s, k->mem, &stored, &k->err);
}

/* A whole turn of an agent. */
static inline void answer(kit *k, const char *agent, const char *text)
{
    skein_turn t = begin(k, agent);

    KIT_OK(k, finish(k, &t, text));
}

static inline int64_t newest(kit *k)
{
    int64_t last, forgotten;

    KIT_OK(k, skein_events_span(k->e, &last, &forgotten, &k->err));
    return last;
}

/* The types of the events since, with what tells them apart. */
static inline const char *told(kit *k, int64_t after)
{
    skein_event_query q = {.after = after};
    skein_events      events;
    skn_buf           buf;
    skn_str           text;

    KIT_OK(k, skein_events_read(k->e, &q, k->mem, &events, &k->err));
    skn_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < events.count; i++)
        skn_buf_addf(&buf, "%s%s", i ? " " : "", events.at[i].type.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

/* The latest event of a type since. */
static inline skein_event event_of(kit *k, int64_t after, const char *type)
{
    skein_event_query q = {.after = after};
    skein_events      events;

    KIT_OK(k, skein_events_read(k->e, &q, k->mem, &events, &k->err));
    for (size_t i = events.count; i-- > 0;)
        if (strcmp(events.at[i].type.p, type) == 0)
            return events.at[i];
    fail_msg("there was no %s", type);
    return (skein_event){0};
}

/* Its data has this in it. */
static inline void says(kit *k, int64_t after, const char *type, const char *part)
{
    skein_event e = event_of(k, after, type);

    if (!strstr(e.data.p, part))
        fail_msg("%s does not say %s: %s", type, part, e.data.p);
}

/* How many turns are open, and deliveries not closed. */
static inline void assert_idle(kit *k)
{
    assert_int_equal(
        skn_fixture_number(k->fx, "SELECT count(*) FROM turns WHERE state = 'open'"), 0);
    assert_int_equal(skn_fixture_number(k->fx, "SELECT count(*) FROM deliveries WHERE state = "
                                               "'queued' OR state = 'working'"),
                     0);
}

#endif
