#include "engine/outline_names.h"

/* Words before a '(' that make no function of it. */
static const char no_function[] =
    "if for while switch catch return sizeof else do synchronized using lock fixed foreach "
    "when "
    "with new throw await yield typeof delete function super assert defined and or not in is "
    "__attribute__ __declspec alignas decltype noexcept requires";

enum { ANNOTATION_TOKENS = 256 };

static bool has(const skn_lang *lang, unsigned trait)
{
    return (lang->traits & trait) != 0;
}

bool skn_header_mark(skn_header h, size_t i, char mark)
{
    return i < h.n && h.t[i].kind == SKN_MARK && h.t[i].mark == mark;
}

bool skn_header_word(skn_header h, size_t i)
{
    return i < h.n && h.t[i].kind == SKN_WORD;
}

size_t skn_header_find(skn_header h, size_t from, char mark)
{
    while (from < h.n && !skn_header_mark(h, from, mark))
        from++;
    return from;
}

static bool reserved(const skn_lang *lang, skn_str word)
{
    return skn_word_in(lang->types, word) || skn_word_in(lang->functions, word) ||
           skn_word_in("var let val extends implements", word);
}

/* In C a word like struct also begins functions and variables of that type: what declares one has
 * neither parentheses nor a value behind the name, and without a body nothing at all. The last
 * counts: template <class T> class Name. */
static size_t plain_type(const skn_lang *lang, skn_header h, bool ends_here)
{
    for (size_t i = h.n; i-- > 1;) {
        if (skn_header_mark(h, i, '(') || skn_header_mark(h, i, '=') ||
            (ends_here && i + 1 < h.n))
            break;
        if (skn_header_word(h, i) && skn_header_word(h, i - 1) &&
            skn_word_in(lang->types, h.t[i - 1].text) && !reserved(lang, h.t[i].text))
            return i;
    }
    return h.n;
}

size_t skn_header_type(const skn_lang *lang, skn_header h, bool ends_here)
{
    if (has(lang, SKN_LANG_ALIAS))
        return plain_type(lang, h, ends_here);
    for (size_t i = 1; i < h.n; i++)
        if (skn_header_word(h, i) && skn_header_word(h, i - 1) &&
            skn_word_in(lang->types, h.t[i - 1].text) && !reserved(lang, h.t[i].text))
            return i;
    return h.n;
}

static size_t name_before_group(skn_header h, size_t from)
{
    for (size_t i = from + 1; i < h.n; i++)
        if (skn_header_mark(h, i, '(') && skn_header_word(h, i - 1) && i - 1 > from)
            return i - 1;
    return h.n;
}

/* The name of a function that a word announces, the word being at i. */
static size_t announced_name(const skn_lang *lang, skn_header h, size_t i)
{
    if (has(lang, SKN_LANG_RECEIVER))
        return name_before_group(h, i);
    i++;
    if (skn_header_mark(h, i, '(')) { /* func (r *T) name(…), but not func(…) int */
        i = skn_header_find(h, i, ')') + 1;
        return skn_header_word(h, i) &&
                       (skn_header_mark(h, i + 1, '(') || skn_header_mark(h, i + 1, '['))
                   ? i
                   : h.n;
    }
    while (skn_header_mark(h, i, '*') || skn_header_mark(h, i, '&'))
        i++;
    return skn_header_word(h, i) ? i : h.n;
}

/* name = function …, name = (…) => …, name: (…) => … */
static size_t assigned_name(const skn_lang *lang, skn_header h)
{
    for (size_t i = 1; i < h.n; i++) {
        if (!skn_header_mark(h, i, '=') && !skn_header_mark(h, i, ':'))
            continue;
        if (!skn_header_word(h, i - 1))
            return h.n;
        for (size_t k = i + 1; k < h.n; k++)
            if (skn_header_mark(h, k, SKN_MARK_FAT) ||
                (skn_header_word(h, k) && skn_word_in(lang->functions, h.t[k].text)))
                return i - 1;
        return h.n;
    }
    return h.n;
}

static bool follows_a_type(skn_header h, size_t name)
{
    if (!name)
        return false;
    return skn_header_word(h, name - 1) || skn_header_mark(h, name - 1, '*') ||
           skn_header_mark(h, name - 1, '&') || skn_header_mark(h, name - 1, '>') ||
           skn_header_mark(h, name - 1, ']') || skn_header_mark(h, name - 1, '~') ||
           skn_header_mark(h, name - 1, SKN_MARK_SCOPE);
}

/* A function's name stands before its parameters and behind its type. A constructor has no type:
 * without a better one the first word before parameters is taken. */
static size_t bare_name(skn_header h, bool needs_type, bool needs_end)
{
    size_t first = h.n, end = skn_header_find(h, 0, '=');

    for (size_t i = 1; i < end && !skn_header_mark(h, i, ':'); i++) {
        if (!skn_header_mark(h, i, '(') || !skn_header_word(h, i - 1) ||
            skn_word_in(no_function, h.t[i - 1].text))
            continue;
        if (skn_header_mark(h, i + 2, '(') ||
            (needs_end && i + 2 < h.n && !skn_header_mark(h, i + 2, ':')))
            continue; /* a pointer to a function; a statement that goes on */
        if (i > 1 && (skn_header_mark(h, i - 2, '.') || skn_header_mark(h, i - 2, '@') ||
                      (skn_header_word(h, i - 2) && skn_word_in(no_function, h.t[i - 2].text))))
            continue;
        if (follows_a_type(h, i - 1))
            return i - 1;
        if (first == h.n)
            first = i - 1;
    }
    return needs_type ? h.n : first;
}

size_t skn_header_function(const skn_lang *lang, skn_header h, bool ends_here, bool bare)
{
    size_t name = has(lang, SKN_LANG_BARE_ANY) ? assigned_name(lang, h) : h.n;

    for (size_t i = 0; i < h.n && name == h.n; i++)
        if (skn_header_word(h, i) && skn_word_in(lang->functions, h.t[i].text))
            return announced_name(lang, h, i);
    if (name == h.n && bare)
        name = bare_name(h, ends_here, has(lang, SKN_LANG_BARE_ANY));
    return name;
}

/* impl Trait for Name, impl<T> Name<T> */
skn_str skn_header_implements(skn_header h)
{
    size_t  angle = 0;
    skn_str name = SKN_NONE;

    for (size_t i = 1; i < h.n; i++) {
        if (skn_header_mark(h, i, '<'))
            angle++;
        else if (skn_header_mark(h, i, '>') && angle)
            angle--;
        else if (!angle && skn_header_word(h, i) && skn_str_is(h.t[i].text, "for"))
            name = SKN_NONE;
        else if (!angle && skn_header_word(h, i) && !name.p)
            name = h.t[i].text;
    }
    return name;
}

/* @Name, @Name(…), @a.b.Name: what stands alone on the lines above a declaration. It is asked at
 * every line, so it looks at so many only. */
static bool only_annotations(skn_header h)
{
    size_t i = 0;

    if (h.n > ANNOTATION_TOKENS)
        return false;
    while (skn_header_mark(h, i, '@') && skn_header_word(h, i + 1)) {
        for (i += 2; (skn_header_mark(h, i, '.') || skn_header_mark(h, i, ':')) &&
                     skn_header_word(h, i + 1);)
            i += 2;
        if (skn_header_mark(h, i, '('))
            i = skn_header_find(h, i, ')') + 1;
    }
    return i >= h.n;
}

bool skn_header_continues(const skn_lang *lang, skn_header h, const skn_token *t)
{
    const skn_token *last = &h.t[h.n - 1];

    if (t->kind == SKN_MARK && t->mark == '{')
        return true;
    if (t->kind == SKN_MARK && (t->mark == SKN_MARK_OP || t->mark == SKN_MARK_FAT ||
                                skn_str_find(SKN_STR(".?:=&|,)"), t->text) >= 0))
        return true;
    if (t->kind == SKN_WORD && skn_word_in("where throws implements extends else", t->text))
        return true;
    if (last->kind == SKN_MARK && (last->mark == SKN_MARK_OP || last->mark == SKN_MARK_FAT ||
                                   skn_str_find(SKN_STR("=,.:+-*/%&|<?!^"), last->text) >= 0))
        return true;
    if (last->kind == SKN_WORD && reserved(lang, last->text))
        return true;
    return only_annotations(h);
}
