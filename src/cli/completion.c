/* Completion scripts, made from the table of commands. */
#include "cli/print.h"

#include <string.h>

static void first_words(skn_cli *cli)
{
    const skn_command *c;
    const skn_noun    *noun, *last = NULL;

    for (size_t i = 0; (c = skn_command_at(i)); i++) {
        noun = skn_noun_find(skn_str_of(c->name));
        if (!noun || noun != last)
            skn_print(cli, " %s", noun ? noun->name : c->name);
        last = noun;
    }
}

static void options_of(skn_cli *cli, const skn_option *options)
{
    for (const skn_option *o = options; o && o->name; o++)
        skn_print(cli, " --%s", o->name);
}

/* One arm for each noun that lists its verbs. */
static void verb_arms(skn_cli *cli, const char *open, const char *close)
{
    const skn_command *c;
    const skn_noun    *noun, *last = NULL;

    for (size_t i = 0; (c = skn_command_at(i)); i++) {
        noun = skn_noun_find(skn_str_of(c->name));
        if (noun != last && last)
            skn_print(cli, "%s\n", close);
        if (noun && noun != last)
            skn_print(cli, "    %s%s", noun->name, open);
        if (noun)
            skn_print(cli, " %s", c->name + strlen(noun->name) + 1);
        last = noun;
    }
    if (last)
        skn_print(cli, "%s\n", close);
}

static void option_arms(skn_cli *cli, const char *open, const char *close)
{
    const skn_command *c;

    for (size_t i = 0; (c = skn_command_at(i)); i++)
        if (c->options) {
            skn_print(cli, "    \"%s\"%s", c->name, open);
            options_of(cli, c->options);
            skn_print(cli, "%s\n", close);
        }
}

/* The same words serve bash and zsh: zsh reads bash's functions after bashcompinit. */
static void bash_script(skn_cli *cli)
{
    skn_print(cli, "_skein() {\n"
                   "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" first= second= words= w i\n"
                   "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                   "    w=\"${COMP_WORDS[i]}\"\n"
                   "    case \"$w\" in -*) continue ;; esac\n"
                   "    if [ -z \"$first\" ]; then first=\"$w\"\n"
                   "    elif [ -z \"$second\" ]; then second=\"$w\"; fi\n"
                   "  done\n"
                   "  if [ -z \"$first\" ]; then words=\"");
    first_words(cli);
    skn_print(cli, "\"; fi\n  case \"$first\" in\n");
    verb_arms(cli, ") [ -n \"$second\" ] || words=\"", "\" ;;");
    skn_print(cli, "    help) words=\"");
    first_words(cli);
    skn_print(cli, "\" ;;\n    completion) words=\"bash zsh fish\" ;;\n  esac\n"
                   "  case \"$cur\" in -*)\n    words=\"");
    options_of(cli, skn_global_options);
    skn_print(cli, "\"\n    for w in \"$first\" \"$first $second\"; do case \"$w\" in\n");
    option_arms(cli, ") words=\"$words", "\" ;;");
    skn_print(cli, "    esac; done ;;\n  esac\n"
                   "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                   "  [ -n \"$words\" ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                   "}\ncomplete -F _skein skein\n");
}

static void fish_quoted(skn_cli *cli, const char *text)
{
    skn_print_raw(cli, SKN_STR("'"));
    for (; *text; text++)
        skn_print(cli, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    skn_print_raw(cli, SKN_STR("'"));
}

static void fish_options(skn_cli *cli, const skn_option *options, const char *condition)
{
    for (const skn_option *o = options; o && o->name; o++) {
        skn_print(cli, "complete -c skein%s -l %s", condition, o->name);
        if (o->letter)
            skn_print(cli, " -s %c", o->letter);
        skn_print(cli, "%s -d ", o->arg ? " -r" : "");
        fish_quoted(cli, o->help);
        skn_print_raw(cli, SKN_STR("\n"));
    }
}

static void fish_command(skn_cli *cli, const skn_command *c)
{
    const skn_noun *noun = skn_noun_find(skn_str_of(c->name));
    char            condition[160];

    if (noun)
        snprintf(condition, sizeof condition, " -n '__fish_seen_subcommand_from %s'",
                 noun->name);
    else
        snprintf(condition, sizeof condition, " -n __fish_use_subcommand");
    skn_print(cli, "complete -c skein -f%s -a %s -d ", condition,
              noun ? c->name + strlen(noun->name) + 1 : c->name);
    fish_quoted(cli, c->help);
    skn_print_raw(cli, SKN_STR("\n"));
    snprintf(condition, sizeof condition, " -n '__fish_seen_subcommand_from %s'",
             noun ? c->name + strlen(noun->name) + 1 : c->name);
    fish_options(cli, c->options, condition);
}

static void fish_script(skn_cli *cli)
{
    const skn_command *c;
    const skn_noun    *noun, *last = NULL;

    fish_options(cli, skn_global_options, "");
    for (size_t i = 0; (c = skn_command_at(i)); i++) {
        noun = skn_noun_find(skn_str_of(c->name));
        if (noun && noun != last) {
            skn_print(cli, "complete -c skein -f -n __fish_use_subcommand -a %s -d ",
                      noun->name);
            fish_quoted(cli, noun->help);
            skn_print_raw(cli, SKN_STR("\n"));
        }
        last = noun;
        fish_command(cli, c);
    }
}

bool skn_completion(skn_cli *cli, skn_str shell)
{
    if (skn_str_is(shell, "zsh"))
        skn_print(cli, "#compdef skein\nautoload -U +X bashcompinit && bashcompinit\n");
    if (skn_str_is(shell, "zsh") || skn_str_is(shell, "bash"))
        bash_script(cli);
    else if (skn_str_is(shell, "fish"))
        fish_script(cli);
    else
        return false;
    return true;
}
