/* chat_commands.c: lines that begin with a slash. Most are commands of the program, run in place. */
#include "base/utf8.h"
#include "terminal/chat.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MOST ((size_t)200)

typedef struct word_list {
    const char *at[WORDS_MOST + 1];
    size_t      count;
} word_list;

typedef struct chat_command {
    const char *name, *args, *help;
    void (*run)(skn_chat *c, skn_str rest);
    const char *words; /* of the program's own command; NULL: it has none */
} chat_command;

/* --- Words -------------------------------------------------------------------------------- */

/* Blanks part words, quotes hold them together. */
static bool next_word(skn_str *rest, skn_buf *out)
{
    char   quote = 0;
    size_t i = 0;

    *rest = skn_str_trim(*rest);
    skn_buf_clear(out);
    for (; i < rest->n && (quote || (rest->p[i] != ' ' && rest->p[i] != '\t')); i++) {
        char ch = rest->p[i];

        if (quote && ch == quote)
            quote = 0;
        else if (!quote && (ch == '"' || ch == '\''))
            quote = ch;
        else
            skn_buf_addc(out, ch);
    }
    *rest = skn_str_sub(*rest, i, rest->n);
    return i > 0;
}

/* "#P6Uh…" is a way to name a message where it is typed; commands take the bare id. */
static void add_word(skn_chat *c, word_list *list, skn_str word)
{
    if (word.n > 1 && word.p[0] == '#')
        word = skn_str_sub(word, 1, word.n);
    if (list->count < WORDS_MOST)
        list->at[list->count++] = skn_arena_copy(c->mem, word).p;
}

static void split(skn_chat *c, skn_str rest, word_list *list)
{
    skn_buf word;

    skn_buf_init(&word, SKN_TEXT_LIMIT);
    while (next_word(&rest, &word))
        add_word(c, list, skn_buf_str(&word));
    skn_buf_release(&word);
}

/* The first word off the rest. */
static const char *take_word(skn_chat *c, skn_str *rest)
{
    word_list one = {.count = 0};
    skn_buf   word;

    skn_buf_init(&word, SKN_TEXT_LIMIT);
    if (next_word(rest, &word))
        add_word(c, &one, skn_buf_str(&word));
    skn_buf_release(&word);
    *rest = skn_str_trim(*rest);
    return one.count ? one.at[0] : NULL;
}

/* --- The program's own commands ----------------------------------------------------------- */

static int run_words(skn_chat *c, const word_list *typed)
{
    return skn_chat_run(c, typed->at, typed->count);
}

static void run_own(skn_chat *c, const char *words, skn_str rest)
{
    word_list list = {.count = 0};

    split(c, skn_str_of(words), &list);
    split(c, rest, &list);
    (void)run_words(c, &list);
}

/* --- Ours --------------------------------------------------------------------------------- */

static void need(skn_chat *c, const char *usage)
{
    skn_chat_tell(c, "Use it like this: %s", usage);
}

static void cmd_reply(skn_chat *c, skn_str rest)
{
    const char   *ref = take_word(c, &rest);
    skein_message m;

    if (!ref) {
        c->reply_to[0] = '\0';
        skn_chat_tell(c, "The next message answers nothing in particular.");
        return;
    }
    if (skn_chat_told(c, skn_need_message(skn_chat_ask(c, c->mem), skn_str_of(ref), &m))) {
        skn_chat_complain(c);
        return;
    }
    snprintf(c->reply_to, sizeof c->reply_to, "%.*s", SKN_FMT(m.uid));
    if (rest.n)
        skn_chat_say(c, rest);
    else if (c->plain)
        skn_chat_tell(c, "The next message answers %s.", c->reply_to);
}

/* All after the id is the new text, quotes too. Without an id it is the person's last message. */
static void cmd_edit(skn_chat *c, skn_str rest)
{
    const char *ref = take_word(c, &rest);
    word_list   list = {.at = {"edit", "--no-wait"}, .count = 2}; /* the chat shows them */

    if (!rest.n && c->plain) { /* there is no editor */
        need(c, skn_arena_text(c->mem, "/edit %s TEXT", ref ? ref : "@you"));
        return;
    }
    if (ref)
        list.at[list.count++] = ref;
    if (rest.n) {
        list.at[list.count++] = "-m";
        list.at[list.count++] = skn_arena_copy(c->mem, rest).p;
    }
    (void)run_words(c, &list);
}

/* "3-7": the third message of the conversation to the seventh. *missing becomes the first of them that is not there. */
static bool add_range(skn_chat *c, word_list *list, const char *word, int64_t *missing)
{
    skn_str       rest = skn_str_of(word), first;
    int64_t       from, to;
    skein_error   before = c->cli->err;
    skn_json_list found = {0};
    skein_rc      rc;

    if (!skn_str_split(&rest, '-', &first) || !skn_str_int(first, &from) ||
        !skn_str_int(rest, &to) || from < 1 || to < from || to - from > (int64_t)WORDS_MOST / 2)
        return false;
    rc = skn_chat_ids(c, c->mem, 0, from - 1, to - from + 1, &found);
    c->cli->err = before;
    for (size_t i = 0; !rc && i < found.n; i++)
        add_word(c, list, skn_json_str(found.p[i], "messageId"));
    if (!rc && (int64_t)found.n <= to - from)
        *missing = from + (int64_t)found.n;
    return !rc;
}

static void cmd_squash(skn_chat *c, skn_str rest)
{
    word_list typed = {.count = 0}, list = {.at = {"squash"}, .count = 1};
    int64_t   missing = 0;

    split(c, rest, &typed);
    if (typed.count < 2) {
        need(c, "/squash ID… \"TEXT\", or /squash 3-7 \"TEXT\"");
        return;
    }
    for (size_t i = 0; i + 1 < typed.count && !missing; i++)
        if (!add_range(c, &list, typed.at[i], &missing))
            add_word(c, &list, skn_str_of(typed.at[i]));
    if (missing) {
        skn_fail_hint(&c->cli->err, SKEIN_NOT_FOUND, "\"skein log\" lists the last ones.",
                      "the conversation has no message %" PRId64, missing);
        skn_chat_complain(c);
        return;
    }
    list.at[list.count++] = "--by-hand";
    list.at[list.count++] = "-m";
    list.at[list.count++] = typed.at[typed.count - 1];
    (void)run_words(c, &list);
}

static skein_rc has_tag(skn_chat *c, const char *name, bool *found)
{
    skn_json_list all = {0};
    skein_rc      rc = skn_chat_told(c, skn_tags_read(skn_chat_ask(c, c->mem), &all));

    *found = false;
    for (size_t i = 0; !rc && i < all.n; i++)
        *found = *found || skn_is(all.p[i], "name", name);
    return rc;
}

static void cmd_tag(skn_chat *c, skn_str rest)
{
    const char *name = take_word(c, &rest);
    bool        found;

    if (!name) {
        run_own(c, "tag ls", SKN_STR(""));
        return;
    }
    if (has_tag(c, name, &found)) {
        skn_chat_complain(c);
    } else if (!found) {
        skn_chat_tell(c, "There is no tag \"%s\"; /tag lists them.", name);
    } else if (c->tag_count < SKN_CHAT_NAMES) {
        c->tags[c->tag_count++] = skn_heap_copy(skn_str_of(name));
        skn_chat_tell(c, "The next message carries \"%s\".", name);
    }
}

static void cmd_model(skn_chat *c, skn_str rest)
{
    const char *name = take_word(c, &rest);

    if (name && !strcmp(name, "off")) {
        skn_buf_clear(&c->model);
    } else if (name) {
        skn_buf_clear(&c->model);
        skn_buf_add(&c->model, skn_str_of(name));
    }
    if (c->model.n)
        skn_chat_tell(c,
                      "Messages from here on are for the model %.*s; \"/model off\" ends it.",
                      SKN_FMT(skn_buf_str(&c->model)));
    else
        skn_chat_tell(c, "Every agent has its own model.");
}

static void cmd_export(skn_chat *c, skn_str rest)
{
    const char *file = take_word(c, &rest);
    word_list   list = {.at = {"export"}, .count = 1};

    if (file && access(file, F_OK) == 0) { /* nobody is asked here, so nothing gives way */
        skn_fail_hint(&c->cli->err, SKEIN_CONFLICT, "Name another file: /export FILE",
                      "\"%s\" is already there", file);
        skn_chat_complain(c);
        return;
    }
    if (file) {
        list.at[list.count++] = "-o";
        list.at[list.count++] = file;
    }
    if (run_words(c, &list) == 0 && file)
        skn_chat_tell(c, "Written to %s.", file);
}

static void cmd_stop(skn_chat *c, skn_str rest)
{
    skn_chat_stop(c, take_word(c, &rest), NULL);
}

static void cmd_allow(skn_chat *c, skn_str rest)
{
    skn_chat_decide(c, "allow", take_word(c, &rest));
}

static void cmd_deny(skn_chat *c, skn_str rest)
{
    skn_chat_decide(c, "deny", take_word(c, &rest));
}

static void cmd_queue(skn_chat *c, skn_str rest)
{
    skn_json_list queue = {0};

    (void)rest;
    if (skn_chat_queue_read(c, &queue)) {
        skn_chat_complain(c);
        return;
    }
    for (size_t i = 0; i < queue.n; i++)
        skn_chat_tell(c, "%.*s  %.*s", SKN_FMT(skn_json_str(queue.p[i], "id")),
                      SKN_FMT(skn_json_str(queue.p[i], "content")));
    if (!queue.n)
        skn_chat_tell(c, "Nothing waits.");
}

static void cmd_now(skn_chat *c, skn_str rest)
{
    const char   *ref = take_word(c, &rest);
    skn_json_list queue = {0};
    skein_rc      rc = skn_chat_queue_read(c, &queue);

    if (!rc && !queue.n) {
        skn_chat_tell(c, "Nothing waits.");
        return;
    }
    if (!rc)
        rc = skn_chat_queue_now(c, ref ? skn_str_of(ref) : skn_json_str(queue.p[0], "id"));
    if (rc)
        skn_chat_complain(c);
}

static void cmd_quit(skn_chat *c, skn_str rest)
{
    (void)rest;
    c->asked = true;
}

static void cmd_help(skn_chat *c, skn_str rest);

static const chat_command commands[] = {
#define SKN_CHAT_COMMAND(...) {__VA_ARGS__},
#include "terminal/chat_commands.def"
#undef SKN_CHAT_COMMAND
};

static void cmd_help(skn_chat *c, skn_str rest)
{
    (void)rest;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        int used = (int)(strlen(commands[i].name) + strlen(commands[i].args));

        skn_chat_tell(c, "  /%s %s%*s%s", commands[i].name, commands[i].args,
                      used < 20 ? 22 - used : 2, "", commands[i].help);
    }
    skn_chat_tell(c,
                  "Everything else is sent to the agents: to all, or to those that are named "
                  "with @ at its start.\nBegin with a blank to send a line that starts with /. "
                  "Messages are named by id, @ or @~2.");
    if (!c->plain)
        skn_chat_tell(
            c, "Esc Esc on an empty line goes back to one of your messages. Ctrl-O unfolds the "
               "newest answer.\nCtrl-X and then: t tree, h history, / search, b "
               "background work, i inbox, e your editor.");
}

/* --- Finding it --------------------------------------------------------------------------- */

static const char *name_at(const void *ctx, size_t i)
{
    (void)ctx;
    return i < sizeof commands / sizeof commands[0] ? commands[i].name : NULL;
}

bool skn_chat_runs(skn_str line)
{
    skn_str word = skn_str_sub(line, 0, 0);

    while (word.n < line.n && line.p[word.n] != ' ')
        word.n++;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (skn_str_is(word, commands[i].name))
            return commands[i].words || word.n == line.n;
    return false;
}

void skn_chat_command(skn_chat *c, skn_str line)
{
    skn_str     rest = skn_str_sub(line, 1, line.n);
    const char *name = take_word(c, &rest), *near;

    if (!name)
        name = "";
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (!strcmp(commands[i].name, name)) {
            if (commands[i].run)
                commands[i].run(c, rest);
            else
                run_own(c, commands[i].words, rest);
            skn_arena_reset(c->mem);
            return;
        }
    near = skn_suggest(name, name_at, NULL);
    if (near)
        skn_chat_tell(c, "There is no /%s. Did you mean /%s?", name, near);
    else
        skn_chat_tell(c, "There is no /%s. /help lists the commands.", name);
}

/* What a word could become when Tab is pressed. */

#define RECENT 50

typedef struct offers {
    skn_str word;
    char  **out;
    size_t  count;
} offers;

static void offer_text(offers *o, skn_str text)
{
    if (o->count < SKN_LINE_CHOICES && skn_str_starts(text, o->word))
        o->out[o->count++] = skn_heap_copy(text);
}

static void offer(offers *o, char mark, skn_str name)
{
    skn_buf b;

    skn_buf_init(&b, 512);
    skn_buf_addc(&b, mark);
    skn_buf_add(&b, name);
    if (!b.over)
        offer_text(o, skn_buf_str(&b));
    skn_buf_release(&b);
}

static void offer_messages(skn_chat *c, offers *o)
{
    skn_door_log log;
    skein_error  before = c->cli->err;

    if (skn_chat_last(c, c->mem, RECENT, &log))
        log.list.count = 0;
    c->cli->err = before;
    for (size_t i = log.list.count; i-- > 0;)
        offer(o, '#', log.list.at[i].uid);
}

/* --- Files -------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* "~/x" as the system knows it. */
static const char *real_path(skn_arena *mem, skn_str path)
{
    const char *home = getenv("HOME");

    if (!home || !skn_str_starts(path, SKN_STR("~/")))
        return path.n ? skn_arena_copy(mem, path).p : ".";
    return skn_arena_text(mem, "%s%.*s", home, SKN_FMT(skn_str_sub(path, 1, path.n)));
}

/* Hidden ones only when a dot asks for them; a folder ends with a slash, so that it goes on from there. */
static void offer_files(skn_chat *c, offers *o)
{
    skn_str        folder = o->word;
    struct dirent *d;
    skn_str        path;
    bool           hidden;
    DIR           *dir;

    while (folder.n && folder.p[folder.n - 1] != '/')
        folder.n--;
    hidden = o->word.n > folder.n && o->word.p[folder.n] == '.';
    dir = opendir(real_path(c->mem, folder));
    while (dir && (d = readdir(dir))) {
        path = skn_arena_printf(c->mem, "%.*s%s", SKN_FMT(folder), d->d_name);
        if ((d->d_name[0] == '.') != hidden || !strcmp(d->d_name, ".") ||
            !strcmp(d->d_name, "..") || !skn_str_starts(path, o->word))
            continue;
        offer_text(o, is_folder(real_path(c->mem, path))
                          ? skn_arena_printf(c->mem, "%.*s/", SKN_FMT(path))
                          : path);
    }
    if (dir)
        closedir(dir);
    qsort(o->out, o->count, sizeof *o->out, skn_by_name);
    skn_arena_reset(c->mem);
}

size_t skn_chat_complete(void *chat, skn_str word, bool first, char **out)
{
    skn_chat   *c = chat;
    offers      o = {.word = word, .out = out};
    const char *name;

    if (!word.n)
        return 0;
    if (word.p[0] == '/' && first)
        for (size_t i = 0; (name = name_at(NULL, i)); i++)
            offer(&o, '/', skn_str_of(name));
    else if (word.p[0] == '@')
        for (size_t i = 0; i < c->agents.count; i++)
            offer(&o, '@', c->agents.at[i].name);
    else if (word.p[0] == '#')
        offer_messages(c, &o);
    else
        offer_files(c, &o);
    return o.count;
}

void skn_chat_choices(void *chat, char *const *list, size_t count)
{
    skn_chat *c = chat;

    skn_chat_erase(c);
    for (size_t i = 0; i < count; i++)
        skn_print(c->cli, "%s%s", list[i], i + 1 < count ? "  " : "\n");
    skn_chat_draw(c);
}

/* A list to pick from, in place of the live rows and the prompt. */

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

/* What is not a key of the menu was meant for the prompt: it gets there. */
static bool take_key(skn_chat *c, void *arg, const skn_key *key)
{
    skn_menu *m = arg;

    if (key->kind == SKN_KEY_UP && m->at > 0)
        m->at--;
    else if (key->kind == SKN_KEY_DOWN && m->at + 1 < m->count)
        m->at++;
    else if (key->kind == SKN_KEY_ENTER)
        m->end = SKN_MENU_PICKED;
    else if (key->kind == SKN_KEY_ESCAPE)
        m->end = SKN_MENU_BACK;
    else if (key->kind == SKN_KEY_GONE)
        m->end = SKN_MENU_LEFT;
    else if (key->kind == SKN_KEY_TEXT && is_digit_of(m, key, &m->at))
        m->end = SKN_MENU_PICKED;
    else if (key->kind == SKN_KEY_TEXT) {
        skn_line_edit_retype(c->edit, key->bytes);
        m->end = SKN_MENU_LEFT;
    }
    c->changed = true;
    return m->end == SKN_MENU_OPEN;
}

void skn_chat_lay(skn_chat *c, const skn_overlay *o)
{
    skn_keys keys = {.wait = skn_chat_wait_key, .arg = c, .ahead = -1};
    skn_key  key;

    c->overlay = o;
    do {
        skn_chat_draw(c);
        key = skn_key_read(&keys);
    } while (o->key(c, o->arg, &key));
    skn_chat_erase(c);
    c->overlay = NULL;
}

skn_menu_end skn_chat_menu(skn_chat *c, skn_menu *m)
{
    m->end = SKN_MENU_OPEN;
    for (size_t i = 0; i < m->count; i++) {
        size_t columns = skn_utf8_columns(m->items[i].label);

        if (columns > m->label_columns)
            m->label_columns = columns;
    }
    skn_chat_lay(c, &(skn_overlay){.rows = menu_rows, .key = take_key, .arg = m});
    return m->end;
}

bool skn_chat_pick(skn_chat *c, skein_rc rc, skn_menu *m, const char *none)
{
    if (rc)
        skn_chat_complain(c);
    else if (!m->count)
        skn_chat_tell(c, "%s", none);
    return !rc && m->count && skn_chat_menu(c, m) == SKN_MENU_PICKED;
}
