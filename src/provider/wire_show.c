/* wire_show.c: how much a model can read. Its server is asked when that is first needed: Ollama for each model;
 * others for their list of models and, if that does not say, at the paths of llama.cpp and of LM Studio. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/env_rule.h"
#include "base/json.h"
#include "base/json_write.h"
#include "provider/wire_inside.h"
#include "provider/wire_json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOW_MS = 10000,
    AGAIN_MS = 60000,
    KEPT_MS = 600000,
    MOST_SHOW = 8 << 20,
    MOST_SHOWS = 500,
    SLOTS_MOST = 1000,
    OLLAMA_MOST = 8192 /* tokens, unless more was set */
};

struct skn_wire_show {
    skn_wire_show *next;
    char          *model;
    skn_window     window;
    int64_t        asked_at; /* monotonic, ms */
    size_t         step;     /* which of the places is being asked */
    int            sees;     /* as in skn_window */
    skn_fetch     *fetch;    /* NULL: not in progress */
    skn_wire      *wire;
    int            status;
    skn_buf        body;
};

/* --- Reading ------------------------------------------------------------------------------------- */

/* "num_ctx 8192" in lines of parameters: what the author of the model has set. */
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

/* "llama.context_length": 131072 is the maximum of a model; the cache for it would not fit into most computers'
 * memory. */
static int64_t built_window(const skn_json *info)
{
    int64_t n = 0;

    for (const skn_json *m = info && info->kind == SKN_JSON_OBJECT ? info->first : NULL; m;
         m = m->next)
        if (m->kind == SKN_JSON_NUMBER && skn_str_ends(m->key, SKN_STR(".context_length")) &&
            skn_str_int(m->raw, &n) && n > 0)
            return n < OLLAMA_MOST ? n : OLLAMA_MOST;
    return 0;
}

/* Of a list of what a model can do. */
static int sees(const skn_json *list)
{
    if (!list || list->kind != SKN_JSON_ARRAY)
        return 0;
    for (const skn_json *v = list->first; v; v = v->next)
        if (skn_str_is(v->text, "vision"))
            return 1;
    return -1;
}

static int64_t read_show(skn_wire_show *s, skn_str body, skn_arena *a)
{
    const skn_json *doc = skn_wire_parse(body, a);
    skn_str         parameters = SKN_NONE;
    int64_t         n;

    s->sees = sees(skn_json_get(doc, "capabilities"));
    (void)skn_json_text(doc, "parameters", &parameters, NULL);
    n = set_window(parameters);
    return n ? n : built_window(skn_json_get(doc, "model_info"));
}

static int64_t read_list(skn_wire_show *s, skn_str body, skn_arena *a)
{
    skn_models all = {0};

    if (s->wire->format->models(skn_json_repair(skn_arena_copy(a, body), a), a, &all))
        for (size_t i = 0; i < all.count; i++)
            if (skn_str_is(all.at[i].name, s->model))
                return all.at[i].window;
    return 0;
}

/* llama.cpp's window of each slot; the number of slots is taken, too. */
static int64_t read_props(skn_wire_show *s, skn_str body, skn_arena *a)
{
    const skn_json *doc = skn_wire_parse(body, a);
    int64_t         slots = skn_wire_int(doc, "total_slots");

    if (skn_json_get(doc, "modalities"))
        s->sees = skn_wire_true(skn_json_get(doc, "modalities"), "vision") ? 1 : -1;
    if (s->wire->learns_slots && slots > 0)
        skn_wire_take(s->wire, (int)(slots < SLOTS_MOST ? slots : SLOTS_MOST));
    return skn_wire_int(skn_json_get(doc, "default_generation_settings"), "n_ctx");
}

/* Places where a server may tell it, tried in this order. */
static const struct place {
    bool        ollama;
    const char *path; /* below the root; NULL: the list of models */
    int64_t (*read)(skn_wire_show *s, skn_str body, skn_arena *a);
} places[] = {{true, "/api/show", read_show},
              {false, NULL, read_list},
              {false, "/props", read_props},
              {false, "/api/v0/models", read_list}}; /* LM Studio */

enum { PLACES = sizeof places / sizeof *places, PROPS = 2 };

/* --- Asking -------------------------------------------------------------------------------------- */

static void got_head(void *arg, const skn_fetch_head *head)
{
    ((skn_wire_show *)arg)->status = head->status;
}

static void got_body(void *arg, skn_str bytes)
{
    skn_buf_add(&((skn_wire_show *)arg)->body, bytes);
}

static void ask_place(skn_wire_show *s);

static void got_end(void *arg, skn_fetch_end how, const char *why)
{
    skn_wire_show *s = arg;
    skn_arena     *a = skn_arena_new();
    int64_t        n = 0;

    (void)why;
    s->fetch = NULL;
    if (how == SKN_FETCH_WHOLE && s->status == 200 && !s->body.over)
        n = places[s->step].read(s, skn_buf_str(&s->body), a);
    if (n > 0 && *s->model)
        s->window = (skn_window){.tokens = n, .from = "provider"};
    skn_buf_release(&s->body);
    skn_arena_free(a);
    s->step++;
    if (n <= 0 && *s->model && (how == SKN_FETCH_WHOLE || how == SKN_FETCH_CUT))
        ask_place(s); /* a server that does not answer is not asked again */
}

/* Older servers only know the member as "name". */
static skn_str which(const skn_wire_show *s, skn_buf *b)
{
    skn_jw w;

    skn_jw_init(&w, b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "model", skn_str_of(s->model));
    skn_jw_kstr(&w, "name", skn_str_of(s->model));
    skn_jw_object_end(&w);
    return skn_buf_str(b);
}

static bool has_place(const skn_wire *p, const struct place *at)
{
    return at->ollama == (p->format == &skn_wire_ollama) && (!at->path || p->root.n);
}

static void ask_place(skn_wire_show *s)
{
    skn_wire      *p = s->wire;
    skn_fetch_sink sink = {got_head, got_body, got_end, s};
    skn_fetch_spec what = {.method = "GET",
                           .url = p->models_url,
                           .headers = p->headers,
                           .header_count = p->header_count,
                           .connect_ms = SHOW_MS,
                           .total_ms = SHOW_MS,
                           .most = MOST_SHOW};
    skn_arena     *a;
    skn_buf        b;

    while (s->step < PLACES && !has_place(p, &places[s->step]))
        s->step++;
    if (s->step == PLACES)
        return;
    a = skn_arena_new();
    skn_buf_init(&b, 64 << 10);
    if (places[s->step].path)
        what.url = skn_arena_printf(a, "%.*s%s", SKN_FMT(p->root), places[s->step].path);
    if (places[s->step].ollama) {
        what.method = "POST";
        what.body = which(s, &b);
    }
    if (s->step == PROPS)
        p->props_at = skn_clock_ms();
    skn_buf_init(&s->body, MOST_SHOW);
    s->fetch = skn_fetch_start(p->net, &what, &sink);
    skn_buf_release(&b);
    skn_arena_free(a);
}

static skn_wire_show *add(skn_wire *p, skn_str model)
{
    skn_wire_show *s = skn_heap(sizeof *s);
    int64_t        known = p->famous ? skn_window_known(model) : 0;

    s->wire = p;
    s->model = skn_heap_copy(model);
    if (known)
        s->window = (skn_window){.tokens = known, .from = "table"};
    s->next = p->shows;
    p->shows = s;
    p->show_count++;
    return s;
}

/* A server is asked again after a while, because it may have been restarted with another window. */
static bool is_due(const skn_wire_show *s)
{
    int64_t now = skn_clock_monotonic() / 1000000;

    return !s->fetch &&
           (!s->asked_at || now - s->asked_at > (s->window.tokens ? KEPT_MS : AGAIN_MS));
}

static skn_wire_show *find(const skn_wire *p, skn_str model)
{
    skn_wire_show *s = p->shows;

    while (s && !skn_str_is(model, s->model))
        s = s->next;
    return s;
}

/* Not about any model, so the entry has no name. */
void skn_wire_ask_slots(skn_wire *p)
{
    skn_wire_show *s = find(p, SKN_STR(""));

    if (!p->learns_slots || !has_place(p, &places[PROPS]) || (s && s->fetch) ||
        (p->props_at && skn_clock_ms() - p->props_at < AGAIN_MS))
        return;
    s = s ? s : add(p, SKN_STR(""));
    s->step = PROPS;
    ask_place(s);
}

skn_window skn_wire_shown(skn_wire *p, skn_str model, bool ask)
{
    skn_wire_show *s;
    skn_window     w;

    if (!model.n || model.n > 1000)
        return (skn_window){0};
    s = find(p, model);
    if (!s && (!ask || p->show_count == MOST_SHOWS))
        return (skn_window){0};
    if (!s)
        s = add(p, model);
    if (ask && is_due(s) && !(p->key_needed && !p->key)) {
        s->asked_at = skn_clock_monotonic() / 1000000;
        s->step = 0;
        ask_place(s);
    }
    w = s->window;
    w.asked = s->fetch && !w.tokens;
    w.sees = s->sees;
    return w;
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

/* Removes the secrets that a provider was sent from what its server says. Servers repeat a key in their errors:
 * complete, in part, or encoded. */

/* A short part of a key reveals little and may be a common word; in an answer only a long part cannot be an accident.
 * Headers without the name of a secret often have parts that occur in any text, such as an address: of them, errors
 * hide long parts, and answers only the whole. */
enum { PART = 6, LONG_PART = 12 };

static bool is_part(skn_str secret, skn_str text, size_t at, size_t least)
{
    return at + least <= text.n && skn_str_find(secret, skn_str_sub(text, at, at + least)) >= 0;
}

static size_t least_of(const skn_wire_secret *s, bool answer)
{
    size_t least = !answer ? s->least : s->least < LONG_PART ? LONG_PART : s->text.n;

    return least < s->text.n ? least : s->text.n;
}

/* Every part contains a piece of half its length that starts at a multiple of that length. So it is enough to look at
 * those; answers are long. */
static bool has_part(const skn_wire_secret *s, skn_str text, bool answer)
{
    size_t piece = (least_of(s, answer) + 1) / 2;

    for (size_t i = 0; i + piece <= text.n; i += piece)
        if (is_part(s->text, text, i, piece))
            return true;
    return false;
}

void skn_wire_blot(char *text, size_t n, skn_str secret, size_t least)
{
    size_t to = 0; /* end of the last part that was found */

    for (size_t i = 0; least && i < n; i++) {
        if (is_part(secret, (skn_str){text, n}, i, least))
            to = i + least;
        if (i < to)
            text[i] = '*';
    }
}

skn_str skn_wire_hide(const skn_wire_secrets *all, skn_str text, bool answer, skn_arena *a)
{
    char *copy = NULL;

    for (size_t i = 0; all && i < all->count; i++) {
        const skn_wire_secret *s = &all->at[i];

        if (!has_part(s, text, answer))
            continue;
        if (!copy) {
            text = skn_arena_copy(a, text);
            copy = (char *)(uintptr_t)text.p;
        }
        skn_wire_blot(copy, text.n, s->text, least_of(s, answer));
    }
    return text;
}

/* --- Collecting them ----------------------------------------------------------------------------- */

static void hide_add(skn_wire_secrets *all, skn_str text, size_t least)
{
    if (text.n && all->count < SKN_WIRE_SECRETS)
        all->at[all->count++] = (skn_wire_secret){text, least};
}

static skn_str percent_written(skn_str key, skn_arena *a)
{
    static const char digits[] = "0123456789ABCDEF";
    char             *out = SKN_ARRAY(a, 3 * key.n + 1, char);
    size_t            n = 0;

    for (size_t i = 0; i < key.n; i++) {
        unsigned char c = (unsigned char)key.p[i];

        if (isalnum(c) || strchr("-._~", c)) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '%';
        out[n++] = digits[c >> 4];
        out[n++] = digits[c & 15];
    }
    return (skn_str){out, n};
}

/* The last letters are left out: they depend on what follows the key. */
static skn_str base64_written(skn_str key, skn_arena *a)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789+/";
    char             *out = SKN_ARRAY(a, key.n * 2 + 1, char);
    unsigned          bits = 0, held = 0;
    size_t            n = 0;

    for (size_t i = 0; i < key.n; i++) {
        held = held << 8 | (unsigned char)key.p[i];
        for (bits += 8; bits >= 6; bits -= 6)
            out[n++] = letters[held >> (bits - 6) & 63];
    }
    return (skn_str){out, n};
}

void skn_wire_secrets_find(skn_wire_secrets *all, skn_str key, const skn_wire_options *o,
                           skn_arena *a)
{
    skn_str written = percent_written(key, a);

    hide_add(all, skn_arena_copy(a, key), PART);
    if (!skn_str_eq(written, key))
        hide_add(all, written, PART);
    if (key.n >= PART)
        hide_add(all, base64_written(key, a), PART);
    for (size_t i = 0; i < o->header_count; i++) {
        bool secret = skn_name_is_secret(o->headers[i].name);

        if (secret || o->headers[i].value.n >= LONG_PART)
            hide_add(all, skn_arena_copy(a, o->headers[i].value), secret ? PART : LONG_PART);
    }
}

void skn_wire_secrets_wipe(skn_wire_secrets *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->at[i].text.n; k++)
            ((volatile char *)(uintptr_t)all->at[i].text.p)[k] = '\0';
}
