/* What the program says about itself: help, version, completion. */
#include "cli/commands.h"

#include "base/error.h"

#include <stdio.h>

int skn_cmd_help(skn_cli *cli)
{
    char               name[64];
    const skn_command *c;

    if (!cli->arg_count) {
        skn_help_overview(cli);
        return 0;
    }
    snprintf(name, sizeof name, "%s%s%s", cli->args[0], cli->arg_count > 1 ? " " : "",
             cli->arg_count > 1 ? cli->args[1] : "");
    if ((c = skn_command_find(name))) {
        skn_help_command(cli, c);
        return 0;
    }
    if (!skn_noun_help(cli, skn_str_of(name)))
        return (int)skn_unknown_command(cli, name);
    return 0;
}

int skn_cmd_version(skn_cli *cli)
{
    skn_jw *w;

    if (!cli->json) {
        skn_print(cli, "skein %s\n", skein_version_text());
        return 0;
    }
    w = skn_item(cli);
    skn_jw_object(w);
    skn_jw_kstr(w, "program", SKN_STR("skein"));
    skn_jw_kstr(w, "version", skn_str_of(skein_version_text()));
    skn_jw_object_end(w);
    return (int)skn_item_end(cli);
}

int skn_cmd_completion(skn_cli *cli)
{
    if (skn_str_is(skn_arg(cli, 0), "words") && cli->arg_count == 2)
        return (int)skn_completion_words(cli, skn_arg(cli, 1));
    if (cli->arg_count == 1 && skn_completion(cli, skn_arg(cli, 0)))
        return 0;
    return (int)skn_fail(&cli->err, SKEIN_USAGE,
                         "there is completion for bash, zsh and fish, "
                         "not for \"%s\"",
                         cli->args[0]);
}
