#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* for wcwidth, which libedit measures with */
#endif
#include "terminal/line_edit.h"
#include "base/utf8.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#define HISTORY_SIZE 1000
#define CELLS_MOST   ((uint32_t)1 << 20) /* of the terminal */
#define PASTE_MOST   ((size_t)1 << 20)
#define PRESET_KEYS  "\033[9901~" /* which no keyboard has */
#define ESC          27
#define CTRL_O       15
#define PREVIOUS_KEY "\020" /* Ctrl-P, which libedit has for the line before */
#define PATTERN_MOST 256
#define CTRL_G       7
#define CTRL_H       8
#define CTRL_R       18
#define DELETE       127

/* --- Keys for menus ----------------------------------------------------------------------- */

#define ESCAPE_MS 60 /* the rest of an arrow is here by then */

static bool read_byte(bool (*wait)(void *arg), void *arg, void *out)
{
    ssize_t n;

    do {
        if (!wait(arg))
            return false;
        n = read(STDIN_FILENO, out, 1);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    return n == 1;
}

static bool next_byte(skn_keys *k, unsigned char *out)
{
    if (k->ahead < 0)
        return read_byte(k->wait, k->arg, out);
    *out = (unsigned char)k->ahead;
    k->ahead = -1;
    return true;
}

static bool more_follows(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&p, 1, ESCAPE_MS) > 0;
}

static bool follows(const skn_keys *k)
{
    return k->ahead >= 0 || more_follows();
}

static skn_key_kind sequence_kind(const char *bytes)
{
    if (!strcmp(bytes, "\033[200~"))
        return SKN_KEY_TEXT;
    if (strlen(bytes) != 3 || bytes[2] < 'A' || bytes[2] > 'D')
        return SKN_KEY_OTHER;
    return (skn_key_kind[]){SKN_KEY_UP, SKN_KEY_DOWN, SKN_KEY_RIGHT,
                            SKN_KEY_LEFT}[bytes[2] - 'A'];
}

/* "[A" or "OA", up to the letter or "~" that ends it. */
static skn_key read_sequence(skn_keys *k)
{
    skn_key       key = {SKN_KEY_ESCAPE, "\033"};
    size_t        n = 1;
    unsigned char byte;

    if (!follows(k) || !next_byte(k, &byte))
        return key;
    if (byte != '[' && byte != 'O') {
        k->ahead = byte;
        return key;
    }
    for (bool ended = false; !ended;) {
        if (n + 1 < sizeof key.bytes)
            key.bytes[n++] = (char)byte;
        ended = !follows(k) || !next_byte(k, &byte);
        if (!ended && byte >= '@' && byte <= '~') {
            if (n + 1 < sizeof key.bytes)
                key.bytes[n++] = (char)byte;
            ended = true;
        }
    }
    key.kind = sequence_kind(key.bytes);
    return key;
}

/* The bytes of a character that are still to come after its first. */
static int rest_of(unsigned char first)
{
    return first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
}

skn_key skn_key_read(skn_keys *k)
{
    skn_key       key = {SKN_KEY_GONE, ""};
    unsigned char byte;
    int           rest;

    if (!next_byte(k, &byte))
        return key;
    if (byte == ESC)
        return read_sequence(k);
    key.bytes[0] = (char)byte;
    if (byte == '\r' || byte == '\n')
        key.kind = SKN_KEY_ENTER;
    else if (byte < ' ' || byte == 0x7f)
        key.kind = SKN_KEY_OTHER;
    else
        key.kind = SKN_KEY_TEXT;
    rest = rest_of(byte);
    for (int i = 1; i <= rest && next_byte(k, &byte); i++)
        key.bytes[i] = (char)byte;
    return key;
}

/* --- Ctrl-R: a line that was typed before, found by a part of it -------------------------- */

/* A state, not a loop: between two keys it can be left from outside, the line as it was before. Texts live until the next
 * call with the same search. */
typedef struct search {
    bool    on;
    bool    failed;  /* nothing has all of the pattern: the last hit stays */
    size_t  at;      /* the hit, counted from the newest line */
    skn_buf pattern; /* what is looked for */
    skn_buf before;  /* the line as it was */
    skn_buf line;    /* the line as it is to be: the hit, or what was before */
    skn_buf prompt;
} search;

/* The newest line that was typed, or the one before the last that was given; NULL when there is none. */
typedef const char *older_line_of(void *arg, bool newest);

static void search_init(search *s)
{
    *s = (search){.on = false};
    skn_buf_init(&s->pattern, PATTERN_MOST);
    skn_buf_init(&s->before, PASTE_MOST);
    skn_buf_init(&s->line, PASTE_MOST);
    skn_buf_init(&s->prompt, 2 * PATTERN_MOST);
}

static void search_release(search *s)
{
    skn_buf_release(&s->pattern);
    skn_buf_release(&s->before);
    skn_buf_release(&s->line);
    skn_buf_release(&s->prompt);
}

static void set_line(search *s, skn_str text)
{
    skn_buf_clear(&s->line);
    skn_buf_add(&s->line, text);
}

/* The newest line that has the pattern, from number `from` on. */
static bool find_older(search *s, size_t from, older_line_of *older, void *arg)
{
    const char *line = older(arg, true);

    for (size_t n = 0; line; line = older(arg, false), n++)
        if (n >= from && strstr(line, s->pattern.p)) {
            s->at = n;
            set_line(s, skn_str_of(line));
            return true;
        }
    return false;
}

static void seek(search *s, size_t from, older_line_of *older, void *arg)
{
    s->failed = s->pattern.n && !find_older(s, from, older, arg);
    if (!s->pattern.n)
        set_line(s, skn_buf_str(&s->before));
}

static void add_character(skn_buf *pattern, wchar_t c)
{
    char      bytes[MB_LEN_MAX];
    mbstate_t state;
    size_t    n;

    memset(&state, 0, sizeof state);
    n = wcrtomb(bytes, c, &state);
    if (n != (size_t)-1 && pattern->n + n < PATTERN_MOST)
        skn_buf_add(pattern, (skn_str){bytes, n});
}

static void drop_character(skn_buf *pattern)
{
    if (!pattern->n)
        return;
    pattern->n = skn_utf8_cut(skn_buf_str(pattern), pattern->n - 1).n;
    pattern->p[pattern->n] = '\0';
}

static void search_begin(search *s, skn_str line)
{
    skn_buf_clear(&s->pattern);
    skn_buf_clear(&s->before);
    skn_buf_add(&s->before, line);
    set_line(s, line);
    s->at = 0;
    s->failed = false;
    s->on = true;
}

static void search_cancel(search *s)
{
    set_line(s, skn_buf_str(&s->before));
    s->on = false;
}

static bool search_take(search *s, wchar_t key, older_line_of *older, void *arg)
{
    if (key == CTRL_G) {
        search_cancel(s);
    } else if (key == CTRL_R) {
        seek(s, s->at + 1, older, arg);
    } else if (key == CTRL_H || key == DELETE) {
        drop_character(&s->pattern);
        seek(s, 0, older, arg);
    } else if (iswprint((wint_t)key)) {
        add_character(&s->pattern, key);
        seek(s, s->at, older, arg);
    } else {
        s->on = false;
        return false;
    }
    return true;
}

static const char *search_prompt(search *s)
{
    skn_buf_clear(&s->prompt);
    skn_buf_addf(&s->prompt, "%s%.*s › ",
                 s->failed      ? "not found: "
                 : s->pattern.n ? "search "
                                : "search",
                 SKN_FMT(skn_buf_str(&s->pattern)));
    return s->prompt.p;
}

/* --- Where a text ends on the screen ------------------------------------------------------ */

typedef struct spot {
    int row, column;
} spot;

/* As libedit places it: what does not fit begins a row, and a full row is followed by another. */
static void place(spot *at, wchar_t c, int width)
{
    int n = wcwidth(c);

    if (c == L'\n') {
        *at = (spot){at->row + 1, 0};
        return;
    }
    if (c == L'\t')
        n = 8 - at->column % 8;
    else if (n < 0)
        n = 2; /* ^X */
    if (at->column + n > width)
        *at = (spot){at->row + 1, 0};
    at->column += n;
    if (at->column >= width)
        *at = (spot){at->row + 1, 0};
}

static void spot_after(spot *at, const char *text, size_t n, int width)
{
    mbstate_t state;
    wchar_t   c;

    memset(&state, 0, sizeof state);
    while (n) {
        size_t used = mbrtowc(&c, text, n, &state);

        if (used == 0 || used > n) {
            memset(&state, 0, sizeof state);
            used = 1;
            c = L'?';
        }
        place(at, c, width);
        text += used;
        n -= used;
    }
}

struct skn_line_edit {
    skn_line_options o;
    EditLine        *el;
    History         *history;
    skn_buf          line, preset;
    int              behind; /* characters of the preset that stand behind the cursor */
    search           search;
    struct termios   before;   /* the terminal as it was found */
    bool             reading;  /* the prompt is on the screen */
    bool             sequence; /* the next character belongs to the Esc before it */
    bool             once;     /* Esc was pressed, alone, and nothing since */
    bool             over;
    bool             escaped;
    char             key; /* see skn_line_edit_key */
};

static skn_line_edit *own(EditLine *el)
{
    void *e = NULL;

    el_get(el, EL_CLIENTDATA, &e);
    return e;
}

/* --- Where things are on the screen ------------------------------------------------------- */

static int columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
    return 80;
}

bool skn_line_edit_fits(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
           (uint32_t)size.ws_row * size.ws_col <= CELLS_MOST;
}

static const char *prompt_text(skn_line_edit *e)
{
    return e->search.on ? search_prompt(&e->search) : e->o.prompt(e->o.arg);
}

/* The row, counted from the prompt's, behind so much of the line. */
static int row_behind(skn_line_edit *e, const char *text, size_t n)
{
    const char *prompt = prompt_text(e);
    int         width = columns();
    spot        at = {0, 0};

    spot_after(&at, prompt, strlen(prompt), width);
    spot_after(&at, text, n, width);
    return at.row;
}

/* To the start of the row that many rows up, and all from there on is cleared. */
static void clear_from(int rows_up)
{
    if (rows_up > 0)
        printf("\r\033[%dA\033[J", rows_up);
    else
        printf("\r\033[J");
    fflush(stdout);
}

void skn_line_edit_hide(skn_line_edit *e)
{
    const LineInfo *line;

    if (!e->reading)
        return;
    line = el_line(e->el);
    clear_from(row_behind(e, line->buffer, (size_t)(line->cursor - line->buffer)));
}

void skn_line_edit_show(skn_line_edit *e)
{
    if (e->reading)
        el_set(e->el, EL_REFRESH);
}

static void put_found(skn_line_edit *e)
{
    const LineInfoW *line = el_wline(e->el);

    el_cursor(e->el, (int)(line->lastchar - line->cursor));
    el_deletestr(e->el, (int)(line->lastchar - line->buffer));
    if (e->search.line.n)
        el_insertstr(e->el, e->search.line.p);
}

bool skn_line_edit_cancel(skn_line_edit *e)
{
    if (!e->search.on)
        return false;
    skn_line_edit_hide(e);
    search_cancel(&e->search);
    put_found(e);
    skn_line_edit_show(e);
    return true;
}

/* libedit has rows for the new size and a cursor of the old one, which may stand below them all: a key would be
 * written there. Drawing sets the cursor. */
void skn_line_edit_resize(skn_line_edit *e)
{
    if (skn_line_edit_fits())
        el_resize(e->el);
    skn_line_edit_show(e);
}

/* Between two lines libedit would have the terminal show and change what is typed. It must do neither:
 * what is typed then belongs to the next line (see also bind_keys). */
static void take_terminal(const skn_line_edit *e)
{
    struct termios t = e->before;

    t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    t.c_iflag &= ~(tcflag_t)(ICRNL | INLCR);
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
}

void skn_line_edit_lend(skn_line_edit *e, bool lent)
{
    if (lent)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &e->before);
    else
        take_terminal(e);
}

void skn_line_edit_preset(skn_line_edit *e, skn_str text)
{
    skn_buf_clear(&e->preset);
    skn_buf_add(&e->preset, text);
    e->behind = 0;
}

skn_str skn_line_edit_preset_text(const skn_line_edit *e)
{
    return skn_buf_str(&e->preset);
}

bool skn_line_edit_escaped(const skn_line_edit *e)
{
    return e->escaped;
}

char skn_line_edit_key(const skn_line_edit *e)
{
    return e->key;
}

void skn_line_edit_retype(skn_line_edit *e, const char *keys)
{
    el_push(e->el, keys);
}

/* --- Keys --------------------------------------------------------------------------------- */

/* One character, however many bytes it has. */
static bool read_character(skn_line_edit *e, wchar_t *out)
{
    mbstate_t state;
    char      byte;

    memset(&state, 0, sizeof state);
    while (read_byte(e->o.wait, e->o.arg, &byte)) {
        size_t used = mbrtowc(out, &byte, 1, &state);

        if (used == 1 || used == 0)
            return true;
        if (used == (size_t)-1)
            memset(&state, 0, sizeof state); /* not a character: dropped */
    }
    return false;
}

static const char *older_line(void *arg, bool newest)
{
    const skn_line_edit *e = arg;
    HistEvent            line;

    return e->history && history(e->history, &line, newest ? H_FIRST : H_NEXT) >= 0 ? line.str
                                                                                    : NULL;
}

/* True if the key was one of the search. Esc alone leaves it with what was found. */
static bool take_search_key(skn_line_edit *e, wchar_t c, bool escape)
{
    bool taken;

    skn_line_edit_hide(e);
    taken = search_take(&e->search, c, older_line, e) || escape;
    put_found(e);
    skn_line_edit_show(e);
    return taken;
}

/* libedit would have every Esc wait for the key after it and change what that does. So one that is alone
 * stays here, and only the second makes both of them known. */
static bool take_key(skn_line_edit *e, wchar_t c)
{
    bool again = e->once, escape;

    e->once = false;
    if (e->sequence) {
        e->sequence = false;
        return false;
    }
    e->sequence = c == ESC && more_follows();
    escape = c == ESC && !e->sequence;
    if (e->search.on)
        return take_search_key(e, c, escape);
    if (escape && again)
        el_push(e->el, "\033");
    e->once = escape && !again;
    return e->once;
}

static int read_key(EditLine *el, wchar_t *out)
{
    skn_line_edit *e = own(el);

    do {
        if (!read_character(e, out)) {
            skn_line_edit_hide(e);
            e->over = true;
            return 0;
        }
    } while (take_key(e, *out));
    return 1;
}

static unsigned char on_newline(EditLine *el, int key)
{
    (void)key;
    return el_insertstr(el, "\n") == 0 ? CC_REFRESH : CC_ERROR;
}

/* What is pasted is text, its line ends too, up to the mark behind it. */
static unsigned char on_paste(EditLine *el, int key)
{
    const skn_str  end = SKN_STR("\033[201~");
    skn_line_edit *e = own(el);
    skn_buf        text;
    char           byte;
    int            failed;

    (void)key;
    skn_buf_init(&text, PASTE_MOST);
    while (!text.over && !skn_str_ends(skn_buf_str(&text), end) &&
           read_byte(e->o.wait, e->o.arg, &byte))
        skn_buf_addc(&text, byte == '\r' ? '\n' : byte);
    if (skn_str_ends(skn_buf_str(&text), end))
        text.p[text.n - end.n] = '\0';
    failed = text.n ? el_insertstr(el, text.p) : 0;
    skn_buf_release(&text);
    return failed ? CC_REFRESH_BEEP : CC_REFRESH;
}

/* On an empty line it ends the reading: what then happens is for the caller. */
static unsigned char on_escape(EditLine *el, int key)
{
    skn_line_edit  *e = own(el);
    const LineInfo *line = el_line(el);

    (void)key;
    if (line->lastchar > line->buffer)
        return CC_NORM;
    skn_line_edit_hide(e);
    e->escaped = true;
    return CC_EOF;
}

/* Ctrl-O, or what follows Ctrl-X: it ends the reading, and what was typed begins the next line. */
static unsigned char on_leader(EditLine *el, int key)
{
    skn_line_edit   *e = own(el);
    const LineInfo  *line = el_line(el);
    const LineInfoW *wide = el_wline(el);

    skn_line_edit_preset(e, (skn_str){line->buffer, (size_t)(line->lastchar - line->buffer)});
    e->behind = (int)(wide->lastchar - wide->cursor);
    skn_line_edit_hide(e);
    e->key = key == CTRL_O ? 'o' : (char)key;
    return CC_EOF;
}

/* Whatever the line before it is bound to stays so: the key is given back as that. */
static unsigned char on_up(EditLine *el, int key)
{
    skn_line_edit  *e = own(el);
    const LineInfo *line = el_line(el);

    (void)key;
    if (line->lastchar == line->buffer && e->o.recalls(e->o.arg))
        return on_leader(el, SKN_LINE_UP);
    el_push(el, PREVIOUS_KEY);
    return CC_NORM;
}

static unsigned char on_search(EditLine *el, int key)
{
    const LineInfo *line = el_line(el);

    (void)key;
    search_begin(&own(el)->search,
                 (skn_str){line->buffer, (size_t)(line->lastchar - line->buffer)});
    return CC_REFRESH;
}

/* As text: were it typed, a tab in it would complete something. */
static unsigned char on_preset(EditLine *el, int key)
{
    skn_line_edit *e = own(el);
    int            failed = e->preset.n ? el_insertstr(el, e->preset.p) : 0;

    (void)key;
    if (!failed && e->behind)
        el_cursor(el, -e->behind);
    skn_line_edit_preset(e, SKN_STR(""));
    return failed ? CC_REFRESH_BEEP : CC_REFRESH;
}

/* --- Completion --------------------------------------------------------------------------- */

static size_t common(char *const *list, size_t count)
{
    size_t n = strlen(list[0]);

    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < n; k++)
            if (list[i][k] != list[0][k])
                n = k;
    return n;
}

static unsigned char offer(skn_line_edit *e, skn_str word, char *const *list, size_t count)
{
    size_t  n = common(list, count);
    skn_buf more;
    bool    added = n > word.n || count == 1;

    skn_buf_init(&more, PASTE_MOST);
    skn_buf_add(&more, skn_str_sub(skn_str_of(list[0]), word.n, n));
    if (count == 1 && !skn_str_ends(skn_str_of(list[0]), SKN_STR("/")))
        skn_buf_addc(&more, ' '); /* behind a folder more can follow */
    if (added && more.n)
        el_insertstr(e->el, more.p);
    skn_buf_release(&more);
    if (!added)
        e->o.choices(e->o.arg, list, count);
    return CC_REFRESH;
}

static unsigned char on_tab(EditLine *el, int key)
{
    skn_line_edit  *e = own(el);
    const LineInfo *line = el_line(el);
    const char     *start = line->cursor;
    char           *list[SKN_LINE_CHOICES];
    size_t          count;
    unsigned char   done = CC_REFRESH_BEEP;
    skn_str         word;

    (void)key;
    while (start > line->buffer && start[-1] != ' ' && start[-1] != '\n')
        start--;
    word = (skn_str){start, (size_t)(line->cursor - start)};
    count = e->o.complete(e->o.arg, word, start == line->buffer, list);
    if (count)
        done = offer(e, word, list, count);
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    return done;
}

/* --- Coming and going --------------------------------------------------------------------- */

static char *prompt_of(EditLine *el)
{
    skn_line_edit *e = own(el);

    /* libedit does not write to it, whatever the type says. */
    return (char *)(uintptr_t)prompt_text(e);
}

static void bind_keys(EditLine *el)
{
    static const char *const keys[][2] = {
        {"^J", "skein-newline"},      {"\033\r", "skein-newline"},
        {"\033\n", "skein-newline"},  {"\033[200~", "skein-paste"},
        {"\033\033", "skein-escape"}, {PRESET_KEYS, "skein-preset"},
        {"^I", "skein-complete"},     {"^R", "skein-search"},
        {"\033[A", "skein-up"},       {"\033OA", "skein-up"},
        {"^O", "skein-leader"},       {"^Xt", "skein-leader"},
        {"^Xh", "skein-leader"},      {"^X/", "skein-leader"},
        {"^Xb", "skein-leader"},      {"^Xi", "skein-leader"},
        {"^Xe", "skein-leader"},
    };

    el_set(el, EL_EDITOR, "emacs");
    /* Wide texts are kept as they are; narrow ones would be copied and never freed. */
    el_wset(el, EL_ADDFN, L"skein-newline", L"New line", on_newline);
    el_wset(el, EL_ADDFN, L"skein-paste", L"Pasted text", on_paste);
    el_wset(el, EL_ADDFN, L"skein-complete", L"Complete", on_tab);
    el_wset(el, EL_ADDFN, L"skein-escape", L"Go back", on_escape);
    el_wset(el, EL_ADDFN, L"skein-search", L"Find a line", on_search);
    el_wset(el, EL_ADDFN, L"skein-up", L"A queued message, or the previous line", on_up);
    el_wset(el, EL_ADDFN, L"skein-preset", L"Text to begin with", on_preset);
    el_wset(el, EL_ADDFN, L"skein-leader", L"A key of the chat", on_leader);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        el_set(el, EL_BIND, keys[i][0], keys[i][1], NULL);
    el_source(el, NULL);
    /* Ctrl-J stays what it is, and is not Enter. */
    el_set(el, EL_SETTY, "-d", "-inlcr", "-icrnl", NULL);
    el_set(el, EL_SETTY, "-x", "-icanon", "-echo", "-icrnl", "-inlcr", NULL);
}

static void open_history(skn_line_edit *e)
{
    HistEvent event;

    e->history = history_init();
    if (!e->history)
        return;
    history(e->history, &event, H_SETSIZE, HISTORY_SIZE);
    history(e->history, &event, H_SETUNIQUE, 1);
    if (e->o.history)
        history(e->history, &event, H_LOAD, e->o.history);
    el_set(e->el, EL_HIST, history, e->history);
}

skn_line_edit *skn_line_edit_new(const skn_line_options *o)
{
    skn_line_edit *e = skn_heap(sizeof *e);

    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8"); /* texts are UTF-8, whatever the computer says */
    e->o = *o;
    if (tcgetattr(STDIN_FILENO, &e->before) == 0)
        e->el = el_init("skein", stdin, stdout, stderr);
    if (!e->el) {
        free(e);
        return NULL;
    }
    skn_buf_init(&e->line, PASTE_MOST);
    skn_buf_init(&e->preset, PASTE_MOST);
    search_init(&e->search);
    el_set(e->el, EL_CLIENTDATA, e);
    el_set(e->el, EL_PROMPT, prompt_of);
    bind_keys(e->el);
    take_terminal(e);
    el_set(e->el, EL_GETCFN, read_key);
    open_history(e);
    printf("\033[?2004h"); /* what is pasted comes between marks */
    fflush(stdout);
    return e;
}

static void keep_history(skn_line_edit *e)
{
    HistEvent event;

    if (e->o.history)
        history(e->history, &event, H_SAVE, e->o.history);
    history_end(e->history);
}

void skn_line_edit_free(skn_line_edit *e)
{
    if (!e)
        return;
    printf("\033[?2004l");
    fflush(stdout);
    if (e->history)
        keep_history(e);
    el_end(e->el);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &e->before);
    skn_buf_release(&e->line);
    skn_buf_release(&e->preset);
    search_release(&e->search);
    free(e);
}

static void remember(skn_line_edit *e)
{
    HistEvent event;

    if (e->history && skn_str_trim(skn_buf_str(&e->line)).n)
        history(e->history, &event, H_ENTER, e->line.p);
}

skn_str skn_line_edit_read(skn_line_edit *e)
{
    const char *text;
    int         n = 0;

    e->over = e->escaped = e->once = e->sequence = e->search.on = false;
    e->key = 0;
    if (e->preset.n)
        el_push(e->el, PRESET_KEYS);
    e->reading = true;
    text = el_gets(e->el, &n);
    e->reading = false;
    if (e->escaped || e->key)
        return SKN_STR("");
    if (!text || n <= 0 || e->over) {
        printf("\r\033[K");
        fflush(stdout);
        return SKN_NONE;
    }
    if (text[n - 1] == '\n' || text[n - 1] == '\r')
        n--;
    skn_buf_clear(&e->line);
    skn_buf_add(&e->line, (skn_str){text, (size_t)n});
    clear_from(row_behind(e, e->line.p ? e->line.p : "", e->line.n) + 1);
    remember(e);
    return skn_buf_str(&e->line);
}
