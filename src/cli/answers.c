#include "cli/answers.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/unanswered.h"

#include <inttypes.h>
#include <signal.h>

#define SENDER_COLUMNS 5
#define INDENT         6
#define HELD_MOST      ((size_t)256 << 20)
#define OPEN_MS        10000
#define SOON_MS        500 /* a message that is not said by then waits in the queue */
#define PARTLY         7
#define INTERRUPTED    130
#define TIMEOUT_MOST   ((int64_t)7 * 86400)

/* --- Rows that end between words ------------------------------------------------------------ */

#define WORD_MOST ((size_t)256 << 20)

/* `head`: what stands in the row already, as it was printed. */
static void flow_begin(skn_flow *f, skn_str head, size_t indent)
{
    skn_buf_release(&f->word);
    *f = (skn_flow){.indent = indent, .column = skn_line_columns(head)};
    skn_buf_init(&f->word, WORD_MOST);
}

static void flow_release(skn_flow *f)
{
    skn_buf_release(&f->word);
}

static void next_row(skn_flow *f, skn_cli *cli)
{
    skn_print(cli, "\n%*s", (int)f->indent, "");
    f->column = f->indent;
}

/* The last column stays free: behind it terminals differ in where the cursor is. */
static size_t row_columns(const skn_cli *cli)
{
    return skn_wraps(cli) ? (size_t)cli->out.width - 1 : SIZE_MAX;
}

static void take_back(skn_flow *f, skn_cli *cli, size_t columns)
{
    skn_buf_fill(&cli->out.bytes, '\b', columns);
    skn_buf_fill(&cli->out.bytes, ' ', columns);
    next_row(f, cli);
}

static skn_str last_of(skn_str s)
{
    size_t n = s.n < 4 ? s.n : 4, from = s.n - n;

    while (from + 1 < s.n && ((unsigned char)s.p[from] & 0xc0) == 0x80)
        from++;
    for (size_t next = from + 1; next < s.n; next++)
        if (((unsigned char)s.p[next] & 0xc0) != 0x80)
            from = next;
    return skn_str_sub(s, from, s.n);
}

/* Clean, judged with the character before it. */
static void add_clean(skn_flow *f, skn_str text)
{
    skn_str before = {f->last, f->last_bytes}, last = last_of(text);
    skn_buf both, shown;

    skn_buf_init(&both, WORD_MOST);
    skn_buf_init(&shown, WORD_MOST);
    skn_buf_add(&both, before);
    skn_buf_add(&both, text);
    skn_clean_add(&shown, skn_buf_str(&both), false);
    skn_buf_clear(&both);
    skn_clean_add(&both, before, false);
    skn_buf_add(&f->word, skn_str_sub(skn_buf_str(&shown), both.n, shown.n));
    skn_buf_release(&both);
    skn_buf_release(&shown);
    memcpy(f->last, last.p, last.n);
    f->last_bytes = last.n;
}

/* More of a word; one that is longer than a row is broken by the terminal. */
static void add_word(skn_flow *f, skn_cli *cli, skn_str text)
{
    size_t  from = f->word.n, columns, most = row_columns(cli);
    skn_str more;

    add_clean(f, text);
    more = skn_str_sub(skn_buf_str(&f->word), from, f->word.n);
    columns = skn_utf8_columns(more);
    if (f->column + columns > most && f->column > f->indent + f->shown &&
        f->indent + f->shown + columns <= most) {
        take_back(f, cli, f->shown);
        more = skn_buf_str(&f->word);
        columns += f->shown;
        f->shown = 0;
    }
    skn_print_raw(cli, more);
    f->column += columns;
    f->shown += columns;
    if (f->column > most)
        f->column %= (size_t)cli->out.width;
    if (f->shown > most || !skn_wraps(cli)) /* it is not taken back any more */
        skn_buf_clear(&f->word);
}

static void end_word(skn_flow *f)
{
    skn_buf_clear(&f->word);
    f->shown = 0;
    f->last_bytes = 0;
}

static void add_blank(skn_flow *f, skn_cli *cli)
{
    end_word(f);
    if (f->column++ < row_columns(cli))
        skn_print_raw(cli, SKN_STR(" "));
}

static void add_line(skn_flow *f, skn_cli *cli)
{
    end_word(f);
    next_row(f, cli);
}

static void flow_add(skn_flow *f, skn_cli *cli, skn_str text)
{
    size_t n;

    for (; text.n; text = skn_str_sub(text, n, text.n)) {
        for (n = 0; n < text.n && text.p[n] != ' ' && text.p[n] != '\n'; n++)
            ;
        if (n) {
            add_word(f, cli, skn_str_sub(text, 0, n));
            continue;
        }
        n = 1;
        if (text.p[0] == ' ')
            add_blank(f, cli);
        else
            add_line(f, cli);
    }
}

/* --- Who has to answer ---------------------------------------------------------------------- */

void skn_answers_init(skn_answers *a, skn_cli *cli, skn_news *news)
{
    *a = (skn_answers){.cli = cli, .news = news, .live = cli->out.terminal && !cli->json};
    a->begun_at = skn_clock_ms();
    skn_buf_init(&a->held, HELD_MOST);
}

void skn_answers_release(skn_answers *a)
{
    skn_typing_clear(&a->typing);
    skn_buf_release(&a->held);
    flow_release(&a->flow);
}

static void note_agent(skn_answers *a, skn_str name)
{
    if (name.n && !skn_str_in(a->agents.p, a->agents.n, name))
        skn_vec_add(a->cli->keep, &a->agents, skn_arena_copy(a->cli->keep, name));
}

static void note_begun(skn_answers *a, skn_str name)
{
    note_agent(a, name);
    if (name.n && !skn_str_in(a->begun.p, a->begun.n, name))
        skn_vec_add(a->cli->keep, &a->begun, skn_arena_copy(a->cli->keep, name));
}

static void note_heard(skn_answers *a, skn_str name)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->silent.n; i++)
        if (!skn_str_eq(a->silent.p[i], name))
            a->silent.p[kept++] = a->silent.p[i];
    a->silent.n = kept;
}

static void note_silent(skn_answers *a, skn_str name)
{
    note_heard(a, name);
    skn_vec_add(a->cli->keep, &a->silent, skn_arena_copy(a->cli->keep, name));
}

static bool is_waited_for(const skn_answers *a, skn_str name)
{
    return skn_str_in(a->agents.p, a->agents.n, name) &&
           !skn_str_in(a->begun.p, a->begun.n, name);
}

/* --- Text --------------------------------------------------------------------------------- */

/* "lead  b7c8d9e0f1  ↪ a1b2c3d4e5  "; inside a delegation its lane stands behind the id. */
static void print_head(skn_answers *a, skn_str sender, skn_str message, skn_str lane,
                       skn_str reply_to, skn_flow *text)
{
    skn_cli *cli = a->cli;
    size_t   from = cli->out.bytes.n;

    skn_print_sender(cli, sender, SENDER_COLUMNS);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_id(cli, message);
    if (lane.n) {
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_colour(cli, SKN_DIM, lane);
    }
    if (reply_to.n) {
        skn_print_raw(cli, SKN_STR("  ↪ "));
        skn_print_line(cli, skn_shown_id(cli, reply_to), 0);
    }
    skn_print_raw(cli, SKN_STR("  "));
    if (text) /* lines after the first stand under the sender's name */
        flow_begin(text, skn_str_sub(skn_buf_str(&cli->out.bytes), from, cli->out.bytes.n),
                   INDENT);
}

/* What a message without text does. */
static void print_calls(skn_answers *a, const skn_news_item *item)
{
    const char *before = "calls ";

    for (const skn_json *c = skn_first(item->data, "toolCalls"); c;
         c = c->next, before = ", ") {
        skn_print(a->cli, "%s", before);
        skn_print_line(a->cli, skn_json_str(c, "toolName"), 60);
    }
}

static void print_heard(skn_answers *a, const skn_news_item *item)
{
    const char *before = "→ ";

    for (const skn_json *d = skn_first(item->data, "delivery"); d; d = d->next, before = ", ") {
        skn_print(a->cli, "%s", before);
        skn_print_line(a->cli, skn_json_str(d, "agent"), 0);
    }
}

/* Of an answer that ends before its end: why. */
static void print_unfinished(skn_answers *a, const skn_news_item *item)
{
    skein_unfinished why = SKEIN_WHOLE;

    if (skein_unfinished_from(skn_json_str(item->data, "unfinished"), &why))
        skn_print_unfinished(
            a->cli, why, skn_door_int(skn_json_get(item->data, "usage"), "outputTokens", 0), 2);
}

static void print_whole(skn_answers *a, const skn_news_item *item)
{
    skn_flow text = {0};

    print_head(a, item->agent, item->message, skn_json_str(item->data, "threadPath"),
               item->reply_to, &text);
    flow_add(&text, a->cli, skn_str_trim(item->text));
    flow_release(&text);
    if (!skn_str_trim(item->text).n)
        print_calls(a, item);
    print_unfinished(a, item);
    skn_print_raw(a->cli, SKN_STR("\n"));
}

/* --- While it is written ------------------------------------------------------------------ */

/* Shows what came since; its beginning without the blanks before it. */
static void show_more(skn_answers *a, skn_typing *t)
{
    skn_str text = skn_buf_str(&t->text);

    if (t->shown < text.n)
        flow_add(&a->flow, a->cli, skn_str_sub(text, t->shown, text.n));
    t->shown = text.n;
}

static void pick_current(skn_answers *a)
{
    for (skn_typing *t = a->typing.first; t && !a->current; t = t->next)
        if (t->text.n)
            a->current = t;
    if (!a->current)
        return;
    print_head(a, skn_str_of(a->current->agent), skn_str_of(a->current->message),
               skn_str_of(a->current->lane), skn_str_of(a->current->reply_to), &a->flow);
    show_more(a, a->current);
}

static void end_current(skn_answers *a)
{
    a->current = NULL;
    skn_print_raw(a->cli, SKN_STR("\n"));
    skn_print_raw(a->cli, skn_buf_str(&a->held));
    skn_buf_clear(&a->held);
    pick_current(a);
}

/* Into `held`, while another one's text is open. */
static void hold(skn_answers *a, const skn_news_item *item)
{
    skn_out *out = &a->cli->out;
    skn_buf  shown;

    skn_out_flush(a->cli);
    shown = out->bytes;
    out->bytes = a->held;
    print_whole(a, item);
    a->held = out->bytes;
    out->bytes = shown;
}

static void complete_current(skn_answers *a, skn_typing *t, const skn_news_item *item)
{
    skn_str shown = skn_str_sub(skn_buf_str(&t->text), 0, t->shown), whole = item->text;

    if (skn_str_starts(whole, shown)) {
        flow_add(&a->flow, a->cli, skn_str_sub(whole, shown.n, whole.n));
    } else { /* what was kept is not what was shown */
        flow_add(&a->flow, a->cli, SKN_STR("\n"));
        flow_add(&a->flow, a->cli, whole);
    }
    print_unfinished(a, item);
}

static void show_complete(skn_answers *a, skn_typing *t, const skn_news_item *item)
{
    if (t && t == a->current)
        complete_current(a, t, item);
    else if (a->current)
        hold(a, item);
    else
        print_whole(a, item);
    if (t) {
        bool open = t == a->current;

        skn_typing_drop(&a->typing, t);
        if (open)
            end_current(a);
    }
}

static void break_off(skn_answers *a)
{
    if (a->current)
        end_current(a);
    skn_out_flush(a->cli);
}

/* --- JSON --------------------------------------------------------------------------------- */

static skein_rc print_event(skn_answers *a, const skn_news_item *item)
{
    skn_jw *w = skn_item(a->cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "event", item->type);
    for (const skn_json *m = item->data ? item->data->first : NULL; m; m = m->next)
        skn_jw_member(w, m);
    if (skn_str_is(item->type, "message.completed"))
        skn_jw_kstr(w, "text", item->text);
    skn_jw_object_end(w);
    return skn_item_end(a->cli);
}

/* --- Events ------------------------------------------------------------------------------- */

static bool is(const skn_news_item *item, const char *type)
{
    return skn_str_is(item->type, type);
}

static skein_rc take_created(skn_answers *a, const skn_news_item *item)
{
    bool own = skn_str_eq(item->message, a->message);

    a->said = a->said || own;
    for (const skn_json *d = skn_first(item->data, "delivery"); d; d = d->next)
        if (skn_str_is(skn_json_str(d, "state"), "queued"))
            note_agent(a, skn_json_str(d, "agent"));
    if (own && !a->agents.n) /* nobody will be idle later than now */
        a->news->over = true;
    if (a->cli->json)
        return print_event(a, item);
    if (!own) {
        show_complete(a, NULL, item);
        return SKEIN_OK;
    }
    print_head(a, item->agent, item->message, SKN_NONE, item->reply_to, NULL);
    print_heard(a, item);
    skn_print_raw(a->cli, SKN_STR("\n"));
    return SKEIN_OK;
}

/* --- Its fate ------------------------------------------------------------------------------- */

/* Removing the message stops the agents that answer it. Returns true if it was removed. */
static bool is_gone(skn_answers *a)
{
    if (!a->watched || a->fate.gone)
        return a->fate.gone;
    skn_fate_look(a->cli, a->message, &a->fate);
    if (a->fate.gone)
        a->news->over = true;
    return a->fate.gone;
}

/* `message`: the one to answer. */
static void note_again(skn_answers *a, const skn_news_item *item, skn_str message)
{
    skn_str again = skn_again_command(a->cli, message, item->agent,
                                      skn_json_str(item->data, "threadPath"));

    skn_note(a->cli, "  Ask again: %.*s", SKN_FMT(again));
}

/* What was stopped by itself goes on when it is asked to; one that has said nothing is to be asked again. */
static void note_endless(skn_answers *a, const skn_news_item *item)
{
    skn_str why = skn_json_str(item->data, "unfinished");

    if (skn_str_is(why, "repeated"))
        skn_note(a->cli, "  Continue: skein send \"@%.*s please continue\"",
                 SKN_FMT(item->agent));
    else if (why.n && skn_str_among(why, "thinking blank"))
        note_again(a, item, item->reply_to);
}

/* What a person stopped, here or elsewhere. */
static void note_stopped(skn_answers *a, const skn_news_item *item)
{
    note_endless(a, item);
    if (!skn_str_is(skn_json_str(item->data, "finishReason"), "stopped") || is_gone(a))
        return;
    skn_note(a->cli, "%.*s was stopped. What was written stays.", SKN_FMT(item->agent));
    note_again(a, item, item->reply_to);
}

static skein_rc take_failed(skn_answers *a, skn_typing *t, const skn_news_item *item)
{
    skn_str why = skn_json_str(item->data, "detail");
    skn_str hint = skn_json_str(item->data, "hint");
    bool    open = t && t == a->current;

    a->failed++;
    /* If a key is the remedy, the hint says how to give one. */
    a->keyless += skn_str_find(hint, SKN_STR("skein provider login")) >= 0;
    note_begun(a, item->agent);
    if (t)
        skn_typing_drop(&a->typing, t);
    if (a->cli->json)
        return print_event(a, item);
    if (open)
        end_current(a);
    skn_note(a->cli, "%.*s failed%s%.*s", SKN_FMT(item->agent), why.n ? ": " : "",
             SKN_FMT(why));
    if (hint.n)
        skn_note(a->cli, "  %.*s", SKN_FMT(hint));
    note_again(a, item, item->reply_to);
    return SKEIN_OK;
}

/* The text of an answer that failed, which is told next, is none; nor is what is said on the way to one:
 * with calls of tools, or to who delegated. */
static bool is_answer(const skn_news_item *item)
{
    return !skn_str_is(skn_json_str(item->data, "finishReason"), "cut") &&
           !skn_first(item->data, "toolCalls") && !skn_json_str(item->data, "threadPath").n;
}

static skein_rc take_completed(skn_answers *a, skn_typing *t, const skn_news_item *item)
{
    a->answered += is_answer(item);
    note_begun(a, item->agent);
    if (!a->cli->json) {
        show_complete(a, t, item);
        note_stopped(a, item);
        return SKEIN_OK;
    }
    if (t)
        skn_typing_drop(&a->typing, t);
    return print_event(a, item);
}

static skein_rc take_withdrawn(skn_answers *a, skn_typing *t)
{
    bool open = t && t == a->current;

    if (t)
        skn_typing_drop(&a->typing, t);
    if (open)
        end_current(a);
    return SKEIN_OK;
}

/* Of an agent that was stopped before it answered: of no other delivery there is anything to tell. */
static skein_rc take_delivered(skn_answers *a, const skn_news_item *item)
{
    if (!skn_json_str(item->data, "stoppedAt").n || is_gone(a))
        return SKEIN_OK;
    note_begun(a, item->agent);
    if (a->cli->json)
        return print_event(a, item);
    skn_note(a->cli, "%.*s was stopped before it answered.", SKN_FMT(item->agent));
    note_again(a, item, item->message);
    return SKEIN_OK;
}

static skein_rc take_piece(skn_answers *a, skn_typing *t)
{
    if (!a->live || !t)
        return SKEIN_OK;
    if (t == a->current)
        show_more(a, t);
    else if (!a->current)
        pick_current(a);
    return SKEIN_OK;
}

/* The end of what another message caused is none of ours; one that was never said was taken back. */
static skein_rc take_idle(skn_answers *a, const skn_news_item *item)
{
    if (!a->message.p || !skn_str_eq(item->cause, a->message) || is_gone(a) || !a->said)
        return SKEIN_OK;
    a->elapsed_ms = skn_clock_ms() - a->begun_at;
    a->news->over = true;
    return a->cli->json ? print_event(a, item) : SKEIN_OK;
}

/* Shows that a tool waits for the person: otherwise nobody knows why nothing happens. */
static skein_rc take_waiting(skn_answers *a, const skn_news_item *item)
{
    skn_str id = skn_json_str(item->data, "inboxId");

    if (!id.n)
        return SKEIN_OK;
    if (a->cli->json)
        return print_event(a, item);
    if (a->current)
        end_current(a);
    skn_note(a->cli, "%.*s needs you: skein inbox allow %.*s (or deny; show tells what for)",
             SKN_FMT(item->agent), SKN_FMT(id));
    return SKEIN_OK;
}

static skein_rc take_own(skn_answers *a, const skn_news_item *item)
{
    skn_typing *t = skn_typing_take(&a->typing, item);

    if (is(item, "message.created"))
        return take_created(a, item);
    if (is(item, "message.started"))
        note_silent(a, item->agent);
    else if (is(item, "message.completed") || is(item, "message.failed") ||
             skn_json_str(item->data, "stoppedAt").n)
        note_heard(a, item->agent);
    if (is(item, "message.completed"))
        return take_completed(a, t, item);
    if (is(item, "message.failed"))
        return take_failed(a, t, item);
    if (is(item, "message.withdrawn"))
        return take_withdrawn(a, t);
    if (is(item, "message.delivered"))
        return take_delivered(a, item);
    if (is(item, "message.started"))
        note_begun(a, item->agent);
    else if (is(item, "agent.state"))
        return take_waiting(a, item);
    else if (is(item, "message.delta") || is(item, "message.snapshot"))
        return take_piece(a, t);
    return SKEIN_OK;
}

skein_rc skn_answers_take(void *arg, const skn_news_item *item)
{
    skn_answers *a = arg;
    skein_rc     rc = SKEIN_OK;

    if (is(item, "stream.open") && item->cause.p && !a->message.p)
        a->message = skn_arena_copy(a->cli->keep, item->cause);
    if (is(item, "world.idle"))
        rc = take_idle(a, item);
    else if (a->message.p && skn_str_starts(item->type, SKN_STR("thread.")))
        (void)is_gone(a);
    else if (a->message.p && skn_str_eq(item->cause, a->message))
        rc = take_own(a, item);
    skn_out_flush(a->cli);
    if (a->cli->out.failure) /* nobody reads them any more */
        a->news->over = true;
    return rc;
}

static void say_end(skn_answers *a)
{
    size_t n = a->agents.n;

    if (a->cli->json) {
        if (!n) /* nobody was waited for, so there is no end to report */
            skn_print_raw(a->cli, SKN_STR("{\"event\":\"world.idle\",\"elapsedMs\":0}\n"));
        return;
    }
    for (size_t i = 0; i < a->silent.n; i++) /* a model may answer with blanks only */
        skn_note(a->cli, "%.*s answered nothing", SKN_FMT(a->silent.p[i]));
    if (!n)
        skn_note(a->cli, "Nobody has to answer it.");
    else if ((n -= a->resting))
        skn_print(a->cli, "%zu agent%s idle after %" PRId64 ".%" PRId64 " s.\n", n,
                  skn_plural((int64_t)n), a->elapsed_ms / 1000, a->elapsed_ms % 1000 / 100);
}

/* --- Waiting for them ----------------------------------------------------------------------- */

skein_rc skn_await_timeout(skn_cli *cli, int64_t *out)
{
    static const struct {
        const char *unit;
        int64_t     ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"", 1000}};
    const char *text = skn_opt(cli, "timeout");
    skn_str     s = skn_str_of(text), unit;
    int64_t     n;

    *out = -1;
    if (!text)
        return SKEIN_OK;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        unit = skn_str_of(units[i].unit);
        if (skn_str_ends(s, unit) && skn_str_int(skn_str_sub(s, 0, s.n - unit.n), &n) &&
            n >= 0 && n <= TIMEOUT_MOST * 1000 / units[i].ms) {
            *out = n * units[i].ms;
            return SKEIN_OK;
        }
    }
    return skn_fail_hint(&cli->err, SKEIN_USAGE, "Times look like 120s, 2m or 500ms",
                         "\"%s\" is not a time for \"--timeout\"", text);
}

void skn_await_init(skn_await *w, skn_cli *cli, const skein_world *world,
                    const skein_conversation *chat, const skn_server *server)
{
    skn_str events = skn_arena_printf(cli->keep, "events?chatId=%s",
                                      skn_client_encode(cli->keep, chat->uid));

    *w = (skn_await){.cli = cli, .world = world->id, .chat = chat->id};
    skn_news_init(&w->news, cli, server);
    skn_answers_init(&w->answers, cli, &w->news);
    w->answers.watched = true;
    w->news.again = (skn_request_spec){.method = "GET",
                                       .path = skn_world_path(cli, world, events.p)};
    w->news.first = w->news.again;
    w->news.take = skn_answers_take;
    w->news.arg = &w->answers;
    skn_interrupt_arm(SIGINT);
}

void skn_await_release(skn_await *w)
{
    skn_interrupt_disarm(SIGINT);
    skn_answers_release(&w->answers);
    skn_news_release(&w->news);
}

/* --- Before the message is known ------------------------------------------------------------ */

static skein_rc take_open(void *arg, const skn_news_item *item)
{
    skn_await *w = arg;

    w->news.over |= skn_str_is(item->type, "stream.open");
    return SKEIN_OK;
}

/* The connection ends with that; the next one begins where it ended. */
skein_rc skn_await_open(skn_await *w)
{
    skein_rc rc;

    w->news.take = take_open;
    w->news.arg = w;
    rc = skn_news_wait(&w->news, OPEN_MS);
    if (rc == SKEIN_NOTHING)
        rc = skn_fail(&w->cli->err, rc, "interrupted; nothing was changed");
    w->news.over = false;
    w->news.take = skn_answers_take;
    w->news.arg = &w->answers;
    return rc;
}

void skn_await_message(skn_await *w, skn_str uid)
{
    w->answers.message = uid;
    w->answers.said = true;
}

/* --- Its fate --------------------------------------------------------------------------------- */

/* A message that is not sent at once waits behind the work of agents; then the output says so. */
static skein_rc wait_for_them(skn_await *w, int64_t timeout_ms)
{
    skn_cli *cli = w->cli;
    int64_t  first = timeout_ms, left = timeout_ms;
    skein_rc rc;

    if (first < 0 || first > SOON_MS)
        first = SOON_MS;
    rc = skn_news_wait(&w->news, first);
    if (rc != SKEIN_TIMEOUT || first == left)
        return rc;
    if (w->answers.message.p && !w->answers.said)
        skn_note_queued(cli);
    cli->err = (skein_error){.rc = SKEIN_OK};
    return skn_news_wait(&w->news, left < 0 ? -1 : left - first);
}

static void tell_resting(skn_cli *cli, skn_answers *a, skn_str agent)
{
    if (!is_waited_for(a, agent))
        return;
    a->resting++;
    skn_note(cli, "%.*s is paused: the message waits. skein agent resume %.*s", SKN_FMT(agent),
             SKN_FMT(agent));
}

static void tell_alone(skn_cli *cli)
{
    skn_note(cli,
             "This world has no agents, so nobody answers. Add an agent with \"skein agent "
             "new NAME\".");
}

/* A paused agent starts nothing: no event tells that to those who wait. */
static void tell_paused(skn_cli *cli, skn_answers *a)
{
    skn_json_list list = {0};
    skein_error   err = cli->err;

    if (skn_door_all(cli, skn_arena_text(cli->keep, "%s/agents", cli->door->world), 0, &list))
        cli->err = err;
    for (size_t i = 0; i < list.n; i++)
        if (skn_door_flag(list.p[i], "paused"))
            tell_resting(cli, a, skn_json_str(list.p[i], "name"));
    if (!list.n && cli->err.rc == err.rc)
        tell_alone(cli);
}

static skein_rc none_answered(skn_cli *cli, const skn_answers *a)
{
    if (a->keyless < a->failed)
        return skn_fail(&cli->err, SKEIN_PROVIDER, "nobody could answer");
    return skn_fail(&cli->err, SKEIN_AUTH, "nobody could answer: a key is needed");
}

/* Somebody else changed the conversation meanwhile, and nobody answers it any more. */
static skein_rc taken_away(skn_cli *cli, const skn_answers *a)
{
    const skn_fate *f = &a->fate;

    skn_fail(&cli->err, SKEIN_CONFLICT, "the message %.*s",
             SKN_FMT(skn_fate_text(cli->keep, f, a->message)));
    if (f->unsaid)
        return skn_hint(&cli->err, SKEIN_CONFLICT, "It was not sent; send it again");
    if (!f->version.n)
        return skn_hint(&cli->err, SKEIN_CONFLICT,
                        "\"skein conv ls --archived\" lists what can be brought back");
    if (f->left)
        return skn_hint(
            &cli->err, SKEIN_CONFLICT,
            "\"skein history\" lists the versions, and \"skein switch\" goes to one");
    return skn_hint(&cli->err, SKEIN_CONFLICT,
                    "Now at %.*s, see \"skein log\"; \"skein undo\" takes that back",
                    SKN_FMT(f->version));
}

static skein_rc outcome(skn_await *w, skein_rc rc)
{
    skn_cli     *cli = w->cli;
    skn_answers *a = &w->answers;

    break_off(a);
    if (rc == SKEIN_NOTHING) {
        skn_note(cli, "\nStopped waiting. %s",
                 a->message.p ? "The message stays, and the agents continue."
                              : "The message may have been sent.");
        return skn_status(cli, INTERRUPTED);
    }
    if (rc == SKEIN_TIMEOUT)
        return skn_fail_hint(&cli->err, rc,
                             "The message stays, and they continue; see \"skein log\"",
                             "the agents have not all answered in time");
    if (rc)
        return rc;
    if (a->fate.gone)
        return taken_away(cli, a);
    tell_paused(cli, a);
    say_end(a);
    if (a->failed && a->answered)
        return skn_status(cli, PARTLY);
    return a->failed ? none_answered(cli, a) : SKEIN_OK;
}

skein_rc skn_await_answers(skn_await *w, int64_t timeout_ms)
{
    return outcome(w, wait_for_them(w, timeout_ms));
}

/* --- The fate of a message ------------------------------------------------------------------ */

/* The current version is another than the one that it was said in, and not made from it. */
static const char left_behind[] = "left behind", removed[] = "removed";

/* Which way a version came to be says what was done to a message that it does not hold. */
static const char *done_by(const skn_json *version)
{
    static const struct {
        const char *operation, *how;
    } known[] = {{"edit", "edited"},
                 {"amend", "amended"},
                 {"remove", removed},
                 {"delete", removed},
                 {"squash", "squashed"}};
    skn_str operation = skn_json_str(version, "operation");

    /* An edit in two steps removes first: its note tells them apart. */
    if (skn_str_starts(skn_json_str(version, "note"), SKN_STR(SKEIN_NOTE_EDIT)))
        return "edited";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (skn_str_is(operation, known[i].operation))
            return known[i].how;
    return left_behind;
}

/* What stands for it: another wording, the squash that it went into, or what a person said from there on. */
static skn_str found_instead(const skn_json *diff, skn_str message)
{
    skn_str said = SKN_NONE;

    for (const skn_json *c = skn_first(diff, "changes"); c; c = c->next) {
        const skn_json *after = skn_json_get(c, "after");

        if (skn_str_eq(skn_json_str(skn_json_get(c, "before"), "messageId"), message) &&
            skn_json_str(after, "messageId").n)
            return skn_json_str(after, "messageId");
        if (!said.n && skn_str_is(skn_json_str(c, "kind"), "added") &&
            (skn_str_is(skn_json_str(after, "sender"), "human") ||
             skn_json_str(after, "squashOperationId").n))
            said = skn_json_str(after, "messageId");
    }
    return said;
}

static bool is_held(const skn_json *message, int64_t number)
{
    int64_t n;

    for (const skn_json *v = skn_first(message, "versions"); v; v = v->next)
        if (skn_str_int(v->text, &n) && n == number)
            return true;
    return false;
}

static skein_rc look_at_answer(skn_cli *cli, skn_str message, skn_fate *out)
{
    const char     *in = cli->door->chat;
    const skn_json *chat, *version, *m, *diff;
    bool            found;
    skein_rc        rc = skn_door_get(cli, &m, "%s/messages/%s?chatId=%s", cli->door->world,
                                      skn_door_part(cli, message),
                                      skn_door_part(cli, cli->door->chat_uid));

    if (rc && rc != SKEIN_NOT_FOUND)
        return rc;
    found = rc == SKEIN_OK;
    if (found && skn_door_flag(m, "queued"))
        return SKEIN_OK;
    if (!(rc = skn_door_get(cli, &chat, "%s", in)) && skn_door_flag(chat, "archived"))
        rc = SKEIN_NOT_FOUND;
    if (!rc)
        rc = skn_door_get(cli, &version, "%s/currentThread", in);
    if (rc == SKEIN_NOT_FOUND)
        *out = (skn_fate){.gone = true, .how = "removed with its conversation"};
    else if (!rc && !found)
        *out = (skn_fate){.gone = true, .unsaid = true, .how = "taken out of the queue"};
    if (rc || !found)
        return rc;
    out->gone = !is_held(m, skn_door_int(version, "number", 0));
    if (!out->gone)
        return SKEIN_OK;
    out->version = skn_json_str(version, "version");
    out->how = left_behind;
    if (is_held(m, skn_door_version_number(skn_json_str(version, "originalVersion"))))
        out->how = done_by(version);
    out->left = out->how == left_behind;
    if (out->left || out->how == removed)
        return SKEIN_OK;
    rc = skn_door_get(cli, &diff, "%s/threads/%s/diff", in,
                      skn_door_part(cli, skn_json_str(version, "threadId")));
    if (!rc)
        out->instead = found_instead(diff, message);
    return rc;
}

void skn_fate_look(skn_cli *cli, skn_str message, skn_fate *out)
{
    skein_error err = cli->err;
    skn_problem more = cli->more;

    *out = (skn_fate){.gone = false};
    (void)look_at_answer(cli, message, out);
    cli->err = err;
    cli->more = more;
}

skn_str skn_fate_text(skn_arena *a, const skn_fate *fate, skn_str message)
{
    if (fate->instead.n)
        return skn_arena_printf(a, "%.*s was %s elsewhere, and %.*s took its place",
                                SKN_FMT(message), fate->how, SKN_FMT(fate->instead));
    if (fate->left)
        return skn_arena_printf(a, "%.*s is not in %.*s, which is current now",
                                SKN_FMT(message), SKN_FMT(fate->version));
    return skn_arena_printf(a, "%.*s was %s elsewhere", SKN_FMT(message), fate->how);
}
