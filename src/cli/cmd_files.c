#include "cli/commands.h"

#include "base/error.h"

static skein_rc file_out(skn_cli *cli, const skein_context_file *file, const char *what)
{
    if (cli->json) {
        skn_shape_file(skn_item(cli), file);
        return skn_item_end(cli);
    }
    skn_print_line(cli, file->path, 0);
    for (size_t i = 0; i < file->item_count; i++) {
        skn_print_raw(cli, i ? SKN_STR(", ") : SKN_STR("  "));
        skn_print_line(cli, file->items[i], 0);
    }
    skn_print(cli, "%s\n", what);
    return SKEIN_OK;
}

static skein_rc file_list(skn_cli *cli, skein_conversation *chat, skein_context_files *out)
{
    skein_world world;
    skein_rc    rc = skn_need_chat(cli, &world, chat);

    if (rc)
        return rc;
    return skein_context_file_list(cli->engine, chat->id, cli->keep, out, &cli->err);
}

int skn_cmd_files_ls(skn_cli *cli)
{
    skein_conversation  chat;
    skein_context_files files;
    skein_rc            rc = file_list(cli, &chat, &files);

    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < files.count && !rc; i++)
        rc = file_out(cli, &files.at[i], "");
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* Paths are below the folder the program was started in. */
static skein_rc read_parts(skn_cli *cli, const skein_context_file *file, skein_file_parts *out)
{
    skein_file_spec spec = {.path = file->path,
                            .read_full = file->item_count == 0,
                            .items = file->items,
                            .item_count = file->item_count};

    return skein_files_read(out, ".", &spec, 0, cli->keep, &cli->err);
}

int skn_cmd_files_add(skn_cli *cli)
{
    skein_world        world;
    skein_file_parts   parts;
    skein_conversation chat;
    skein_str         *items = SKN_ARRAY(cli->keep, cli->arg_count, skein_str);
    skein_context_file file = {skn_arg(cli, 0), items, cli->arg_count - 1};
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    for (size_t i = 1; i < cli->arg_count; i++)
        items[i - 1] = skn_arg(cli, i);
    if (!rc)
        rc = read_parts(cli, &file, &parts); /* what is not there gives a model nothing */
    if (!rc && !cli->dry_run)
        rc = skein_context_file_set(cli->engine, chat.id, &file, &cli->err);
    return rc ? (int)rc
              : (int)file_out(cli, &file, cli->dry_run ? "  (would be added)" : "  added");
}

static skein_rc file_named(skn_cli *cli, const skein_context_files *files,
                           skein_context_file *out)
{
    for (size_t i = 0; i < files->count; i++)
        if (skn_str_eq(files->at[i].path, skn_arg(cli, 0))) {
            *out = files->at[i];
            return SKEIN_OK;
        }
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%s\" is not a context file here", cli->args[0]);
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein files ls\" lists them");
}

int skn_cmd_files_rm(skn_cli *cli)
{
    skein_conversation  chat;
    skein_context_files files;
    skein_context_file  file;
    skein_rc            rc = file_list(cli, &chat, &files);

    if (rc || (rc = file_named(cli, &files, &file)))
        return (int)rc;
    if (!cli->dry_run &&
        (rc = skein_context_file_remove(cli->engine, chat.id, file.path, &cli->err)))
        return (int)rc;
    return (int)file_out(cli, &file, cli->dry_run ? "  (would be removed)" : "  removed");
}

static skein_rc content_item(skn_cli *cli, const skein_context_file *file,
                             const skein_file_parts *parts)
{
    skn_jw *w = skn_item(cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "path", file->path);
    skn_jw_key(w, "items");
    skn_jw_array(w);
    for (size_t i = 0; i < file->item_count; i++)
        skn_jw_str(w, file->items[i]);
    skn_jw_array_end(w);
    skn_jw_key(w, "content");
    skn_jw_array(w);
    for (size_t i = 0; i < parts->count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "item", parts->at[i].item);
        skn_jw_kint(w, "firstLine", (int64_t)parts->at[i].first_line);
        skn_jw_kint(w, "lastLine", (int64_t)parts->at[i].last_line);
        skn_jw_kstr(w, "text", parts->at[i].text);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return skn_item_end(cli);
}

static skein_rc file_content(skn_cli *cli, const skein_context_file *file)
{
    skein_file_parts parts;
    skein_rc         rc = read_parts(cli, file, &parts);

    if (rc)
        return rc;
    if (cli->json)
        return content_item(cli, file, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        skn_print_colour(cli, SKN_BOLD, file->path);
        skn_print(cli, ":%zu-%zu\n", parts.at[i].first_line, parts.at[i].last_line);
        skn_print_block(cli, parts.at[i].text, 0);
    }
    return SKEIN_OK;
}

int skn_cmd_files_show(skn_cli *cli)
{
    skein_conversation  chat;
    skein_context_files files;
    skein_context_file  file;
    skein_rc            rc = file_list(cli, &chat, &files);

    if (!rc && cli->arg_count) {
        if ((rc = file_named(cli, &files, &file)))
            return (int)rc;
        files = (skein_context_files){&file, 1};
    }
    if (!rc && cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; !rc && i < files.count; i++)
        rc = file_content(cli, &files.at[i]);
    if (cli->in_list)
        skn_list_done(cli, rc);
    return (int)rc;
}
