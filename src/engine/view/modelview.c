#include "engine/view/modelview.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/view/thinking.h"

#include <string.h>

/* The names that text may not speak for. */
typedef struct speakers {
    skn_arena *a;
    skn_map   *names; /* in lower case */
} speakers;

/* The call ids that a view has given out. */
typedef struct call_ids {
    skn_arena *a;
    skn_map   *used;
    skn_map   *stems; /* the last number tried behind a stem */
} call_ids;

enum { NAME_MAX_BYTES = 64, TAG_MAX_BYTES = 200, AGAIN_MAX_BYTES = 400 };

/* What the engine's own bracketed lines begin with; blanks do not count. */
static const char *const marks[] = {
    "[summaryoftheconversation",
    "[endofsummary",
    "[squashofearliermessages",
    "[endofsquash",
    "[conversationstartshere",
    "[continue]",
    "[answerthismessagenow",
    "[leftout:",
    "[noresultrecorded",
    "[nooutput]",
    "[calledtool",
    "[resultoftool",
    "[source:",
    "[responseexpected:",
    "[instruction:",
    "[image",
    "[file",
    "[endoffile",
};

static unsigned char byte_at(skn_str s, size_t i)
{
    return i < s.n ? (unsigned char)s.p[i] : 0;
}

/* Blank and invisible characters beyond ASCII, as their bytes. */
static const struct {
    size_t   bytes;
    uint32_t first, last;
} blanks[] = {
    {2, 0xc285, 0xc285},     {2, 0xc2a0, 0xc2a0},     {3, 0xe19a80, 0xe19a80},
    {3, 0xe1a08e, 0xe1a08e}, {3, 0xe28080, 0xe2808f}, {3, 0xe280a8, 0xe280af},
    {3, 0xe2819f, 0xe281a4}, {3, 0xe38080, 0xe38080}, {3, 0xefbbbf, 0xefbbbf},
};

/* The bytes of the blank or invisible character at i, 0 when it can be read. */
static size_t blank_at(skn_str s, size_t i)
{
    uint32_t b0 = byte_at(s, i), two = b0 << 8 | byte_at(s, i + 1);
    uint32_t three = two << 8 | byte_at(s, i + 2);

    if (i >= s.n)
        return 0;
    if (b0 < 0x80)
        return b0 <= ' ' || b0 == 0x7f;
    for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++) {
        uint32_t c = blanks[k].bytes == 2 ? two : three;

        if (c >= blanks[k].first && c <= blanks[k].last)
            return blanks[k].bytes;
    }
    return 0;
}

/* The bytes of the line end at i, 0 when there is none. */
static size_t line_end_at(skn_str s, size_t i)
{
    unsigned char b0 = byte_at(s, i), b2 = byte_at(s, i + 2);

    if (b0 >= '\n' && b0 <= '\r')
        return 1;
    if (b0 == 0xc2 && byte_at(s, i + 1) == 0x85)
        return 2;
    return b0 == 0xe2 && byte_at(s, i + 1) == 0x80 && (b2 == 0xa8 || b2 == 0xa9) ? 3 : 0;
}

static size_t skip_blanks(skn_str s, size_t i)
{
    size_t n;

    while ((n = blank_at(s, i)))
        i += n;
    return i;
}

static size_t next_line(skn_str s, size_t i)
{
    size_t n = 0;

    while (i < s.n && !(n = line_end_at(s, i)))
        i++;
    return i + n;
}

static char lower(unsigned char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool name_byte(unsigned char c)
{
    char l = lower(c);

    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* True when s has nothing to read: no character but blanks, line ends and invisible ones. */
static bool is_blank(skn_str s)
{
    return skip_blanks(s, 0) == s.n;
}

/* The same text, with U+FFFD for every byte that is not UTF-8 and for U+0000. */
static skn_str clean_text(skn_arena *a, skn_str s)
{
    skn_str rest = s;
    size_t  bad, faults = 0, n = 0;
    char   *out;

    for (; !skn_utf8_valid(rest, &bad); rest = skn_str_sub(rest, bad + 1, rest.n))
        faults++;
    if (!faults)
        return s;
    out = skn_arena_alloc(a, s.n + 2 * faults + 1);
    for (rest = s; !skn_utf8_valid(rest, &bad); rest = skn_str_sub(rest, bad + 1, rest.n)) {
        memcpy(out + n, rest.p, bad);
        n += bad;
        n += skn_utf8_put(0xfffd, out + n);
    }
    if (rest.n)
        memcpy(out + n, rest.p, rest.n);
    return (skn_str){out, n + rest.n};
}

static skn_str name_by_kind(const skein_message *m)
{
    if (m->author == SKEIN_BY_TOOL)
        return SKN_STR("tool");
    if (m->author == SKEIN_BY_SYSTEM)
        return SKN_STR("system");
    return SKN_STR("agent");
}

/* The name to put in front of a message's text; "human" only for humans. */
static skn_str shown_name(skn_arena *a, const skein_message *m)
{
    static const char human[] = "human";
    skn_str           name = skn_str_sub(m->sender, 0, NAME_MAX_BYTES);
    bool              same = name.n == sizeof human - 1;
    char             *out;

    if (m->author == SKEIN_BY_HUMAN && m->role == SKEIN_USER)
        return SKN_STR("human");
    if (!name.n)
        return name_by_kind(m);
    out = skn_arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++) {
        out[i] = name_byte((unsigned char)name.p[i]) ? name.p[i] : '_';
        same = same && lower((unsigned char)out[i]) == human[i];
    }
    return same ? SKN_STR("agent-human") : (skn_str){out, name.n};
}

static void add_voice(speakers *v, skn_str name)
{
    char   low[NAME_MAX_BYTES];
    size_t n = name.n < sizeof low ? name.n : sizeof low;

    for (size_t i = 0; i < n; i++)
        low[i] = lower((unsigned char)name.p[i]);
    *skn_map_slot(v->names, (skn_str){low, n}) = v;
}

static void init_voices(speakers *v, skn_arena *a)
{
    v->a = a;
    v->names = skn_map_new(a);
    add_voice(v, SKN_STR("human"));
}

static bool looks_named(const speakers *v, skn_str s, size_t i)
{
    char   low[NAME_MAX_BYTES];
    size_t n = 0;

    while (n < sizeof low && name_byte(byte_at(s, i))) {
        low[n++] = lower(byte_at(s, i));
        i++;
    }
    while (blank_at(s, i) && !line_end_at(s, i))
        i += blank_at(s, i);
    return n && byte_at(s, i) == ':' && skn_map_get(v->names, (skn_str){low, n});
}

static bool looks_marked(skn_str s, size_t i, const char *mark)
{
    for (; *mark; mark++, i++) {
        i = skip_blanks(s, i);
        if (lower(byte_at(s, i)) != *mark)
            return false;
    }
    return true;
}

static bool looks_ours(const speakers *v, skn_str s, size_t i, bool names)
{
    while (byte_at(s, i) == '\\')
        i++;
    if (byte_at(s, i) == '[')
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
            if (looks_marked(s, i, marks[k]))
                return true;
    return names && looks_named(v, s, i);
}

/* Text with the lines escaped that look like the engine's; with names, also those of speakers. */
static skn_str escape_lines(const speakers *v, skn_str text, bool names)
{
    skn_vec(size_t) at = {0};
    size_t from = 0;
    char  *out;

    for (size_t i = skip_blanks(text, 0); i < text.n; i = skip_blanks(text, next_line(text, i)))
        if (looks_ours(v, text, i, names))
            skn_vec_add(v->a, &at, i);
    if (!at.n)
        return text;
    out = skn_arena_alloc(v->a, text.n + at.n + 1);
    for (size_t k = 0; k < at.n; k++) {
        memcpy(out + from + k, text.p + from, at.p[k] - from);
        from = at.p[k];
        out[from + k] = '\\';
    }
    memcpy(out + from + at.n, text.p + from, text.n - from);
    return (skn_str){out, text.n + at.n};
}

/* At most so many bytes of it, with `instead` for what could end a line or a bracket. */
static skn_str in_brackets(skn_arena *a, skn_str s, size_t most, char instead)
{
    skn_str cut = clean_text(a, skn_utf8_cut(s, most));
    char   *out = skn_arena_alloc(a, cut.n + 1);

    for (size_t i = 0; i < cut.n; i++) {
        bool plain = byte_at(cut, i) >= ' ' && cut.p[i] != 0x7f && cut.p[i] != '[' &&
                     cut.p[i] != ']';
        out[i] = plain ? cut.p[i] : instead;
        for (size_t n = line_end_at(cut, i); n > 1; n--)
            out[i++] = instead;
    }
    return (skn_str){out, cut.n};
}

skn_str skn_view_word(skn_arena *a, skn_str s)
{
    return in_brackets(a, s, TAG_MAX_BYTES, '_');
}

static skn_str tag_line(skn_arena *a, const skein_instruction *in)
{
    skn_str type = skn_view_word(a, in->type), target = skn_view_word(a, in->target);

    if (skn_str_is(type, "Source.User"))
        return SKN_STR("[source: user]");
    if (skn_str_is(type, "Source.Agent"))
        return skn_arena_printf(a, "[source: agent %.*s]", SKN_FMT(target));
    if (skn_str_is(type, "ResponseExpected"))
        return skn_arena_printf(a, "[response expected: %.*s]", SKN_FMT(target));
    return skn_arena_printf(a, "[instruction: %.*s%s%.*s]", SKN_FMT(type), target.n ? " " : "",
                            SKN_FMT(target));
}

skn_str skn_instruction_text(const skein_instruction *in, size_t n, skn_arena *a)
{
    skn_vec(char) text = {0};

    for (size_t i = 0; in && i < n; i++) {
        skn_str line = tag_line(a, &in[i]);

        if (text.n)
            skn_vec_add(a, &text, '\n');
        for (size_t k = 0; k < line.n; k++)
            skn_vec_add(a, &text, line.p[k]);
    }
    return (skn_str){text.p, text.n};
}

/* The line that names a message as the one to answer. */
static skn_str again_line(skn_arena *a, const skein_message *m)
{
    skn_str text = skn_str_trim(m->content);
    skn_str words = in_brackets(a, text, AGAIN_MAX_BYTES, ' '), name = shown_name(a, m);

    return skn_arena_printf(a, SKN_VIEW_AGAIN "%.*s: %.*s%s]", SKN_FMT(name), SKN_FMT(words),
                            text.n > AGAIN_MAX_BYTES ? "…" : "");
}

size_t skn_tokens_of(size_t bytes)
{
    return bytes / 4 + (bytes % 4 != 0) + 4;
}

/* What the large providers count, about. */
static size_t image_tokens(const skein_prompt_file *f)
{
    int64_t tokens = f->file.width * f->file.height / 750;

    return (size_t)(tokens < 85 ? 85 : tokens > 1600 ? 1600 : tokens);
}

size_t skn_prompt_tokens(const skn_prompt *p)
{
    size_t tokens = 0;

    for (size_t i = 0; i < p->count; i++) {
        const skn_prompt_message *m = &p->at[i];
        size_t                    bytes = m->text.n + m->tool_call_id.n;

        for (size_t k = 0; k < m->file_count; k++)
            tokens += image_tokens(&m->files[k]);
        for (size_t k = 0; k < m->call_count; k++)
            bytes += m->calls[k].call_id.n + m->calls[k].tool_name.n + m->calls[k].args.n;
        tokens += skn_tokens_of(bytes);
    }
    return tokens;
}

enum { SUFFIX_ROOM = 12 }; /* what a number behind a stem may take: "_" and eleven digits */

static skn_str clean_id(skn_arena *a, skn_str raw, size_t max, const char *fallback)
{
    size_t n = raw.n < max ? raw.n : max;
    char  *out;

    if (!n)
        return skn_str_of(fallback);
    out = skn_arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = name_byte((unsigned char)raw.p[i]) ? raw.p[i] : '_';
    return (skn_str){out, n};
}

static void init_call_ids(call_ids *ids, skn_arena *a)
{
    ids->a = a;
    ids->used = skn_map_new(a);
    ids->stems = skn_map_new(a);
}

/* First come keeps its id, so that a view of more messages begins like the view of fewer. A stem
 * and a number are tried together once at most, which keeps all of it linear. */
static skn_str take_call_id(call_ids *ids, skn_str raw)
{
    skn_str id = clean_id(ids->a, raw, SKN_CALL_ID_MAX, "call");
    skn_str stem = skn_str_sub(id, 0, SKN_CALL_ID_MAX - SUFFIX_ROOM);
    void  **slot = skn_map_slot(ids->used, id);

    while (*slot) {
        void **counter = skn_map_slot(ids->stems, stem);

        if (!*counter) {
            *counter = SKN_NEW(ids->a, size_t);
            *(size_t *)*counter = 1;
        }
        id = skn_arena_printf(ids->a, "%.*s_%zu", SKN_FMT(stem), ++*(size_t *)*counter);
        slot = skn_map_slot(ids->used, id);
    }
    *slot = ids;
    return id;
}

/* An id that both providers take and that was not given out before; raw itself where possible. */
static skn_str clean_tool_name(skn_arena *a, skn_str raw)
{
    return clean_id(a, raw, SKN_TOOL_NAME_MAX, "tool");
}

typedef enum shape { NOT_JSON, OTHER_JSON, OBJECT } shape;

static shape shape_of(skn_str text)
{
    skn_arena      *scratch = skn_arena_new();
    const skn_json *v = NULL;
    shape           s = NOT_JSON;

    if (!skn_json_parse(&v, text, "arguments", scratch, NULL))
        s = v->kind == SKN_JSON_OBJECT ? OBJECT : OTHER_JSON;
    skn_arena_free(scratch);
    return s;
}

static skn_str wrap_text(skn_arena *a, const char *key, skn_str raw)
{
    skn_str text = clean_text(a, raw);
    skn_buf out;
    skn_jw  w;

    skn_buf_init(&out, text.n * 6 + 64);
    skn_jw_init(&w, &out);
    skn_jw_object(&w);
    skn_jw_kstr(&w, key, text);
    skn_jw_object_end(&w);
    return skn_buf_keep(&out, a);
}

static skn_str wrap_value(skn_arena *a, skn_str raw)
{
    static const char head[] = "{\"value\":";
    size_t            n = sizeof head - 1;
    char             *out = skn_arena_alloc(a, n + raw.n + 2);

    memcpy(out, head, n);
    memcpy(out + n, raw.p, raw.n);
    out[n + raw.n] = '}';
    return (skn_str){out, n + raw.n + 1};
}

/* Arguments as the text of a JSON object: as they are, {"value":…} around other JSON, {} for none,
 * {"invalid":"…"} with the text for what is not JSON. */
static skn_str call_args(skn_arena *a, skn_str raw)
{
    skn_str wrapped;

    if (is_blank(raw))
        return SKN_STR("{}");
    switch (shape_of(raw)) {
    case OBJECT:
        return raw;
    case OTHER_JSON:
        /* What is nested to the limit is beyond it once wrapped. */
        wrapped = wrap_value(a, raw);
        return shape_of(wrapped) == OBJECT ? wrapped : wrap_text(a, "invalid", raw);
    case NOT_JSON:
        break;
    }
    return wrap_text(a, "invalid", raw);
}

/* The calls of one id, and which of them wait for a result, latest first. */
typedef struct waiting {
    size_t top;  /* a call, or SKN_UNPAIRED */
    size_t last; /* the latest message that made a call of this id */
} waiting;

typedef struct pairing {
    skn_pairs *out;
    skn_arena *a;
    skn_map   *ids;
    size_t    *below;  /* of a call: the one that waited before it */
    size_t    *called; /* of a call: the message that made it */
} pairing;

size_t skn_calls_of(const skein_message *m)
{
    if (m->role != SKEIN_ASSISTANT || m->purged || !m->calls)
        return 0;
    return m->call_count;
}

static skn_str key_of(skn_str id)
{
    return id.p ? id : SKN_STR("");
}

static void open_call(pairing *p, skn_str id, size_t message, size_t call)
{
    void   **slot = skn_map_slot(p->ids, key_of(id));
    waiting *w = *slot;

    if (!w) {
        *slot = w = SKN_NEW(p->a, waiting);
        w->top = SKN_UNPAIRED;
    }
    p->below[call] = w->top;
    p->called[call] = message;
    p->out->result[call] = SKN_UNPAIRED;
    w->top = call;
    w->last = message;
}

static void close_call(pairing *p, skn_str id, size_t message)
{
    waiting *w = skn_map_get(p->ids, key_of(id));

    if (!w)
        return;
    if (w->top == SKN_UNPAIRED) {
        p->out->caller[message] = w->last;
        p->out->extra[message] = true;
        return;
    }
    p->out->caller[message] = p->called[w->top];
    p->out->result[w->top] = message;
    w->top = p->below[w->top];
}

void skn_pairs_find(skn_pairs *out, const skein_message *msgs, size_t n, skn_arena *a)
{
    pairing p = {.out = out, .a = a, .ids = skn_map_new(a)};
    size_t  calls = 0;

    for (size_t i = 0; i < n; i++)
        calls += skn_calls_of(&msgs[i]);
    out->first_call = SKN_ARRAY(a, n, size_t);
    out->caller = SKN_ARRAY(a, n, size_t);
    out->extra = SKN_ARRAY(a, n, bool);
    out->result = SKN_ARRAY(a, calls, size_t);
    p.below = SKN_ARRAY(a, calls, size_t);
    p.called = SKN_ARRAY(a, calls, size_t);
    calls = 0;
    for (size_t i = 0; i < n; i++) {
        out->first_call[i] = calls;
        out->caller[i] = SKN_UNPAIRED;
        for (size_t k = 0; k < skn_calls_of(&msgs[i]); k++)
            open_call(&p, msgs[i].calls[k].call_id, i, calls++);
        if (msgs[i].role == SKEIN_TOOL)
            close_call(&p, msgs[i].tool_call_id, i);
    }
}

size_t skn_closed_prefix(const skein_message *msgs, size_t n)
{
    skn_arena *a = skn_arena_new();
    skn_pairs  pairs;
    size_t     open = 0, closed = 0;

    skn_pairs_find(&pairs, msgs, n, a);
    for (size_t i = 0; i < n; i++) {
        open += skn_calls_of(&msgs[i]);
        if (pairs.caller[i] != SKN_UNPAIRED && !pairs.extra[i])
            open--;
        if (!open)
            closed = i + 1;
    }
    skn_arena_free(a);
    return closed;
}

/* The message being gathered: texts of one side until the other side speaks or a call is made. */
typedef struct draft {
    bool       open;
    skein_role role;
    bool       named;     /* a piece begins with an agent's name */
    skn_str    reasoning; /* of the last message in it */
    skn_vec(skn_str) pieces;
    skn_vec(skn_str) sources;
    skn_vec(skein_prompt_file) files;
} draft;

typedef struct builder {
    const skein_message    *msgs;
    size_t                  n;
    const skn_view_options *opt;
    skn_arena              *a;
    skn_pairs               pairs;
    speakers                voices;
    call_ids                ids;
    draft                   now;
    bool                    cut;
    skn_vec(skn_prompt_message) out;
} builder;

static skn_str join(skn_arena *a, const skn_str *pieces, size_t n, const char *between)
{
    size_t gap = strlen(between), size = 0, at = 0;
    char  *out;

    if (n < 2)
        return n ? pieces[0] : SKN_NONE;
    for (size_t i = 0; i < n; i++)
        size += pieces[i].n + gap;
    out = skn_arena_alloc(a, size + 1);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            memcpy(out + at, between, gap);
            at += gap;
        }
        memcpy(out + at, pieces[i].p, pieces[i].n);
        at += pieces[i].n;
    }
    return (skn_str){out, at};
}

/* How what others wrote is kept from looking like the engine's. */
typedef enum guard { PLAIN, LINES, NAMES } guard;

static skn_str guarded(builder *b, skn_str text, guard how)
{
    return how == PLAIN ? text : escape_lines(&b->voices, text, how == NAMES);
}

/* What a message says: no model is sent what one wrote for itself, wherever it stands. */
static skn_str said_by(const skein_message *m)
{
    return m->role == SKEIN_ASSISTANT ? skn_think_skip(m->content) : m->content;
}

/* The text of a message, without its middle where it is too long: a question often stands at its end. */
static skn_str shown_text(builder *b, const skein_message *m, guard how)
{
    skn_str said = said_by(m), text = clean_text(b->a, said), head, line;
    size_t  most = b->opt->most, from = text.n - most / 4, skip = m->content.n - said.n;

    if (!most || text.n <= most)
        return guarded(b, text, how);
    b->cut = true;
    head = skn_utf8_cut(text, most - most / 4);
    while (from < text.n && ((unsigned char)text.p[from] & 0xc0) == 0x80)
        from++;
    line = skn_arena_printf(
        b->a,
        SKN_VIEW_LEFT_OUT
        "bytes %zu to %zu of %zu. Call read_result with id %.*s and from %zu to read on]",
        skip + head.n, skip + from, skip + text.n, SKN_FMT(m->uid), skip + head.n);
    return join(b->a,
                (skn_str[]){guarded(b, head, how), line,
                            guarded(b, skn_str_sub(text, from, text.n), how)},
                3, "\n");
}

/* The arguments of a call, which the model wrote itself: of long ones it is sent the beginning. */
static skn_str shown_args(builder *b, skn_str raw)
{
    skn_str args = call_args(b->a, raw);

    if (!b->opt->most || args.n <= b->opt->most)
        return args;
    return wrap_text(b->a, "beginning", skn_utf8_cut(raw, b->opt->most / 2));
}

static void add_made_up(builder *b, const char *text)
{
    skn_prompt_message m = {.role = SKEIN_USER, .text = skn_str_of(text), .synthetic = true};

    skn_vec_add(b->a, &b->out, m);
}

/* Ends the draft; the calls, if any, are its own. */
static void flush(builder *b, skein_tool_call *calls, size_t call_count)
{
    draft             *d = &b->now;
    skn_prompt_message m = {
        .role = d->role, .calls = calls, .call_count = call_count, .reasoning = d->reasoning};

    if (!d->open)
        return;
    m.text = join(b->a, d->pieces.p, d->pieces.n, "\n\n");
    m.sources = d->sources.p;
    m.source_count = d->sources.n;
    m.files = d->files.p;
    m.file_count = d->files.n;
    m.synthetic = d->sources.n == 0;
    if (!b->out.n && m.role != SKEIN_USER)
        add_made_up(b, SKN_VIEW_START);
    skn_vec_add(b->a, &b->out, m);
    *d = (draft){0};
}

/* Goes on with the side's draft or begins one. */
static void gather(builder *b, skein_role role, const skein_message *from)
{
    if (b->now.open && b->now.role != role)
        flush(b, NULL, 0);
    b->now.open = true;
    b->now.role = role;
    skn_vec_add(b->a, &b->now.sources, from->uid);
}

static bool by_human(const skein_message *m)
{
    return m->role == SKEIN_USER && m->author == SKEIN_BY_HUMAN;
}

static bool is_source(const skein_instruction *in)
{
    return skn_str_starts(in->type, SKN_STR("Source."));
}

static size_t shown_tags(const skein_message *m, skein_instruction *out)
{
    size_t n = 0;

    for (size_t i = 0; m->instructions && i < m->instruction_count; i++)
        if (!is_source(&m->instructions[i])) {
            if (out)
                out[n] = m->instructions[i];
            n++;
        }
    return n;
}

static skn_str tags_of(builder *b, size_t i)
{
    const skein_message *m = &b->msgs[i];
    size_t               n = shown_tags(m, NULL);
    skein_instruction   *in;

    if (!n)
        return SKN_NONE;
    in = SKN_ARRAY(b->a, n, skein_instruction);
    shown_tags(m, in);
    return skn_instruction_text(in, n, b->a);
}

/* What stands for several messages is marked, as a summary is: nobody said it. */
static skn_str squash_text(builder *b, const skein_message *m, skn_str text)
{
    skn_str lines[] = {SKN_STR(SKN_SQUASH_BEGIN), text, SKN_STR(SKN_SQUASH_END)};

    return m->squash_uid.n ? join(b->a, lines, 3, "\n") : text;
}

static skn_str user_text(builder *b, size_t i)
{
    const skein_message *m = &b->msgs[i];
    skn_str              text, tags;
    bool                 named = !by_human(m);
    skn_str              parts[4];
    size_t               n = 0;

    if (b->opt->rendered)
        return clean_text(b->a, said_by(m));
    if (named || b->now.named) {
        parts[n++] = shown_name(b->a, m);
        parts[n++] = SKN_STR(": ");
    }
    parts[n++] = shown_text(b, m, NAMES);
    text = squash_text(b, m, join(b->a, parts, n, ""));
    b->now.named = b->now.named || named;
    tags = tags_of(b, i);
    return tags.n ? join(b->a, (skn_str[]){text, tags}, 2, "\n") : text;
}

/* --- Files ------------------------------------------------------------------------------------- */

static size_t files_of(const builder *b, size_t i)
{
    return b->opt->files && !b->msgs[i].purged ? b->opt->files[i].count : 0;
}

/* The text with what it carries: images stand beside it, too. */
static skn_str with_files(builder *b, size_t i, skn_str text)
{
    size_t   n = 0;
    skn_str *parts = SKN_ARRAY(b->a, 1 + 3 * files_of(b, i), skn_str);

    if (text.n)
        parts[n++] = text;
    for (size_t k = 0; k < files_of(b, i); k++) {
        const skn_view_file *f = &b->opt->files[i].at[k];

        parts[n++] = f->head;
        if (f->text.p) {
            parts[n++] = guarded(b, clean_text(b->a, f->text), NAMES);
            parts[n++] = f->end;
        }
    }
    return join(b->a, parts, n, "\n");
}

static skein_prompt_file *seen_of(builder *b, size_t i, size_t *count)
{
    size_t             n = files_of(b, i);
    skein_prompt_file *out = SKN_ARRAY(b->a, n, skein_prompt_file);

    *count = 0;
    for (size_t k = 0; k < n; k++)
        if (b->opt->files[i].at[k].as.seen)
            out[(*count)++] = b->opt->files[i].at[k].as;
    return out;
}

static void add_user(builder *b, size_t i)
{
    skein_prompt_file *seen;
    size_t             n;

    if (b->msgs[i].purged || (is_blank(said_by(&b->msgs[i])) && !files_of(b, i)))
        return;
    gather(b, SKEIN_USER, &b->msgs[i]);
    skn_vec_add(b->a, &b->now.pieces, with_files(b, i, user_text(b, i)));
    seen = seen_of(b, i, &n);
    for (size_t k = 0; k < n; k++)
        skn_vec_add(b->a, &b->now.files, seen[k]);
}

static void add_result(builder *b, const skein_tool_call *call, size_t result)
{
    skn_prompt_message m = {
        .role = SKEIN_TOOL, .tool_call_id = call->call_id, .tool_name = call->tool_name};

    if (result == SKN_UNPAIRED || b->msgs[result].purged) {
        m.text = SKN_STR(SKN_NO_RESULT);
        m.failed = m.synthetic = true;
    } else {
        const skein_message *r = &b->msgs[result];

        m.text = with_files(
            b, result, is_blank(r->content) ? SKN_STR(SKN_NO_OUTPUT) : shown_text(b, r, PLAIN));
        m.files = seen_of(b, result, &m.file_count);
        m.failed = r->tool_failed;
    }
    if (result != SKN_UNPAIRED) {
        m.sources = SKN_NEW(b->a, skn_str);
        m.sources[m.source_count++] = b->msgs[result].uid;
    }
    skn_vec_add(b->a, &b->out, m);
}

static void add_calls(builder *b, size_t i, size_t count)
{
    const skein_message *m = &b->msgs[i];
    skein_tool_call     *calls = SKN_ARRAY(b->a, count, skein_tool_call);

    for (size_t k = 0; k < count; k++) {
        calls[k].call_id = take_call_id(&b->ids, m->calls[k].call_id);
        calls[k].tool_name = clean_tool_name(b->a, m->calls[k].tool_name);
        calls[k].args = shown_args(b, m->calls[k].args);
    }
    flush(b, calls, count);
    for (size_t k = 0; k < count; k++)
        add_result(b, &calls[k], b->pairs.result[b->pairs.first_call[i] + k]);
}

static skn_str result_text(builder *b, size_t result)
{
    const skein_message *m = result == SKN_UNPAIRED ? NULL : &b->msgs[result];

    if (!m || m->purged)
        return SKN_STR(SKN_NO_RESULT);
    skn_vec_add(b->a, &b->now.sources, m->uid);
    return is_blank(m->content) ? SKN_STR(SKN_NO_OUTPUT) : shown_text(b, m, NAMES);
}

/* Calls with their results as text of the side that made them. */
static void tell_calls(builder *b, size_t i, size_t count)
{
    const skein_message *m = &b->msgs[i];

    for (size_t k = 0; k < count; k++) {
        size_t  result = b->pairs.result[b->pairs.first_call[i] + k];
        skn_str name = clean_tool_name(b->a, m->calls[k].tool_name);
        bool    failed = result != SKN_UNPAIRED && b->msgs[result].tool_failed;
        skn_str parts[] = {SKN_STR(SKN_TOLD_CALL),
                           name,
                           SKN_STR(" with "),
                           call_args(b->a, m->calls[k].args),
                           SKN_STR("]\n" SKN_TOLD_RESULT),
                           name,
                           failed ? SKN_STR(", which failed]\n") : SKN_STR("]\n"),
                           result_text(b, result)};

        skn_vec_add(b->a, &b->now.pieces,
                    join(b->a, parts, sizeof parts / sizeof parts[0], ""));
    }
}

static skn_str own_text(builder *b, const skein_message *m)
{
    return m->squash_uid.n ? squash_text(b, m, shown_text(b, m, LINES))
                           : shown_text(b, m, PLAIN);
}

/* What led to other words than these, or to calls that stand here as text, is of no use. */
static skn_str reasoning_of(const builder *b, const skein_message *m)
{
    return m->purged || m->version_of.v || b->opt->told ? SKN_NONE : m->reasoning;
}

static void add_own(builder *b, size_t i)
{
    const skein_message *m = &b->msgs[i];
    size_t               count = skn_calls_of(m);
    bool                 text = !m->purged && !is_blank(said_by(m));

    if (!text && !count)
        return;
    gather(b, SKEIN_ASSISTANT, m);
    if (text)
        skn_vec_add(b->a, &b->now.pieces, own_text(b, m));
    b->now.reasoning = reasoning_of(b, m);
    if (count && b->opt->told)
        tell_calls(b, i, count);
    else if (count)
        add_calls(b, i, count);
}

static bool own(const builder *b, const skein_message *m)
{
    int64_t me = b->opt->viewpoint.v;

    return m->role == SKEIN_ASSISTANT && (!me || m->author_agent.v == me);
}

static void add_message(builder *b, size_t i)
{
    switch (b->msgs[i].role) {
    case SKEIN_USER:
        add_user(b, i);
        break;
    case SKEIN_ASSISTANT:
        if (own(b, &b->msgs[i]))
            add_own(b, i);
        else
            add_user(b, i);
        break;
    case SKEIN_TOOL: /* stands behind its call, or nowhere */
    case SKEIN_SUMMARY:
    case SKEIN_SYSTEM:
        break;
    }
}

static void add_summary(builder *b)
{
    const skein_message *m = b->opt->summary;
    skn_str lines[3] = {SKN_STR(SKN_SUMMARY_BEGIN), SKN_NONE, SKN_STR(SKN_SUMMARY_END)};

    if (!m || m->purged || is_blank(m->content))
        return;
    lines[1] = shown_text(b, m, LINES);
    gather(b, SKEIN_USER, m);
    skn_vec_add(b->a, &b->now.pieces, join(b->a, lines, 3, "\n"));
}

/* A part of what the user's side says there, or made up when it says nothing else. */
static void add_again(builder *b)
{
    if (b->now.open && b->now.role != SKEIN_USER)
        flush(b, NULL, 0);
    b->now.open = true;
    b->now.role = SKEIN_USER;
    skn_vec_add(b->a, &b->now.pieces, again_line(b->a, b->opt->again));
}

/* Names must be known before the first text is escaped. */
static void learn_voices(builder *b)
{
    for (size_t i = 0; i < b->opt->name_count; i++)
        add_voice(&b->voices, b->opt->names[i]);
    for (size_t i = 0; i < b->n; i++) {
        const skein_message *m = &b->msgs[i];

        if ((m->role != SKEIN_USER && m->role != SKEIN_ASSISTANT) || own(b, m))
            continue;
        if (!by_human(m))
            add_voice(&b->voices, shown_name(b->a, m));
    }
}

void skn_model_view(const skein_message *msgs, size_t n, const skn_view_options *opt,
                    skn_arena *a, skn_prompt *out)
{
    static const skn_view_options none = {0};
    builder                       b = {.msgs = msgs, .n = n, .opt = opt ? opt : &none, .a = a};

    skn_pairs_find(&b.pairs, msgs, n, a);
    init_voices(&b.voices, a);
    init_call_ids(&b.ids, a);
    learn_voices(&b);
    add_summary(&b);
    for (size_t i = 0; i <= n; i++) {
        if (b.opt->again && i == b.opt->again_at)
            add_again(&b);
        if (i < n)
            add_message(&b, i);
    }
    flush(&b, NULL, 0);
    if (!b.out.n)
        add_made_up(&b, SKN_VIEW_START);
    else if (b.out.p[b.out.n - 1].role == SKEIN_ASSISTANT)
        add_made_up(&b, SKN_VIEW_CONTINUE);
    out->at = b.out.p;
    out->count = b.out.n;
    out->cut = b.cut;
}
