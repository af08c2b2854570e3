/* Care: migrate, fsck, doctor, status. */
#include "cli/commands.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* --- Migrate ------------------------------------------------------------------------------ */

typedef enum schema_state { SCHEMA_MISSING, SCHEMA_OLD, SCHEMA_KNOWN } schema_state;

/* Looks at the store without changing it. */
static skein_rc look(skn_cli *cli, schema_state *out)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e = NULL;
    skein_error   err = {.rc = SKEIN_OK};
    struct stat   file;
    skein_rc      rc = skn_place_address(cli);

    if (rc)
        return rc;
    *out = SCHEMA_MISSING;
    if (skn_place_file(cli) && stat(skn_place_file(cli), &file) != 0)
        return SKEIN_OK;
    options.store = skn_str_of(cli->address);
    options.read_only = true;
    rc = skein_open(&e, &options, &err);
    skein_close(e);
    *out = !rc ? SCHEMA_KNOWN : rc == SKEIN_READ_ONLY ? SCHEMA_OLD : SCHEMA_MISSING;
    if (!rc || rc == SKEIN_READ_ONLY || rc == SKEIN_NOT_FOUND)
        return SKEIN_OK;
    cli->err = err;
    return rc;
}

static skein_rc bring_up(skn_cli *cli)
{
    skein_options options = SKEIN_OPTIONS_INIT;

    options.store = skn_str_of(cli->address);
    return skein_open(&cli->engine, &options, &cli->err);
}

int skn_cmd_migrate(skn_cli *cli)
{
    schema_state state;
    bool         change;
    skn_jw      *w;
    skein_rc     rc = look(cli, &state);

    if (rc)
        return (int)rc;
    if (state == SCHEMA_MISSING) {
        skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no store at \"%.*s\"",
                 SKN_FMT(skn_place_shown(cli)));
        return (int)skn_hint(&cli->err, SKEIN_NOT_FOUND, "Begin one with \"skein world new\"");
    }
    change = state == SCHEMA_OLD;
    if (change && !cli->dry_run && (rc = bring_up(cli)))
        return (int)rc;
    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kstr(w, "store", skn_place_shown(cli));
        skn_jw_kint(w, "schema", skn_schema_known());
        skn_jw_kbool(w, "changed", change && !cli->dry_run);
        skn_jw_object_end(w);
        return (int)skn_item_end(cli);
    }
    skn_print(cli,
              !change        ? "The store has schema %d already.\n"
              : cli->dry_run ? "Would bring the store to schema %d. Nothing was changed.\n"
                             : "The store has schema %d now.\n",
              skn_schema_known());
    return 0;
}

/* --- Fsck --------------------------------------------------------------------------------- */

#define EXIT_DAMAGED 8

int skn_cmd_fsck(skn_cli *cli)
{
    skein_check check;
    skein_rc    rc = skein_fsck(cli->engine, cli->keep, &check, &cli->err);

    if (rc)
        return (int)rc;
    if (cli->json) {
        skn_shape_check(skn_item(cli), &check);
        rc = skn_item_end(cli);
        return rc ? (int)rc : skn_status(cli, check.count ? EXIT_DAMAGED : 0);
    }
    for (size_t i = 0; i < check.count; i++) {
        skn_print_colour(cli, SKN_RED, check.at[i].invariant);
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_line(cli, check.at[i].text, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    skn_note(cli, "%s: %" PRId64 " conversation%s, %" PRId64 " message%s, %" PRId64 " thread%s",
             check.count ? "damaged" : "ok", check.conversations,
             skn_plural(check.conversations), check.messages, skn_plural(check.messages),
             check.threads, skn_plural(check.threads));
    return skn_status(cli, check.count ? EXIT_DAMAGED : 0);
}

/* --- Doctor ------------------------------------------------------------------------------- */

typedef struct finding {
    const char *check, *result; /* "data", "ok" */
    skn_str     text;
    const char *cure; /* NULL: none is needed */
} finding;

static skein_rc tell(skn_cli *cli, const finding *f)
{
    skn_jw *w;

    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kstr(w, "check", skn_str_of(f->check));
        skn_jw_kstr(w, "result", skn_str_of(f->result));
        skn_jw_kstr(w, "text", f->text);
        skn_jw_kstr(w, "cure", skn_str_of(f->cure));
        skn_jw_object_end(w);
        return skn_item_end(cli);
    }
    skn_print_colour(cli, !strcmp(f->result, "ok") ? SKN_GREEN : SKN_RED,
                     skn_str_of(f->result));
    skn_print(cli, "%*s%-14s ", (int)(6 - strlen(f->result)), "", f->check);
    skn_print_line(cli, f->text, 0);
    skn_print_raw(cli, SKN_STR("\n"));
    if (f->cure)
        skn_print(cli, "%21scure: %s\n", "", f->cure);
    return SKEIN_OK;
}

static skn_str data_text(skn_cli *cli)
{
    struct stat file;

    if (!skn_place_file(cli))
        return skn_arena_printf(cli->keep, "%.*s  schema %d", SKN_FMT(skn_place_shown(cli)),
                                skn_schema_known());
    if (stat(skn_place_file(cli), &file) != 0)
        return skn_arena_printf(cli->keep, "%s  nothing is there yet", skn_place_file(cli));
    return skn_arena_printf(cli->keep, "%s  %.1f MB, schema %d", skn_place_file(cli),
                            (double)file.st_size / 1e6, skn_schema_known());
}

/* The store as such; *usable says whether it can be looked into. */
static skein_rc check_data(skn_cli *cli, int *failures, bool *usable)
{
    skein_rc    rc = skn_place_open(cli);
    skein_error err = cli->err;
    finding     f = {"data", "ok", SKN_NONE, NULL};

    *usable = !rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    if (rc && !cli->address) {
        cli->err = err;
        return rc;
    }
    f.text = data_text(cli);
    if (rc && rc != SKEIN_NOT_FOUND) {
        f.result = "fail";
        f.text = skn_arena_printf(cli->keep, "%s", err.message);
        f.cure = err.hint[0] ? skn_arena_printf(cli->keep, "%s", err.hint).p : NULL;
        ++*failures;
    }
    return tell(cli, &f);
}

static skein_rc check_integrity(skn_cli *cli, int *failures)
{
    skein_check check;
    finding     f = {"integrity", "ok", SKN_NONE, NULL};
    skein_rc    rc = skein_fsck(cli->engine, cli->keep, &check, &cli->err);

    if (rc)
        return rc;
    f.text = skn_arena_printf(cli->keep,
                              "%" PRId64 " messages, %" PRId64 " threads, %" PRId64
                              " reply links with a warning (allowed)",
                              check.messages, check.threads, check.warnings);
    if (check.count) {
        f.result = "fail";
        f.text = skn_arena_printf(cli->keep, "%zu rules are broken", check.count);
        f.cure = "skein fsck names them; go back to a backup";
        ++*failures;
    }
    return tell(cli, &f);
}

int skn_cmd_doctor(skn_cli *cli)
{
    finding  program = {"program", "ok",
                        skn_arena_printf(cli->keep, "skein %s", skein_version_text()), NULL};
    int      failures = 0;
    bool     usable = false;
    skein_rc rc;

    if (cli->json)
        skn_list_begin(cli);
    rc = tell(cli, &program);
    if (!rc)
        rc = check_data(cli, &failures, &usable);
    if (!rc && usable)
        rc = check_integrity(cli, &failures);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc)
        skn_print(cli, "%d failure%s\n", failures, skn_plural(failures));
    return rc ? (int)rc : skn_status(cli, failures ? EXIT_DAMAGED : 0);
}

/* --- Status ------------------------------------------------------------------------------- */

static skein_rc status_world(skn_cli *cli, const skein_world *world, skn_jw *w)
{
    skein_agents        agents;
    skein_conversations chats;
    int64_t             messages = 0;
    skein_rc            rc;

    if ((rc = skein_agent_list(cli->engine, world->id, cli->keep, &agents, &cli->err)) ||
        (rc = skein_conversation_list(cli->engine, world->id, cli->keep, &chats, &cli->err)))
        return rc;
    for (size_t i = 0; i < chats.count; i++)
        messages += chats.at[i].length;
    if (!cli->json) {
        skn_print(
            cli, "world    %.*s: %zu agent%s, %zu conversation%s, %" PRId64 " message%s\n",
            SKN_FMT(world->name), agents.count, skn_plural((int64_t)agents.count), chats.count,
            skn_plural((int64_t)chats.count), messages, skn_plural(messages));
        return SKEIN_OK;
    }
    skn_jw_object(w);
    skn_jw_kstr(w, "name", world->name);
    skn_jw_kint(w, "agents", (int64_t)agents.count);
    skn_jw_kint(w, "chats", (int64_t)chats.count);
    skn_jw_kint(w, "messages", messages);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

static skein_rc status_worlds(skn_cli *cli, bool there, skn_jw *w)
{
    skein_worlds worlds = {NULL, 0};
    skein_rc     rc = SKEIN_OK;

    if (there)
        rc = skein_world_list(cli->engine, cli->keep, &worlds, &cli->err);
    for (size_t i = 0; i < worlds.count && !rc; i++)
        rc = status_world(cli, &worlds.at[i], w);
    return rc;
}

int skn_cmd_status(skn_cli *cli)
{
    skn_jw  *w = skn_item(cli);
    skein_rc rc = skn_place_open(cli);
    bool     there = !rc;

    if (rc && rc != SKEIN_NOT_FOUND)
        return (int)rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    if (!cli->json) {
        skn_print(cli,
                  "program  skein %s\nstore    %.*s%s\nserver   none; commands open the "
                  "store themselves\n",
                  skein_version_text(), SKN_FMT(skn_place_shown(cli)),
                  there ? "" : "  (nothing is there yet)");
        return (int)status_worlds(cli, there, w);
    }
    skn_jw_object(w);
    skn_jw_kstr(w, "program", skn_str_of(skein_version_text()));
    skn_jw_kstr(w, "store", skn_place_shown(cli));
    skn_jw_kbool(w, "exists", there);
    skn_jw_knull(w, "server");
    skn_jw_key(w, "worlds");
    skn_jw_array(w);
    if ((rc = status_worlds(cli, there, w)))
        return (int)rc;
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return (int)skn_item_end(cli);
}
