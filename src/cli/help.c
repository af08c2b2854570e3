#include "cli/print.h"

#include "base/utf8.h"

static const char *const groups[] = {"Start", "Read", "Change", "Manage", "Move and care"};

static void row(skn_cli *cli, const char *name, const char *help)
{
    size_t used = strlen(name);

    skn_print_raw(cli, SKN_STR("  "));
    skn_print_colour(cli, SKN_BOLD, skn_str_of(name));
    skn_print(cli, "%*s%s\n", used < 12 ? (int)(13 - used) : 1, "", help);
}

static void noun_row(skn_cli *cli, const skn_noun *noun)
{
    char               verbs[200];
    size_t             n = 0, len = strlen(noun->name);
    const skn_command *c;

    for (size_t i = 0; n < sizeof verbs && (c = skn_command_at(i)); i++)
        if (!strncmp(c->name, noun->name, len) && c->name[len] == ' ')
            n += (size_t)snprintf(verbs + n, sizeof verbs - n, "%s%s", n ? ", " : "",
                                  c->name + len + 1);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_colour(cli, SKN_BOLD, skn_str_of(noun->name));
    skn_print(cli, "%*s%s: %s\n", len < 12 ? (int)(13 - len) : 1, "", noun->help, verbs);
}

static void group_rows(skn_cli *cli, const char *group)
{
    const skn_noun    *noun, *last = NULL;
    const skn_command *c;

    for (size_t i = 0; (c = skn_command_at(i)); i++) {
        if (strcmp(c->group, group) != 0)
            continue;
        noun = skn_noun_find(skn_str_of(c->name));
        if (!noun)
            row(cli, c->name, c->help);
        else if (noun != last)
            noun_row(cli, noun);
        last = noun;
    }
}

void skn_help_overview(skn_cli *cli)
{
    skn_print(cli, "Skein: conversations of people and agents, with every version kept.\n");
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        skn_print(cli, "\n%s\n", groups[i]);
        group_rows(cli, groups[i]);
    }
    skn_print(
        cli,
        "\nExamples\n"
        "  skein serve\n"
        "  skein chat\n"
        "  skein world new launch\n"
        "  skein agent new lead --prompt \"You lead the team.\"\n"
        "  skein conv new --title \"Launch plan\"\n"
        "  skein send \"@lead plan the launch\" --json\n"
        "  skein tree @~20 --mermaid > flow.mmd\n"
        "\n\"skein help COMMAND\" or \"man skein-COMMAND\" for more. Problems: skein doctor\n");
}

/* A letter that the command gives another meaning is not shown for the common option. */
static void option_rows(skn_cli *cli, const skn_option *options, const skn_option *own)
{
    for (const skn_option *o = options; o && o->name; o++) {
        bool taken = own && o->letter && skn_option_find(own, SKN_NONE, o->letter);
        char left[64], letter = taken ? 0 : o->letter;
        int  n;

        snprintf(left, sizeof left, "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                 letter ? ", " : "  ", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        n = (int)skn_utf8_columns(skn_str_of(left));
        skn_print(cli, "  %s%*s%s\n", left, n < 28 ? 30 - n : 2, "", o->help);
    }
}

/* The fields in lines that fit a terminal. */
static void field_rows(skn_cli *cli, const char *fields)
{
    skn_str all = skn_str_of(fields), rest = all, name;
    size_t  used = 0;

    while (skn_str_split(&rest, ',', &name)) {
        if (skn_is_among(skn_str_sub(all, 0, (size_t)(name.p - all.p)), name))
            continue; /* what a command prints may be of several kinds */
        if (used && used + name.n + 2 > 76) {
            skn_print_raw(cli, SKN_STR("\n"));
            used = 0;
        }
        skn_print(cli, "%s%.*s", used ? ", " : "  ", SKN_FMT(name));
        used += name.n + 2;
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

void skn_help_command(skn_cli *cli, const skn_command *c)
{
    skn_print(cli, "skein %s%s%s%s\n\n  %s\n", c->name, c->options ? " [OPTION…]" : "",
              *c->args ? " " : "", c->args, c->help);
    if (c->options) {
        skn_print(cli, "\nOptions\n");
        option_rows(cli, c->options, NULL);
    }
    skn_print(cli, "\nOptions of every command\n");
    option_rows(cli, skn_global_options, c->options);
    if (c->fields) {
        skn_print(cli, "\nFields of --json\n");
        field_rows(cli, c->fields);
    }
}

bool skn_noun_help(skn_cli *cli, skn_str word)
{
    const skn_noun    *noun = skn_noun_find(word);
    const skn_command *c;

    if (!noun || !skn_str_is(word, noun->name))
        return false;
    skn_print(cli, "%s\n\n", noun->help);
    for (size_t i = 0; (c = skn_command_at(i)); i++)
        if (skn_noun_find(skn_str_of(c->name)) == noun)
            skn_print(cli, "  skein %s%s%s\n      %s\n", c->name, *c->args ? " " : "", c->args,
                      c->help);
    return true;
}
