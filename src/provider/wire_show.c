/* wire_show.c: how much a model of Ollama can read. Its list of models does not say, so it is asked for each model,
 * once, when somebody first wants to know. */
#include "base/clock.h"
#include "base/json.h"
#include "base/json_write.h"
#include "provider/wire_inside.h"

#include <stdlib.h>
#include <string.h>

enum { SHOW_MS = 10000, AGAIN_MS = 60000, MOST_SHOW = 8 << 20, MOST_SHOWS = 500 };

struct skn_wire_show {
    skn_wire_show *next;
    char          *model;
    int64_t        window;   /* 0: not known */
    int64_t        asked_at; /* monotonic, ms */
    skn_fetch     *fetch;    /* NULL: it is over */
    int            status;
    skn_buf        body;
};

/* --- Reading ------------------------------------------------------------------------------------- */

/* "num_ctx    8192" in lines of parameters: what whoever made the model has set. */
static int64_t set_window(skn_str parameters)
{
    skn_str line, word;
    int64_t n;

    while (skn_str_split(&parameters, '\n', &line)) {
        line = skn_str_trim(line);
        if (skn_str_split(&line, ' ', &word) && skn_str_is(word, "num_ctx") &&
            skn_str_int(skn_str_trim(line), &n) && n > 0)
            return n;
    }
    return 0;
}

/* "llama.context_length": 131072 */
static int64_t built_window(const skn_json *info)
{
    int64_t n = 0;

    for (const skn_json *m = info && info->kind == SKN_JSON_OBJECT ? info->first : NULL; m;
         m = m->next)
        if (m->kind == SKN_JSON_NUMBER && skn_str_ends(m->key, SKN_STR(".context_length")) &&
            skn_str_int(m->raw, &n) && n > 0)
            return n;
    return 0;
}

int64_t skn_wire_show_window(skn_str body, skn_arena *a)
{
    const skn_json *doc;
    skn_str         parameters = SKN_NONE;
    int64_t         n;

    if (skn_json_parse(&doc, body, "model", a, NULL) || doc->kind != SKN_JSON_OBJECT)
        return 0;
    (void)skn_json_text(doc, "parameters", &parameters, NULL);
    n = set_window(parameters);
    return n ? n : built_window(skn_json_get(doc, "model_info"));
}

/* --- Asking -------------------------------------------------------------------------------------- */

static void got_head(void *arg, const skn_fetch_head *head)
{
    ((skn_wire_show *)arg)->status = head->status;
}

static void got_body(void *arg, skn_str bytes)
{
    skn_buf_add(&((skn_wire_show *)arg)->body, bytes);
}

static void got_end(void *arg, skn_fetch_end how, const char *why)
{
    skn_wire_show *s = arg;
    skn_arena     *a = skn_arena_new();

    (void)why;
    s->fetch = NULL;
    if (how == SKN_FETCH_WHOLE && s->status == 200 && !s->body.over)
        s->window = skn_wire_show_window(skn_buf_str(&s->body), a);
    skn_buf_release(&s->body);
    skn_arena_free(a);
}

/* Older servers know the member only as "name". */
static void start(skn_wire *p, skn_wire_show *s)
{
    skn_fetch_sink sink = {got_head, got_body, got_end, s};
    skn_fetch_spec what = {.method = "POST",
                           .url = p->show_url,
                           .headers = p->headers,
                           .header_count = p->header_count,
                           .connect_ms = SHOW_MS,
                           .total_ms = SHOW_MS,
                           .most = MOST_SHOW};
    skn_buf        b;
    skn_jw         w;

    skn_buf_init(&b, 64 << 10);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "model", skn_str_of(s->model));
    skn_jw_kstr(&w, "name", skn_str_of(s->model));
    skn_jw_object_end(&w);
    what.body = skn_buf_str(&b);
    skn_buf_init(&s->body, MOST_SHOW);
    s->asked_at = skn_clock_monotonic() / 1000000;
    s->fetch = skn_fetch_start(p->net, &what, &sink);
    skn_buf_release(&b);
}

static skn_wire_show *add(skn_wire *p, skn_str model)
{
    skn_wire_show *s = skn_heap(sizeof *s);

    s->model = skn_heap_copy(model);
    s->next = p->shows;
    p->shows = s;
    p->show_count++;
    return s;
}

int64_t skn_wire_shown(skn_wire *p, skn_str model)
{
    skn_wire_show *s = p->shows;

    if (!p->show_url.n || !model.n || model.n > 1000)
        return 0;
    while (s && !skn_str_is(model, s->model))
        s = s->next;
    if (!s && p->show_count == MOST_SHOWS)
        return 0;
    if (!s) {
        s = add(p, model);
        start(p, s);
    } else if (!s->fetch && !s->window &&
               skn_clock_monotonic() / 1000000 - s->asked_at > AGAIN_MS) {
        start(p, s);
    }
    return s->window;
}

void skn_wire_end_shows(skn_wire *p)
{
    while (p->shows) {
        skn_wire_show *s = p->shows;

        p->shows = s->next;
        if (s->fetch) {
            skn_fetch_cancel(s->fetch);
            skn_buf_release(&s->body);
        }
        free(s->model);
        free(s);
    }
}
