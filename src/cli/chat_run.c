/* chat_run.c: the program's own commands, run inside a chat. */
#include "cli/chat.h"

#include "cli/commands.h"
#include "cli/far.h"

#define COMMON_MOST 16

/* What was given for all, and this conversation. */
static size_t add_common(skn_chat *c, const char **out)
{
    static const char *const passed[] = {"data", "db", "server", "config", "color"};
    size_t                   count = 0;

    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        const char *value = skn_opt(c->cli, passed[i]);

        if (value)
            out[count++] = skn_arena_printf(c->mem, "--%s=%s", passed[i], value).p;
    }
    out[count++] = skn_arena_printf(c->mem, "--world=%.*s", SKN_FMT(c->world.name)).p;
    out[count++] = skn_arena_printf(c->mem, "--conversation=%.*s", SKN_FMT(c->chat.uid)).p;
    out[count++] = "--no-pager";
    out[count++] = "--yes";
    if (!c->edit)
        out[count++] = "--no-input";
    return count;
}

/* The engine is the chat's own; a store that is elsewhere is reached anew, and so is the server for what it has to
 * do. */
static int run_or_help(skn_cli *sub)
{
    skein_rc rc;

    if (skn_opt(sub, "force"))
        sub->engine = NULL;
    if (!skn_opt(sub, "help"))
        return (rc = skn_place_open(sub)) ? (int)rc : sub->command->run(sub);
    skn_help_command(sub, sub->command);
    return 0;
}

/* The options stand first: what was typed may end them with "--". */
static char **whole_line(skn_chat *c, const char *const *words, size_t count, int *argc)
{
    const char **all = SKN_ARRAY(c->mem, count + COMMON_MOST, const char *);
    char       **argv = SKN_ARRAY(c->mem, count + COMMON_MOST, char *);
    size_t       n = 1;

    all[0] = "skein";
    n += add_common(c, all + 1);
    for (size_t i = 0; i < count; i++)
        all[n++] = words[i];
    for (size_t i = 0; i < n; i++) /* which nobody writes to */
        argv[i] = (char *)(uintptr_t)all[i];
    *argc = (int)n;
    return argv;
}

int skn_chat_run(skn_chat *c, const char *const *words, size_t count)
{
    skn_cli sub = {.engine = c->cli->engine,
                   .inside = true,
                   .address = c->cli->address,
                   .config = c->cli->config,
                   .mem = skein_mem_new(),
                   .keep = skein_mem_new()};
    int     argc, status = 1;
    char  **argv = whole_line(c, words, count, &argc);

    skn_chat_erase(c);
    skn_out_flush(c->cli);
    if (c->edit)
        skn_line_edit_lend(c->edit, true);
    if (!skn_args_read(&sub, argc, argv)) {
        skn_out_init(&sub);
        status = run_or_help(&sub);
    } else {
        skn_out_init(&sub);
    }
    skn_chat_wrap_printed(c, &sub.out.bytes);
    status = skn_cli_settle(&sub, status);
    skn_far_end(&sub);
    if (sub.engine != c->cli->engine) /* opened for this command alone */
        skein_close(sub.engine);
    if (c->edit)
        skn_line_edit_lend(c->edit, false);
    skn_buf_release(&sub.item);
    skn_buf_release(&sub.out.bytes);
    skein_mem_free(sub.mem);
    skein_mem_free(sub.keep);
    skn_chat_look_after(c, false); /* what the person does here needs no telling */
    c->changed = true;
    return status;
}
