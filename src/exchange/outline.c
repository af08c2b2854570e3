#include "exchange/outline.h"
#include "exchange/outline_lex.h"

static const skn_lang langs[] = {
#define SKN_LANG(...) {__VA_ARGS__},
#include "exchange/langs.def"
#undef SKN_LANG
};

static bool speaks(const skn_lang *lang, unsigned trait)
{
    return (lang->traits & trait) != 0;
}

/* --- What a statement declares, judged by its words and marks outside parentheses ---------------- */

/* The tokens of a statement up to its body or end; of a group in parentheses only both ends. */
typedef struct header {
    const skn_token *t;
    size_t           n;
} header;

/* Words before a '(' that make no function of it. */
static const char no_function[] =
    "if for while switch catch return sizeof else do synchronized using lock fixed foreach "
    "when "
    "with new throw await yield typeof delete function super assert defined and or not in is "
    "__attribute__ __declspec alignas decltype noexcept requires";

enum { ANNOTATION_TOKENS = 256 };

static bool header_mark(header h, size_t i, char mark)
{
    return i < h.n && h.t[i].kind == SKN_MARK && h.t[i].mark == mark;
}

static bool header_word(header h, size_t i)
{
    return i < h.n && h.t[i].kind == SKN_WORD;
}

/* The first such mark at or after `from`; h.n when there is none. */
static size_t header_find(header h, size_t from, char mark)
{
    while (from < h.n && !header_mark(h, from, mark))
        from++;
    return from;
}

static bool reserved(const skn_lang *lang, skn_str word)
{
    return skn_str_among(word, lang->types) || skn_str_among(word, lang->functions) ||
           skn_str_among(word, "var let val extends implements");
}

/* In C a word like struct also begins functions and variables of that type: what declares one has
 * neither parentheses nor a value behind the name, and without a body nothing at all. The last
 * counts: template <class T> class Name. */
static size_t plain_type(const skn_lang *lang, header h, bool ends_here)
{
    for (size_t i = h.n; i-- > 1;) {
        if (header_mark(h, i, '(') || header_mark(h, i, '=') || (ends_here && i + 1 < h.n))
            break;
        if (header_word(h, i) && header_word(h, i - 1) &&
            skn_str_among(h.t[i - 1].text, lang->types) && !reserved(lang, h.t[i].text))
            return i;
    }
    return h.n;
}

/* The index of the name of the type that is declared; h.n for none. ends_here: no body follows. */
static size_t header_type(const skn_lang *lang, header h, bool ends_here)
{
    if (speaks(lang, SKN_LANG_ALIAS))
        return plain_type(lang, h, ends_here);
    for (size_t i = 1; i < h.n; i++)
        if (header_word(h, i) && header_word(h, i - 1) &&
            skn_str_among(h.t[i - 1].text, lang->types) && !reserved(lang, h.t[i].text))
            return i;
    return h.n;
}

static size_t name_before_group(header h, size_t from)
{
    for (size_t i = from + 1; i < h.n; i++)
        if (header_mark(h, i, '(') && header_word(h, i - 1) && i - 1 > from)
            return i - 1;
    return h.n;
}

/* The name of a function that a word announces, the word being at i. */
static size_t announced_name(const skn_lang *lang, header h, size_t i)
{
    if (speaks(lang, SKN_LANG_RECEIVER))
        return name_before_group(h, i);
    i++;
    if (header_mark(h, i, '(')) { /* func (r *T) name(…), but not func(…) int */
        i = header_find(h, i, ')') + 1;
        return header_word(h, i) && (header_mark(h, i + 1, '(') || header_mark(h, i + 1, '['))
                   ? i
                   : h.n;
    }
    while (header_mark(h, i, '*') || header_mark(h, i, '&'))
        i++;
    return header_word(h, i) ? i : h.n;
}

/* name = function …, name = (…) => …, name: (…) => … */
static size_t assigned_name(const skn_lang *lang, header h)
{
    for (size_t i = 1; i < h.n; i++) {
        if (!header_mark(h, i, '=') && !header_mark(h, i, ':'))
            continue;
        if (!header_word(h, i - 1))
            return h.n;
        for (size_t k = i + 1; k < h.n; k++)
            if (header_mark(h, k, SKN_MARK_FAT) ||
                (header_word(h, k) && skn_str_among(h.t[k].text, lang->functions)))
                return i - 1;
        return h.n;
    }
    return h.n;
}

static bool follows_a_type(header h, size_t name)
{
    if (!name)
        return false;
    return header_word(h, name - 1) || header_mark(h, name - 1, '*') ||
           header_mark(h, name - 1, '&') || header_mark(h, name - 1, '>') ||
           header_mark(h, name - 1, ']') || header_mark(h, name - 1, '~') ||
           header_mark(h, name - 1, SKN_MARK_SCOPE);
}

/* A function's name stands before its parameters and behind its type. A constructor has no type:
 * without a better one the first word before parameters is taken. */
static size_t bare_name(header h, bool needs_type, bool needs_end)
{
    size_t first = h.n, end = header_find(h, 0, '=');

    for (size_t i = 1; i < end && !header_mark(h, i, ':'); i++) {
        if (!header_mark(h, i, '(') || !header_word(h, i - 1) ||
            skn_str_among(h.t[i - 1].text, no_function))
            continue;
        if (header_mark(h, i + 2, '(') ||
            (needs_end && i + 2 < h.n && !header_mark(h, i + 2, ':')))
            continue; /* a pointer to a function; a statement that goes on */
        if (i > 1 && (header_mark(h, i - 2, '.') || header_mark(h, i - 2, '@') ||
                      (header_word(h, i - 2) && skn_str_among(h.t[i - 2].text, no_function))))
            continue;
        if (follows_a_type(h, i - 1))
            return i - 1;
        if (first == h.n)
            first = i - 1;
    }
    return needs_type ? h.n : first;
}

/* The same for a function; bare: one that no word announces may be here. */
static size_t header_function(const skn_lang *lang, header h, bool ends_here, bool bare)
{
    size_t name = speaks(lang, SKN_LANG_BARE_ANY) ? assigned_name(lang, h) : h.n;

    for (size_t i = 0; i < h.n && name == h.n; i++)
        if (header_word(h, i) && skn_str_among(h.t[i].text, lang->functions))
            return announced_name(lang, h, i);
    if (name == h.n && bare)
        name = bare_name(h, ends_here, speaks(lang, SKN_LANG_BARE_ANY));
    return name;
}

/* impl Trait for Name, impl<T> Name<T> */
static skn_str header_implements(header h)
{
    size_t  angle = 0;
    skn_str name = SKN_NONE;

    for (size_t i = 1; i < h.n; i++) {
        if (header_mark(h, i, '<'))
            angle++;
        else if (header_mark(h, i, '>') && angle)
            angle--;
        else if (!angle && header_word(h, i) && skn_str_is(h.t[i].text, "for"))
            name = SKN_NONE;
        else if (!angle && header_word(h, i) && !name.p)
            name = h.t[i].text;
    }
    return name;
}

/* @Name, @Name(…), @a.b.Name: what stands alone on the lines above a declaration. It is asked at
 * every line, so it looks at so many only. */
static bool only_annotations(header h)
{
    size_t i = 0;

    if (h.n > ANNOTATION_TOKENS)
        return false;
    while (header_mark(h, i, '@') && header_word(h, i + 1)) {
        for (i += 2;
             (header_mark(h, i, '.') || header_mark(h, i, ':')) && header_word(h, i + 1);)
            i += 2;
        if (header_mark(h, i, '('))
            i = header_find(h, i, ')') + 1;
    }
    return i >= h.n;
}

/* Whether a statement, not empty, continues with token t, the first of the next line. */
static bool header_continues(const skn_lang *lang, header h, const skn_token *t)
{
    const skn_token *last = &h.t[h.n - 1];

    if (t->kind == SKN_MARK && t->mark == '{')
        return true;
    if (t->kind == SKN_MARK && (t->mark == SKN_MARK_OP || t->mark == SKN_MARK_FAT ||
                                skn_str_find(SKN_STR(".?:=&|,)"), t->text) >= 0))
        return true;
    if (t->kind == SKN_WORD && skn_str_among(t->text, "where throws implements extends else"))
        return true;
    if (last->kind == SKN_MARK && (last->mark == SKN_MARK_OP || last->mark == SKN_MARK_FAT ||
                                   skn_str_find(SKN_STR("=,.:+-*/%&|<?!^"), last->text) >= 0))
        return true;
    if (last->kind == SKN_WORD && reserved(lang, last->text))
        return true;
    return only_annotations(h);
}

/* --- Braces --------------------------------------------------------------------------------------- */

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
        if (skn_str_among(skn_str_sub(path, dot, path.n), langs[i].endings))
            return &langs[i];
    return NULL;
}

static bool has(const parser *p, unsigned trait)
{
    return speaks(p->lang, trait);
}

static scope *top(parser *p)
{
    return &p->scopes.p[p->scopes.n - 1];
}

static header current(parser *p)
{
    size_t from = top(p)->header;

    return (header){p->tokens.p + from, p->tokens.n - from};
}

/* Outside a class, foo() and a brace on the next line are a call and a block. */
static bool bare_allowed(parser *p, header h, bool ends_here, bool brace_first)
{
    if (has(p, SKN_LANG_BARE))
        return top(p)->kind == IN_TYPE;
    if (!has(p, SKN_LANG_BARE_ANY) || ends_here || !h.n)
        return false;
    return !brace_first || (top(p)->declared && top(p)->kind == IN_TYPE);
}

static skn_str owner_of(parser *p, header h, size_t name)
{
    if (name && header_mark(h, name - 1, '~'))
        name--;
    if (name >= 2 && header_mark(h, name - 1, SKN_MARK_SCOPE) && header_word(h, name - 2))
        return h.t[name - 2].text;
    if (name >= 2 && has(p, SKN_LANG_RECEIVER) && header_mark(h, name - 1, '.') &&
        header_word(h, name - 2))
        return h.t[name - 2].text;
    return top(p)->owner;
}

/* Notes what the statement declares; false when that is nothing. */
static bool declare(parser *p, header h, bool ends_here, bool brace_first)
{
    size_t          name = header_type(p->lang, h, ends_here);
    skn_declaration d = {.type = name < h.n, .body = !ends_here || !has(p, SKN_LANG_ALIAS)};

    if (!d.type)
        name = header_function(p->lang, h, ends_here,
                               bare_allowed(p, h, ends_here, brace_first));
    if (name >= h.n)
        return false;
    d.name = h.t[name].text;
    d.owner = owner_of(p, h, name);
    if (name && header_mark(h, name - 1, '~') && d.name.p[-1] == '~')
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

static void name_later(parser *p, header h)
{
    skn_declaration *d = &p->found.p[p->named_later - 1], twin = *d;
    size_t           name = h.n;

    for (size_t i = 0; i < h.n; i++)
        if (header_word(h, i))
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

static bool alias(parser *p, header h)
{
    skn_declaration d = {
        .type = true, .first_line = h.n ? h.t[0].line : 0, .last_line = p->last_line};
    size_t name = h.n;

    if (!has(p, SKN_LANG_ALIAS) || !header_word(h, 0) || !skn_str_is(h.t[0].text, "typedef"))
        return false;
    for (size_t i = 1; i < h.n; i++)
        if (header_word(h, i))
            name = i;
    if (name < h.n) {
        d.name = h.t[name].text;
        skn_vec_add(p->a, &p->found, d);
    }
    return true;
}

static void end_statement(parser *p)
{
    header h = current(p);

    if (p->named_later)
        name_later(p, h);
    else if (h.n && !alias(p, h))
        declare(p, h, true, false);
    forget_statement(p);
}

/* typedef struct {…} name; the name comes later. */
static bool nameless_type(parser *p, header h)
{
    skn_declaration d = {.type = true, .body = true, .name = SKN_STR("")};

    if (!has(p, SKN_LANG_ALIAS) || h.n != 2 || !header_word(h, 0) || !header_word(h, 1) ||
        !skn_str_is(h.t[0].text, "typedef") || !skn_str_among(h.t[1].text, "struct union enum"))
        return false;
    d.first_line = h.t[0].line;
    skn_vec_add(p->a, &p->found, d);
    return true;
}

static void open_body(parser *p, header h, scope *s)
{
    const skn_declaration *d = &p->found.p[p->found.n - 1];

    s->declared = p->found.n;
    s->kind = d->type ? IN_TYPE : IN_FUNCTION;
    s->owner = d->type ? d->name : d->owner;
    s->declares = d->type && has(p, SKN_LANG_ALIAS);
    s->is_typedef = s->declares && skn_str_is(h.t[0].text, "typedef");
    for (size_t i = 0; i < h.n; i++)
        if (header_word(h, i) && skn_str_is(h.t[i].text, "namespace"))
            s->declares = false;
}

static void open_brace(parser *p, const skn_token *t)
{
    header h = current(p);
    scope  s = {.kind = top(p)->kind, .owner = top(p)->owner, .header = p->tokens.n};

    p->named_later = 0;
    if (top(p)->depth || (has(p, SKN_LANG_TEMPLATE) && h.n && header_mark(h, h.n - 1, ':'))) {
        s.goes_on = true;
        s.kind = IN_FUNCTION;
    } else if (nameless_type(p, h) || declare(p, h, false, t->first)) {
        open_body(p, h, &s);
    } else if (header_find(h, 0, '=') < h.n) {
        s.kind = IN_FUNCTION;
    } else if (header_word(h, 0) && skn_str_is(h.t[0].text, "impl")) {
        s.owner = header_implements(h);
    } else if (has(p, SKN_LANG_BARE_ANY)) {
        s.kind = IN_FUNCTION;
    }
    skn_vec_add(p->a, &p->scopes, s);
}

static void add_token(parser *p, const skn_token *t)
{
    header h = current(p);

    if (has(p, SKN_LANG_ALIAS) && t->kind == SKN_MARK && t->mark == ':' && h.n == 1 &&
        skn_str_among(h.t[0].text, "public private protected")) {
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

static void take_token(parser *p, const skn_token *t)
{
    if (t->first && has(p, SKN_LANG_NEWLINES) && !top(p)->depth) {
        header h = current(p);

        if (h.n && !header_continues(p->lang, h, t))
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
        take_token(&p, &t);
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

/* Outlines of languages where indentation tells what belongs together. */

typedef struct block {
    size_t  indent;
    size_t  declared; /* index of its declaration */
    skn_str owner;    /* of the functions in it */
} block;

typedef struct reader {
    const skn_lang *lang;
    skn_arena      *a;
    unsigned char  *lines; /* SKN_LINE_… */
    size_t          line;
    size_t          last_code; /* the last line with code */
    size_t decorators; /* the line where those of the next declaration begin; 0 for none */
    size_t depth;      /* parentheses open */
    char   triple;     /* the quote of an open text of many lines; 0 for none */
    bool   joined;     /* the line before ended in a backslash */
    bool   remark;     /* between "=begin" and "=end" */
    skn_vec(block) blocks;
    skn_vec(skn_declaration) found;
} reader;

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

static size_t indent_of(skn_str line, skn_str *rest)
{
    size_t i = 0, columns = 0;

    for (; i < line.n && (line.p[i] == ' ' || line.p[i] == '\t' || line.p[i] == '\f'); i++)
        columns = line.p[i] == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    *rest = skn_str_sub(line, i, line.n);
    return columns;
}

/* Cuts the word at the start of *rest off, and the blanks behind it. */
static skn_str next_word(skn_str *rest)
{
    size_t  n = 0;
    skn_str word;

    while (n < rest->n && word_char(rest->p[n]))
        n++;
    word = skn_str_sub(*rest, 0, n);
    while (n < rest->n && (rest->p[n] == ' ' || rest->p[n] == '\t'))
        n++;
    *rest = skn_str_sub(*rest, n, rest->n);
    return word;
}

static bool quoted_thrice(skn_str s, size_t i, char quote)
{
    return i + 2 < s.n && s.p[i] == quote && s.p[i + 1] == quote && s.p[i + 2] == quote;
}

/* Goes through the texts, comments and parentheses of a line. */
static void follow_line(reader *r, skn_str s)
{
    char single = 0;

    r->joined = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (c == '\\') {
            r->joined = ++i >= s.n && !r->triple;
        } else if (r->triple) {
            if (quoted_thrice(s, i, r->triple)) {
                r->triple = 0;
                i += 2;
            }
        } else if (single) {
            single = c == single ? (char)0 : single;
        } else if (c == '#') {
            return;
        } else if (c == '"' || c == '\'') {
            if (quoted_thrice(s, i, c)) {
                r->triple = c;
                i += 2;
            } else {
                single = c;
            }
        } else if (c == '(' || c == '[' || c == '{') {
            r->depth++;
        } else if ((c == ')' || c == ']' || c == '}') && r->depth) {
            r->depth--;
        }
    }
}

static void close_blocks(reader *r, size_t indent)
{
    while (r->blocks.n && r->blocks.p[r->blocks.n - 1].indent >= indent)
        r->found.p[r->blocks.p[--r->blocks.n].declared].last_line = r->last_code;
}

/* Opens the declaration that the words of a line begin, if they do. */
static bool open_block(reader *r, size_t indent, skn_str rest)
{
    skn_str         word = next_word(&rest), owner = SKN_NONE;
    skn_declaration d = {.body = true, .last_line = r->line};
    block           b = {indent, r->found.n, SKN_NONE};

    while (skn_str_among(word, "async private protected public"))
        word = next_word(&rest);
    d.type = skn_str_among(word, r->lang->types);
    if (!d.type && !skn_str_among(word, r->lang->functions))
        return false;
    d.name = next_word(&rest);
    while (rest.n > 1 && (rest.p[0] == '.' || (rest.p[0] == ':' && rest.p[1] == ':'))) {
        owner = skn_str_is(d.name, "self") ? SKN_NONE : d.name;
        rest = skn_str_sub(rest, rest.p[0] == '.' ? 1 : 2, rest.n);
        d.name = next_word(&rest);
    }
    if (rest.n && (rest.p[0] == '?' || rest.p[0] == '!') && rest.p == d.name.p + d.name.n)
        d.name.n++;
    d.owner = r->blocks.n ? r->blocks.p[r->blocks.n - 1].owner : SKN_NONE;
    if (owner.p)
        d.owner = owner;
    d.first_line = r->decorators ? r->decorators : r->line;
    b.owner = d.type ? d.name : d.owner;
    skn_vec_add(r->a, &r->found, d);
    skn_vec_add(r->a, &r->blocks, b);
    return true;
}

static void read_python(reader *r, skn_str line)
{
    skn_str rest;
    size_t  indent = indent_of(line, &rest);
    bool    inside = r->depth || r->triple || r->joined;

    if (!inside && !rest.n)
        return;
    if (!inside && rest.p[0] == '#') {
        r->lines[r->line] = SKN_LINE_COMMENT;
        return;
    }
    r->lines[r->line] = SKN_LINE_CODE;
    if (!inside) {
        close_blocks(r, indent);
        if (rest.p[0] != '@') {
            open_block(r, indent, rest);
            r->decorators = 0;
        } else if (!r->decorators) {
            r->decorators = r->line;
        }
    }
    follow_line(r, rest);
    if (rest.n)
        r->last_code = r->line;
}

/* "def a = 1", "def a; end", "class A; end" */
static bool one_line(skn_str rest)
{
    size_t at = 0, depth = 0;

    rest = skn_str_trim(rest);
    if (skn_str_ends(rest, SKN_STR("end")) && (rest.n == 3 || !word_char(rest.p[rest.n - 4])))
        return true;
    if (!skn_str_starts(rest, SKN_STR("def ")))
        return false;
    for (at = 4;
         at < rest.n && (word_char(rest.p[at]) || rest.p[at] == '.' || rest.p[at] == '?');)
        at++;
    for (; at < rest.n && (depth || rest.p[at] == '(' || rest.p[at] == ' '); at++)
        depth += (size_t)(rest.p[at] == '(') - (size_t)(depth && rest.p[at] == ')');
    return at + 1 < rest.n && rest.p[at] == '=' && rest.p[at + 1] == ' ';
}

static void end_block(reader *r, size_t indent)
{
    if (indent)
        close_blocks(r, indent + 1);
    if (!indent || (r->blocks.n && r->blocks.p[r->blocks.n - 1].indent == indent)) {
        r->last_code = r->line;
        close_blocks(r, indent);
    }
}

static void read_ruby(reader *r, skn_str line)
{
    skn_str rest, word, after;
    size_t  indent = indent_of(line, &rest);

    if (skn_str_starts(line, SKN_STR("=begin")))
        r->remark = true;
    if (r->remark || (rest.n && rest.p[0] == '#')) {
        r->lines[r->line] = SKN_LINE_COMMENT;
        r->remark = r->remark && !skn_str_starts(line, SKN_STR("=end"));
        return;
    }
    if (!rest.n)
        return;
    r->lines[r->line] = SKN_LINE_CODE;
    after = rest;
    word = next_word(&after);
    if (skn_str_is(word, "end"))
        end_block(r, indent);
    else if (open_block(r, indent, rest) && one_line(rest))
        r->blocks.n--;
    r->last_code = r->line;
}

void skn_outline_indent(skn_str text, const skn_lang *lang, skn_arena *a, skn_outline *out)
{
    reader  r = {.lang = lang, .a = a};
    skn_str line;

    r.lines = SKN_ARRAY(a, skn_count_lines(text) + 2, unsigned char);
    if (skn_str_starts(text, SKN_STR("\xef\xbb\xbf")))
        text = skn_str_sub(text, 3, text.n);
    while (skn_str_split(&text, '\n', &line)) {
        r.line++;
        if (skn_str_ends(line, SKN_STR("\r")))
            line.n--;
        if (lang->traits & SKN_LANG_END)
            read_ruby(&r, line);
        else
            read_python(&r, line);
    }
    close_blocks(&r, 0);
    for (size_t i = 0; i < r.found.n; i++)
        r.found.p[i].first_line = skn_first_line(r.lines, r.found.p[i].first_line);
    out->at = r.found.p;
    out->count = r.found.n;
}
