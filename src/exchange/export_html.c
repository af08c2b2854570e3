/* export_html.c: one page that needs nothing else: no scripts, no other files, light or dark as
 * the reader's system is. Everything that was said is escaped. */
#include "base/clean.h"
#include "base/clock.h"
#include "exchange/export.h"
#include "exchange/markup.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n";

extern const char skn_export_css[]; /* made from export.css */

/* A text begins on its own line: a page drops one line end there, which is then not the
 * text's. */
static void add_pre(skn_buf *out, const char *kind, skn_str text)
{
    if (text.n == 0)
        return;
    skn_buf_addf(out, "<pre class=\"%s\" dir=\"auto\">\n", kind);
    skn_clean_html(out, text);
    skn_buf_addf(out, "</pre>\n");
}

/* What people and agents say is Markdown; what tools give is not. */
static void add_text(skn_exporter *x, const skein_message *m)
{
    bool    tool = m->role == SKEIN_TOOL;
    skn_buf html;

    if (m->content.n == 0)
        return;
    skn_buf_init(&html, x->out.limit);
    if (!tool && skn_markup_html(x->form, m->content, &html)) {
        skn_buf_addf(&x->out, "<div class=\"text\" dir=\"auto\">\n");
        skn_buf_add(&x->out, skn_buf_str(&html));
        skn_buf_addf(&x->out, "</div>\n");
    } else {
        add_pre(&x->out, tool ? "code" : "text", m->content);
    }
    skn_buf_release(&html);
}

static void add_files(skn_exporter *x, const skein_message *m)
{
    skein_attachments files = skn_export_files(x, m);

    for (size_t i = 0; i < files.count; i++) {
        skn_buf_addf(&x->out, "<p class=\"meta\"><a href=\"/worlds/");
        skn_clean_html(&x->out, x->world.name);
        skn_buf_addf(&x->out, "/files/%.*s\">", SKN_FMT(files.at[i].id));
        skn_clean_html(&x->out, files.at[i].name);
        skn_buf_addf(&x->out, "</a></p>\n");
    }
}

/* A text with HTML around it. */
static void add_around(skn_buf *out, const char *before, skn_str text, const char *after)
{
    skn_buf_addf(out, "%s", before);
    skn_clean_html(out, text);
    skn_buf_addf(out, "%s", after);
}

static void add_meta(skn_buf *out, const char *what, skn_str text)
{
    if (text.n == 0)
        return;
    skn_buf_addf(out, "<p class=\"meta\">");
    add_around(out, what, text, "</p>\n");
}

/* --- An entry ----------------------------------------------------------------------------- */

/* Branches share messages: where several chats are on one page, each has anchors of its own. */
static void add_anchor(skn_exporter *x, skn_str uid)
{
    if (x->chats.count > 1)
        add_around(&x->out, "", x->chat.uid, "-");
    add_around(&x->out, "m-", uid, "");
}

static const char *const words[] = {"", "", "tool", "summary", "notice"};

static skein_rc add_reply(skn_exporter *x, const skein_message *m, const skein_message_facts *f,
                          skein_error *err)
{
    skn_str  to, parent;
    skein_rc rc = skn_export_reply(x, m, f, &parent, &to, err);

    if (rc || !parent.p)
        return rc;
    if (!to.p) {
        skn_buf_addf(&x->out, " · replying to a message that is not here");
        return SKEIN_OK;
    }
    skn_buf_addf(&x->out, " · <a href=\"#");
    add_anchor(x, parent);
    add_around(&x->out, "\">replying to ", skn_str_is(to, "human") ? SKN_STR("you") : to,
               "</a>");
    return SKEIN_OK;
}

static skein_rc add_head(skn_exporter *x, const skein_message *m, const skein_message_facts *f,
                         skein_error *err)
{
    skn_buf *out = &x->out;
    char     time[SKN_TIME_TEXT], when[SKN_EXPORT_WHEN];
    skein_rc rc;

    skn_buf_addf(out, "<li id=\"");
    add_anchor(x, m->uid);
    skn_buf_addf(out, "\" class=\"%s\">\n<div><strong>", skein_role_name(m->role));
    skn_clean_html(out, skn_str_is(m->sender, "human") ? SKN_STR("you") : m->sender);
    skn_buf_addf(out, "</strong> <span class=\"meta\">%s", words[m->role]);
    for (size_t i = 0; m->role == SKEIN_USER && i < f->seen_by_count; i++)
        add_around(out, i ? ", " : " → ", f->seen_by[i], "");
    if ((rc = add_reply(x, m, f, err)))
        return rc;
    skn_export_marks(x, " · ", m, f);
    skn_buf_addf(out, " · <time datetime=\"%.*s\">%.*s</time>",
                 SKN_FMT(skn_time_format(m->created_at, time)),
                 SKN_FMT(skn_export_when(m->created_at, when)));
    skn_buf_addf(out, " · <code>%.*s</code></span></div>\n", SKN_FMT(m->uid));
    return SKEIN_OK;
}

static void add_calls(skn_buf *out, const skein_message *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        add_around(out, "<p class=\"meta\">calls <code>", m->calls[i].tool_name, "</code> as ");
        add_around(out, "<code>", m->calls[i].call_id, "</code></p>\n");
        add_pre(out, "code", m->calls[i].args);
    }
}

static void add_body(skn_exporter *x, const skein_message *m)
{
    skn_buf *out = &x->out;

    if (m->purged) {
        add_meta(out, "", SKN_STR("[erased]"));
        return;
    }
    if (x->req->redact)
        skn_buf_addf(out, "<p class=\"meta\">[%zu bytes]</p>\n", x->bytes);
    add_pre(out, "thinking", m->thinking);
    add_text(x, m);
    add_files(x, m);
    add_calls(out, m);
    for (size_t i = 0; i < m->instruction_count; i++)
        add_meta(out, "tag: ", m->instructions[i].type);
    add_meta(out, m->tool_failed ? "failed result of " : "result of ", m->tool_call_id);
    add_meta(out, "model: ", skn_export_model(m->model));
    add_meta(out, "note: ", m->warning);
}

static skein_rc add_entry(void *arg, const skein_message *m, const skein_message_facts *f,
                          skein_error *err)
{
    skn_exporter *x = arg;
    skein_rc      rc = add_head(x, m, f, err);

    if (rc)
        return rc;
    add_body(x, m);
    skn_buf_addf(&x->out, "</li>\n");
    return SKEIN_OK;
}

/* --- The page ----------------------------------------------------------------------------- */

static skein_rc add_delegations(skn_exporter *x, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < x->lanes.count; i++) {
        const skein_lane *lane = &x->lanes.at[i];

        add_around(&x->out, "<h2>Delegation ", lane->key, "</h2>\n");
        skn_buf_addf(&x->out, "<p class=\"meta\">%s, %lld messages",
                     skn_lane_state_name(lane->state), (long long)lane->length);
        if (lane->spawn_call_id.n)
            add_around(&x->out, ", call ", lane->spawn_call_id, "");
        skn_buf_addf(&x->out, "</p>\n");
        if (x->req->delegations != SKN_DELEGATIONS_FULL)
            continue;
        skn_buf_addf(&x->out, "<ol>\n");
        rc = skn_export_messages(x, lane->key, add_entry, x, err);
        skn_buf_addf(&x->out, "</ol>\n");
    }
    return rc;
}

static skein_rc write_chat(skn_exporter *x, skein_error *err)
{
    char     time[SKN_TIME_TEXT];
    skein_rc rc;

    add_around(&x->out, "<header>\n<h1 dir=\"auto\">", skn_export_title(x, x->mem), "</h1>\n");
    add_around(&x->out, "<p>", x->world.name, "");
    skn_buf_addf(&x->out,
                 " · version v%lld · %lld messages · exported %.*s by skein %s · "
                 "times in UTC</p>\n",
                 (long long)x->version.number, (long long)x->version.length,
                 SKN_FMT(skn_time_format(x->now, time)), skein_version_text());
    skn_buf_addf(&x->out, "</header>\n<ol>\n");
    rc = skn_export_messages(x, SKN_NONE, add_entry, x, err);
    skn_buf_addf(&x->out, "</ol>\n");
    return rc ? rc : add_delegations(x, err);
}

static skein_rc html_begin(skn_exporter *x, skein_error *err)
{
    union {
        const skn_markup *reader;
        void             *kept;
    } form = {.reader = skn_markup_load(x->mem)};

    (void)err;
    x->form = form.kept;
    skn_buf_addf(&x->out, "%s", head);
    add_around(&x->out, "<title>", x->world.name, "</title>\n");
    skn_buf_addf(&x->out, "<style>\n%s</style>\n</head>\n<body>\n", skn_export_css);
    return SKEIN_OK;
}

static skein_rc html_end(skn_exporter *x, skein_error *err)
{
    (void)err;
    skn_buf_addf(&x->out, "</body>\n</html>\n");
    return SKEIN_OK;
}

const skn_export_form skn_export_html = {html_begin, write_chat, html_end};
