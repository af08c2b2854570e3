#include "base/clock.h"
#include "base/utf8.h"
#include "terminal/chat.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define READ_MOST 200            /* messages of one delegation: the last ones */
#define TEXT_MOST ((size_t)8192) /* bytes of one message */
#define CALL_MOST ((size_t)400)  /* bytes of what a tool was given, or gave */
#define INDENT    SKN_STR("  ")

/* --- Words -------------------------------------------------------------------------------- */

/* "0.4 s", "12 s", "3 min" */
static skn_str duration(skn_arena *mem, int64_t micros)
{
    int64_t tenths = micros > 0 ? micros / 100000 : 0;

    if (tenths < 10)
        return skn_arena_printf(mem, "0.%" PRId64 " s", tenths);
    if (tenths < 600)
        return skn_arena_printf(mem, "%" PRId64 " s", tenths / 10);
    return skn_arena_printf(mem, "%" PRId64 " min", tenths / 600);
}

static const char *mark_of(skein_lane_state state)
{
    return state == SKEIN_LANE_RUNNING ? "●" : state == SKEIN_LANE_DONE ? "✓" : "✗";
}

/* "● 12 s  2.1k tok", or "✓ 6 s  3 steps" once it has ended. */
static skn_str standing(skn_arena *mem, const skn_box *b)
{
    bool    running = b->state == SKEIN_LANE_RUNNING;
    int64_t until = running ? skn_clock_micros() : b->to;
    skn_str time = duration(mem, until - b->from), more = SKN_STR("");

    if (!running)
        more = skn_arena_printf(mem, "  %" PRId64 " step%s", b->steps, skn_plural(b->steps));
    if (b->tokens >= 1000)
        more = skn_arena_printf(mem, "%.*s  %" PRId64 ".%" PRId64 "k tok", SKN_FMT(more),
                                b->tokens / 1000, b->tokens % 1000 / 100);
    else if (b->tokens >= 0)
        more = skn_arena_printf(mem, "%.*s  %" PRId64 " tok", SKN_FMT(more), b->tokens);
    return skn_arena_printf(mem, "%s %.*s%.*s", mark_of(b->state), SKN_FMT(time),
                            SKN_FMT(more));
}

/* --- Reading ------------------------------------------------------------------------------ */

typedef skn_vec(skn_box_row) row_list;

static const skein_message *result_of(const skein_messages *list, skn_str call)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].role == SKEIN_TOOL && skn_str_eq(list->at[i].tool_call_id, call))
            return &list->at[i];
    return NULL;
}

/* Who has it, since when, and how far it is. */
static void read_head(const skein_delegation *d, const skein_messages *list, skn_box *out)
{
    *out = (skn_box){.key = d->key,
                     .agent = d->agent,
                     .title = d->title,
                     .state = d->state,
                     .from = d->created_at,
                     .to = d->created_at,
                     .steps = d->messages,
                     .tokens = -1};
    if (list->count)
        out->to = list->at[list->count - 1].created_at;
}

static void add_tokens(const skein_usage *usage, int64_t *tokens)
{
    if (usage->known && usage->tokens_out >= 0)
        *tokens = (*tokens < 0 ? 0 : *tokens) + usage->tokens_out +
                  (usage->tokens_in > 0 ? usage->tokens_in : 0);
}

static const skein_delegation *child_of(const skein_delegations *all, skn_str parent,
                                        skn_str call)
{
    for (size_t i = 0; i < all->count; i++)
        if (skn_str_eq(all->at[i].parent_key, parent) &&
            skn_str_eq(all->at[i].spawn_call_id, call))
            return &all->at[i];
    return NULL;
}

/* "▸ main.1.1  bo  Read the policy      ✓ 6 s  3 steps" */
static skein_rc child_row(skn_chat *c, skn_arena *mem, const skein_delegation *d,
                          skn_box_row *out)
{
    const skn_door_log *log;
    skn_box             box;
    skein_rc            rc = skn_chat_lane(c, d->key, 1, &log);

    if (rc)
        return rc;
    read_head(d, &log->list, &box);
    out->left = skn_arena_printf(mem, "▸ %.*s  %.*s  %.*s", SKN_FMT(d->key), SKN_FMT(d->agent),
                                 SKN_FMT(d->title));
    out->right = standing(mem, &box);
    return SKEIN_OK;
}

/* "✓ calendar.find      0.4 s" */
static skn_box_row call_row(skn_arena *mem, const skein_message *m, const skein_tool_call *call,
                            const skein_message *result)
{
    const char *mark = !result                    ? "●"
                       : skn_call_not_run(result) ? "–"
                       : result->tool_failed      ? "✗"
                                                  : "✓";
    skn_box_row row = {
        .left = skn_arena_printf(mem, "%s %.*s", mark, SKN_FMT(call->tool_name))};

    if (result)
        row.right = duration(mem, result->created_at - m->created_at);
    return row;
}

/* Columns between the sides of a box; the last one of the terminal stays free. */
static size_t inner_columns(const skn_chat *c)
{
    size_t width = c->cli->out.width > 30 ? (size_t)c->cli->out.width : 30;

    return width - 1 - INDENT.n - 4;
}

/* A text in as many rows as it needs, the rows after the first set in. */
static void text_rows(skn_chat *c, skn_arena *mem, skn_str text, const char *in, row_list *rows)
{
    size_t  columns = inner_columns(c) - 1 - strlen(in);
    skn_str line, piece;

    text = skn_utf8_cut(skn_str_trim(text), TEXT_MOST);
    while (skn_str_split(&text, '\n', &line))
        while (skn_line_piece(&line, columns, true, &piece))
            skn_vec_add(
                mem, rows,
                ((skn_box_row){.left = skn_arena_printf(mem, "%s%.*s", in, SKN_FMT(piece))}));
}

/* What a call was given and gave, of each no more than a few lines. */
static void unfold_call(skn_chat *c, skn_arena *mem, const skein_tool_call *call,
                        const skein_message *result, row_list *rows)
{
    if (call->args.n)
        text_rows(c, mem, skn_utf8_cut(call->args, CALL_MOST), "  ", rows);
    if (result && result->content.n)
        text_rows(
            c, mem,
            skn_arena_printf(mem, "→ %.*s", SKN_FMT(skn_utf8_cut(result->content, CALL_MOST))),
            "  ", rows);
}

static skein_rc message_rows(skn_chat *c, skn_arena *mem, const skein_delegations *all,
                             const skn_box *box, const skein_messages *list, size_t i,
                             bool whole, row_list *rows)
{
    const skein_message *m = &list->at[i];
    skein_rc             rc = SKEIN_OK;

    if (c->unfolded && m->thinking.n)
        text_rows(c, mem,
                  skn_arena_printf(mem, "thinking: %.*s",
                                   SKN_FMT(skn_utf8_cut(m->thinking, TEXT_MOST))),
                  "", rows);
    if (whole && m->role == SKEIN_USER)
        text_rows(c, mem,
                  skn_arena_printf(mem, "%.*s › %.*s", SKN_FMT(skn_sender_name(m->sender)),
                                   SKN_FMT(skn_utf8_cut(m->content, TEXT_MOST))),
                  "", rows);
    else if (whole && m->role == SKEIN_ASSISTANT)
        text_rows(c, mem, m->content, "", rows);
    for (size_t k = 0; !rc && k < m->call_count; k++) {
        const skein_delegation *d = child_of(all, box->key, m->calls[k].call_id);
        const skein_message    *result = result_of(list, m->calls[k].call_id);
        skn_box_row             row = call_row(mem, m, &m->calls[k], result);

        if (d)
            rc = child_row(c, mem, d, &row);
        skn_vec_add(mem, rows, row);
        if (c->unfolded)
            unfold_call(c, mem, &m->calls[k], result, rows);
    }
    return rc;
}

/* The last characters of a text. */
static skn_str end_of(skn_str text, size_t most)
{
    size_t from = text.n > most ? text.n - most : 0;

    while (from < text.n && ((unsigned char)text.p[from] & 0xc0) == 0x80)
        from++;
    return skn_str_sub(text, from, text.n);
}

/* What is being written in it just now. */
static void typing_row(skn_chat *c, skn_arena *mem, const skn_box *box, row_list *rows)
{
    for (const skn_typing *t = c->typing.first; t; t = t->next) {
        skn_str text = end_of(skn_buf_str(&t->text), 200);

        if (!skn_str_is(box->key, t->lane))
            continue;
        skn_vec_add(mem, rows,
                    ((skn_box_row){.left = text.n ? skn_arena_printf(mem, "writing… \"%.*s\"",
                                                                     SKN_FMT(text))
                                                  : SKN_STR("thinking…")}));
    }
}

skein_rc skn_box_read(skn_chat *c, skn_arena *mem, const skein_delegations *all, size_t i,
                      bool whole, skn_box *out)
{
    const skn_door_log *log;
    row_list            rows = {0};
    skein_rc            rc = skn_chat_lane(c, all->at[i].key, READ_MOST, &log);

    if (rc)
        return rc;
    read_head(&all->at[i], &log->list, out);
    for (size_t k = 0; !rc && k < log->list.count; k++) {
        add_tokens(&log->facts[k].usage, &out->tokens);
        rc = message_rows(c, mem, all, out, &log->list, k, whole, &rows);
    }
    typing_row(c, mem, out, &rows);
    out->rows = rows.p;
    out->count = rows.n;
    return rc;
}

/* --- An answer ---------------------------------------------------------------------------- */

static const skein_message *newest_answer(const skein_messages *list)
{
    for (size_t i = list->count; i-- > 0;)
        if (list->at[i].role == SKEIN_ASSISTANT)
            return &list->at[i];
    return NULL;
}

/* The messages of its turn, results of tools among them. */
static skein_messages turn_of(skn_arena *mem, const skn_door_log *log,
                              const skein_message *answer, int64_t *tokens)
{
    const skein_messages *list = &log->list;
    skn_vec(skein_message) turn = {0};

    for (size_t i = 0; i < list->count; i++)
        if (&list->at[i] == answer ||
            (answer->turn_uid.n && skn_str_eq(list->at[i].turn_uid, answer->turn_uid))) {
            skn_vec_add(mem, &turn, list->at[i]);
            add_tokens(&log->facts[i].usage, tokens);
        }
    return (skein_messages){turn.p, turn.n};
}

/* It began with what it answers, as far as that is known. */
static int64_t begun_at(const skein_messages *list, const skein_messages *turn)
{
    for (size_t i = 0; i < list->count; i++)
        if (skn_str_eq(list->at[i].uid, turn->at[turn->count - 1].reply_to))
            return list->at[i].created_at;
    return turn->at[0].created_at;
}

static bool is_at_work(const skn_chat *c, skn_str agent)
{
    for (size_t i = 0; i < c->agents.count; i++)
        if (skn_str_eq(c->agents.at[i].name, agent))
            return !skn_str_is(c->states[i], "idle") && !skn_str_is(c->states[i], "failed");
    return false;
}

skein_rc skn_box_answer(skn_chat *c, skn_arena *mem, skn_box *out, bool *found)
{
    const skein_message     *answer;
    skein_delegation         as = {.key = SKN_STR("main"), .title = SKN_STR("")};
    const skein_delegations *all;
    const skn_door_log      *log;
    int64_t                  tokens = -1;
    skein_messages           turn;
    row_list                 rows = {0};
    skein_rc                 rc = skn_chat_lane(c, as.key, READ_MOST, &log);

    *found = !rc && (answer = newest_answer(&log->list));
    if (!*found || (rc = skn_chat_delegations(c, &all)))
        return rc;
    turn = turn_of(mem, log, answer, &tokens);
    as.agent = answer->sender;
    as.created_at = begun_at(&log->list, &turn);
    as.messages = (int64_t)turn.count;
    as.state = is_at_work(c, answer->sender) ? SKEIN_LANE_RUNNING : SKEIN_LANE_DONE;
    read_head(&as, &turn, out);
    out->tokens = tokens;
    for (size_t i = 0; !rc && i < turn.count; i++)
        rc = message_rows(c, mem, all, out, &turn, i, false, &rows);
    if (!rows.n)
        skn_vec_add(mem, &rows, ((skn_box_row){.left = SKN_STR("no thinking, no tools")}));
    out->key = answer->uid;
    out->rows = rows.p;
    out->count = rows.n;
    return rc;
}

/* --- Printing ----------------------------------------------------------------------------- */

static void line(skn_chat *c, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        skn_print_raw(c->cli, SKN_STR("─"));
}

static size_t pad(size_t width, skn_str left, skn_str right)
{
    size_t used = skn_utf8_columns(left) + skn_utf8_columns(right);

    return used < width ? width - used : 0;
}

/* "┌ main.1  ada  Check dates ──── ● 12 s ┐" */
static void head_row(skn_chat *c, const skn_box *b, size_t inner)
{
    skn_str right = standing(c->mem, b);
    size_t room = inner > skn_utf8_columns(right) + 4 ? inner - skn_utf8_columns(right) - 4 : 1;
    skn_str left = skn_chat_fit(c->mem,
                                skn_arena_printf(c->mem, "%.*s  %.*s  %.*s", SKN_FMT(b->key),
                                                 SKN_FMT(b->agent), SKN_FMT(b->title)),
                                room);

    skn_print(c->cli, "  ┌ %.*s ", SKN_FMT(left));
    line(c, pad(inner - 2, left, right));
    skn_print(c->cli, " %.*s ┐", SKN_FMT(right));
}

static void inner_row(skn_chat *c, const skn_box_row *row, size_t inner)
{
    skn_str right = row->right.p ? row->right : SKN_STR("");
    size_t room = inner > skn_utf8_columns(right) + 1 ? inner - skn_utf8_columns(right) - 1 : 1;
    skn_str left = skn_chat_fit(c->mem, row->left, room);

    skn_print(c->cli, "  │ %.*s%*s%.*s │", SKN_FMT(left), (int)pad(inner, left, right), "",
              SKN_FMT(right));
}

static void foot_row(skn_chat *c, const char *foot, size_t inner)
{
    skn_str text = skn_chat_fit(c->mem, skn_str_of(foot), inner > 2 ? inner - 2 : 1);

    if (text.n)
        skn_print(c->cli, "  └ %.*s ", SKN_FMT(text));
    else
        skn_print_raw(c->cli, SKN_STR("  └──"));
    line(c, pad(inner, text, SKN_STR("")));
    skn_print_raw(c->cli, SKN_STR("┘"));
}

void skn_box_print(skn_chat *c, const skn_box *box, size_t most, const char *foot,
                   void (*end)(skn_chat *c))
{
    size_t inner = inner_columns(c);

    head_row(c, box, inner);
    end(c);
    for (size_t i = box->count > most ? box->count - most : 0; i < box->count; i++) {
        inner_row(c, &box->rows[i], inner);
        end(c);
    }
    foot_row(c, foot, inner);
    end(c);
}

/* Texts of a chat in rows that end between words. */

#define FENCE SKN_STR("```")

static void print_row(skn_chat *c, skn_str text, size_t indent)
{
    skn_buf_fill(&c->cli->out.bytes, ' ', text.n ? indent : 0);
    skn_clean_add(&c->cli->out.bytes, text, false);
    skn_print_raw(c->cli, SKN_STR("\n"));
}

/* Columns for text; line by line, and for code, whatever it needs. */
static size_t room(const skn_chat *c, size_t indent, bool code)
{
    size_t width = (size_t)c->cli->out.width;

    if (c->plain || code)
        return SIZE_MAX;
    return width > indent + 8 ? width - indent : 8;
}

void skn_chat_wrap(skn_chat *c, skn_str text, size_t indent, bool begun)
{
    bool    code = false;
    skn_str line, piece;

    while (text.n && skn_str_split(&text, '\n', &line)) {
        bool fence = skn_str_starts(skn_str_trim(line), FENCE);

        if (skn_str_ends(line, SKN_STR("\r")))
            line.n--;
        if (!line.n)
            print_row(c, line, 0);
        while (skn_line_piece(&line, room(c, indent, code || fence), false, &piece)) {
            print_row(c, piece, begun ? 0 : indent);
            begun = false;
        }
        code = code != fence;
    }
}

void skn_chat_wrap_printed(skn_chat *c, skn_buf *out)
{
    skn_buf all = *out;
    skn_str rest = skn_buf_str(&all), line, piece;

    skn_buf_init(out, all.limit);
    while (rest.n && skn_str_split(&rest, '\n', &line)) {
        bool ended = line.p + line.n < all.p + all.n;

        if (!line.n)
            skn_buf_add(out, SKN_STR("\n"));
        while (skn_line_piece(&line, room(c, 0, false), false, &piece)) {
            skn_buf_add(out, piece);
            skn_buf_add(out, line.n || ended ? SKN_STR("\n") : SKN_STR(""));
        }
    }
    skn_buf_release(&all);
}

/* The live rows above the prompt. */

#define REDRAW_MS    50
#define REDRAWN_MOST 4096 /* bytes of a text that is broken into rows again and again */
#define TYPING_MOST  4    /* answers shown while they are written */
#define TEXT_ROWS    3    /* of each */
#define STATUS_ROWS  5    /* below them: what waits, a rule, the status, and a prompt */
#define ASK_ROWS     2    /* who waits for a yes or no */

const char *skn_chat_prompt(void *chat)
{
    skn_chat *c = chat;

    skn_buf_clear(&c->prompt);
    if (c->reply_to[0])
        skn_buf_addf(&c->prompt, "↪ %s ", c->reply_to);
    if (c->edited[0])
        skn_buf_addf(&c->prompt, "edit %s ", c->edited);
    if (c->queued[0])
        skn_buf_add(&c->prompt, SKN_STR("waiting "));
    skn_buf_add(&c->prompt, SKN_STR("› "));
    return c->prompt.p;
}

/* --- Rows --------------------------------------------------------------------------------- */

size_t skn_chat_height(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
        return size.ws_row;
    return 24;
}

skn_str skn_chat_fit(skn_arena *mem, skn_str text, size_t columns)
{
    skn_buf clean;
    skn_str line = SKN_STR("");

    text = skn_str_trim(text);
    skn_str_split(&text, '\n', &line);
    line = skn_utf8_cut(skn_str_trim(line), columns * 8); /* more could not be shown */
    skn_buf_init(&clean, line.n * 4 + 16);
    skn_clean_add(&clean, line, false);
    for (size_t i = 0; i < clean.n; i++)
        if (clean.p[i] == '\t')
            clean.p[i] = ' ';
    line = skn_buf_str(&clean);
    if (skn_utf8_columns(line) > columns) {
        while (line.n && skn_utf8_columns(line) > columns - 1)
            line = skn_utf8_cut(line, line.n - 1);
        line = skn_arena_printf(mem, "%.*s…", SKN_FMT(line));
    } else {
        line = skn_arena_copy(mem, line);
    }
    skn_buf_release(&clean);
    return line;
}

void skn_chat_row_end(skn_chat *c)
{
    skn_print_raw(c->cli, SKN_STR("\033[K\n"));
    c->rows++;
}

void skn_chat_row(skn_chat *c, skn_colour colour, skn_str text)
{
    skn_print_colour(c->cli, colour, text);
    skn_chat_row_end(c);
}

/* The last rows of a text, broken between words. */
static void tail_rows(skn_chat *c, skn_str text, skn_str end)
{
    size_t  width = c->cli->out.width > 8 ? (size_t)c->cli->out.width - 4 : 4, count = 0;
    skn_str line, piece, rows[TEXT_ROWS];

    while (skn_str_split(&text, '\n', &line))
        while (skn_line_piece(&line, width, true, &piece))
            rows[count++ % TEXT_ROWS] = piece;
    for (size_t i = count > TEXT_ROWS ? count - TEXT_ROWS : 0; i < count; i++) {
        skn_print_raw(c->cli, SKN_STR("  "));
        skn_clean_add(&c->cli->out.bytes, rows[i % TEXT_ROWS], false);
        skn_print_raw(c->cli, i + 1 == count ? end : SKN_STR(""));
        skn_chat_row_end(c);
    }
}

static void typing_rows(skn_chat *c, const skn_typing *t)
{
    int64_t seconds = (skn_clock_ms() - t->since) / 1000;

    skn_chat_row(c, SKN_BOLD,
                 skn_arena_printf(c->mem, "%s  %s… %" PRId64 " s", t->agent,
                                  t->thinking ? "thinking" : "writing", seconds));
    tail_rows(c, end_of(skn_buf_str(&t->text), REDRAWN_MOST), SKN_STR("▍"));
}

/* Columns of a live row: the last one of the terminal stays free. */
static size_t screen_room(const skn_chat *c)
{
    return c->cli->out.width > 20 ? (size_t)c->cli->out.width - 1 : 20;
}

/* What waits is cut rather than what can be done about it, of which the keys go first. */
static void queue_row(skn_chat *c)
{
    skn_str how = SKN_STR("   ↑ edit · /now sends it");
    skn_str head = skn_arena_printf(c->mem, "queue %zu: \"", c->waiting), text;
    size_t  used = head.n + 1, whole;

    if (!c->waiting)
        return;
    whole = skn_utf8_columns(skn_chat_fit(c->mem, skn_buf_str(&c->next), screen_room(c)));
    if (used + whole + skn_utf8_columns(how) > screen_room(c))
        how = SKN_STR("   /now sends it");
    used += skn_utf8_columns(how);
    text = skn_chat_fit(c->mem, skn_buf_str(&c->next),
                        screen_room(c) > used + 4 ? screen_room(c) - used : 4);
    skn_chat_row(
        c, SKN_DIM,
        skn_arena_printf(c->mem, "%.*s%.*s\"%.*s", SKN_FMT(head), SKN_FMT(text), SKN_FMT(how)));
}

void skn_chat_rule(skn_chat *c)
{
    skn_buf b;

    skn_buf_init(&b, 8192);
    for (int i = 1; i < c->cli->out.width; i++)
        skn_buf_add(&b, SKN_STR("─"));
    skn_chat_row(c, SKN_DIM, skn_buf_str(&b));
    skn_buf_release(&b);
}

/* --- Drawing ------------------------------------------------------------------------------ */

void skn_chat_erase(skn_chat *c)
{
    if (c->plain || !c->drawn)
        return;
    skn_line_edit_hide(c->edit);
    if (c->rows)
        skn_print_raw(c->cli, skn_arena_printf(c->mem, "\r\033[%zuA\033[J", c->rows));
    c->rows = 0;
    c->drawn = false;
    c->changed = true;
}

/* Something that is being written has screen_room too. */
static size_t details_most(const skn_chat *c, size_t height)
{
    size_t other = c->rows + STATUS_ROWS + ASK_ROWS + (c->typing.first ? TEXT_ROWS + 1 : 0);

    return height > other ? height - other : 0;
}

static void live_rows(skn_chat *c)
{
    size_t shown = 0, height = skn_chat_height();

    skn_chat_boxes(c);
    skn_chat_details(c, details_most(c, height));
    for (const skn_typing *t = c->typing.first; t && shown < TYPING_MOST; t = t->next)
        if (!t->lane[0] && (!c->rows || c->rows + TEXT_ROWS + 1 + STATUS_ROWS <= height)) {
            typing_rows(c, t);
            shown++;
        }
    skn_chat_ask_rows(c);
    queue_row(c);
    skn_chat_rule(c);
    skn_chat_row(c, SKN_DIM, skn_chat_status(c, screen_room(c)));
}

/* Rows that are too long end at the edge: were they broken, there would be more of them. */
void skn_chat_draw(skn_chat *c)
{
    if (c->plain) {
        skn_out_flush(c->cli);
        return;
    }
    skn_chat_erase(c);
    skn_print_raw(c->cli, SKN_STR("\033[?7l"));
    if (c->overlay)
        c->overlay->rows(c, c->overlay->arg);
    else
        live_rows(c);
    skn_print_raw(c->cli, SKN_STR("\033[?7h"));
    skn_out_flush(c->cli);
    skn_line_edit_show(c->edit);
    c->drawn = true;
    c->changed = false;
    c->drawn_at = skn_clock_ms();
    skn_arena_reset(c->mem);
}

int64_t skn_chat_draw_soon(skn_chat *c)
{
    int64_t since = skn_clock_ms() - c->drawn_at;

    if (c->plain || !c->states) /* who is there is not known yet */
        return -1;
    if ((c->typing.first || c->delegated) && since >= 1000) /* the seconds go on */
        c->changed = true;
    if (c->changed && since < REDRAW_MS)
        return REDRAW_MS - since;
    if (c->changed)
        skn_chat_draw(c);
    return c->typing.first || c->delegated ? 1000 : -1;
}
