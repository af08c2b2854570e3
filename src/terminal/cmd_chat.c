/* Talking to a world: at a terminal, or line by line. */
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/input.h"
#include "cli/paste.h"
#include "config/own.h"
#include "terminal/chat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LOOK_MS     250  /* a signal may come just before poll, and is seen after so long */
#define LEAVE_MS    2000 /* a second Ctrl-C within this leaves */
#define LAST_SHOWN  20
#define LINE_MOST   SKN_TEXT_LIMIT
#define INTERRUPTED 130
#define TERMINATED  143

/* --- Waiting ------------------------------------------------------------------------------ */

/* A search is left before anything else. Then the agents are stopped; a second press soon after it leaves the chat. */
static void on_interrupt(skn_chat *c)
{
    int64_t now = skn_clock_ms();
    bool    again = c->stopped_at && now - c->stopped_at < LEAVE_MS;

    skn_interrupt_arm(SIGINT);
    if (c->edit && skn_line_edit_cancel(c->edit))
        return;
    c->stopped_at = now;
    if (again) {
        c->rc = SKEIN_NOTHING;
        c->status = INTERRUPTED;
        return;
    }
    skn_chat_stop(c, NULL, "Ctrl-C again leaves.");
}

static void on_resize(skn_chat *c)
{
    struct winsize size;

    skn_interrupt_arm(SIGWINCH);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        c->cli->out.width = size.ws_col;
    skn_chat_erase(c);
    skn_out_flush(c->cli);
    skn_line_edit_resize(c->edit);
    c->drawn = c->changed = true;
}

/* Ctrl-Z: the shell gets the terminal as it was. What it leaves on the screen stays there. */
static void on_suspend(skn_chat *c)
{
    skn_chat_erase(c);
    skn_out_flush(c->cli);
    skn_line_edit_lend(c->edit, true);
    raise(SIGTSTP);
    skn_line_edit_lend(c->edit, false);
    skn_interrupt_arm(SIGTSTP);
    c->changed = true;
}

static void look_at_signals(skn_chat *c)
{
    if (c->edit && skn_interrupt_came(SIGTSTP))
        on_suspend(c);
    if (skn_interrupt_came(SIGINT))
        on_interrupt(c);
    if (skn_interrupt_came(SIGTERM)) { /* the terminal is to be left as it was */
        c->rc = SKEIN_NOTHING;
        c->status = TERMINATED;
        skn_interrupt_arm(SIGTERM);
    }
    if (c->edit && skn_interrupt_came(SIGWINCH))
        on_resize(c);
}

/* One look: events are taken, rows drawn. True when the file can be read. */
static bool wait_for_key(skn_chat *c, int fd, int64_t ms)
{
    struct pollfd p[2] = {{.fd = skn_news_fd(&c->news), .events = POLLIN},
                          {.fd = fd, .events = POLLIN}};
    int64_t       draw = skn_chat_draw_soon(c), pause = skn_news_pause(&c->news);

    if (draw >= 0 && draw < ms)
        ms = draw;
    if (pause < ms)
        ms = pause;
    if (poll(p, 2, (int)ms) < 0 && errno != EINTR) {
        c->rc = skn_fail(&c->cli->err, SKEIN_IO, "cannot wait for the server");
        return false;
    }
    look_at_signals(c);
    if (!c->rc && (p[0].revents || !skn_news_pause(&c->news)))
        c->rc = skn_news_step(&c->news);
    if ((p[0].fd < 0) != (skn_news_fd(&c->news) < 0))
        c->changed = true;
    if (c->cli->out.failure && !c->rc) { /* nobody reads it any more: main says so */
        c->rc = SKEIN_NOTHING;
        c->status = 1;
    }
    return p[1].revents != 0;
}

bool skn_chat_wait_key(void *chat)
{
    skn_chat *c = chat;

    while (!c->rc)
        if (wait_for_key(c, STDIN_FILENO, LOOK_MS) && !c->rc)
            return true;
    return false;
}

/* Until the server tells what happens, so that nothing is missed. */
static void wait_open(skn_chat *c)
{
    while (!c->rc && !c->open)
        wait_for_key(c, -1, LOOK_MS);
}

static void open_news(skn_chat *c)
{
    skn_cli *cli = c->cli;
    skn_str  events = skn_arena_printf(cli->keep, "events?chatId=%s&inbox=true",
                                       skn_client_encode(cli->keep, c->chat.uid));

    skn_news_init(&c->news, cli, &c->server);
    c->news.first = (skn_request_spec){.method = "GET",
                                       .path = skn_world_path(cli, &c->world, events.p)};
    c->news.again = c->news.first;
    c->news.take = skn_chat_take;
    c->news.arg = c;
}

/* Looks up the conversation with this id, as if it had been named. */
static skein_rc find_chat(skn_chat *c, skn_str uid)
{
    skn_cli *cli = c->cli;
    size_t   given = cli->given_count;
    skein_rc rc;

    skn_opt_give(cli, "conversation", skn_arena_copy(cli->keep, uid).p);
    rc = skn_need_chat(cli, &c->world, &c->chat);
    cli->given_count = given;
    return rc;
}

void skn_chat_move(skn_chat *c, skn_str uid)
{
    c->server = c->news.server;
    skn_news_release(&c->news);
    skn_typing_clear(&c->typing);
    c->moved = true;
    c->said[0] = '\0';
    c->open = false;
    c->rc = find_chat(c, uid);
    open_news(c);
    wait_open(c);
    if (!c->rc)
        c->rc = skn_chat_refresh(c);
}

/* A script's next line comes after the answers to the one before. */
static void wait_answers(skn_chat *c)
{
    bool settled = false;

    while (!c->rc && !settled) {
        c->rc = skn_chat_settled(c, &settled);
        skn_arena_reset(c->mem);
        if (!c->rc && !settled)
            wait_for_key(c, -1, LOOK_MS);
    }
}

/* --- Line by line ------------------------------------------------------------------------- */

/* Takes what can be read; false at the end of it. */
static bool read_input(skn_chat *c, skn_buf *in)
{
    char    bytes[4096];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

    if (n < 0 && errno == EINTR)
        return true;
    if (n > 0)
        skn_buf_add(in, (skn_str){bytes, (size_t)n});
    if (in->over)
        c->rc = skn_fail(&c->cli->err, SKEIN_LIMIT, "a line is over %zu bytes", LINE_MOST);
    return n > 0;
}

/* The lines that are whole, or all when no more comes. */
static void take_lines(skn_chat *c, skn_buf *in, bool ended, bool script)
{
    skn_str rest = skn_buf_str(in), line;
    skn_buf left;

    while (!c->rc && !c->asked &&
           (ended ? rest.n > 0 : skn_str_find(rest, SKN_STR("\n")) >= 0)) {
        skn_str_split(&rest, '\n', &line);
        if (skn_str_ends(line, SKN_STR("\r")))
            line.n--;
        skn_chat_line(c, line);
        if (script)
            wait_answers(c);
    }
    skn_buf_init(&left, LINE_MOST);
    skn_buf_add(&left, rest);
    skn_buf_release(in);
    *in = left;
}

static void talk_plainly(skn_chat *c)
{
    bool    script = isatty(STDIN_FILENO) == 0, ended = false;
    skn_buf in;

    skn_buf_init(&in, LINE_MOST);
    while (!c->rc && !c->asked && !ended) {
        if (wait_for_key(c, STDIN_FILENO, LOOK_MS))
            ended = !read_input(c, &in);
        take_lines(c, &in, ended, script);
    }
    if (!c->rc && !c->asked)
        wait_answers(c);
    skn_buf_release(&in);
}

/* --- At a terminal ------------------------------------------------------------------------ */

/* What is typed is kept in no file that another user can read, or has put a link in place of. */
static bool is_own(skn_cli *cli, const char *file)
{
    skn_str folder = {file, (size_t)(strrchr(file, '/') - file)};
    int     fd = -1;

    if (skn_own_folder(skn_arena_copy(cli->keep, folder).p, NULL, &cli->err) ||
        skn_own_open(file, SKN_OWN_TOKEN, O_RDWR | O_CREAT, &fd, NULL, &cli->err))
        return false;
    close(fd);
    return true;
}

static const char *history_file(skn_chat *c)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), *file;
    skn_cli    *cli = c->cli;
    skein_error err = cli->err;

    if (state && *state)
        file = skn_arena_text(cli->keep, "%s/skein/history", state);
    else if (home && *home)
        file = skn_arena_text(cli->keep, "%s/.local/state/skein/history", home);
    else
        return NULL;
    if (skn_place_folders(cli, file) || !is_own(cli, file)) {
        cli->err = err; /* then there is none; it is no reason not to talk */
        return NULL;
    }
    return file;
}

static void talk(skn_chat *c)
{
    skn_str line;

    while (!c->rc && !c->asked) {
        skn_chat_draw(c);
        line = skn_line_edit_read(c->edit);
        if (c->rc || !line.p)
            break;
        if (skn_line_edit_key(c->edit)) {
            skn_chat_key(c, skn_line_edit_key(c->edit));
            continue;
        }
        if (skn_line_edit_escaped(c->edit))
            skn_chat_rewind(c);
        else
            skn_chat_line(c, line);
        skn_chat_draft_back(c);
    }
    skn_chat_erase(c);
    skn_out_flush(c->cli);
}

static bool want_plain(skn_cli *cli)
{
    const char *term = getenv("TERM");

    return skn_opt(cli, "plain") || !cli->out.terminal || !isatty(STDIN_FILENO) || !term ||
           !*term || !strcmp(term, "dumb") || !skn_line_edit_fits();
}

static void open_edit(skn_chat *c)
{
    skn_line_options o = {.history = history_file(c),
                          .arg = c,
                          .wait = skn_chat_wait_key,
                          .prompt = skn_chat_prompt,
                          .complete = skn_chat_complete,
                          .recalls = skn_chat_recalls,
                          .choices = skn_chat_choices};

    c->edit = skn_line_edit_new(&o);
    c->plain = !c->edit;
    skn_interrupt_arm(SIGWINCH);
    skn_interrupt_arm(SIGTSTP);
}

/* --- Coming and going --------------------------------------------------------------------- */

static skein_rc no_server(skn_cli *cli)
{
    return skn_fail_hint(
        &cli->err, SKEIN_NOT_FOUND, "Start one with \"skein serve\"", "%s on %.*s",
        skn_only_reads(cli) ? "only a read-only server runs" : "no server runs",
        SKN_FMT(skn_place_shown(cli)));
}

/* A world without a conversation gets its first one. */
static skein_rc find_place(skn_cli *cli, skn_chat *c)
{
    const char        *name = skn_opt(cli, "agent");
    skein_conversation own;
    skein_agent        agent;
    skein_rc           rc;

    if (!name)
        return skn_need_first_chat(cli, &c->world, &c->chat);
    if ((rc = skn_need_world(cli, &c->world)) || (rc = skn_need_agent(cli, name, &agent)) ||
        (rc = skn_chat_of(cli, agent.name, SKEIN_FOREGROUND, &own)))
        return rc;
    return find_chat(c, own.uid);
}

static void greet(skn_chat *c)
{
    skn_str agents = SKN_STR("");

    if (c->plain)
        return;
    for (size_t i = 0; i < c->agents.count; i++)
        agents = skn_arena_printf(c->cli->keep, "%.*s%s@%.*s", SKN_FMT(agents), i ? ", " : "",
                                  SKN_FMT(c->agents.at[i].name));
    skn_chat_tell(c, "%.*s with %.*s. /help lists commands, Ctrl-D leaves.",
                  SKN_FMT(c->world.name), agents.n ? (int)agents.n : 6,
                  agents.n ? agents.p : "nobody");
    skn_print_raw(c->cli, SKN_STR("\n"));
}

/* Behind a heading, or under it when both do not fit on a row. */
static const char *gap_before(const skn_chat *c, size_t heading, skn_str text)
{
    return c->plain || heading + 1 + skn_utf8_columns(text) < (size_t)c->cli->out.width
               ? " "
               : "\n  ";
}

/* The chat as it is now: in its conversation where that is not the world's own, with the model that was chosen. */
static skn_str way_back(skn_chat *c)
{
    skn_cli    *cli = c->cli;
    const char *agent = c->moved ? NULL : skn_opt(cli, "agent");
    bool        named = c->moved || skn_opt(cli, "conversation") ||
                 (cli->folder && cli->folder->conversation);
    skn_str model = skn_arena_copy(cli->keep, skn_buf_str(&c->model));
    skn_str where = agent   ? skn_arena_printf(cli->keep, " --agent %.*s",
                                               SKN_FMT(skn_shell_word(cli->keep, agent)))
                    : named ? skn_arena_printf(cli->keep, " -c %.*s", SKN_FMT(c->chat.uid))
                            : SKN_STR("");

    if (model.n)
        model = skn_arena_printf(cli->keep, " --model %.*s",
                                 SKN_FMT(skn_shell_word(cli->keep, model.p)));
    return skn_str_of(skn_pasteable(
        cli, skn_arena_text(cli->keep, "skein chat %.*s%.*s%.*s%s --continue",
                            SKN_FMT(c->world.name), SKN_FMT(where), SKN_FMT(model),
                            skn_opt(cli, "plain") ? " --plain" : "")));
}

static void say_goodbye(skn_chat *c)
{
    skn_str how = SKN_STR("Come back with:"), web = SKN_STR("On the web:");
    skn_str command = way_back(c), address;

    address = skn_arena_printf(c->cli->keep, "%sw/%.*s/c/%.*s", c->news.server.url,
                               SKN_FMT(c->world.name), SKN_FMT(c->chat.uid));
    skn_note(c->cli, "%.*s%s%.*s\n%.*s%s%.*s", SKN_FMT(how), gap_before(c, how.n, command),
             SKN_FMT(command), SKN_FMT(web), gap_before(c, web.n, address), SKN_FMT(address));
}

static void run_chat(skn_chat *c)
{
    wait_open(c);
    if (!c->rc)
        c->rc = skn_chat_refresh(c);
    if (c->rc)
        return;
    greet(c);
    if (skn_opt(c->cli, "continue"))
        c->rc = skn_chat_show_last(c, LAST_SHOWN);
    if (c->plain)
        talk_plainly(c);
    else
        talk(c);
    if (!c->rc || c->rc == SKEIN_NOTHING)
        say_goodbye(c);
}

static void release(skn_chat *c)
{
    skn_line_edit_free(c->edit);
    skn_typing_clear(&c->typing);
    while (c->tag_count)
        free(c->tags[--c->tag_count]);
    skn_buf_release(&c->next);
    skn_buf_release(&c->model);
    skn_buf_release(&c->prompt);
    skn_buf_release(&c->answered_by);
    skn_buf_release(&c->draft);
    skn_news_release(&c->news);
    skn_chat_forget(c, true);
    if (c->who)
        skn_arena_free(c->who);
    skn_arena_free(c->mem);
}

skein_rc skn_cmd_chat(skn_cli *cli)
{
    skn_chat c = {.cli = cli, .plain = true};
    bool     found;
    skein_rc rc;

    if (cli->json)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "a chat has no JSON; \"skein send --json\" has");
    if (cli->dry_run)
        return skn_fail(&cli->err, SKEIN_USAGE, "a chat has no dry run; \"skein send -n\" has");
    if (cli->arg_count)
        skn_opt_give(cli, "world", cli->args[0]);
    if ((!skn_opt(cli, "conversation") && (rc = skn_need_world(cli, &c.world))) ||
        (rc = skn_discover(cli, &c.server, &found)) || (!found && (rc = no_server(cli))) ||
        (rc = find_place(cli, &c)))
        return rc;
    c.mem = skn_arena_new();
    skn_buf_init(&c.next, SKN_TEXT_LIMIT + 1);
    skn_buf_init(&c.model, 256);
    skn_buf_init(&c.prompt, 256);
    skn_buf_init(&c.answered_by, 256);
    skn_buf_init(&c.draft, LINE_MOST);
    skn_buf_add(&c.model, skn_str_of(skn_opt(cli, "model")));
    open_news(&c);
    skn_interrupt_arm(SIGINT);
    skn_interrupt_arm(SIGTERM);
    if (!want_plain(cli))
        open_edit(&c);
    run_chat(&c);
    skn_interrupt_disarm(SIGINT);
    skn_interrupt_disarm(SIGTERM);
    skn_interrupt_disarm(SIGWINCH);
    skn_interrupt_disarm(SIGTSTP);
    release(&c);
    if (c.rc == SKEIN_NOTHING)
        return skn_status(cli, c.status);
    return c.rc;
}

/* The program's own commands, run inside a chat. */

#define COMMON_MOST 16

/* What was given for all, and this conversation. */
static size_t add_common(skn_chat *c, const char **out)
{
    static const char *const passed[] = {"data", "db", "server", "config", "color"};
    size_t                   count = 0;

    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        const char *value = skn_opt(c->cli, passed[i]);

        if (value)
            out[count++] = skn_arena_text(c->mem, "--%s=%s", passed[i], value);
    }
    out[count++] = skn_arena_text(c->mem, "--world=%.*s", SKN_FMT(c->world.name));
    out[count++] = skn_arena_text(c->mem, "--conversation=%.*s", SKN_FMT(c->chat.uid));
    out[count++] = "--no-pager";
    out[count++] = "--yes";
    if (!c->edit)
        out[count++] = "--no-input";
    return count;
}

/* The engine is the chat's own; a store that is elsewhere is reached again, and so is the server for what it has to
 * do. */
static skein_rc run_or_help(skn_cli *sub)
{
    skein_rc rc;

    if (skn_opt(sub, "force"))
        sub->engine = NULL;
    if (!skn_opt(sub, "help"))
        return (rc = skn_place_open(sub)) ? rc : sub->command->run(sub);
    skn_help_command(sub, sub->command);
    return SKEIN_OK;
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

/* A run of its own, in this conversation; nothing is opened yet. */
static skein_rc run_begin(skn_chat *c, const char *const *words, size_t count, skn_cli *sub)
{
    int    argc;
    char **argv = whole_line(c, words, count, &argc);

    *sub = (skn_cli){.engine = c->cli->engine,
                     .inside = skn_chat_runs,
                     .address = c->cli->address,
                     .config = c->cli->config,
                     .mem = skein_mem_new(),
                     .keep = skein_mem_new()};
    return skn_args_read(sub, argc, argv);
}

static int run_end(skn_chat *c, skn_cli *sub, skein_rc rc)
{
    int status = skn_cli_settle(sub, rc);

    skn_door_end(sub);
    if (sub->engine != c->cli->engine) /* opened for this command alone */
        skein_close(sub->engine);
    skn_buf_release(&sub->item);
    skn_buf_release(&sub->out.bytes);
    skein_mem_free(sub->mem);
    skein_mem_free(sub->keep);
    return status;
}

int skn_chat_run(skn_chat *c, const char *const *words, size_t count)
{
    skn_cli  sub;
    int      status;
    skein_rc rc;

    skn_chat_erase(c);
    skn_out_flush(c->cli);
    if (c->edit)
        skn_line_edit_lend(c->edit, true);
    rc = run_begin(c, words, count, &sub);
    skn_out_init(&sub);
    if (!rc)
        rc = run_or_help(&sub);
    skn_chat_wrap_printed(c, &sub.out.bytes);
    status = run_end(c, &sub, rc);
    if (c->edit)
        skn_line_edit_lend(c->edit, false);
    skn_chat_look_after(c, false); /* what the person does here needs no telling */
    c->changed = true;
    return status;
}

/* It is told as a failure of a command in this conversation, so that what it hints at works here. */
void skn_chat_complain(skn_chat *c)
{
    skn_cli sub;

    skn_chat_erase(c);
    skn_out_flush(c->cli);
    (void)run_begin(c, &(const char *){"log"}, 1, &sub);
    skn_out_init(&sub);
    sub.err = c->cli->err;
    (void)run_end(c, &sub, sub.err.rc);
    c->cli->err = (skein_error){.rc = SKEIN_OK};
    c->changed = true;
}
