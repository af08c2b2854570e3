/* import_world.c: agent-world. It keeps no message of its own: every agent that heard one has a
 * copy in its memory, with the same id or, in old worlds, with none. The copies become one
 * message that several agents heard. Its rows are ordered by time, within what each memory's
 * own order says. */
#include "engine/import.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct reading {
    skn_foreign *f;
    skn_map     *by_id;   /* (chat, id) -> index + 1 of the message */
    skn_map     *by_text; /* of rows without id: (chat, sender, time, text) -> the same */
} reading;

static void reading_init(reading *r, skn_foreign *f)
{
    *r = (reading){f, skn_map_new(f->a), skn_map_new(f->a)};
}

/* --- A row of a memory -------------------------------------------------------------------- */

static bool is_human(skn_str sender)
{
    return !sender.n || skn_str_is(sender, "human") || skn_str_is(sender, "HUMAN") ||
           skn_str_is(sender, "user");
}

/* In its author's memory a message is the assistant's, in all others a user's: here it is what
 * it was to its author. */
static void set_sender(skn_foreign *f, skn_foreign_message *m, size_t owner)
{
    skn_str sender = m->m.sender;

    m->author = -1;
    if (m->m.role == SKEIN_ASSISTANT || m->m.role == SKEIN_TOOL)
        m->author = (int64_t)owner;
    else if (m->m.role == SKEIN_USER && !is_human(sender))
        m->author = skn_foreign_agent_find(f, sender);
    if (m->m.role == SKEIN_USER && m->author >= 0)
        m->m.role = SKEIN_ASSISTANT;
    if (m->author >= 0)
        m->m.sender = f->agents.p[m->author].name;
    else if (m->m.role == SKEIN_USER && is_human(sender))
        m->m.sender = SKN_STR("human");
    else if (!sender.n)
        m->m.sender = SKN_STR("system");
}

static size_t *find_copy(reading *r, const skn_foreign_message *m, void ***slot)
{
    skn_arena *a = r->f->a;

    if (m->m.uid.n)
        *slot = skn_map_slot(r->by_id,
                             skn_arena_printf(a, "%zu %.*s", m->chat, SKN_FMT(m->m.uid)));
    else
        *slot = skn_map_slot(
            r->by_text, skn_arena_printf(a, "%zu %.*s %lld %.*s", m->chat, SKN_FMT(m->m.sender),
                                         (long long)m->m.created_at, SKN_FMT(m->m.content)));
    return **slot;
}

/* The same id with another text is another message; so is the same text twice in one memory. */
static bool is_copy(const skn_foreign_message *known, const skn_foreign_message *m,
                    size_t owner)
{
    bool again = known->heard.n && known->heard.p[known->heard.n - 1] == owner;

    return skn_str_eq(known->m.content, m->m.content) && (m->m.uid.n || !again);
}

static void add_message(reading *r, skn_foreign_message *m, size_t owner)
{
    skn_foreign         *f = r->f;
    void               **slot;
    size_t              *known = find_copy(r, m, &slot);
    skn_foreign_message *to;

    if (known && is_copy(&f->messages.p[*known], m, owner)) {
        to = &f->messages.p[*known];
        f->report->copies++;
        if (!to->m.reply_to.n)
            to->m.reply_to = m->m.reply_to;
        if (m->place < to->place)
            to->place = m->place;
    } else {
        if (!known) {
            *slot = known = SKN_NEW(f->a, size_t);
            *known = f->messages.n;
        }
        skn_vec_add(f->a, &f->messages, *m);
        to = &f->messages.p[f->messages.n - 1];
    }
    if (to->m.role != SKEIN_SYSTEM)
        skn_foreign_heard(f, to, owner);
}

static void add_row(reading *r, const skn_json *row, size_t owner, const char *what,
                    int64_t *place)
{
    skn_foreign        *f = r->f;
    skn_foreign_message m = {.author = -1, .parent = -1};
    const char         *why;
    skein_error         cause;

    skn_foreign_row(f, row, what, &m.m, &why);
    if (!why) {
        set_sender(f, &m, owner);
        if (m.m.role != SKEIN_TOOL)
            m.m.tool_call_id = SKN_NONE;
        if (!skn_foreign_checks(f, &m.m, &cause))
            why = cause.message;
    }
    if (why) {
        f->report->dropped++;
        skn_foreign_note(f, "%s was dropped: %s", what, why);
        return;
    }
    m.chat = skn_foreign_chat_of(f, skn_foreign_text(row, "chatId"));
    if (m.m.created_at > *place)
        *place =
            m.m.created_at; /* a row without a time, or back in time, stays behind the last */
    m.place = *place;
    if (!m.m.created_at)
        m.m.created_at = *place ? *place : f->created_at;
    add_message(r, &m, owner);
}

static void add_memory(reading *r, const skn_json *memory, size_t owner)
{
    int64_t place = 0, number = 0;
    skn_str name = r->f->agents.p[owner].name;

    for (const skn_json *row = memory ? memory->first : NULL; row; row = row->next)
        add_row(r, row, owner,
                skn_arena_printf(r->f->a, "row %lld of \"%.*s\"", (long long)++number,
                                 SKN_FMT(name))
                    .p,
                &place);
}

/* --- Agents, chats, the world ------------------------------------------------------------- */

/* An agent goes by its id and by its name; both lead to the same. */
static int64_t add_agent(skn_foreign *f, const skn_json *config, skn_str id)
{
    skn_str            name = skn_foreign_text(config, "name");
    int64_t            index = skn_foreign_agent_of(f, id.n ? id : name);
    skn_foreign_agent *agent;
    void             **slot;

    if (index < 0)
        return -1;
    agent = &f->agents.p[index];
    if (name.n && !*(slot = skn_map_slot(f->names, name))) {
        size_t *same = SKN_NEW(f->a, size_t);

        *same = (size_t)index;
        *slot = same;
    }
    agent->system_prompt = skn_foreign_text(config, "systemPrompt");
    agent->model = skn_foreign_text(config, "model");
    if (skn_foreign_text(config, "provider").n && agent->model.n)
        agent->model = skn_arena_printf(f->a, "%.*s/%.*s",
                                        SKN_FMT(skn_foreign_text(config, "provider")),
                                        SKN_FMT(agent->model));
    if (skn_foreign_time(skn_json_get(config, "createdAt")))
        agent->created_at = skn_foreign_time(skn_json_get(config, "createdAt"));
    return index;
}

static void add_chat(skn_foreign *f, const skn_json *chat)
{
    skn_str id = skn_foreign_text(chat, "id"), title = skn_foreign_text(chat, "name");
    size_t  index;
    int64_t at = skn_foreign_time(skn_json_get(chat, "createdAt"));

    if (!id.n)
        return;
    index = skn_foreign_chat_of(f, id);
    f->chats.p[index].title = title.n && title.n <= SKN_TITLE_MAX ? title : SKN_NONE;
    if (at)
        f->chats.p[index].created_at = at;
}

static void add_config(skn_foreign *f, const skn_json *config)
{
    skn_str name = skn_foreign_text(config, "name");
    int64_t turns, at = skn_foreign_time(skn_json_get(config, "createdAt"));

    if (!name.n)
        name = skn_foreign_text(config, "id");
    if (name.n)
        f->world = skn_foreign_name(name, "imported", f->a);
    f->description = skn_foreign_text(config, "description");
    if (!skn_json_int(config, "turnLimit", 8, &turns, NULL) && turns > 0)
        f->turn_limit = turns;
    if (at)
        f->created_at = at;
}

static void set_current(skn_foreign *f, const skn_json *config)
{
    skn_str       id = skn_foreign_text(config, "currentChatId");
    const size_t *index = id.n ? skn_map_get(f->chat_ids, id) : NULL;

    if (index)
        f->current_chat = (int64_t)*index;
}

/* --- As one document ---------------------------------------------------------------------- */

static const skn_json *memory_of(const skn_json *agent)
{
    const skn_json *memory = skn_json_get(agent, "memory");

    if (!memory)
        memory = skn_json_get(agent, "messages");
    return memory && memory->kind == SKN_JSON_ARRAY ? memory : NULL;
}

bool skn_import_is_world(const skn_json *doc)
{
    const skn_json *agents = skn_json_get(doc, "agents");

    for (const skn_json *a = agents ? agents->first : NULL; a; a = a->next)
        if (memory_of(a))
            return true;
    return false;
}

skein_rc skn_import_world(skn_foreign *f, const skn_json *doc, skein_error *err)
{
    const skn_json *config = skn_json_get(doc, "world"), *list;
    reading         r;
    int64_t         agent;

    reading_init(&r, f);
    add_config(f, config ? config : doc);
    list = skn_json_get(doc, "chats");
    for (const skn_json *c = list ? list->first : NULL; c; c = c->next)
        add_chat(f, c);
    list = skn_json_get(doc, "agents");
    for (const skn_json *a = list->first; a; a = a->next)
        if (add_agent(f, a, skn_foreign_text(a, "id")) < 0)
            return skn_fail(err, SKEIN_LIMIT, "the world has more than %zu agents",
                            SKN_IMPORT_AGENTS);
    for (const skn_json *a = list->first; a; a = a->next) {
        skn_str id = skn_foreign_text(a, "id");

        agent = skn_foreign_agent_find(f, id.n ? id : skn_foreign_text(a, "name"));
        if (agent >= 0)
            add_memory(&r, memory_of(a), (size_t)agent);
    }
    set_current(f, config ? config : doc);
    return SKEIN_OK;
}

/* --- As a folder -------------------------------------------------------------------------- */

static const char *inside(skn_foreign *f, const char *folder, const char *name)
{
    return skn_arena_printf(f->a, "%s/%s", folder, name).p;
}

static bool exists(const char *path, bool folder)
{
    struct stat st;

    return stat(path, &st) == 0 && (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode));
}

typedef struct names {
    const char **at;
    size_t       count;
} names;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What lies in a folder, by name; an absent folder is empty. */
static skein_rc list_folder(skn_foreign *f, const char *path, names *out, skein_error *err)
{
    DIR           *dir = opendir(path);
    struct dirent *entry;
    skn_vec(const char *) found = {0};

    *out = (names){0};
    if (!dir && errno == ENOENT)
        return SKEIN_OK;
    if (!dir)
        return skn_fail(err, SKEIN_IO, "cannot open \"%s\": %s", path, strerror(errno));
    while ((entry = readdir(dir)) && found.n < SKN_IMPORT_AGENTS)
        if (entry->d_name[0] != '.')
            skn_vec_add(f->a, &found, skn_arena_printf(f->a, "%s", entry->d_name).p);
    closedir(dir);
    if (found.n)
        qsort(found.p, found.n, sizeof *found.p, compare_names);
    *out = (names){found.p, found.n};
    return SKEIN_OK;
}

/* *out is NULL when there is no such file. */
static skein_rc read_json(skn_foreign *f, const char *path, const skn_json **out,
                          skein_error *err)
{
    skn_buf     buf;
    skein_error cause;
    skein_rc    rc;

    *out = NULL;
    if (!exists(path, false))
        return SKEIN_OK;
    skn_buf_init(&buf, SKN_IMPORT_FILE);
    rc = skn_import_read(path, &buf, err);
    if (!rc && skn_json_parse(out, skn_arena_copy(f->a, skn_buf_str(&buf)), path, f->a, &cause))
        rc = skn_fail(err, SKEIN_DATA, "cannot import %s", cause.message);
    skn_buf_release(&buf);
    return rc;
}

static skein_rc read_prompt(skn_foreign *f, const char *path, size_t agent, skein_error *err)
{
    skn_buf  buf;
    skein_rc rc;

    if (!exists(path, false))
        return SKEIN_OK;
    skn_buf_init(&buf, f->e->max_text);
    rc = skn_import_read(path, &buf, err);
    if (!rc)
        rc = skn_check_text(f->e, skn_buf_str(&buf), path, err);
    if (!rc && buf.n)
        f->agents.p[agent].system_prompt = skn_arena_copy(f->a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return rc;
}

static skein_rc read_chats(skn_foreign *f, const char *path, skein_error *err)
{
    const skn_json *chat;
    names           files;
    skein_rc        rc = list_folder(f, inside(f, path, "chats"), &files, err);

    for (size_t i = 0; !rc && i < files.count; i++) {
        if (!skn_str_ends(skn_str_of(files.at[i]), SKN_STR(".json")))
            continue;
        rc = read_json(f, inside(f, inside(f, path, "chats"), files.at[i]), &chat, err);
        if (!rc)
            add_chat(f, chat);
    }
    return rc;
}

static skein_rc read_agent(skn_foreign *f, const char *folder, const char *name, size_t *out,
                           skein_error *err)
{
    const skn_json *config;
    int64_t         agent;
    skein_rc        rc = read_json(f, inside(f, folder, "config.json"), &config, err);

    if (rc)
        return rc;
    agent = add_agent(f, config, skn_str_of(name));
    if (agent < 0)
        return skn_fail(err, SKEIN_LIMIT, "the world has more than %zu agents",
                        SKN_IMPORT_AGENTS);
    *out = (size_t)agent;
    return read_prompt(f, inside(f, folder, "system-prompt.md"), *out, err);
}

static void keep_folders(skn_foreign *f, const char *root, names *all)
{
    size_t n = 0;

    for (size_t i = 0; i < all->count; i++)
        if (exists(inside(f, root, all->at[i]), true))
            all->at[n++] = all->at[i];
    all->count = n;
}

static skein_rc read_agents(reading *r, const char *path, skein_error *err)
{
    skn_foreign    *f = r->f;
    const char     *root = inside(f, path, "agents");
    const skn_json *memory;
    names           folders;
    size_t         *agents;
    skein_rc        rc = list_folder(f, root, &folders, err);

    keep_folders(f, root, &folders);
    agents = SKN_ARRAY(f->a, folders.count, size_t);
    for (size_t i = 0; !rc && i < folders.count; i++)
        rc = read_agent(f, inside(f, root, folders.at[i]), folders.at[i], &agents[i], err);
    for (size_t i = 0; !rc && i < folders.count; i++) {
        rc = read_json(f, inside(f, inside(f, root, folders.at[i]), "memory.json"), &memory,
                       err);
        if (!rc)
            add_memory(r, memory, agents[i]);
    }
    return rc;
}

static skein_rc fail_folder(const char *path, skein_error *err)
{
    skein_rc rc = skn_fail(err, SKEIN_DATA, "\"%s\" is no agent-world folder", path);

    return skn_hint(err, rc,
                    "Name the folder of one world: it has config.json and agents/ in it.");
}

skein_rc skn_import_folder(skn_foreign *f, const char *path, skein_error *err)
{
    const skn_json *config;
    reading         r;
    skein_rc        rc;

    if (!exists(inside(f, path, "agents"), true))
        return fail_folder(path, err);
    reading_init(&r, f);
    f->report->form = SKN_STR("agent-world folder");
    if ((rc = read_json(f, inside(f, path, "config.json"), &config, err)))
        return rc;
    add_config(f, config);
    if ((rc = read_chats(f, path, err)) || (rc = read_agents(&r, path, err)))
        return rc;
    set_current(f, config);
    return SKEIN_OK;
}
