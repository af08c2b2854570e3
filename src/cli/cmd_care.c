/* Care: migrate, fsck. */
#include "cli/commands.h"

#include "base/error.h"

#include <errno.h>
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
