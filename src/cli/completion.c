/* Completion scripts, made from the table of commands. */
#include "cli/place.h"
#include "cli/say.h"
#include "exchange/exchange.h"

/* --- Which words are of which kind -------------------------------------------------------- */

/* What an argument stands for, by the word that the help has for it; NULL: for nothing that is known. */
static const char *kind_of(const char *arg)
{
    static const struct {
        const char *word, *kind;
    } kinds[] = {
        {"ID|VERSION", "points"}, {"ID", "messages"},       {"VERSION", "versions"},
        {"A..B", "versions"},     {"AGENT", "agents"},      {"WORLD", "worlds"},
        {"AGENT TIME", "agents"}, {"AGENT TEXT", "agents"}, {"AGENT [WORD…]", "agents"},
        {"AGENT|LANE", "agents"}, {"REF", "conversations"}, {"LANE", "lanes"},
        {"FORMAT", "formats"}};
    skn_str text = skn_str_of(arg);

    if (text.n > 1 && text.p[0] == '[')
        text = skn_str_sub(text, 1, text.n - 1);
    if (skn_str_ends(text, SKN_STR("…")))
        text.n -= sizeof "…" - 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (skn_str_is(text, kinds[i].word))
            return kinds[i].kind;
    return NULL;
}

/* Names of what a noun manages, for verbs that need one that is there. */
static const char *kind_of_command(const skn_command *c)
{
    static const struct {
        const char *command, *kind;
    } named[] = {{"world show", "worlds"}, {"world use", "worlds"}, {"world rm", "worlds"},
                 {"agent show", "agents"}, {"agent rm", "agents"},  {"tag rm", "tags"},
                 {"tag on", "tags"},       {"tag off", "tags"}};

    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (!strcmp(c->name, named[i].command))
            return named[i].kind;
    return kind_of(c->args);
}

static const char *kind_of_option(const skn_option *o)
{
    return !strcmp(o->name, "world") ? "worlds" : o->arg ? kind_of(o->arg) : NULL;
}

/* --- bash and zsh ------------------------------------------------------------------------- */

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

/* "log --at"|"log -v") kind=versions ;; */
static void option_kinds(skn_cli *cli, const char *command, const skn_option *options)
{
    for (const skn_option *o = options; o && o->name; o++) {
        const char *kind = kind_of_option(o);

        if (!kind)
            continue;
        skn_print(cli, "    \"%s --%s\"", command, o->name);
        if (o->letter)
            skn_print(cli, "|\"%s -%c\"", command, o->letter);
        skn_print(cli, ") kind=%s ;;\n", kind);
    }
}

static void kind_arms(skn_cli *cli)
{
    const skn_command *c;

    skn_print(cli, "  case \"$prev\" in\n");
    for (const skn_option *o = skn_global_options; o->name; o++)
        if (kind_of_option(o))
            skn_print(cli, "    --%s|-%c) kind=%s ;;\n", o->name, o->letter, kind_of_option(o));
    skn_print(cli,
              "  esac\n  for w in \"$first\" \"$first $second\"; do case \"$w $prev\" in\n");
    for (size_t i = 0; (c = skn_command_at(i)); i++)
        option_kinds(cli, c->name, c->options);
    skn_print(
        cli,
        "  esac; done\n"
        "  [ -n \"$kind\" ] || for w in \"$first\" \"$first $second\"; do case \"$w\" in\n");
    for (size_t i = 0; (c = skn_command_at(i)); i++)
        if (kind_of_command(c))
            skn_print(cli, "    \"%s\") kind=%s ;;\n", c->name, kind_of_command(c));
    skn_print(cli, "  esac; done\n");
}

/* The same words serve bash and zsh: zsh reads bash's functions after bashcompinit. */
static void bash_script(skn_cli *cli)
{
    skn_print(cli,
              "_skein() {\n"
              "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
              "  local first= second= words= kind= w i place=()\n"
              "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
              "    w=\"${COMP_WORDS[i]}\"\n"
              "    case \"$w\" in\n"
              "      -w|--world|-c|--conversation|--data|--db)\n"
              "        ((i + 1 < COMP_CWORD)) && place+=(\"$w\" \"${COMP_WORDS[i+1]}\")\n"
              "        ((i++)); continue ;;\n"
              "      -*) continue ;;\n"
              "    esac\n"
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
    skn_print(cli, "    esac; done ;;\n  esac\n");
    kind_arms(cli);
    skn_print(cli,
              "  case \"$cur\" in -*) kind= ;; esac\n"
              "  [ -z \"$kind\" ] || words=\"$(\"${COMP_WORDS[0]}\" \"${place[@]}\" completion "
              "words \"$kind\" 2>/dev/null | cut -f 1)\"\n"
              "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
              "  [ -n \"$words\" ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
              "}\ncomplete -F _skein skein\n");
}

/* --- fish --------------------------------------------------------------------------------- */

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
        if (kind_of_option(o))
            skn_print(cli, " -x -a '(skein completion words %s 2>/dev/null)'",
                      kind_of_option(o));
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
    if (kind_of_command(c))
        skn_print(cli, "complete -c skein -f%s -a '(skein completion words %s 2>/dev/null)'\n",
                  condition, kind_of_command(c));
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

/* What there is in a store, for completion scripts: fast, and quiet when there is none. */

#define RECENT       50
#define WORD_COLUMNS 40

typedef struct kind {
    const char *name;
    enum { ANYWHERE, WORLD, CHAT, OF_CHAT } in; /* OF_CHAT: the path asks for "chatId" */
    const char *path, *word;
    const char *about, *otherwise; /* members of what it is */
    bool        back;              /* the last one first */
} kind;

#define VERSIONS CHAT, "{chat}/threads", "v{number}\t", "note", "operation", false
#define MESSAGES                                                                               \
    CHAT, "{chat}/messages?from=-50", "{messageId}\t{sender}: ", "content", "", true

static const kind kinds[] = {
    {"worlds", ANYWHERE, "/worlds?fields=name,description", "{name}\t", "description", "",
     false},
    {"agents", WORLD, "{world}/agents", "{name}\t", "systemPrompt", "", false},
    {"conversations", WORLD, "{world}/chats", "{id}\t", "title", "", false},
    {"conversations", WORLD, "{world}/chats?mode=background", "{id}\t", "title", "", false},
    {"versions", VERSIONS},
    {"messages", MESSAGES},
    {"points", VERSIONS},
    {"points", MESSAGES},
    {"lanes", OF_CHAT, "{world}/delegations?lanes=true&", "{delegationId}\t", "agent", "",
     false},
    {"tags", OF_CHAT, "{world}/tags?", "{name}\t", "instruction", "", false},
};

static void print_word(skn_cli *cli, const kind *k, const skn_json *v)
{
    skn_str lane = skn_json_str(v, "delegationId");

    if (lane.n && !skn_is_lane(lane)) /* the memory of an agent */
        return;
    if (!skn_say_safe(v, k->word)) /* the shell would read it as more than a word */
        return;
    skn_say(cli, v, k->word);
    skn_print_line(cli, skn_json_str(v, skn_has(v, k->about) ? k->about : k->otherwise),
                   WORD_COLUMNS);
    skn_print_raw(cli, SKN_STR("\n"));
}

static skein_rc print_kind(skn_cli *cli, const kind *k)
{
    skein_world        world;
    skein_conversation chat = {.uid = SKN_NONE};
    skn_json_list      list = {0};
    const char        *path;
    skein_rc           rc;

    if ((k->in == WORLD && (rc = skn_need_world(cli, &world))) ||
        (k->in >= CHAT && (rc = skn_need_chat(cli, &world, &chat))))
        return rc;
    path = skn_arena_text(cli->keep, "%s%s%s", k->path, k->in == OF_CHAT ? "chatId=" : "",
                          k->in == OF_CHAT ? skn_door_part(cli, chat.uid) : "");
    rc = skn_read_all(cli, NULL, path, k->in == CHAT ? RECENT : 0, &list);
    for (size_t i = 0; !rc && i < list.n; i++)
        print_word(cli, k, list.p[k->back ? list.n - 1 - i : i]);
    return rc;
}

skein_rc skn_completion_words(skn_cli *cli, skn_str name)
{
    const char *format;
    bool        known = skn_str_is(name, "formats");
    skein_rc    rc = SKEIN_OK;

    for (size_t i = 0; known && (format = skn_format_name(i)); i++) /* they need no store */
        skn_print(cli, "%s\t\n", format);
    for (size_t i = 0; !rc && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!skn_str_is(name, kinds[i].name))
            continue;
        known = true;
        if (!(rc = skn_place_open(cli)))
            rc = print_kind(cli, &kinds[i]);
    }
    return rc || known ? rc
                       : skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is not a kind of word",
                                  SKN_FMT(name));
}
