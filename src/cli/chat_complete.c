/* chat_complete.c: what a word could become when Tab is pressed. */
#include "cli/chat_ask.h"

#include "base/arena.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    skn_far_log log;
    skein_error before = c->cli->err;

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
    return skn_arena_printf(mem, "%s%.*s", home, SKN_FMT(skn_str_sub(path, 1, path.n))).p;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
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
    qsort(o->out, o->count, sizeof *o->out, by_name);
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
        for (size_t i = 0; (name = skn_chat_command_name(i)); i++)
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
