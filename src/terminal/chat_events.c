/* chat_events.c: the events of a chat, from a server or from the store. */
#include "base/utf8.h"
#include "cli/answers.h"
#include "cli/unanswered.h"
#include "terminal/chat.h"

#include <stdarg.h>

static bool is(const skn_news_item *item, const char *type)
{
    return skn_str_is(item->type, type);
}

/* A message of a chat, as it goes into the scrollback. */

#define SENDER_COLUMNS 5

/* What surrounds a message that is complete. */
typedef struct surroundings {
    skn_str   parent; /* who wrote what it answers; absent: nobody */
    skn_names heard;  /* who hears it, if known */
    bool      aside;  /* agents have it in memory, and nobody answers it */
    int64_t   wrote;  /* tokens; 0: not known */
} surroundings;

/* Is there room behind so many columns, with two blanks before it? */
static bool fits(const skn_chat *c, size_t used, skn_str text)
{
    return c->plain || used + skn_utf8_columns(text) + 2 < (size_t)c->cli->out.width;
}

/* To the right edge of the terminal, if there is room; else behind two blanks. */
static void print_right(skn_chat *c, size_t used, skn_str text, skn_colour colour)
{
    size_t width = (size_t)c->cli->out.width, need = skn_utf8_columns(text);

    if (!text.n)
        return;
    skn_buf_fill(&c->cli->out.bytes, ' ',
                 !c->plain && used + need + 2 < width ? width - used - need - 1 : 2);
    skn_print_colour(c->cli, colour, text);
}

static skn_str heard_text(skn_chat *c, const surroundings *around)
{
    const skn_names *heard = &around->heard;
    skn_buf          b;

    skn_buf_init(&b, 4096);
    for (size_t i = 0; i < heard->count; i++)
        skn_buf_addf(&b, "%s%s", i ? ", " : "→ ", heard->at[i]);
    if (around->aside)
        skn_buf_addf(&b, "%s%s", b.n ? "   " : "", SKN_MEMORY_ONLY);
    return skn_buf_keep(&b, c->mem);
}

/* "you › text    → lead, ada": the first line, then the others under it. Who hears it stands under all of them
 * when there is no room behind the first. */
static void print_person(skn_chat *c, const skein_message *m, const surroundings *a)
{
    skn_str rest = skn_str_trim(m->content), line = SKN_STR(""), to = heard_text(c, a);
    skn_str name = skn_sender_name(m->sender);
    size_t  indent = skn_utf8_columns(name) + 3, used;
    bool    behind;

    skn_str_split(&rest, '\n', &line);
    used = indent + skn_utf8_columns(line);
    behind = fits(c, used, to);
    skn_print_colour(c->cli, SKN_BOLD, name);
    skn_print_raw(c->cli, SKN_STR(" › "));
    if (behind) {
        skn_clean_add(&c->cli->out.bytes, line, false);
        print_right(c, used, to, SKN_DIM);
        skn_print_raw(c->cli, SKN_STR("\n"));
    } else {
        skn_chat_wrap(c, line, indent, true);
    }
    skn_chat_wrap(c, rest, indent, false);
    if (!behind)
        skn_chat_wrap(c, to, indent, false);
}

static void print_calls(skn_chat *c, const skein_message *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        skn_print_raw(c->cli, SKN_STR("  calls "));
        skn_print_line(c->cli, m->calls[i].tool_name, 60);
        skn_print_raw(c->cli, SKN_STR("\n"));
    }
}

/* What was cut off has failed, which says how to ask again; what an edit took away is not asked for again. */
static void print_unfinished(skn_chat *c, const skein_message *m, int64_t wrote)
{
    skn_print_unfinished(c->cli, m->unfinished, wrote, 2);
    if (m->unfinished == SKEIN_REPEATED) {
        skn_print_raw(c->cli, SKN_STR("  Continue: @"));
        skn_print_line(c->cli, m->sender, 0);
        skn_print_raw(c->cli, SKN_STR(" please continue"));
    } else if (m->unfinished != SKEIN_CUT && m->unfinished != SKEIN_LENGTH && m->reply_to.n &&
               m->position >= 0) {
        skn_print_raw(c->cli, SKN_STR("  Ask again: /retry "));
        skn_print_line(c->cli, m->reply_to, 0);
        skn_print_raw(c->cli, SKN_STR(" --agent "));
        skn_print_line(c->cli, m->sender, 0);
    }
    skn_print_raw(c->cli, SKN_STR("\n"));
}

/* "lead  ↪ you  14:02      b7c8d9e0f1 · demo/scripted", and the text under it. Where there is no room only
 * the id stays, and that goes into a row of its own before it is broken. */
static void print_agent(skn_chat *c, const skein_message *m, const surroundings *a)
{
    size_t  from = c->cli->out.bytes.n, used;
    skn_str about, id = skn_shown_id(c->cli, m->uid);

    skn_print_sender(c->cli, m->sender, SENDER_COLUMNS);
    if (a->parent.n) {
        skn_print_raw(c->cli, SKN_STR(" ↪ "));
        skn_print_sender(c->cli, a->parent, SENDER_COLUMNS);
    }
    skn_print_raw(c->cli, SKN_STR(" "));
    skn_print_time(c->cli, m->created_at);
    if (a->aside) {
        skn_print_raw(c->cli, SKN_STR("   "));
        skn_print_colour(c->cli, SKN_DIM, SKN_STR(SKN_MEMORY_ONLY));
    }
    about = m->model.n ? skn_arena_printf(c->mem, "%.*s · %.*s", SKN_FMT(id), SKN_FMT(m->model))
                       : id;
    used = skn_line_columns(skn_str_sub(skn_buf_str(&c->cli->out.bytes), from, SIZE_MAX));
    if (!fits(c, used, about))
        about = id;
    if (!fits(c, used, about)) {
        skn_print_raw(c->cli, SKN_STR("\n"));
        used = 0;
    }
    print_right(c, used, about, SKN_DIM);
    skn_print_raw(c->cli, SKN_STR("\n"));
    skn_chat_wrap(c, skn_str_trim(m->content), 2, false);
    print_calls(c, m);
    if (m->unfinished)
        print_unfinished(c, m, a->wrote);
}

static void print_message(skn_chat *c, const skein_message *m, const surroundings *around)
{
    skn_chat_erase(c);
    if (m->role == SKEIN_USER)
        print_person(c, m, around);
    else
        print_agent(c, m, around);
    if (!c->plain)
        skn_print_raw(c->cli, SKN_STR("\n"));
    c->changed = true;
    if (c->plain)
        skn_out_flush(c->cli);
}

/* --- What there is ------------------------------------------------------------------------ */

static skein_rc refresh_queue(skn_chat *c)
{
    const skn_json *page, *first;
    skein_rc        rc = skn_chat_told(c, skn_door_get(skn_chat_ask(c, c->mem), &page,
                                                       "%s/queue?limit=1", c->cli->door->chat));

    if (rc)
        return rc;
    first = skn_first(page, "data");
    c->waiting = (size_t)skn_door_int(skn_json_get(page, "page"), "total", 0);
    skn_buf_clear(&c->next);
    if (first)
        skn_buf_add(&c->next, skn_json_str(first, "content"));
    c->changed = true;
    return SKEIN_OK;
}

static skein_rc refresh_version(skn_chat *c)
{
    skein_conversation now;
    skein_rc           rc = skn_chat_now(c, c->mem, &now);

    c->changed = true;
    if (rc)
        return rc;
    c->version = now.version;
    if (!skn_str_eq(c->chat.title, now.title))
        c->chat.title = skn_arena_copy(c->cli->keep, now.title);
    return SKEIN_OK;
}

skein_rc skn_chat_refresh(skn_chat *c)
{
    skein_rc rc;

    skn_chat_forget(c, true);
    c->delegated = true;
    if ((rc = skn_chat_agents_read(c)) || (rc = refresh_version(c)) ||
        (rc = refresh_queue(c)) || (rc = skn_chat_status_read(c)))
        return rc;
    return skn_chat_asks_read(c);
}

/* --- What was said here ------------------------------------------------------------------- */

void skn_chat_look_after(skn_chat *c, bool others)
{
    skn_arena *mem = skn_arena_new();
    skn_fate   fate = {.gone = false};

    if (c->said[0])
        skn_fate_look(skn_chat_ask(c, mem), skn_str_of(c->said), &fate);
    if (fate.gone && others)
        skn_chat_tell(c, "Your message %.*s. %s",
                      SKN_FMT(skn_fate_text(mem, &fate, skn_str_of(c->said))),
                      fate.version.n ? "/undo takes that back."
                      : fate.unsaid  ? "It was not sent."
                                     : "\"skein conv ls --archived\" lists it.");
    if (fate.gone)
        c->said[0] = '\0';
    skn_arena_free(mem);
}

/* After another version became current, or the queue changed. */
static skein_rc look_after(skn_chat *c, skein_rc rc)
{
    if (!rc)
        skn_chat_look_after(c, true);
    return rc;
}

/* --- What agents do ----------------------------------------------------------------------- */

/* Words that stay: what an event says goes with it. */
static skn_str state_word(skn_str said)
{
    static const char *const words[] = {"idle", "failed", "writing", "tool", "waiting"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (skn_str_is(said, words[i]))
            return skn_str_of(words[i]);
    return SKN_STR("thinking");
}

static skein_rc take_state(skn_chat *c, const skn_news_item *item)
{
    skn_str state = state_word(skn_json_str(item->data, "state"));

    for (size_t i = 0; i < c->agents.count; i++)
        if (skn_str_eq(c->agents.at[i].name, item->agent))
            c->states[i] = state;
    c->changed = true;
    return SKEIN_OK;
}

/* Somebody is asked, has answered, or got a message. */
static skein_rc take_inbox(skn_chat *c)
{
    skn_chat_inbox_look(c);
    return skn_chat_asks_read(c);
}

/* --- Messages ----------------------------------------------------------------------------- */

typedef struct found {
    skein_message       m;
    skein_message_facts facts;
    skein_deliveries    deliveries;
} found;

/* It may not be there any more, which is not a failure of the chat. */
static bool find_message(skn_chat *c, skn_str uid, found *out)
{
    return !skn_door_message(skn_chat_ask(c, c->mem), uid, &out->m, &out->facts,
                             &out->deliveries);
}

static skn_str sender_of(skn_chat *c, skn_str uid)
{
    found f;

    return uid.n && find_message(c, uid, &f) ? f.m.sender : SKN_NONE;
}

static skn_names heard_by(skn_chat *c, const skn_news_item *item)
{
    skn_vec(const char *) names = {0};

    for (const skn_json *d = skn_first(item->data, "delivery"); d; d = d->next)
        skn_vec_add(c->mem, &names, skn_arena_copy(c->mem, skn_json_str(d, "agent")).p);
    return (skn_names){names.p, names.n};
}

/* Who has yet to answer may still do so. */
static bool has_to_be_answered(const found *f)
{
    for (size_t i = 0; i < f->deliveries.count; i++)
        if (!skn_str_is(f->deliveries.at[i].state, "inMemory"))
            return true;
    return false;
}

/* As it stands in the store; the event may have come before a change that took it away. */
static skein_rc show_message(skn_chat *c, const skn_news_item *item)
{
    surroundings around = {.heard = heard_by(c, item)};
    found        f;

    if (!c->plain && skn_json_str(item->data, "threadPath").n) { /* it stands in a box */
        c->delegated = c->changed = true;
        return SKEIN_OK;
    }
    if (!find_message(c, item->message, &f) || f.m.role == SKEIN_TOOL)
        return SKEIN_OK;
    around.parent = sender_of(c, f.m.reply_to);
    around.aside = f.facts.memory_only && !has_to_be_answered(&f);
    around.wrote = f.facts.usage.known ? f.facts.usage.tokens_out : 0;
    if (f.m.unfinished && !skn_chat_holds(c, &f.facts))
        f.m.position = -1;
    print_message(c, &f.m, &around);
    skn_chat_status_answer(c, &f.m, &f.facts);
    return SKEIN_OK;
}

static skein_rc end_typing(skn_chat *c, skn_typing *t)
{
    if (t)
        skn_typing_drop(&c->typing, t);
    c->changed = true;
    return SKEIN_OK;
}

/* `message`: the one to answer. */
static void tell_again(skn_chat *c, const skn_news_item *item, skn_str message)
{
    skn_str lane = skn_json_str(item->data, "threadPath");

    if (lane.n)
        skn_chat_tell(c, "  Ask again: /retry %.*s", SKN_FMT(lane));
    else if (message.n)
        skn_chat_tell(c, "  Ask again: /retry %.*s --agent %.*s", SKN_FMT(message),
                      SKN_FMT(item->agent));
}

/* Of an agent that was stopped before it answered. What an edit took away is not asked for again. */
static skein_rc take_delivered(skn_chat *c, const skn_news_item *item)
{
    found f;

    if (!skn_json_str(item->data, "stoppedAt").n || !find_message(c, item->message, &f) ||
        !skn_chat_holds(c, &f.facts))
        return SKEIN_OK;
    skn_chat_tell(c, "%.*s was stopped before it answered.", SKN_FMT(item->agent));
    tell_again(c, item, item->message);
    return SKEIN_OK;
}

static skein_rc take_failed(skn_chat *c, const skn_news_item *item)
{
    skn_str why = skn_json_str(item->data, "detail");

    skn_chat_tell(c, "%.*s failed%s%.*s", SKN_FMT(item->agent), why.n ? ": " : ".",
                  SKN_FMT(why));
    tell_again(c, item, item->reply_to);
    return SKEIN_OK;
}

static skein_rc take_message(skn_chat *c, const skn_news_item *item)
{
    skn_typing *t = skn_typing_take(&c->typing, item);

    if (is(item, "message.created"))
        return show_message(c, item);
    if (is(item, "message.completed")) {
        end_typing(c, t);
        return show_message(c, item);
    }
    if (is(item, "message.failed")) {
        end_typing(c, t);
        return take_failed(c, item);
    }
    if (is(item, "message.withdrawn"))
        return end_typing(c, t);
    if (is(item, "message.delivered"))
        return take_delivered(c, item);
    c->changed = true;
    return SKEIN_OK;
}

static skein_rc take_delegation(skn_chat *c, const skn_news_item *item)
{
    bool started = is(item, "delegation.started");

    if (c->plain)
        return SKEIN_OK;
    c->delegated = c->changed = true;
    if (!started && skn_str_is(skn_json_str(item->data, "parent"), "main"))
        skn_chat_box_ended(c, skn_json_str(item->data, "threadPath"));
    return SKEIN_OK;
}

/* Of an agent's memory; one of the main lane is a message of it. */
static skein_rc take_summary(skn_chat *c, const skn_news_item *item)
{
    skn_str lane = skn_json_str(item->data, "lane");
    int64_t covers = 0;

    if (skn_str_starts(lane, SKN_STR("@")) &&
        skn_json_int(item->data, "covers", 0, &covers, NULL) == SKEIN_OK)
        skn_chat_tell(
            c, "%.*s",
            SKN_FMT(skn_summary_line_text(c->mem, skn_str_sub(lane, 1, lane.n), covers,
                                          skn_json_str(item->data, "messageId"))));
    return SKEIN_OK;
}

/* What is being written stands in no lane yet. */
static void forget_lanes(skn_chat *c, const skn_news_item *item)
{
    bool wrote = is(item, "message.delta") || is(item, "message.snapshot");

    if (is(item, "stream.reset") || skn_str_starts(item->type, SKN_STR("delegation.")) ||
        skn_str_starts(item->type, SKN_STR("thread.")))
        skn_chat_forget(c, true);
    else if ((skn_str_starts(item->type, SKN_STR("message.")) && !wrote) ||
             skn_str_starts(item->type, SKN_STR("tool.")))
        skn_chat_forget(c, false);
}

static skein_rc take_event(skn_chat *c, const skn_news_item *item)
{
    if (skn_str_starts(item->type, SKN_STR("message.")))
        return take_message(c, item);
    if (is(item, "agent.state"))
        return take_state(c, item);
    if (skn_str_starts(item->type, SKN_STR("delegation.")))
        return take_delegation(c, item);
    if (skn_str_starts(item->type, SKN_STR("inbox.")))
        return take_inbox(c);
    else if (skn_str_starts(item->type, SKN_STR("tool.")))
        c->changed = true;
    else if (is(item, "queue.changed"))
        return look_after(c, refresh_queue(c));
    else if (is(item, "summary.created"))
        return take_summary(c, item);
    else if (skn_str_starts(item->type, SKN_STR("thread.")))
        return look_after(c, refresh_version(c));
    else if (is(item, "chat.updated"))
        return refresh_version(c);
    else if (skn_str_starts(item->type, SKN_STR("agent.")))
        return skn_chat_refresh(c);
    else if (is(item, "stream.open"))
        c->open = c->changed = true;
    else if (is(item, "stream.reset")) {
        skn_typing_clear(&c->typing);
        skn_chat_tell(c, "Events in between are not repeated; see /log.");
        return skn_chat_refresh(c);
    }
    return SKEIN_OK;
}

skein_rc skn_chat_take(void *arg, const skn_news_item *item)
{
    skn_chat *c = arg;
    skein_rc  rc;

    forget_lanes(c, item);
    rc = take_event(c, item);
    skn_arena_reset(c->mem);
    return rc;
}

skein_rc skn_chat_show_last(skn_chat *c, int64_t count)
{
    skn_door_log log;
    skein_rc     rc = skn_chat_last(c, c->mem, count, &log);

    for (size_t i = 0; !rc && i < log.list.count; i++) {
        surroundings around = {.parent = sender_of(c, log.list.at[i].reply_to),
                               .aside = log.facts[i].memory_only};

        if (log.list.at[i].role != SKEIN_TOOL)
            print_message(c, &log.list.at[i], &around);
    }
    return rc;
}

void skn_chat_tell(skn_chat *c, const char *fmt, ...)
{
    char    line[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    skn_chat_erase(c);
    skn_chat_wrap(c, skn_str_of(line), 0, false);
    c->changed = true;
    if (c->plain)
        skn_out_flush(c->cli);
}

/* Ctrl-O: what the newest answer was made of, above the prompt. */

#define FRAME_ROWS ((size_t)2)

/* Those that cannot be read now are left out, like the boxes of delegations. */
void skn_chat_details(skn_chat *c, size_t most)
{
    skn_arena  *mem = skn_arena_new();
    skein_error before = c->cli->err;
    skn_box     box;
    bool        held;

    if (c->unfolded && most > FRAME_ROWS && !skn_box_answer(c, mem, &box, &held)) {
        if (held)
            skn_box_print(c, &box, most - FRAME_ROWS, "Ctrl-O folds", skn_chat_row_end);
        else
            skn_chat_row(c, SKN_DIM, SKN_STR("Nothing to unfold yet. Ctrl-O folds."));
    }
    c->cli->err = before;
    skn_arena_free(mem);
}
