/* import_folder.c: agent-world's worlds as folders. What lies in one:
 *
 *   config.json, mcp.json, edit-errors.json, chats/CHAT.json
 *   agents/AGENT/config.json, system-prompt.md, memory.json, archive/memory-TIME.json
 *
 * Worlds lie beside each other in one folder, or that folder has a database in it. */
#include "exchange/import.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- Files -------------------------------------------------------------------------------- */

static const char *inside(skn_foreign_file *file, const char *folder, const char *name)
{
    return skn_arena_text(file->a, "%s/%s", folder, name);
}

/* Is there such a file or folder? A link could lead to any file of the person who imports, and whatever else is not a file
 * could be read forever: a folder that has such a thing in its place is not imported. */
static skein_rc look_at_path(const char *path, bool folder, bool *there, skein_error *err)
{
    struct stat st;

    *there = lstat(path, &st) == 0;
    if (!*there && errno != ENOENT && errno != ENOTDIR)
        return skn_fail(err, SKEIN_IO, "cannot look at \"%s\": %s", path, strerror(errno));
    if (!*there || (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode)))
        return SKEIN_OK;
    return skn_fail_hint(
        err, SKEIN_DATA,
        folder ? "Put the folder itself there, or remove it; nothing was imported."
               : "Put the file itself there, or remove it; nothing was imported.",
        "\"%s\" is %s", path,
        S_ISLNK(st.st_mode) ? "a link, which is not followed"
        : folder            ? "not a folder"
                            : "not a file");
}

static bool is_folder(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

typedef struct names {
    const char **at;
    size_t       count;
} names;

/* What lies in a folder, by name; an absent folder is empty. */
static skein_rc list_folder(skn_foreign_file *file, const char *path, names *out,
                            skein_error *err)
{
    DIR           *dir;
    struct dirent *entry;
    skn_vec(const char *) found = {0};
    bool     there;
    skein_rc rc = look_at_path(path, true, &there, err);

    *out = (names){0};
    if (rc || !there)
        return rc;
    if (!(dir = opendir(path)))
        return skn_fail(err, SKEIN_IO, "cannot open \"%s\": %s", path, strerror(errno));
    while ((entry = readdir(dir)) && found.n <= SKN_IMPORT_VALUES)
        if (entry->d_name[0] != '.')
            skn_vec_add(file->a, &found, skn_arena_text(file->a, "%s", entry->d_name));
    closedir(dir);
    if (found.n > SKN_IMPORT_VALUES)
        return skn_fail(err, SKEIN_LIMIT, "there is too much in \"%s\"", path);
    if (found.n)
        qsort(found.p, found.n, sizeof *found.p, skn_by_name);
    *out = (names){found.p, found.n};
    return SKEIN_OK;
}

static void keep_folders(skn_foreign_file *file, const char *root, names *all)
{
    size_t n = 0;

    for (size_t i = 0; i < all->count; i++)
        if (is_folder(inside(file, root, all->at[i])))
            all->at[n++] = all->at[i];
    all->count = n;
}

/* *out is NULL when there is no such file. */
static skein_rc read_json(skn_foreign_file *file, const char *path, const skn_json **out,
                          skein_error *err)
{
    skn_buf     buf;
    skein_error cause;
    bool        there;
    skein_rc    rc = look_at_path(path, false, &there, err);

    *out = NULL;
    if (rc || !there)
        return rc;
    skn_buf_init(&buf, SKN_IMPORT_FILE);
    rc = skn_import_read(path, &buf, err);
    if (!rc &&
        skn_json_parse(out, skn_arena_copy(file->a, skn_buf_str(&buf)), path, file->a, &cause))
        rc = skn_fail(err, cause.rc == SKEIN_NO_MEMORY ? cause.rc : SKEIN_DATA,
                      "cannot import %s", cause.message);
    skn_buf_release(&buf);
    return rc;
}

/* --- One world ---------------------------------------------------------------------------- */

static skein_rc read_prompt(skn_foreign *f, const char *path, size_t agent, skein_error *err)
{
    skn_buf  buf;
    bool     there;
    skein_rc rc = look_at_path(path, false, &there, err);

    if (rc || !there)
        return rc;
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
    const char     *root = inside(f->file, path, "chats");
    const skn_json *chat;
    names           files;
    skein_rc        rc = list_folder(f->file, root, &files, err);

    for (size_t i = 0; !rc && i < files.count; i++) {
        if (!skn_str_ends(skn_str_of(files.at[i]), SKN_STR(".json")))
            continue;
        rc = read_json(f->file, inside(f->file, root, files.at[i]), &chat, err);
        if (!rc)
            skn_import_chat(f, chat);
    }
    return rc;
}

static skein_rc read_agent(skn_foreign *f, const char *folder, size_t agent, skein_error *err)
{
    const skn_json *config;
    skein_rc rc = read_json(f->file, inside(f->file, folder, "config.json"), &config, err);

    if (rc)
        return rc;
    skn_import_agent(f, agent, config, false);
    if (skn_json_str(config, "name").n)
        skn_foreign_alias(f, agent, skn_json_str(config, "name"));
    return read_prompt(f, inside(f->file, folder, "system-prompt.md"), agent, err);
}

/* An archived memory becomes a chat with its agent alone. */
static skein_rc read_archives(skn_memories *r, const char *folder, size_t agent,
                              skein_error *err)
{
    skn_foreign    *f = r->f;
    const char     *root = inside(f->file, folder, "archive");
    const skn_json *rows;
    names           files;
    skn_str         title;
    skein_rc        rc = list_folder(f->file, root, &files, err);

    for (size_t i = 0; !rc && i < files.count; i++) {
        rc = read_json(f->file, inside(f->file, root, files.at[i]), &rows, err);
        if (rc || !rows || rows->kind != SKN_JSON_ARRAY)
            continue;
        title = skn_arena_printf(f->a, "archived: %.*s, %s", SKN_FMT(f->agents.p[agent].name),
                                 files.at[i]);
        f->report.archives++;
        skn_import_memory(r, rows, agent,
                          (int64_t)skn_foreign_chat_new(f, skn_foreign_title(f, title)), true);
    }
    return rc;
}

static skein_rc read_memories(skn_foreign *f, const char *root, const names *folders,
                              skein_error *err)
{
    skn_memories    memories;
    const skn_json *rows;
    skein_rc        rc = SKEIN_OK;

    skn_memories_init(&memories, f);
    for (size_t i = 0; !rc && i < folders->count; i++) {
        const char *folder = inside(f->file, root, folders->at[i]);

        rc = read_json(f->file, inside(f->file, folder, "memory.json"), &rows, err);
        if (!rc)
            skn_import_memory(&memories, rows, i, -1, true);
    }
    for (size_t i = 0; !rc && i < folders->count; i++)
        rc = read_archives(&memories, inside(f->file, root, folders->at[i]), i, err);
    return rc;
}

static skein_rc check_link(const char *path, skein_error *err)
{
    bool        there;
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? look_at_path(path, true, &there, err)
                                                        : SKEIN_OK;
}

/* A folder's name is its agent's id. */
static skein_rc read_agents(skn_foreign *f, const char *path, skein_error *err)
{
    const char *root = inside(f->file, path, "agents");
    names       folders;
    skein_rc    rc = list_folder(f->file, root, &folders, err);

    for (size_t i = 0; !rc && i < folders.count; i++)
        rc = check_link(inside(f->file, root, folders.at[i]), err);
    keep_folders(f->file, root, &folders);
    for (size_t i = 0; !rc && i < folders.count; i++)
        if (skn_foreign_agent_of(f, skn_str_of(folders.at[i])) < 0)
            rc = skn_import_too_many(err);
    for (size_t i = 0; !rc && i < folders.count; i++)
        rc = read_agent(f, inside(f->file, root, folders.at[i]), i, err);
    return rc ? rc : read_memories(f, root, &folders, err);
}

static skein_rc read_world(skn_foreign_file *file, const char *path, skein_error *err)
{
    skn_foreign    *f = skn_foreign_new(file);
    const skn_json *config, *mcp, *edits;
    skein_rc        rc = read_json(file, inside(file, path, "config.json"), &config, err);

    f->no_links = true;
    if (rc || (rc = read_json(file, inside(file, path, "mcp.json"), &mcp, err)) ||
        (rc = read_json(file, inside(file, path, "edit-errors.json"), &edits, err)))
        return rc;
    skn_import_config(f, config, skn_import_base_name(path));
    if ((rc = read_chats(f, path, err)) || (rc = read_agents(f, path, err)))
        return rc;
    skn_import_extras(f, config, mcp);
    skn_import_edits(f, edits);
    skn_import_current(f, skn_json_str(config, "currentChatId"));
    return SKEIN_OK;
}

/* --- Which folder ------------------------------------------------------------------------- */

static skein_rc fail_folder(const char *path, skein_error *err)
{
    return skn_fail_hint(
        err, SKEIN_DATA,
        "Name the folder of one world, with config.json and agents/ in it, or the "
        "one that such folders or database.db are in.",
        "\"%s\" is not an agent-world folder", path);
}

static bool is_world(skn_foreign_file *file, const char *path)
{
    return is_folder(inside(file, path, "agents"));
}

static skein_rc read_worlds(skn_foreign_file *file, const char *path, skein_error *err)
{
    names    folders;
    skein_rc rc = list_folder(file, inside(file, path, "."), &folders,
                              err); /* which may be named by a link */

    keep_folders(file, path, &folders);
    for (size_t i = 0; !rc && i < folders.count; i++) {
        const char *world = inside(file, path, folders.at[i]);

        if (!is_world(file, world))
            continue;
        if (file->worlds.n >= SKN_IMPORT_WORLDS)
            return skn_fail(err, SKEIN_LIMIT, "there are more than %zu worlds in \"%s\"",
                            SKN_IMPORT_WORLDS, path);
        rc = read_world(file, world, err);
    }
    return rc;
}

skein_rc skn_import_folder(skn_foreign_file *file, const char *path, skein_error *err)
{
    const char *database = inside(file, path, "database.db");
    bool        there;
    skein_rc    rc = look_at_path(database, false, &there, err);

    if (rc)
        return rc;
    file->form = SKN_STR("agent-world folder");
    if (is_world(file, path))
        return read_world(file, path, err);
    if ((rc = read_worlds(file, path, err)))
        return rc;
    if (file->worlds.n == 0)
        return there ? skn_import_agentworld(file, database, err) : fail_folder(path, err);
    if (there)
        skn_foreign_note(file, "\"%s\" was not read: import it by itself", database);
    return SKEIN_OK;
}
