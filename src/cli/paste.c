#include "cli/paste.h"
#include "base/clean.h"
#include "cli/place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST ((size_t)1 << 20)

bool skn_names_password(skn_str name)
{
    char   key[64];
    size_t n = 0;

    for (size_t i = 0; i < name.n && n + 1 < sizeof key; i++) {
        unsigned byte = (unsigned char)name.p[i];

        if (byte == '%' && i + 2 < name.n && isxdigit((unsigned char)name.p[i + 1]) &&
            isxdigit((unsigned char)name.p[i + 2])) {
            byte = (unsigned)strtoul((char[]){name.p[i + 1], name.p[i + 2], '\0'}, NULL, 16);
            i += 2;
        }
        key[n++] = (char)byte;
    }
    return skn_str_find((skn_str){key, n}, SKN_STR("password")) >= 0;
}

/* Does one of the parameters in the query of an address? "?a=1&password=x" */
static bool has_password(const char *address)
{
    const char *query = strchr(address, '?');
    skn_str     rest = query ? skn_str_of(query + 1) : SKN_NONE, one, name;

    while (query && skn_str_split(&rest, '&', &one))
        if (skn_str_split(&one, '=', &name) && skn_names_password(name))
            return true;
    return strstr(address, "password") != NULL;
}

/* An address of a database may hold a password, which is never shown: as "user:password@", or by its name. */
static bool is_secret(const char *address)
{
    const char *host = strstr(address, "://"), *at, *colon;

    if (!strncmp(address, "sqlite:", 7))
        return false;
    if (has_password(address))
        return true;
    host = host ? host + 3 : address;
    at = strrchr(host, '@');
    colon = strchr(host, ':');
    return at && colon && colon < at;
}

/* Without the parameters of the query that name a password. */
static const char *without_passwords(skn_cli *cli, const char *address)
{
    const char *query = strchr(address, '?');
    skn_str     rest = skn_str_of(query + 1), one;
    char        mark = '?';
    skn_buf     b;

    skn_buf_init(&b, LINE_MOST);
    skn_buf_add(&b, (skn_str){address, (size_t)(query - address)});
    while (skn_str_split(&rest, '&', &one)) {
        skn_str name = one, value = one;

        skn_str_split(&value, '=', &name);
        if (skn_names_password(name))
            continue;
        skn_buf_addc(&b, mark);
        skn_buf_add(&b, one);
        mark = '&';
    }
    return skn_buf_keep(&b, cli->keep).p;
}

/* The address without its password; NULL where it cannot be told apart. */
static const char *public_address(skn_cli *cli, const char *address)
{
    const char *host = strstr(address, "://"), *at, *colon;

    if (!is_secret(address))
        return address;
    if (host && strchr(address, '?') && has_password(address))
        address = without_passwords(cli, address);
    if (!is_secret(address))
        return address;
    host = strstr(address, "://");
    if (!host || has_password(address))
        return NULL;
    at = strrchr(host + 3, '@');
    colon = strchr(host + 3, ':');
    return skn_arena_text(cli->keep, "%.*s%s", (int)(colon - address), address, at);
}

/* --- Commands in a text --------------------------------------------------------------------- */

static bool has_option(skn_str rest, const char *letter)
{
    return skn_str_find(rest, skn_str_of(letter)) >= 0;
}

/* What this run was given: with an option, or by the .skein.yaml of the folder, which counts only there. */
static const char *given(const skn_cli *cli, const char *name)
{
    const char *value = skn_opt(cli, name);

    if (value || !cli->folder)
        return value;
    return !strcmp(name, "world")          ? cli->folder->world
           : !strcmp(name, "conversation") ? cli->folder->conversation
                                           : NULL;
}

static void add_option(skn_cli *cli, skn_buf *b, const char *name, const char *before)
{
    const char *value = given(cli, name);

    if (value && !strcmp(name, "db"))
        value = public_address(cli, value);
    if (value)
        skn_buf_addf(b, " %s%.*s", before, SKN_FMT(skn_shell_word(cli->keep, value)));
}

/* The command that a text begins with, after the program's name; NULL: none, or one that needs no place. */
static const skn_command *command_at(skn_str text)
{
    const skn_command *c, *best = NULL;
    const skn_noun    *noun = skn_noun_find(text);

    if (skn_begins_among(text, "help,version,completion"))
        return NULL;
    for (size_t i = 0; (c = skn_command_at(i)); i++) {
        skn_str name = skn_str_of(c->name), word;

        if (!skn_str_starts(text, name))
            continue;
        word = skn_str_sub(text, name.n, text.n);
        if (!word.n || !strchr("abcdefghijklmnopqrstuvwxyz-", word.p[0]))
            best = !best || strlen(best->name) < name.n ? c : best;
    }
    return best || !noun || !noun->usual ? best : skn_command_find(noun->usual);
}

/* Does the command work in a world that it does not name itself? */
static bool is_in_world(const skn_command *c, skn_str rest)
{
    skn_str name = skn_str_of(c->name);

    if (skn_str_is(name, "world show"))
        return rest.n == name.n;
    return skn_is_among(SKN_STR("world set,world tools"), name) ||
           !skn_begins_among(name,
                             "world ,config ,provider ,model ,serve,backup,fsck,doctor,chat");
}

static void add_place(skn_cli *cli, skn_buf *b, const skn_command *c, skn_str rest)
{
    bool inside = !strcmp(c->group, "Read") || !strcmp(c->group, "Change");

    if (!has_option(rest, "--data"))
        add_option(cli, b, "data", "--data=");
    add_option(cli, b, "db", "--db=");
    add_option(cli, b, "server", "--server=");
    add_option(cli, b, "config", "--config=");
    if (!is_in_world(c, rest))
        return;
    if (!has_option(rest, " -w "))
        add_option(cli, b, "world", "-w ");
    if (inside && strncmp(c->name, "inbox", 5) != 0 && !has_option(rest, " -c "))
        add_option(cli, b, "conversation", "-c ");
}

/* Is what stands here told as a command? Behind a quote, or as what follows a sentence. */
static bool is_told(const char *text, const char *at)
{
    if (at == text || at[-1] == '"' || at[-1] == '(')
        return true;
    return at[-1] == ' ' && at - text > 1 && strchr(":.;,?", at[-2]) != NULL;
}

static const char *whole_command(skn_cli *cli, const char *text, bool format)
{
    const char *at = text, *from = text;
    skn_buf     b, place;

    skn_buf_init(&b, LINE_MOST);
    skn_buf_init(&place, LINE_MOST);
    while ((at = strstr(at, "skein "))) {
        skn_str            rest = {at + 6, strcspn(at + 6, "\"\n")};
        const skn_command *c = is_told(text, at) ? command_at(rest) : NULL;

        at += 5;
        if (!c)
            continue;
        if (cli->inside && cli->inside(rest)) {
            skn_buf_add(&b, (skn_str){from, (size_t)(at - 5 - from)});
            skn_buf_addc(&b, '/');
            from = at + 1;
            continue;
        }
        skn_buf_add(&b, (skn_str){from, (size_t)(at - from)});
        skn_buf_clear(&place);
        add_place(cli, &place, c, rest);
        for (size_t i = 0; i < place.n; i++)
            skn_buf_add(&b, format && place.p[i] == '%' ? SKN_STR("%%")
                                                        : (skn_str){place.p + i, 1});
        from = at;
    }
    skn_buf_add(&b, skn_str_of(from));
    skn_buf_release(&place);
    return skn_buf_keep(&b, cli->keep).p;
}

static bool has_place(const skn_cli *cli)
{
    return given(cli, "data") || given(cli, "db") || given(cli, "server") ||
           given(cli, "config") || given(cli, "world") || given(cli, "conversation");
}

const char *skn_pasteable(skn_cli *cli, const char *text)
{
    return strstr(text, "skein ") && has_place(cli) ? whole_command(cli, text, false) : text;
}

const char *skn_pasteable_format(skn_cli *cli, const char *format)
{
    return strstr(format, "skein ") && has_place(cli) ? whole_command(cli, format, true)
                                                      : format;
}

/* --- The line that was typed ---------------------------------------------------------------- */

/* How many words from here on are an address that is not shown. */
static size_t hidden(const skn_cli *cli, size_t i)
{
    const char *word = cli->words[i];

    if (!strncmp(word, "--db=", 5))
        return is_secret(word + 5);
    if (!strcmp(word, "--db") && i + 1 < cli->word_count && is_secret(cli->words[i + 1]))
        return 2;
    return 0;
}

skn_str skn_typed_line(const skn_cli *cli)
{
    skn_buf b;

    skn_buf_init(&b, LINE_MOST);
    skn_buf_add(&b, SKN_STR("skein"));
    for (size_t i = 0, skip; i < cli->word_count; i += skip ? skip : 1)
        if (!(skip = hidden(cli, i)))
            skn_buf_addf(&b, " %.*s", SKN_FMT(skn_shell_word(cli->keep, cli->words[i])));
    return skn_buf_keep(&b, cli->keep);
}

static void add_part(skn_definition_parts *out, skn_str label, skn_str text, skn_arena *a)
{
    if (text.n)
        skn_vec_add(a, &out->parts,
                    ((skn_defined){skn_clean_consent(a, label), skn_clean_consent(a, text)}));
}

static const skn_json *given_of(const skn_json *item, const char *member)
{
    const skn_json *v = skn_json_get(item, member);

    return v && v->kind != SKN_JSON_NULL ? v : NULL;
}

skn_str skn_args_of(const skn_json *item)
{
    const skn_json *args = given_of(item, "args");

    return args ? args->raw : SKN_NONE;
}

void skn_definition_read(const skn_json *item, skn_arena *a, skn_definition_parts *out)
{
    const skn_json *state = given_of(item, "definitionState");
    const skn_json *v = given_of(item, "definition");

    *out = (skn_definition_parts){.why = NULL};
    if (!state || !state->text.n)
        return;
    out->why = skn_str_is(state->text, "new")
                   ? "This tool was not used here before. Its server's definition:"
                   : "The definition of this tool has changed since it was allowed. Its "
                     "server's definition now:";
    if (v && v->kind != SKN_JSON_OBJECT)
        add_part(out, SKN_STR("definition"), v->raw, a);
    for (const skn_json *m = v && v->kind == SKN_JSON_OBJECT ? v->first : NULL; m; m = m->next)
        add_part(out, m->key, m->kind == SKN_JSON_STRING ? m->text : m->raw, a);
}
