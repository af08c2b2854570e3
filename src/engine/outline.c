#include "engine/outline.h"
#include "engine/outline_names.h"

static const skn_lang langs[] = {
    {"c h cc cpp cxx hpp hh hxx",
     SKN_LANG_BRACES | SKN_LANG_BARE | SKN_LANG_DIRECTIVES | SKN_LANG_RAW | SKN_LANG_ALIAS, "",
     "struct union enum class namespace"},
    {"java", SKN_LANG_BRACES | SKN_LANG_BARE | SKN_LANG_TRIPLE, "",
     "class interface enum record"},
    {"cs",
     SKN_LANG_BRACES | SKN_LANG_BARE | SKN_LANG_DIRECTIVES | SKN_LANG_TRIPLE | SKN_LANG_RAW, "",
     "class struct interface enum record namespace"},
    {"kt kts",
     SKN_LANG_BRACES | SKN_LANG_NEWLINES | SKN_LANG_TRIPLE | SKN_LANG_NESTED |
         SKN_LANG_TICK_NAME | SKN_LANG_RECEIVER,
     "fun", "class interface object"},
    {"js jsx mjs cjs",
     SKN_LANG_BRACES | SKN_LANG_NEWLINES | SKN_LANG_BARE_ANY | SKN_LANG_QUOTE |
         SKN_LANG_TEMPLATE,
     "function", "class"},
    {"ts tsx mts cts",
     SKN_LANG_BRACES | SKN_LANG_NEWLINES | SKN_LANG_BARE_ANY | SKN_LANG_QUOTE |
         SKN_LANG_TEMPLATE,
     "function", "class interface enum namespace type"},
    {"go", SKN_LANG_BRACES | SKN_LANG_NEWLINES | SKN_LANG_TICK_RAW, "func", "type"},
    {"rs",
     SKN_LANG_BRACES | SKN_LANG_NESTED | SKN_LANG_LIFETIME | SKN_LANG_MULTILINE | SKN_LANG_RAW,
     "fn", "struct enum trait union mod type"},
    {"php", SKN_LANG_BRACES | SKN_LANG_HASH | SKN_LANG_QUOTE, "function",
     "class interface trait enum namespace"},
    {"swift",
     SKN_LANG_BRACES | SKN_LANG_NEWLINES | SKN_LANG_TRIPLE | SKN_LANG_NESTED |
         SKN_LANG_TICK_NAME,
     "func", "class struct enum protocol extension actor"},
    {"py pyi", 0, "def", "class"},
    {"rb rake", SKN_LANG_END, "def", "class module"},
};

typedef enum scope_kind { IN_TYPE, IN_FUNCTION } scope_kind;

/* What a brace opened. */
typedef struct scope {
    scope_kind kind;
    size_t     declared; /* the declaration it is the body of, + 1; 0 for none */
    skn_str    owner;    /* of the functions in it; absent for none */
    size_t     header;   /* where the tokens of the statement in it begin */
    size_t     depth;    /* parentheses open in the statement */
    bool       goes_on;  /* the statement around it goes on behind the closing brace */
    bool       declares; /* names may follow the closing brace: struct {…} name; */
    bool       is_typedef;
} scope;

typedef struct parser {
    skn_lexer       lx;
    const skn_lang *lang;
    skn_arena      *a;
    skn_vec(scope) scopes;
    skn_vec(skn_token) tokens; /* of the statements that are open, outside their parentheses */
    skn_vec(skn_declaration) found;
    size_t last_line;   /* of the last token */
    size_t named_later; /* a declaration, + 1, that waits for a name before ';' */
    bool   is_typedef;
} parser;

const skn_lang *skn_lang_of(skn_str path)
{
    size_t dot = path.n;

    while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/')
        dot--;
    if (dot == 0 || path.p[dot - 1] != '.')
        return NULL;
    for (size_t i = 0; i < sizeof langs / sizeof *langs; i++)
        if (skn_word_in(langs[i].endings, skn_str_sub(path, dot, path.n)))
            return &langs[i];
    return NULL;
}

static bool has(const parser *p, unsigned trait)
{
    return (p->lang->traits & trait) != 0;
}

static scope *top(parser *p)
{
    return &p->scopes.p[p->scopes.n - 1];
}

static skn_header current(parser *p)
{
    size_t from = top(p)->header;

    return (skn_header){p->tokens.p + from, p->tokens.n - from};
}

/* Outside a class, foo() and a brace on the next line are a call and a block. */
static bool bare_allowed(parser *p, skn_header h, bool ends_here, bool brace_first)
{
    if (has(p, SKN_LANG_BARE))
        return top(p)->kind == IN_TYPE;
    if (!has(p, SKN_LANG_BARE_ANY) || ends_here || !h.n)
        return false;
    return !brace_first || (top(p)->declared && top(p)->kind == IN_TYPE);
}

static skn_str owner_of(parser *p, skn_header h, size_t name)
{
    if (name && skn_header_mark(h, name - 1, '~'))
        name--;
    if (name >= 2 && skn_header_mark(h, name - 1, SKN_MARK_SCOPE) &&
        skn_header_word(h, name - 2))
        return h.t[name - 2].text;
    if (name >= 2 && has(p, SKN_LANG_RECEIVER) && skn_header_mark(h, name - 1, '.') &&
        skn_header_word(h, name - 2))
        return h.t[name - 2].text;
    return top(p)->owner;
}

/* Notes what the statement declares; false when that is nothing. */
static bool declare(parser *p, skn_header h, bool ends_here, bool brace_first)
{
    size_t          name = skn_header_type(p->lang, h, ends_here);
    skn_declaration d = {.type = name < h.n, .body = !ends_here || !has(p, SKN_LANG_ALIAS)};

    if (!d.type)
        name = skn_header_function(p->lang, h, ends_here,
                                   bare_allowed(p, h, ends_here, brace_first));
    if (name >= h.n)
        return false;
    d.name = h.t[name].text;
    d.owner = owner_of(p, h, name);
    if (name && skn_header_mark(h, name - 1, '~') && d.name.p[-1] == '~')
        d.name = (skn_str){d.name.p - 1, d.name.n + 1};
    d.first_line = h.t[0].line;
    d.last_line = p->last_line;
    skn_vec_add(p->a, &p->found, d);
    return true;
}

static void forget_statement(parser *p)
{
    p->tokens.n = top(p)->header;
}

static void name_later(parser *p, skn_header h)
{
    skn_declaration *d = &p->found.p[p->named_later - 1], twin = *d;
    size_t           name = h.n;

    for (size_t i = 0; i < h.n; i++)
        if (skn_header_word(h, i))
            name = i;
    d->last_line = p->last_line;
    if (name < h.n && p->is_typedef) {
        twin.last_line = p->last_line;
        twin.name = h.t[name].text;
        if (!d->name.n)
            *d = twin;
        else if (!skn_str_eq(d->name, twin.name))
            skn_vec_add(p->a, &p->found, twin);
    }
    p->named_later = 0;
}

static bool alias(parser *p, skn_header h)
{
    skn_declaration d = {
        .type = true, .first_line = h.n ? h.t[0].line : 0, .last_line = p->last_line};
    size_t name = h.n;

    if (!has(p, SKN_LANG_ALIAS) || !skn_header_word(h, 0) ||
        !skn_str_is(h.t[0].text, "typedef"))
        return false;
    for (size_t i = 1; i < h.n; i++)
        if (skn_header_word(h, i))
            name = i;
    if (name < h.n) {
        d.name = h.t[name].text;
        skn_vec_add(p->a, &p->found, d);
    }
    return true;
}

static void end_statement(parser *p)
{
    skn_header h = current(p);

    if (p->named_later)
        name_later(p, h);
    else if (h.n && !alias(p, h))
        declare(p, h, true, false);
    forget_statement(p);
}

/* typedef struct {…} name; the name comes later. */
static bool nameless_type(parser *p, skn_header h)
{
    skn_declaration d = {.type = true, .body = true, .name = SKN_STR("")};

    if (!has(p, SKN_LANG_ALIAS) || h.n != 2 || !skn_header_word(h, 0) ||
        !skn_header_word(h, 1) || !skn_str_is(h.t[0].text, "typedef") ||
        !skn_word_in("struct union enum", h.t[1].text))
        return false;
    d.first_line = h.t[0].line;
    skn_vec_add(p->a, &p->found, d);
    return true;
}

static void open_body(parser *p, skn_header h, scope *s)
{
    const skn_declaration *d = &p->found.p[p->found.n - 1];

    s->declared = p->found.n;
    s->kind = d->type ? IN_TYPE : IN_FUNCTION;
    s->owner = d->type ? d->name : d->owner;
    s->declares = d->type && has(p, SKN_LANG_ALIAS);
    s->is_typedef = s->declares && skn_str_is(h.t[0].text, "typedef");
    for (size_t i = 0; i < h.n; i++)
        if (skn_header_word(h, i) && skn_str_is(h.t[i].text, "namespace"))
            s->declares = false;
}

static void open_brace(parser *p, const skn_token *t)
{
    skn_header h = current(p);
    scope      s = {.kind = top(p)->kind, .owner = top(p)->owner, .header = p->tokens.n};

    p->named_later = 0;
    if (top(p)->depth ||
        (has(p, SKN_LANG_TEMPLATE) && h.n && skn_header_mark(h, h.n - 1, ':'))) {
        s.goes_on = true;
        s.kind = IN_FUNCTION;
    } else if (nameless_type(p, h) || declare(p, h, false, t->first)) {
        open_body(p, h, &s);
    } else if (skn_header_find(h, 0, '=') < h.n) {
        s.kind = IN_FUNCTION;
    } else if (skn_header_word(h, 0) && skn_str_is(h.t[0].text, "impl")) {
        s.owner = skn_header_implements(h);
    } else if (has(p, SKN_LANG_BARE_ANY)) {
        s.kind = IN_FUNCTION;
    }
    skn_vec_add(p->a, &p->scopes, s);
}

static void add_token(parser *p, const skn_token *t)
{
    skn_header h = current(p);

    if (has(p, SKN_LANG_ALIAS) && t->kind == SKN_MARK && t->mark == ':' && h.n == 1 &&
        skn_word_in("public private protected", h.t[0].text)) {
        forget_statement(p);
        return;
    }
    skn_vec_add(p->a, &p->tokens, *t);
}

static void close_brace(parser *p, const skn_token *t)
{
    scope     s = *top(p);
    skn_token whole = {.kind = SKN_LITERAL, .line = t->line};

    end_statement(p);
    p->last_line = t->line;
    if (p->scopes.n == 1)
        return;
    p->scopes.n--;
    if (s.declared)
        p->found.p[s.declared - 1].last_line = t->line;
    if (s.goes_on) {
        if (!top(p)->depth)
            add_token(p, &whole);
        return;
    }
    forget_statement(p);
    if (s.declares) {
        p->named_later = s.declared;
        p->is_typedef = s.is_typedef;
    }
}

static void take_mark(parser *p, const skn_token *t)
{
    size_t *depth = &top(p)->depth;

    switch (t->mark) {
    case '{':
        open_brace(p, t);
        return;
    case '}':
        close_brace(p, t);
        return;
    case '(':
    case '[':
        if ((*depth)++ == 0)
            add_token(p, t);
        return;
    case ')':
    case ']':
        if (*depth && --*depth == 0)
            add_token(p, t);
        return;
    case ';':
        if (!*depth) {
            p->last_line = t->line;
            end_statement(p);
        }
        return;
    default:
        break;
    }
    if (*depth)
        return;
    if (t->mark == ',' && has(p, SKN_LANG_BARE_ANY) && top(p)->kind == IN_FUNCTION)
        forget_statement(p);
    else
        add_token(p, t);
}

static void take(parser *p, const skn_token *t)
{
    if (t->first && has(p, SKN_LANG_NEWLINES) && !top(p)->depth) {
        skn_header h = current(p);

        if (h.n && !skn_header_continues(p->lang, h, t))
            end_statement(p);
    }
    if (t->kind == SKN_MARK)
        take_mark(p, t);
    else if (!top(p)->depth)
        add_token(p, t);
    p->last_line = p->lx.line;
}

void skn_outline_read(skn_str text, const skn_lang *lang, skn_arena *a, skn_outline *out)
{
    parser    p = {.lang = lang, .a = a};
    skn_token t = {0};
    scope     file = {.kind = IN_TYPE, .header = 1};
    size_t    lines = skn_count_lines(text);

    if (!(lang->traits & SKN_LANG_BRACES)) {
        skn_outline_indent(text, lang, a, out);
        return;
    }
    skn_lexer_init(&p.lx, text, lang, a);
    skn_vec_add(a, &p.tokens, t); /* so that there is always somewhere to point to */
    skn_vec_add(a, &p.scopes, file);
    while (skn_lexer_next(&p.lx, &t))
        take(&p, &t);
    t = (skn_token){.line = p.last_line};
    while (p.scopes.n > 1) /* braces that nothing closes */
        close_brace(&p, &t);
    end_statement(&p);
    for (size_t i = 0; i < p.found.n; i++) {
        skn_declaration *d = &p.found.p[i];

        d->first_line = skn_first_line(p.lx.lines, d->first_line);
        if (d->last_line > lines) /* a text that nothing closes ends behind the last line */
            d->last_line = lines;
    }
    out->at = p.found.p;
    out->count = p.found.n;
}
