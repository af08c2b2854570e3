#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "cli/commands.h"

#include "cli/config_cli.h"

#include <stdlib.h>

#define FILES "{chat}/context-files"

/* --- Where they are ----------------------------------------------------------------------- */

/* Where agents read them, wherever this program runs: "files" in the data folder. */
static skein_rc files_folder(skn_cli *cli, const char **out)
{
    const char *folder = NULL;
    skn_traces  traces;
    skein_rc    rc;

    if (skn_place_file(cli)) {
        rc = skn_traces_of(cli, &traces);
        folder = traces.folder;
    } else {
        rc = skn_config_data(cli, &folder);
    }
    if (rc)
        return rc;
    if (!folder)
        return skn_fail(&cli->err, SKEIN_USAGE, "there is no home folder to keep data in");
    *out = skn_arena_text(cli->keep, "%s/files", folder);
    return SKEIN_OK;
}

const char *skn_files_folder(skn_cli *cli)
{
    const char *folder;

    if (files_folder(cli, &folder)) {
        cli->err = (skein_error){0};
        return NULL;
    }
    return folder;
}

/* The conversation, and the folder; NULL where that is elsewhere. */
static skein_rc need_files(skn_cli *cli, const char **folder)
{
    skein_rc rc = skn_need_chat(cli, NULL, NULL);

    *folder = NULL;
    return rc || skn_is_elsewhere(cli) ? rc : files_folder(cli, folder);
}

/* What a person types is seen from here; a file below that folder is known by its path from there. */
static skn_str path_of(skn_cli *cli, const char *typed, const char *folder)
{
    char   *base = folder ? realpath(folder, NULL) : NULL;
    char   *file = base ? realpath(typed, NULL) : NULL;
    size_t  n = base ? strlen(base) : 0;
    skn_str out = skn_str_of(typed);

    if (file && !strncmp(file, base, n) && file[n] == '/')
        out = skn_arena_copy(cli->keep, skn_str_of(file + n + 1));
    free(base);
    free(file);
    return out;
}

/* --- Listing ------------------------------------------------------------------------------ */

/* What agents miss of a file, or of an item of it, to standard error. */
static void tell_problems(skn_cli *cli, const skn_json *file)
{
    for (const skn_json *one = skn_first(file, "problems"); one; one = one->next) {
        skn_str item = skn_json_str(one, "item");

        skn_note(cli, "%.*s%s%.*s: %.*s", SKN_FMT(skn_json_str(file, "path")),
                 item.n ? ", " : "", SKN_FMT(item), SKN_FMT(skn_json_str(one, "detail")));
    }
}

skein_rc skn_tell_files(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_read_all(cli, NULL, FILES, 0, &list);

    for (size_t i = 0; !rc && i < list.n; i++)
        tell_problems(cli, list.p[i]);
    return rc;
}

static skein_rc file_out(skn_cli *cli, const skn_json *file, const char *what)
{
    if (cli->json)
        return skn_door_item(cli, file);
    skn_say(cli, file, "{line path}[items:  {list items}][prompt:  prompt: {line prompt}]");
    skn_print(cli, "%s\n", what);
    tell_problems(cli, file);
    return SKEIN_OK;
}

static skein_rc listed(skn_cli *cli, const skn_json *file)
{
    return file_out(cli, file, "");
}

skein_rc skn_cmd_files_ls(skn_cli *cli)
{
    skn_json_list list = {0};
    const char   *folder;
    skein_rc      rc;

    if ((rc = need_files(cli, &folder)) || (rc = skn_read_all(cli, NULL, FILES, 0, &list)))
        return rc;
    return skn_say_list(cli, &list, listed);
}

/* --- Adding and removing ------------------------------------------------------------------ */

skein_rc skn_cmd_files_add(skn_cli *cli)
{
    const skn_json *v;
    const char     *folder;
    skn_door_body   b;
    skn_jw         *w;
    skein_rc        rc = need_files(cli, &folder);

    if (rc)
        return rc;
    w = skn_door_body_begin(cli, &b);
    skn_jw_kstr(w, "path", path_of(cli, cli->args[0], folder));
    skn_jw_karray(w, "items");
    for (size_t i = 1; i < cli->arg_count; i++)
        skn_jw_str(w, skn_arg(cli, i));
    skn_jw_array_end(w);
    skn_jw_kstr(w, "prompt", skn_str_of(skn_opt(cli, "prompt")));
    skn_jw_kbool(w, "dryRun", cli->dry_run);
    if ((rc = skn_send(cli, &b, "POST", NULL, FILES, &v)))
        return rc;
    return file_out(cli, v, cli->dry_run ? "  (would be added)" : "  added");
}

/* The file that is named, by its path from the folder or else as it was typed. */
static skein_rc ask_for(skn_cli *cli, const char *folder, const char *method, const char *query,
                        const skn_json **out)
{
    skn_str  typed = skn_arg(cli, 0), path = path_of(cli, cli->args[0], folder);
    skein_rc rc;

    for (;; path = typed) {
        const char *whole = skn_arena_text(cli->keep, "%s/context-files/%s%s", cli->door->chat,
                                           skn_door_part(cli, path), query);

        rc = *method == 'G' ? skn_door_get(cli, out, "%s", whole)
                            : skn_door_change(cli, method, whole, SKN_NONE, out);
        if (rc != SKEIN_NOT_FOUND || skn_str_eq(path, typed))
            return rc;
    }
}

skein_rc skn_cmd_files_rm(skn_cli *cli)
{
    const skn_json *v;
    const char     *folder;
    skein_rc        rc;

    if ((rc = need_files(cli, &folder)) ||
        (rc = ask_for(cli, folder, "DELETE", cli->dry_run ? "?dryRun=true" : "", &v)))
        return rc;
    return file_out(cli, v, cli->dry_run ? "  (would be removed)" : "  removed");
}

/* --- What agents read --------------------------------------------------------------------- */

static skein_rc file_content(skn_cli *cli, const skn_json *file)
{
    for (const skn_json *part = skn_first(file, "content"); part; part = part->next) {
        skn_say(cli, file, "{bold path}");
        /* What a model took from the file is not lines of it. */
        skn_say(cli, part,
                !skn_has(part, "firstLine") && skn_has(part, "text")
                    ? ", as its prompt asks\n"
                    : ":{firstLine}-{lastLine}\n");
        skn_print_block(cli, skn_json_str(part, "text"), 0);
    }
    tell_problems(cli, file);
    return SKEIN_OK;
}

skein_rc skn_cmd_files_show(skn_cli *cli)
{
    const skn_json *one;
    const char     *folder;
    skn_json_list   list = {0};
    skein_rc        rc = need_files(cli, &folder);

    if (rc)
        return rc;
    if (!cli->arg_count)
        rc = skn_read_all(cli, NULL, FILES "?content=true", 0, &list);
    else if (!(rc = ask_for(cli, folder, "GET", "", &one)))
        skn_vec_add(cli->keep, &list, one);
    return rc ? rc : skn_say_list(cli, &list, file_content);
}
