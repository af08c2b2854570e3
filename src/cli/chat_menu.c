/* chat_menu.c: a list to pick from, in place of the live rows and the prompt. */
#include "cli/chat.h"

#include "cli/term_key.h"

#define DIGITS     ((size_t)9) /* as many rows have one */
#define OTHER_ROWS 5           /* rule, title, and some of what was said */
#define MARK       5           /* columns before a label */

/* --- What it looks like ------------------------------------------------------------------- */

static size_t most_rows(void)
{
    size_t rows = skn_chat_height();

    rows = rows > OTHER_ROWS ? rows - OTHER_ROWS : 1;
    return rows < DIGITS ? rows : DIGITS;
}

/* The rows that are shown go with the one that is chosen. */
static size_t scroll(skn_menu *m)
{
    size_t most = most_rows(), shown = m->count < most ? m->count : most;

    if (m->at < m->top)
        m->top = m->at;
    if (m->at >= m->top + shown)
        m->top = m->at + 1 - shown;
    if (m->top + shown > m->count)
        m->top = m->count - shown;
    return shown;
}

static void item_row(skn_chat *c, const skn_menu *m, size_t i, size_t width)
{
    const skn_menu_item *item = &m->items[i];
    skn_buf             *out = &c->cli->out.bytes;
    size_t               used = MARK + m->label_columns + 2;
    skn_str label = skn_arena_printf(c->mem, "%s %zu  %-*s", i == m->at ? "›" : " ",
                                     i - m->top + 1, (int)m->label_columns, item->label.p);

    if (i == m->at)
        skn_print_colour(c->cli, SKN_BOLD, label);
    else
        skn_clean_add(out, label, false);
    skn_print_raw(c->cli, SKN_STR("  "));
    skn_print_raw(c->cli,
                  skn_chat_fit(c->mem, item->text, width > used + 1 ? width - used - 1 : 1));
    skn_chat_row_end(c);
}

static void menu_rows(skn_chat *c, void *arg)
{
    skn_menu *m = arg;
    size_t    width = c->cli->out.width > 20 ? (size_t)c->cli->out.width : 20;
    size_t    shown = scroll(m);

    skn_chat_rule(c);
    skn_print_raw(c->cli, skn_chat_fit(c->mem, m->title, width - 1));
    skn_chat_row_end(c);
    for (size_t i = m->top; i < m->top + shown; i++)
        item_row(c, m, i, width);
    skn_print_colour(c->cli, SKN_DIM, skn_str_of(m->keys));
    skn_chat_row_end(c);
}

/* --- Keys --------------------------------------------------------------------------------- */

static bool is_digit_of(const skn_menu *m, const skn_key *key, size_t *picked)
{
    size_t shown = m->count < most_rows() ? m->count : most_rows();

    if (key->bytes[0] < '1' || key->bytes[0] > '9')
        return false;
    *picked = m->top + (size_t)(key->bytes[0] - '1');
    return *picked < m->top + shown;
}

/* What is no key of the menu was meant for the prompt: it gets there. */
static skn_menu_end take_key(skn_chat *c, skn_menu *m, const skn_key *key)
{
    if (key->kind == SKN_KEY_UP && m->at > 0)
        m->at--;
    else if (key->kind == SKN_KEY_DOWN && m->at + 1 < m->count)
        m->at++;
    else if (key->kind == SKN_KEY_ENTER)
        return SKN_MENU_PICKED;
    else if (key->kind == SKN_KEY_ESCAPE)
        return SKN_MENU_BACK;
    else if (key->kind == SKN_KEY_GONE)
        return SKN_MENU_LEFT;
    else if (key->kind == SKN_KEY_TEXT && is_digit_of(m, key, &m->at))
        return SKN_MENU_PICKED;
    else if (key->kind == SKN_KEY_TEXT) {
        skn_line_edit_retype(c->edit, key->bytes);
        return SKN_MENU_LEFT;
    }
    c->changed = true;
    return SKN_MENU_OPEN;
}

skn_menu_end skn_chat_menu(skn_chat *c, skn_menu *m)
{
    skn_overlay  overlay = {.rows = menu_rows, .arg = m};
    skn_keys     keys = {.wait = skn_chat_wait_key, .arg = c, .ahead = -1};
    skn_menu_end end = SKN_MENU_OPEN;

    c->overlay = &overlay;
    while (end == SKN_MENU_OPEN) {
        skn_key key;

        skn_chat_draw(c);
        key = skn_key_read(&keys);
        end = take_key(c, m, &key);
    }
    skn_chat_erase(c);
    c->overlay = NULL;
    return end;
}
