#include "base/uid.h"
#include "cli/cli.h"

#include <ctype.h>
#include <inttypes.h>

typedef struct reading {
    skn_cli    *cli;
    int         argc;
    char      **argv;
    int         i;
    const char *noun;       /* "world" of "world new", until its verb comes */
    bool        usual;      /* the command is the noun's default one, unless a verb comes */
    bool        only_words; /* "--" was there */
    skn_given  *fields;     /* of a bare --json, with the word behind it; NULL: there is none */
    size_t      fields_at;  /* the argument that the word would be */
} reading;

static const char *command_name(const void *ctx, size_t i)
{
    const skn_command *c = skn_command_at(i);
    const skn_noun    *noun;

    (void)ctx;
    if (!c)
        return NULL;
    noun = skn_noun_find(skn_str_of(c->name));
    return noun ? noun->name : c->name;
}

static const char *verb_name(const void *ctx, size_t i)
{
    const char        *noun = ctx;
    size_t             n = strlen(noun);
    const skn_command *c;

    for (size_t row = 0; (c = skn_command_at(row)); row++)
        if (!strncmp(c->name, noun, n) && c->name[n] == ' ' && i-- == 0)
            return c->name + n + 1;
    return NULL;
}

static const char *option_name(const void *ctx, size_t i)
{
    const skn_cli *cli = ctx;

    for (const skn_option *o = cli->command ? cli->command->options : NULL; o && o->name; o++)
        if (i-- == 0)
            return o->name;
    for (const skn_option *o = skn_global_options; o->name; o++)
        if (i-- == 0)
            return o->name;
    return NULL;
}

static void give(skn_cli *cli, const skn_option *option, const char *value)
{
    cli->given[cli->given_count].option = option;
    cli->given[cli->given_count].value = value;
    cli->given_count++;
}

static const skn_option *lookup(const skn_cli *cli, skn_str name, char letter)
{
    const skn_option *own = cli->command ? cli->command->options : NULL;
    const skn_option *found = own ? skn_option_find(own, name, letter) : NULL;

    return found ? found : skn_option_find(skn_global_options, name, letter);
}

static skein_rc unknown_option(skn_cli *cli, const char *text, skn_str name)
{
    char        typed[64];
    const char *near;

    skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not an option%s%s%s", text,
             cli->command ? " of \"skein " : "", cli->command ? cli->command->name : "",
             cli->command ? "\"" : "");
    snprintf(typed, sizeof typed, "%.*s", (int)name.n, name.p ? name.p : "");
    near = name.n ? skn_suggest(typed, option_name, cli) : NULL;
    if (near)
        return skn_hint(&cli->err, SKEIN_USAGE, "Did you mean \"--%s\"?", near);
    if (strlen(text) > 3 && text[1] != '-' && skn_uid_valid(skn_str_of(text)))
        return skn_hint(&cli->err, SKEIN_USAGE,
                        "If it is an id, write \"--\" before it: skein %s -- %s",
                        cli->command ? cli->command->name : "show", text);
    return skn_hint(&cli->err, SKEIN_USAGE, "See \"skein help%s%s\"", cli->command ? " " : "",
                    cli->command ? cli->command->name : "");
}

static skein_rc take_value(reading *r, const skn_option *o, const char *shown)
{
    if (r->i + 1 >= r->argc)
        return skn_fail(&r->cli->err, SKEIN_USAGE, "\"%s\" needs %s", shown, o->arg);
    if (!strcmp(o->name, "world") && r->argv[r->i + 1][0] == '-') {
        skn_fail(&r->cli->err, SKEIN_USAGE, "\"%s\" needs a name, not \"%s\"", shown,
                 r->argv[r->i + 1]);
        if (r->cli->command && !strcmp(r->cli->command->name, "export"))
            skn_hint(&r->cli->err, SKEIN_USAGE, "Use --whole-world for all of a world");
        return SKEIN_USAGE;
    }
    give(r->cli, o, r->argv[++r->i]);
    return SKEIN_OK;
}

/* Could the word be meant as a list of fields? Where a command takes words, one field of several
 * must be known; where it takes none, letters are enough. */
static bool like_fields(const skn_command *c, skn_str word)
{
    skn_str all = word, name, unknown;
    bool    known = false;

    for (size_t i = 0; i < word.n; i++)
        if (!isalpha((unsigned char)word.p[i]) && word.p[i] != ',')
            return false;
    while (skn_str_split(&all, ',', &name))
        known |= name.n && skn_fields_known(c->fields, name, &unknown);
    return word.n && (c->max_args == 0 || (known && skn_str_find(word, SKN_STR(",")) >= 0) ||
                      skn_fields_known(c->fields, word, &unknown));
}

/* Bare --json takes the next word only if it can be nothing but a list of fields. */
static void take_json(reading *r, const skn_option *o)
{
    const skn_command *c = r->cli->command;
    const char        *next = r->i + 1 < r->argc ? r->argv[r->i + 1] : "";

    if (c && c->fields && like_fields(c, skn_str_of(next))) {
        give(r->cli, o, next);
        r->fields = &r->cli->given[r->cli->given_count - 1];
        r->fields_at = r->cli->arg_count;
        r->i++;
    } else {
        give(r->cli, o, "");
    }
}

static skein_rc long_option(reading *r)
{
    skn_cli          *cli = r->cli;
    const char       *text = r->argv[r->i];
    const char       *equal = strchr(text, '=');
    skn_str           name = {text + 2, equal ? (size_t)(equal - text - 2) : strlen(text + 2)};
    const skn_option *o = lookup(cli, name, 0);

    if (!o)
        return unknown_option(cli, text, name);
    if (!strcmp(o->name, "json") && !equal)
        take_json(r, o);
    else if (equal && (o->arg || !strcmp(o->name, "json")))
        give(cli, o, equal + 1);
    else if (equal)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--%s\" takes no value", o->name);
    else if (o->arg)
        return take_value(r, o, text);
    else
        give(cli, o, "");
    return SKEIN_OK;
}

static skein_rc short_options(reading *r)
{
    skn_cli    *cli = r->cli;
    const char *text = r->argv[r->i];

    for (const char *p = text + 1; *p; p++) {
        const skn_option *o = lookup(cli, SKN_NONE, *p);

        if (!o)
            return unknown_option(cli, text, SKN_NONE);
        if (!o->arg) {
            give(cli, o, "");
            continue;
        }
        if (!p[1])
            return take_value(r, o, text);
        give(cli, o, p + 1);
        return SKEIN_OK;
    }
    return SKEIN_OK;
}

skein_rc skn_unknown_command(skn_cli *cli, const char *word)
{
    const char *near = skn_suggest(word, command_name, NULL);

    skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a command", word);
    if (near)
        return skn_hint(&cli->err, SKEIN_USAGE, "Did you mean \"%s\"?", near);
    return skn_hint(&cli->err, SKEIN_USAGE, "\"skein help\" lists them");
}

static void list_verbs(const char *noun, char *out, size_t cap)
{
    size_t      n = 0;
    const char *verb;

    out[0] = '\0';
    for (size_t i = 0; n < cap && (verb = verb_name(noun, i)); i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : "", verb);
}

static skein_rc unknown_verb(skn_cli *cli, const char *noun, const char *word)
{
    const char *near = skn_suggest(word, verb_name, noun);
    char        all[160];

    skn_fail(&cli->err, SKEIN_USAGE, "\"%s %s\" is not a command", noun, word);
    if (near)
        return skn_hint(&cli->err, SKEIN_USAGE, "Did you mean \"%s %s\"?", noun, near);
    list_verbs(noun, all, sizeof all);
    return skn_hint(&cli->err, SKEIN_USAGE, "There is: %s", all);
}

/* The first word, or the first two, name the command. */
static skein_rc command_word(reading *r, const char *word)
{
    skn_cli        *cli = r->cli;
    const skn_noun *noun;
    char            full[64];

    if (r->noun) {
        snprintf(full, sizeof full, "%s %s", r->noun, word);
        r->usual = false;
        cli->command = skn_command_find(full);
        return cli->command ? SKEIN_OK : unknown_verb(cli, r->noun, word);
    }
    cli->command = skn_command_find(word);
    if (cli->command)
        return SKEIN_OK;
    noun = skn_noun_find(skn_str_of(word));
    if (!noun || strcmp(noun->name, word) != 0)
        return skn_unknown_command(cli, word);
    r->noun = word;
    r->usual = noun->usual != NULL;
    if (r->usual)
        cli->command = skn_command_find(noun->usual);
    return SKEIN_OK;
}

static skein_rc read_words(reading *r)
{
    skn_cli *cli = r->cli;
    skein_rc rc = SKEIN_OK;

    for (r->i = 1; !rc && r->i < r->argc; r->i++) {
        const char *a = r->argv[r->i];

        if (!r->only_words && !strcmp(a, "--"))
            r->only_words = true;
        else if (!r->only_words && a[0] == '-' && a[1] == '-')
            rc = long_option(r);
        else if (!r->only_words && a[0] == '-' && a[1])
            rc = short_options(r);
        else if (!cli->command || r->usual)
            rc = command_word(r, a);
        else
            cli->args[cli->arg_count++] = a;
    }
    return rc;
}

/* "skein show --json lead": what a command cannot do without is not a field. */
static void give_back(reading *r)
{
    skn_cli *cli = r->cli;

    if (!r->fields || !cli->command || cli->arg_count >= (size_t)cli->command->min_args)
        return;
    memmove(&cli->args[r->fields_at + 1], &cli->args[r->fields_at],
            (cli->arg_count - r->fields_at) * sizeof cli->args[0]);
    cli->args[r->fields_at] = r->fields->value;
    cli->arg_count++;
    r->fields->value = "";
}

/* Is --json among the words behind a mistake, which nobody reads any more? */
static bool json_behind(const reading *r)
{
    for (int i = r->i; !r->only_words && i < r->argc && strcmp(r->argv[i], "--") != 0; i++)
        if (!strcmp(r->argv[i], "--json") || !strncmp(r->argv[i], "--json=", 7))
            return true;
    return false;
}

/* What a script leaves empty by mistake must not mean another store. */
static skein_rc check_places(skn_cli *cli)
{
    static const char *const those[] = {"data",     "db",           "server", "config",
                                        "world",    "conversation", "agent",  "before",
                                        "reply-to", "lane",         "at",     "thread"};

    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++) {
        const char *value = skn_opt(cli, those[i]);

        if (value && !*value)
            return skn_fail(&cli->err, SKEIN_USAGE, "\"--%s\" is empty", those[i]);
    }
    return SKEIN_OK;
}

/* Refuses an empty word where something that exists is named: it comes from a script whose variable is not set, and without a
 * name some commands act on everything. The API checks texts and the names of new things. */
static skein_rc check_named(skn_cli *cli, const skn_command *c)
{
    bool        is_new = skn_str_ends(skn_str_of(c->name), SKN_STR(" new"));
    const char *names = is_new ? "PARENT"
                               : "ID,AGENT,WORLD,ITEM,TASK,REF,PROVIDER,PROVIDER/MODEL,VERSION,"
                                 "LANE,PARENT,NAME,ID|VERSION,ID|LANE,AGENT|LANE,NAME|ID,N";
    skn_str     rest = skn_str_of(c->args), word = SKN_NONE, next;

    for (size_t i = 0; i < cli->arg_count; i++) {
        if (skn_str_split(&rest, ' ', &next)) /* the last one may be repeated */
            word = next;
        word = skn_str_sub(word, skn_str_starts(word, SKN_STR("[")), word.n);
        word.n -= skn_str_ends(word, SKN_STR("]"));
        word.n -= skn_str_ends(word, SKN_STR("…")) ? sizeof "…" - 1 : 0;
        if (!*cli->args[i] && skn_is_among(skn_str_of(names), word))
            return skn_fail(&cli->err, SKEIN_USAGE, "%.*s is empty", SKN_FMT(word));
    }
    return SKEIN_OK;
}

static skein_rc check_words(const reading *r)
{
    skn_cli           *cli = r->cli;
    const skn_command *c = cli->command;
    char               all[160];

    if (!c && r->noun) {
        list_verbs(r->noun, all, sizeof all);
        return skn_fail(&cli->err, SKEIN_USAGE, "\"skein %s\" needs one of: %s", r->noun, all);
    }
    if (!c)
        return SKEIN_OK;
    if (cli->arg_count < (size_t)c->min_args) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein %s\" needs %s", c->name, c->args);
        return skn_hint(&cli->err, SKEIN_USAGE, "See \"skein help %s\"", c->name);
    }
    if (c->max_args >= 0 && cli->arg_count > (size_t)c->max_args) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein %s\" does not take \"%s\"", c->name,
                 cli->args[c->max_args]);
        return skn_hint(&cli->err, SKEIN_USAGE, "See \"skein help %s\"", c->name);
    }
    return check_named(cli, c);
}

skein_rc skn_fields_check(skn_cli *cli, const char *known, const char *of)
{
    skn_str unknown;

    if (!cli->fields || skn_fields_known(known, skn_str_of(cli->fields), &unknown))
        return SKEIN_OK;
    cli->more.fields = known;
    skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is not a field of %s", SKN_FMT(unknown), of);
    return skn_hint(&cli->err, SKEIN_USAGE, "See \"skein help %s\"", cli->command->name);
}

static skein_rc check_fields(skn_cli *cli)
{
    const char        *fields = skn_opt(cli, "json");
    const skn_command *c = cli->command;

    cli->json = fields != NULL;
    if (!fields || !*fields)
        return SKEIN_OK;
    if (!c || !c->fields)
        return skn_fail_hint(&cli->err, SKEIN_USAGE, "Write --json alone",
                             "there are no fields to choose from here");
    cli->fields = fields;
    return skn_fields_check(cli, c->fields, skn_arena_text(cli->keep, "\"skein %s\"", c->name));
}

skein_rc skn_args_read(skn_cli *cli, int argc, char **argv)
{
    reading  r = {.cli = cli, .argc = argc, .argv = argv};
    size_t   room = 1; /* a cluster of letters gives one option each */
    skein_rc rc;

    cli->words = argv + (argc > 0);
    cli->word_count = argc > 0 ? (size_t)argc - 1 : 0;
    for (int i = 1; i < argc; i++)
        room += strlen(argv[i]) + 1;
    cli->args = SKN_ARRAY(cli->keep, (size_t)argc + 1, const char *);
    cli->given = SKN_ARRAY(cli->keep, room, skn_given);
    rc = read_words(&r);
    give_back(&r);
    cli->json = rc && json_behind(&r);
    for (size_t i = 0; i < cli->given_count; i++) /* also when it failed: how to say so */
        cli->json |= !strcmp(cli->given[i].option->name, "json");
    cli->quiet = skn_opt(cli, "quiet");
    cli->dry_run = skn_opt(cli, "dry-run");
    cli->yes = skn_opt(cli, "yes");
    if (rc || skn_opt(cli, "help") || skn_opt(cli, "version"))
        return rc;
    if ((rc = check_places(cli)) || (rc = check_words(&r)))
        return rc;
    return check_fields(cli);
}

const char *skn_opt(const skn_cli *cli, const char *name)
{
    for (size_t i = cli->given_count; i-- > 0;)
        if (!strcmp(cli->given[i].option->name, name))
            return cli->given[i].value;
    return NULL;
}

void skn_opt_give(skn_cli *cli, const char *name, const char *value)
{
    give(cli, lookup(cli, skn_str_of(name), 0), value);
}

const char *skn_opt_next(const skn_cli *cli, const char *name, size_t *at)
{
    while (*at < cli->given_count) {
        const skn_given *g = &cli->given[(*at)++];

        if (!strcmp(g->option->name, name))
            return g->value;
    }
    return NULL;
}

skein_rc skn_opt_int(skn_cli *cli, const char *name, int64_t min, int64_t max, int64_t fallback,
                     int64_t *out)
{
    const char *value = skn_opt(cli, name);

    *out = fallback;
    if (!value)
        return SKEIN_OK;
    if (!skn_str_int(skn_str_of(value), out) || *out < min || *out > max)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%s\" is not a whole number from %" PRId64 " to %" PRId64
                        " for \"--%s\"",
                        value, min, max, name);
    return SKEIN_OK;
}

skn_str skn_arg(const skn_cli *cli, size_t i)
{
    return skn_str_of(cli->args[i]);
}

/* Looking commands, their options and their fields up. */

const skn_command *skn_command_find(const char *name)
{
    const skn_command *c;

    for (size_t i = 0; (c = skn_command_at(i)); i++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

const skn_noun *skn_noun_find(skn_str name)
{
    const skn_noun *at;

    for (size_t i = 0; (at = skn_noun_at(i)); i++) {
        skn_str noun = skn_str_of(at->name);

        if (skn_str_starts(name, noun) && (name.n == noun.n || name.p[noun.n] == ' '))
            return at;
    }
    return NULL;
}

const skn_option *skn_option_find(const skn_option *table, skn_str name, char letter)
{
    for (const skn_option *o = table; o->name; o++)
        if (letter ? o->letter == letter : skn_str_is(name, o->name))
            return o;
    return NULL;
}

bool skn_begins_among(skn_str text, const char *names)
{
    skn_str rest = skn_str_of(names), name;

    while (skn_str_split(&rest, ',', &name))
        if (skn_str_starts(text, name))
            return true;
    return false;
}

static bool is_field(skn_str known, skn_str name)
{
    return skn_is_among(known, name) ||
           (skn_str_is(name, "id") && skn_is_among(known, SKN_STR("messageId"))) ||
           (skn_str_is(name, "text") && skn_is_among(known, SKN_STR("content")));
}

bool skn_fields_known(const char *known, skn_str wanted, skn_str *unknown)
{
    skn_str name;

    while (skn_str_split(&wanted, ',', &name)) {
        *unknown = skn_str_trim(name);
        if (!is_field(skn_str_of(known), *unknown))
            return false;
    }
    return true;
}
