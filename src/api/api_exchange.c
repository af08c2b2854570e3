/* Exports, and imports of what a client sends. */
#include "api/call.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* An answer is made whole before it is sent, so that a slow client holds neither a worker nor a view of the store. The
 * command line writes larger exports in pieces. */
#define EXPORT_MOST ((size_t)64 << 20)

/* --- Export ------------------------------------------------------------------------------- */

static const struct {
    const char *type, *ending, *name;
} kinds[] = {
    [SKN_FORMAT_MD] = {"text/markdown; charset=utf-8", "md", "md"},
    [SKN_FORMAT_JSON] = {"application/json", "json", "json"},
    [SKN_FORMAT_JSONL] = {"application/jsonl", "jsonl", "jsonl"},
    [SKN_FORMAT_MERMAID] = {"text/vnd.mermaid; charset=utf-8", "mmd", "mermaid"},
    [SKN_FORMAT_HTML] = {"text/html; charset=utf-8", "html", "html"},
    [SKN_FORMAT_ARCHIVE] = {"application/vnd.skein", "skein", "skein"},
};

static skein_rc read_format(skn_api_call *c, skn_format otherwise, skn_export_request *req)
{
    skn_str  format = skn_call_query(c, "format"), lanes = skn_call_query(c, "delegations");
    skn_str  memory = skn_call_query(c, "memoryOnly");
    bool     keep = true;
    skein_rc rc;

    req->format = otherwise;
    if (format.p && !skn_format_from(format, &req->format))
        return skn_call_invalid(c, "/format",
                                "is none of md, json, jsonl, mermaid, html, skein");
    if (lanes.p && !skn_delegations_from(lanes, &req->delegations))
        return skn_call_invalid(c, "/delegations", "is none of summary, none and full");
    if ((rc = skn_call_query_flag(c, "redact", &req->redact)) ||
        (memory.p && (rc = skn_call_query_flag(c, "memoryOnly", &keep))))
        return rc;
    req->no_memory_only = !keep;
    return SKEIN_OK;
}

static skein_rc too_large(skn_api_call *c, const skn_export_request *req)
{
    skein_rc rc = skn_fail(&c->error, SKEIN_LIMIT, "this export has more than %zu MB",
                           EXPORT_MOST >> 20);

    return skn_hint(
        &c->error, rc,
        "Use \"skein export -w %.*s%s -f %s -o FILE\", with the --data or --db of the server.",
        SKN_FMT(c->world.name), req->conversation.v ? " -c CHAT" : " --whole-world",
        kinds[req->format].name);
}

static skein_rc answer_export(skn_api_call *c, const skn_export_request *req, skn_str name)
{
    skn_sink sink = c->pieces ? *c->pieces : skn_sink_buf(&c->out);
    skein_rc rc;

    c->out.limit = EXPORT_MOST;
    rc = skn_export(c->engine, req, &sink, &c->error);
    if (rc == SKEIN_LIMIT && !c->pieces)
        return too_large(c, req);
    if (rc)
        return rc;
    c->type = kinds[req->format].type;
    if (req->format ==
        SKN_FORMAT_HTML) /* a page of its own: it has its style in it, no scripts */
        skn_call_add_header(c, "Content-Security-Policy",
                            SKN_STR("default-src 'none'; style-src 'unsafe-inline'; "
                                    "img-src data:; frame-ancestors 'none'; sandbox"));
    skn_call_add_header(
        c, "Content-Disposition",
        skn_arena_printf(c->mem, "%s; filename=\"%.*s.%s\"",
                         req->format == SKN_FORMAT_ARCHIVE ? "attachment" : "inline",
                         SKN_FMT(name), kinds[req->format].ending));
    return SKEIN_OK;
}

skein_rc skn_api_export_world(skn_api_call *c)
{
    skn_export_request req = {.version = 0};
    skein_rc           rc = read_format(c, SKN_FORMAT_ARCHIVE, &req);

    if (rc)
        return rc;
    req.world = c->world.id;
    return answer_export(c, &req, c->world.name);
}

skein_rc skn_api_export_chat(skn_api_call *c)
{
    skn_export_request req = {.version = 0};
    skn_str            root = skn_call_query(c, "root"), thread = skn_call_query(c, "threadId");
    skein_message      m = {.id = {0}};
    skein_version      v = {.number = 0};
    skein_rc           rc;

    if ((rc = read_format(c, SKN_FORMAT_MD, &req)) ||
        (thread.p && (rc = skn_find_version(c, thread, &v))) ||
        (root.p && (rc = skn_find_message(c, root, &m))))
        return rc;
    req.conversation = c->chat.id;
    req.world = c->world.id;
    req.version = v.number;
    req.root = m.id;
    return answer_export(c, &req, c->chat.uid);
}

/* --- Import ------------------------------------------------------------------------------- */

/* The file that was sent, in a folder that is removed after reading. */
typedef struct upload {
    char folder[256], path[300];
} upload;

static skein_rc no_space(skn_api_call *c, int why)
{
    return skn_fail(&c->error, why == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                    "what was sent cannot be kept for reading: %s", strerror(why));
}

static skein_rc upload_open(skn_api_call *c, upload *u)
{
    const char *temp = getenv("TMPDIR");
    int         fd;
    skein_rc    rc;

    if (!temp || strlen(temp) > 200)
        temp = "/tmp";
    snprintf(u->folder, sizeof u->folder, "%s/skein-XXXXXX", temp);
    if (!mkdtemp(u->folder)) {
        u->folder[0] = '\0';
        return no_space(c, errno);
    }
    snprintf(u->path, sizeof u->path, "%s/imported", u->folder);
    fd = open(u->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return no_space(c, errno);
    rc = skn_fd_write(fd, c->body) ? SKEIN_OK : no_space(c, errno);
    if (close(fd) != 0 && rc == SKEIN_OK)
        rc = no_space(c, errno);
    return rc;
}

static void upload_close(upload *u)
{
    if (!u->folder[0])
        return;
    unlink(u->path);
    rmdir(u->folder);
}

/* The path of the temporary file is not told. */
static void hide_path(skn_api_call *c, const upload *u)
{
    skn_str   text = skn_arena_copy(c->mem, skn_str_of(c->error.message));
    skn_str   path = skn_str_of(u->path);
    ptrdiff_t at = path.n ? skn_str_find(text, path) : -1;

    if (at < 0)
        return;
    snprintf(c->error.message, sizeof c->error.message, "%.*sthe file%.*s", (int)at, text.p,
             SKN_FMT(skn_str_sub(text, (size_t)at + path.n, text.n)));
}

skein_rc skn_api_import_world(skn_api_call *c)
{
    skn_import_request req = {.as_name = skn_call_query(c, "name")};
    skn_import_report  report;
    upload             u = {.folder = ""};
    skn_str            name;
    skein_rc           rc;

    if ((rc = skn_call_query_flag(c, "dryRun", &req.dry_run)))
        return rc;
    if (!c->body.n)
        return skn_call_invalid(c, "", "is empty: send the file to import");
    if (req.as_name.p && skn_name_normal(req.as_name, c->mem, &name, &c->error))
        return skn_call_invalid(c, "/name", c->error.message);
    if (!(rc = upload_open(c, &u)))
        rc = skn_import(c->engine, u.path, &req, c->mem, &report, &c->error);
    upload_close(&u);
    if (rc) {
        hide_path(c, &u);
        return rc;
    }
    c->world.name = report.world;
    if (!req.dry_run) {
        atomic_fetch_add(&c->api->guessed, (unsigned long long)report.links_guessed);
        skn_api_location(c, 201, "%s", "");
    }
    skn_import_report_json(&report, skn_call_query(c, "filename"), req.dry_run, &c->w);
    return SKEIN_OK;
}
