/* import_foreign.c: worlds of another program while they are read. */
#include "base/uid.h"
#include "base/utf8.h"
#include "exchange/import.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void skn_foreign_file_init(skn_foreign_file *file, skein_engine *e, skn_arena *a)
{
    *file = (skn_foreign_file){.e = e, .a = a};
    file->names = skn_map_new(a);
    file->ids = skn_map_new(a);
}

skn_foreign *skn_foreign_new(skn_foreign_file *file)
{
    skn_foreign *f = SKN_NEW(file->a, skn_foreign);

    *f = (skn_foreign){
        .file = file, .e = file->e, .a = file->a, .turn_limit = 8, .current_chat = -1};
    f->created_at = SKN_NOW();
    f->names = skn_map_new(f->a);
    f->taken = skn_map_new(f->a);
    f->chat_ids = skn_map_new(f->a);
    skn_vec_add(file->a, &file->worlds, f);
    return f;
}

void skn_foreign_note(skn_foreign_file *file, const char *fmt, ...)
{
    char    text[400];
    va_list args;

    if (file->notes.n >= SKN_IMPORT_NOTES)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    skn_vec_add(file->a, &file->notes,
                skn_arena_copy(file->a, skn_utf8_cut(skn_str_of(text), 399)));
}

/* --- Memory --- */

enum {
    ROWS_A_CHECK = 1024,
    /* The lists of messages double, are sorted into copies, and have ids, links and places in lanes. */
    ROW_BYTES = 2 * sizeof(skn_foreign_message) + 128
};

bool skn_foreign_fits(skn_foreign_file *file)
{
    if (file->rows++ % ROWS_A_CHECK == 0)
        file->starved = file->starved || !skn_heap_has(SKN_HEADROOM + file->rows * ROW_BYTES);
    return !file->starved;
}

skein_rc skn_import_starved(skein_error *err)
{
    return skn_fail(err, SKEIN_NO_MEMORY, "there is not enough memory for the import");
}

/* --- Names -------------------------------------------------------------------------------- */

skn_str skn_foreign_name(skn_str from, const char *otherwise, skn_arena *a)
{
    char  *p = SKN_ARRAY(a, SKN_NAME_MAX + 1, char);
    size_t n = 0;

    for (size_t i = 0; i < from.n && n < SKN_NAME_MAX - 8; i++) {
        char c = from.p[i];
        bool letter;

        c = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (letter || (n > 0 && (c == '-' || c == '_')))
            p[n++] = c;
        else if (n > 0 && p[n - 1] != '-')
            p[n++] = '-';
    }
    while (n > 0 && p[n - 1] == '-')
        n--;
    return n ? (skn_str){p, n} : skn_str_of(otherwise);
}

size_t *skn_foreign_number(void **slot, skn_arena *a, bool *made)
{
    *made = !*slot;
    if (*made)
        *slot = SKN_NEW(a, size_t);
    return *slot;
}

/* Equal names are numbered from where the last one ended, so that many cost no more than few. */
skn_str skn_foreign_free_name(skn_map *taken, skn_str wanted, skn_arena *a)
{
    bool    made;
    size_t *last = skn_foreign_number(skn_map_slot(taken, wanted), a, &made);
    skn_str name = wanted;

    while (!made) {
        name = skn_arena_printf(a, "%.*s-%zu", SKN_FMT(wanted), ++*last);
        if (!skn_map_get(taken, name))
            last = skn_foreign_number(skn_map_slot(taken, name), a, &made);
    }
    *last = 1;
    return name;
}

/* --- Agents ------------------------------------------------------------------------------- */

int64_t skn_foreign_agent_find(const skn_foreign *f, skn_str name)
{
    const size_t *index = name.p ? skn_map_get(f->names, name) : NULL;

    return index ? (int64_t)*index : -1;
}

/* "human" is the person. */
int64_t skn_foreign_agent_of(skn_foreign *f, skn_str name)
{
    int64_t           known = skn_foreign_agent_find(f, name);
    skn_foreign_agent agent = {.created_at = f->created_at};
    size_t            index = f->agents.n;

    if (known >= 0 || index >= SKN_IMPORT_AGENTS)
        return known;
    if (index == 0)
        skn_foreign_free_name(f->taken, SKN_STR("human"), f->a);
    agent.name = skn_foreign_free_name(f->taken, skn_foreign_name(name, "agent", f->a), f->a);
    skn_vec_add(f->a, &f->agents, agent);
    skn_foreign_alias(f, index, name.p ? name : SKN_STR(""));
    return (int64_t)index;
}

void skn_foreign_alias(skn_foreign *f, size_t agent, skn_str name)
{
    bool    made;
    size_t *index = skn_foreign_number(skn_map_slot(f->names, name), f->a, &made);

    if (made)
        *index = agent;
}

/* Says why something of an agent was left out. */
static void left_out(skn_foreign *f, size_t agent, const char *what, const char *why)
{
    skn_foreign_note(f->file, "agent \"%.*s\": %s was left out: %s",
                     SKN_FMT(f->agents.p[agent].name), what, why);
}

/* A number or a flag as it is written; absent when it is neither. */
static skn_str literal(const skn_json *v, const char *key)
{
    v = skn_json_get(v, key);
    return v && (v->kind == SKN_JSON_NUMBER || v->kind == SKN_JSON_BOOL) ? v->raw : SKN_NONE;
}

/* A number as JSON spells it, between bounds; all else is none. */
static bool is_number(skn_foreign *f, skn_str text, double least, double most)
{
    const skn_json *v;
    double          d;

    if (!text.n || text.n > 40 || skn_json_parse(&v, text, "it", f->a, NULL) ||
        v->kind != SKN_JSON_NUMBER)
        return false;
    d = strtod(skn_arena_copy(f->a, text).p, NULL);
    return isfinite(d) && d >= least && d <= most;
}

static void add_number(skn_foreign *f, skn_jw *w, const skn_json *config, const char *key,
                       double most, size_t agent)
{
    skn_str text = literal(config, key);

    if (!text.p)
        return;
    if (is_number(f, text, 0, most)) {
        skn_jw_kraw(w, key, text);
        return;
    }
    skn_foreign_note(f->file,
                     "agent \"%.*s\": its %s was left out: it is not a number up to %g",
                     SKN_FMT(f->agents.p[agent].name), key, most);
}

/* "autoReply" of agent-world tells whether "@sender" is put before an answer: here nothing is put there,
 * and the word means something else. */
static skn_str settings_of(skn_foreign *f, size_t agent, const skn_json *config, bool ours)
{
    skn_str auto_reply = ours ? literal(config, "autoReply") : SKN_NONE, json;
    skn_buf buf;
    skn_jw  w;

    skn_jw_open(&w, &buf, 4096);
    skn_jw_object(&w);
    add_number(f, &w, config, "temperature", 2, agent);
    add_number(f, &w, config, "maxTokens", (double)SKN_AGENT_TOKENS_MOST, agent);
    if (skn_str_is(auto_reply, "false") || skn_str_is(auto_reply, "0"))
        skn_jw_kbool(&w, "autoReply", false);
    skn_jw_object_end(&w);
    json = skn_buf_keep(&buf, f->a);
    return json.n > 2 ? json : SKN_NONE;
}

void skn_import_agent(skn_foreign *f, size_t index, const skn_json *config, bool ours)
{
    skn_foreign_agent *agent = &f->agents.p[index];
    skn_str            name = skn_json_str(config, "name");
    skn_str            prompt = skn_json_str(config, "systemPrompt");
    skn_str            provider = skn_json_str(config, "provider");
    skn_str            model = skn_json_str(config, "model");
    int64_t            created_at = skn_foreign_time(skn_json_get(config, "createdAt"));
    skein_error        why;

    if (prompt.n && skn_check_text(f->e, prompt, "the prompt", &why))
        left_out(f, index, "its prompt", why.message);
    else if (prompt.n)
        agent->system_prompt = prompt;
    if (model.n && provider.n)
        model = skn_arena_printf(f->a, "%.*s/%.*s", SKN_FMT(provider), SKN_FMT(model));
    if (model.n && skn_check_word(model, "the name", SKN_WORD_MAX, &why))
        left_out(f, index, "its model", why.message);
    else if (model.n)
        agent->model = model;
    agent->settings = settings_of(f, index, config, ours);
    if (created_at)
        agent->created_at = created_at;
    if (name.n && !skn_str_eq(name, agent->name))
        agent->shown = name;
}

/* --- Chats and the world ------------------------------------------------------------------ */

size_t skn_foreign_chat_new(skn_foreign *f, skn_str title)
{
    skn_foreign_chat chat = {.title = title, .created_at = f->created_at};

    skn_vec_add(f->a, &f->chats, chat);
    return f->chats.n - 1;
}

size_t skn_foreign_chat_of(skn_foreign *f, skn_str id)
{
    void  **slot = skn_map_slot(f->chat_ids, id.p ? id : SKN_STR(""));
    bool    made;
    size_t *index = skn_foreign_number(slot, f->a, &made);

    if (made) {
        *index = skn_foreign_chat_new(f, SKN_NONE);
        f->chats.p[*index].id = id;
    }
    return *index;
}

skn_str skn_foreign_title(skn_foreign *f, skn_str text)
{
    skn_str cut = skn_str_trim(skn_utf8_cut(text, SKN_TITLE_MAX));
    size_t  bad;
    char   *p;

    if (!cut.n || !skn_utf8_valid(cut, &bad))
        return SKN_NONE;
    p = SKN_ARRAY(f->a, cut.n + 1, char);
    for (size_t i = 0; i < cut.n; i++)
        p[i] = (unsigned char)cut.p[i] < 0x20 || cut.p[i] == 0x7f ? ' ' : cut.p[i];
    return (skn_str){p, cut.n};
}

void skn_import_chat(skn_foreign *f, const skn_json *chat)
{
    skn_str           id = skn_json_str(chat, "id");
    int64_t           created_at = skn_foreign_time(skn_json_get(chat, "createdAt"));
    size_t            index;
    skn_foreign_chat *to;

    if (!id.n)
        return;
    index = skn_foreign_chat_of(f, id);
    to = &f->chats.p[index];
    to->title = skn_foreign_title(f, skn_json_str(chat, "name"));
    if (created_at)
        to->created_at = created_at;
}

void skn_import_config(skn_foreign *f, const skn_json *config, skn_str otherwise)
{
    skn_str     id = skn_json_str(config, "id"), name = skn_json_str(config, "name");
    skn_str     description = skn_json_str(config, "description");
    int64_t     created_at = skn_foreign_time(skn_json_get(config, "createdAt")), turns;
    char        time[SKN_TIME_TEXT];
    skein_error why;

    if (!id.n)
        id = otherwise;
    if (!name.n)
        name = id;
    if (name.n)
        f->world = skn_foreign_name(name, "imported", f->a);
    if (description.n && !skn_check_text(f->e, description, "it", &why))
        f->description = description;
    else if (description.n)
        skn_foreign_note(f->file, "the description of world \"%.*s\" was left out: %s",
                         SKN_FMT(f->world), why.message);
    if (!skn_json_int(config, "turnLimit", 0, &turns, NULL) && turns > 0)
        f->turn_limit = turns;
    if (created_at)
        f->created_at = created_at;
    f->origin = skn_arena_printf(
        f->a, "agent-world\n%.*s\n%.*s", SKN_FMT(id.n ? id : name),
        SKN_FMT(created_at ? skn_time_format(created_at, time) : SKN_STR("")));
}

/* --- Hearing ------------------------------------------------------------------------------ */

/* Rows come agent by agent or message by message: either way the last one tells. */
bool skn_foreign_heard(skn_foreign *f, skn_foreign_message *m, size_t agent)
{
    size_t number = (size_t)(m - f->messages.p) + 1;

    if ((m->heard.n && m->heard.p[m->heard.n - 1] == agent) ||
        f->agents.p[agent].last_heard == number)
        return false;
    f->agents.p[agent].last_heard = number;
    skn_vec_add(f->a, &m->heard, agent);
    return true;
}

/* Ids for imported messages: the file's own, and where it has none, made ones.
 *
 * What is made for a world that can be told from all others follows from what it says, so that the
 * same file gets the same ids whenever and wherever it is imported. That is how a second import
 * finds that the world is there already. */

/* Ten characters of a digest, the first of them no sign. */
static skn_str id_of(skn_sha256 *hash, skn_arena *a)
{
    static const char letters[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    char  digits[SKN_SHA256_TEXT];
    char *id = SKN_ARRAY(a, SKN_UID_LEN + 1, char);

    skn_sha256_text(hash, digits);
    for (size_t i = 0; i < SKN_UID_LEN; i++) {
        unsigned value = 0;

        for (size_t k = 0; k < 4; k++) {
            char c = digits[i * 4 + k];

            value = value * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        id[i] = letters[value % (i ? 64 : 62)];
    }
    return (skn_str){id, SKN_UID_LEN};
}

static void add_part(skn_sha256 *hash, skn_str part)
{
    skn_sha256_add(hash, part);
    skn_sha256_add(hash, SKN_STR("\n"));
}

/* `which` of several that are the same in all else. */
static skn_str derived(const skn_foreign *f, const skn_foreign_message *m, size_t which)
{
    const skn_foreign_chat *chat = &f->chats.p[m->chat];
    skn_sha256              hash;

    skn_sha256_init(&hash);
    add_part(&hash, f->origin);
    add_part(&hash, chat->id.p ? chat->id : chat->title);
    add_part(&hash, m->m.sender);
    add_part(&hash, skn_arena_printf(f->a, "%lld %zu", (long long)m->place, which));
    add_part(&hash, m->m.content);
    return id_of(&hash, f->a);
}

static skn_str made(const skn_foreign *f, const skn_foreign_message *m, skn_map *equal)
{
    char    uid[SKN_UID_LEN + 1];
    size_t *which;
    bool    first;

    if (!f->origin.p) {
        skn_store_uid(f->e->store, uid);
        return skn_arena_copy(f->a, skn_str_of(uid));
    }
    which = skn_foreign_number(skn_map_slot(equal, derived(f, m, 0)), f->a, &first);
    return derived(f, m, (*which)++);
}

static void keep_or_make(skn_foreign *f, skn_foreign_message *m, skn_map *equal)
{
    skn_map *used = f->file->ids;

    if (m->had_id && skn_uid_valid(m->m.uid) && !skn_map_get(used, m->m.uid)) {
        f->report.ids_kept++;
    } else {
        if (m->had_id)
            skn_foreign_note(f->file, "id \"%.*s\" is %s and was replaced",
                             (int)(m->m.uid.n < 80 ? m->m.uid.n : 80), m->m.uid.p,
                             skn_uid_valid(m->m.uid) ? "there twice" : "no id here");
        do
            m->m.uid = made(f, m, equal);
        while (skn_map_get(used, m->m.uid));
        f->report.ids_made++;
    }
    *skn_map_slot(used, m->m.uid) = m;
}

void skn_foreign_ids(skn_foreign *f)
{
    skn_map   *equal = skn_map_new(f->a);
    skn_sha256 hash;

    for (size_t i = 0; i < f->messages.n; i++)
        keep_or_make(f, &f->messages.p[i], equal);
    if (!f->origin.p)
        return;
    skn_sha256_init(&hash);
    add_part(&hash, f->origin);
    add_part(&hash, f->messages.n ? f->messages.p[0].m.uid : SKN_STR(""));
    f->uid = id_of(&hash, f->a);
}
