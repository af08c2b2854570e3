/* What the program says about itself: help, version, completion. */
#include "cli/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

skein_rc skn_cmd_help(skn_cli *cli)
{
    char               name[64];
    const skn_command *c;

    if (!cli->arg_count) {
        skn_help_overview(cli);
        return SKEIN_OK;
    }
    snprintf(name, sizeof name, "%s%s%s", cli->args[0], cli->arg_count > 1 ? " " : "",
             cli->arg_count > 1 ? cli->args[1] : "");
    if ((c = skn_command_find(name))) {
        skn_help_command(cli, c);
        return SKEIN_OK;
    }
    if (!skn_noun_help(cli, skn_str_of(name)))
        return skn_unknown_command(cli, name);
    return SKEIN_OK;
}

skein_rc skn_cmd_version(skn_cli *cli)
{
    skn_jw *w = skn_item_begin(cli);

    skn_jw_kstr(w, "program", SKN_STR("skein"));
    skn_jw_kstr(w, "version", skn_str_of(skein_version_text()));
    return skn_item_tell(cli, "{program} {version}\n");
}

skein_rc skn_cmd_completion(skn_cli *cli)
{
    if (skn_str_is(skn_arg(cli, 0), "words") && cli->arg_count == 2)
        return skn_completion_words(cli, skn_arg(cli, 1));
    if (cli->arg_count == 1 && skn_completion(cli, skn_arg(cli, 0)))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE,
                    "there is completion for bash, zsh and fish, "
                    "not for \"%s\"",
                    cli->args[0]);
}

/* The trail: who changed what. */

enum { SHOWN = 50, MOST = 1000 };

skein_rc skn_cmd_audit(skn_cli *cli)
{
    skn_json_list list = {0};
    int64_t       most;
    skein_rc      rc = skn_opt_int(cli, "count", 1, MOST, SHOWN, &most);

    if (!rc)
        rc = skn_door_all(cli, "/audit", (size_t)most, &list);
    return skn_tell_list(cli, rc, &list,
                         "{time at}  {sender who 10}  {from 10}  {what 15}  {line subject 60}"
                         "[detail:: {line detail 200}]\n",
                         "Nothing was changed yet.\n");
}

/* Care: migrate, fsck. */

/* --- Migrate ------------------------------------------------------------------------------ */

typedef enum schema_state { SCHEMA_MISSING, SCHEMA_OLD, SCHEMA_KNOWN } schema_state;

/* Looks at the store without changing it. */
static skein_rc read_schema_state(skn_cli *cli, schema_state *out)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e = NULL;
    skein_error   err = {.rc = SKEIN_OK};
    struct stat   file;
    skein_rc      rc = skn_place_address(cli);

    if (rc)
        return rc;
    *out = SCHEMA_MISSING;
    if (skn_place_file(cli) && stat(skn_place_file(cli), &file) != 0 && errno != EACCES)
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

skein_rc skn_cmd_migrate(skn_cli *cli)
{
    schema_state state;
    bool         change;
    skn_jw      *w;
    skein_rc     rc = read_schema_state(cli, &state);

    if (rc)
        return rc;
    if (state == SCHEMA_MISSING)
        return skn_fail_hint(&cli->err, SKEIN_NOT_FOUND,
                             "Begin one with \"skein world new NAME\"",
                             "there is no store at \"%.*s\"", SKN_FMT(skn_place_shown(cli)));
    change = state == SCHEMA_OLD;
    if (change && !cli->dry_run && (rc = bring_up(cli)))
        return rc;
    w = skn_item_begin(cli);
    skn_jw_kstr(w, "store", skn_place_shown(cli));
    skn_jw_kint(w, "schema", skn_schema_known());
    skn_jw_kbool(w, "changed", change && !cli->dry_run);
    return skn_item_tell(
        cli, !change ? "The store has schema {schema} already.\n"
                     : "[.dry:Would bring the store to schema {schema}. Nothing was changed.\n]"
                       "[!.dry:The store has schema {schema} now.\n]");
}

/* --- Fsck --------------------------------------------------------------------------------- */

#define EXIT_DAMAGED 8

/* An invariant that is broken many times is explained once. */
static void print_findings(skn_cli *cli, const skein_check *check)
{
    skn_str told = SKN_NONE;

    for (size_t i = 0; i < check->count; i++) {
        const skein_finding *f = &check->at[i];

        if (!skn_str_eq(f->invariant, told)) {
            skn_print_colour(cli, SKN_RED, f->invariant);
            skn_print_raw(cli, SKN_STR(": "));
            skn_print_line(cli, f->sentence, 0);
            skn_print_raw(cli, SKN_STR("\n"));
        }
        skn_print_raw(cli, SKN_STR("    "));
        skn_print_line(cli, f->text, 0);
        skn_print_raw(cli, SKN_STR("\n"));
        told = f->invariant;
    }
}

skein_rc skn_cmd_fsck(skn_cli *cli)
{
    skein_check check;
    skein_rc    rc = skein_fsck(cli->engine, cli->keep, &check, &cli->err);

    if (rc)
        return rc;
    if (cli->json) {
        skn_shape_check(skn_item(cli), &check);
        rc = skn_item_end(cli);
        return rc ? rc : skn_status(cli, check.count ? EXIT_DAMAGED : 0);
    }
    print_findings(cli, &check);
    skn_note(cli, "%s: %" PRId64 " conversation%s, %" PRId64 " message%s, %" PRId64 " thread%s",
             check.count ? "damaged" : "ok", check.conversations,
             skn_plural(check.conversations), check.messages, skn_plural(check.messages),
             check.threads, skn_plural(check.threads));
    if (check.ahead)
        skn_note(cli,
                 "%" PRId64 " message%s a time that is still to come: a clock was ahead. Their "
                 "order is right.",
                 check.ahead, check.ahead == 1 ? " has" : "s have");
    return skn_status(cli, check.count ? EXIT_DAMAGED : 0);
}
