/* What was said last, as a page for browsers without JavaScript. It only shows. */
#include "base/clean.h"
#include "base/clock.h"
#include "base/url.h"
#include "base/utf8.h"
#include "http/inside.h"
#include "http/served.h"
#include "http/web.h"

enum { MESSAGES = 200, TEXT_MOST = 20000 };

static void begin(skn_api_call *c, skn_str title)
{
    c->type = "text/html; charset=utf-8";
    skn_buf_add(&c->out, SKN_STR("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                                 "<meta name=\"viewport\" content=\"width=device-width, "
                                 "initial-scale=1\"><title>skein"));
    if (title.n) {
        skn_buf_add(&c->out, SKN_STR(": "));
        skn_clean_html(&c->out, title);
    }
    skn_buf_add(&c->out, SKN_STR("</title>\n"));
}

/* With a line for a line: a policy that forbids styles leaves no other way to keep them and fold
 * long ones. */
static void show_text(skn_buf *out, skn_str text)
{
    skn_str line, shown = skn_utf8_cut(text, TEXT_MOST);
    size_t  left = text.n - shown.n;

    while (skn_str_split(&shown, '\n', &line)) {
        skn_clean_html(out, line);
        skn_buf_add(out, SKN_STR("<br>\n"));
    }
    if (left)
        skn_buf_addf(out, "<em>… and %zu bytes more</em>", left);
}

static void show_message(skn_buf *out, const skein_message *m)
{
    char    text[SKN_TIME_TEXT];
    skn_str when = skn_time_format(m->created_at, text);

    skn_buf_add(out, SKN_STR("<article id=\"m-"));
    skn_clean_html(out, m->uid);
    skn_buf_add(out, SKN_STR("\">\n<h3>"));
    skn_clean_html(out, m->sender);
    skn_buf_addf(out, " <small><time datetime=\"%.*s\">%.16s</time> UTC</small></h3>\n<p>",
                 SKN_FMT(when), when.p);
    if (m->purged)
        skn_buf_add(out, SKN_STR("<em>erased</em>"));
    show_text(out, m->content);
    if (m->unfinished)
        skn_buf_addf(out, " <em>%s</em>", skein_unfinished_words(m->unfinished));
    for (size_t i = 0; i < m->call_count; i++) {
        skn_buf_add(out, SKN_STR("<em>uses "));
        skn_clean_html(out, m->calls[i].tool_name);
        skn_buf_add(out, SKN_STR("</em><br>\n"));
    }
    skn_buf_add(out, SKN_STR("</p>\n</article>\n"));
}

static skein_rc show_chat(skn_api_call *c)
{
    skein_slice    what = {.conversation = c->chat.id, .from = -MESSAGES};
    skein_messages list;
    skein_at       at;
    skein_rc       rc = skein_read(c->engine, &what, c->mem, &list, &at, &c->error);

    if (rc)
        return rc;
    skn_buf_add(&c->out, SKN_STR("<h2>"));
    skn_clean_html(&c->out, c->chat.title.n ? c->chat.title : c->chat.uid);
    skn_buf_add(&c->out, SKN_STR("</h2>\n<p>"));
    if (list.count)
        skn_buf_addf(&c->out, "The last %zu of %lld messages, oldest first.", list.count,
                     (long long)c->chat.length);
    else
        skn_buf_add(&c->out, SKN_STR("Nothing was said here."));
    skn_buf_add(&c->out, SKN_STR("</p>\n"));
    for (size_t i = 0; i < list.count; i++)
        show_message(&c->out, &list.at[i]);
    return SKEIN_OK;
}

/* Names of worlds are plain words: see engine.h. */
static void show_commands(skn_api_call *c, skn_str world)
{
    static const struct {
        const char *command, *what;
    } known[] = {
        {"skein chat", "talk to its agents"},
        {"skein log --follow", "read along"},
        {"skein inbox ls", "what agents ask and tell you"},
        {"skein tree", "who answered what"},
        {"skein history", "every version there is"},
        {"skein help", "everything else"},
    };

    skn_buf_add(&c->out, SKN_STR("<h2>In a terminal</h2>\n<dl>\n"));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bool about = world.n && i + 1 < sizeof known / sizeof known[0];

        skn_buf_addf(&c->out, "<dt><code>%s%s", known[i].command, about ? " --world " : "");
        if (about)
            skn_clean_html(&c->out, world);
        skn_buf_addf(&c->out, "</code><dd>%s\n", known[i].what);
    }
    skn_buf_add(&c->out, SKN_STR("</dl>\n</html>\n"));
}

static skein_rc list_worlds(skn_api_call *c)
{
    skein_worlds worlds;
    skein_rc     rc = skein_world_list(c->engine, c->mem, &worlds, &c->error);

    if (rc)
        return rc;
    skn_buf_addf(&c->out, "<h2>Worlds</h2>\n%s<ul>\n",
                 worlds.count ? "" : "<p>There is none.</p>\n");
    for (size_t i = 0; i < worlds.count; i++) {
        skn_buf_add(&c->out, SKN_STR("<li><a href=\"/plain/w/"));
        skn_url_encode(&c->out, worlds.at[i].name);
        skn_buf_add(&c->out, SKN_STR("\">"));
        skn_clean_html(&c->out, worlds.at[i].name);
        skn_buf_add(&c->out, SKN_STR("</a> "));
        skn_clean_html(&c->out, worlds.at[i].description);
        skn_buf_add(&c->out, SKN_STR("</li>\n"));
    }
    skn_buf_add(&c->out, SKN_STR("</ul>\n"));
    return SKEIN_OK;
}

static skein_rc show_current(skn_api_call *c)
{
    skein_rc rc;

    if (!c->world.current_chat.v) {
        skn_buf_add(&c->out, SKN_STR("<p>This world has no current chat.</p>\n"));
        return SKEIN_OK;
    }
    rc = skein_conversation_get(c->engine, c->world.current_chat, c->mem, &c->chat, &c->error);
    return rc ? rc : show_chat(c);
}

skein_rc skn_http_plain_page(skn_api_call *c)
{
    skein_rc rc;

    begin(c, SKN_NONE);
    skn_buf_addf(&c->out, "<h1>skein %s</h1>\n", skein_version_text());
    if ((rc = list_worlds(c)))
        return rc;
    show_commands(c, SKN_NONE);
    return SKEIN_OK;
}

skein_rc skn_http_plain_world(skn_api_call *c)
{
    skein_rc rc = skn_find_world(c);

    if (rc)
        return rc;
    begin(c, c->world.name);
    skn_buf_add(&c->out, SKN_STR("<p><a href=\"/plain\">All worlds</a></p>\n<h1>"));
    skn_clean_html(&c->out, c->world.name);
    skn_buf_add(&c->out, SKN_STR("</h1>\n"));
    if ((rc = show_current(c)))
        return rc;
    show_commands(c, c->world.name);
    return SKEIN_OK;
}
