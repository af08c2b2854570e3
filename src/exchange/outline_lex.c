#include "exchange/outline_lex.h"

#include <string.h>

static char peek(const skn_lexer *lx, size_t ahead)
{
    size_t i = lx->at + ahead;

    return i < lx->text.n ? lx->text.p[i] : '\0';
}

static bool has(const skn_lexer *lx, unsigned trait)
{
    return (lx->lang->traits & trait) != 0;
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

size_t skn_first_line(const unsigned char *lines, size_t line)
{
    while (line > 1 && lines[line - 1] == SKN_LINE_COMMENT)
        line--;
    return line;
}

size_t skn_count_lines(skn_str text)
{
    size_t count = text.n && text.p[text.n - 1] != '\n';

    for (size_t i = 0; i < text.n; i++)
        count += text.p[i] == '\n';
    return count;
}

/* Goes on to offset `to`, marking the lines on the way. */
static void pass(skn_lexer *lx, size_t to, unsigned char what)
{
    for (; lx->at < to; lx->at++) {
        if (lx->text.p[lx->at] != '\n') {
            lx->lines[lx->line] |= what;
            continue;
        }
        lx->line++;
        lx->fresh = true;
    }
    if (what == SKN_LINE_CODE)
        lx->fresh = false;
}

/* The offset behind the next `end`, or the end of the text. */
static size_t behind(const skn_lexer *lx, size_t from, const char *end)
{
    ptrdiff_t found = skn_str_find(skn_str_sub(lx->text, from, lx->text.n), skn_str_of(end));

    return found < 0 ? lx->text.n : from + (size_t)found + strlen(end);
}

static size_t line_end(const skn_lexer *lx, size_t from)
{
    size_t end = behind(lx, from, "\n");

    return end > from && lx->text.p[end - 1] == '\n' ? end - 1 : end;
}

static size_t nested_comment_end(const skn_lexer *lx)
{
    skn_str s = lx->text;
    size_t  i = lx->at + 2, depth = 1;

    for (; i < s.n && depth; i++) {
        char c = s.p[i], d = i + 1 < s.n ? s.p[i + 1] : '\0';

        if (c == '/' && d == '*') {
            depth++;
            i++;
        } else if (c == '*' && d == '/') {
            depth--;
            i++;
        }
    }
    return i < s.n ? i : s.n;
}

static bool skip_comment(skn_lexer *lx)
{
    char c = peek(lx, 0), d = peek(lx, 1);

    if ((c == '/' && d == '/') || (c == '#' && d != '[' && has(lx, SKN_LANG_HASH)))
        pass(lx, line_end(lx, lx->at), SKN_LINE_COMMENT);
    else if (c == '/' && d == '*' && has(lx, SKN_LANG_NESTED))
        pass(lx, nested_comment_end(lx), SKN_LINE_COMMENT);
    else if (c == '/' && d == '*')
        pass(lx, behind(lx, lx->at + 2, "*/"), SKN_LINE_COMMENT);
    else
        return false;
    return true;
}

/* A directive goes on where its line ends in a backslash. */
static size_t directive_end(const skn_lexer *lx, size_t from)
{
    size_t end = line_end(lx, from);

    while (end < lx->text.n && end > from) {
        size_t last = end - 1;

        if (lx->text.p[last] == '\r' && last > from)
            last--;
        if (lx->text.p[last] != '\\')
            break;
        from = end + 1;
        end = line_end(lx, from);
    }
    return end;
}

/* The word of the directive at offset i, which holds a '#'. */
static skn_str directive_word(const skn_lexer *lx, size_t i)
{
    size_t from = i + 1, to;

    while (from < lx->text.n && blank(lx->text.p[from]))
        from++;
    for (to = from; to < lx->text.n && word_char(lx->text.p[to]);)
        to++;
    return skn_str_sub(lx->text, from, to);
}

/* Where the "#endif" of an "#else" stands that is not read. */
static size_t endif_after(const skn_lexer *lx, size_t from)
{
    size_t depth = 1, i = from;

    while (i < lx->text.n) {
        size_t  mark = i;
        skn_str word = SKN_NONE;

        while (mark < lx->text.n && blank(lx->text.p[mark]))
            mark++;
        if (mark < lx->text.n && lx->text.p[mark] == '#')
            word = directive_word(lx, mark);
        if (skn_str_starts(word, SKN_STR("if")))
            depth++;
        else if (skn_str_is(word, "endif") && --depth == 0)
            return i;
        i = behind(lx, i, "\n");
    }
    return i;
}

/* Two branches may each open the brace that is closed once behind them. When the first left braces
 * open, the others are not read. */
static void read_directive(skn_lexer *lx)
{
    skn_str word = directive_word(lx, lx->at);
    bool    other = skn_str_starts(word, SKN_STR("el")), unbalanced;

    unbalanced = other && lx->ifs.n && lx->ifs.p[lx->ifs.n - 1] != lx->braces;
    pass(lx, directive_end(lx, lx->at), SKN_LINE_CODE);
    if (skn_str_starts(word, SKN_STR("if")))
        skn_vec_add(lx->a, &lx->ifs, lx->braces);
    else if (skn_str_is(word, "endif") && lx->ifs.n)
        lx->ifs.n--;
    else if (unbalanced && lx->at < lx->text.n)
        pass(lx, endif_after(lx, lx->at + 1), SKN_LINE_CODE);
    lx->fresh = true;
}

/* From the end of one piece of a page's program to the start of the next. */
static void skip_page(skn_lexer *lx)
{
    size_t next = behind(lx, lx->at, "<?");

    pass(lx, next, SKN_LINE_CODE);
    if (skn_str_starts(skn_str_sub(lx->text, next, lx->text.n), SKN_STR("php")))
        pass(lx, next + 3, SKN_LINE_CODE);
}

void skn_lexer_init(skn_lexer *lx, skn_str text, const skn_lang *lang, skn_arena *a)
{
    *lx = (skn_lexer){.text = text, .lang = lang, .a = a, .line = 1, .fresh = true};
    lx->lines = SKN_ARRAY(a, skn_count_lines(text) + 2, unsigned char);
    if (skn_str_starts(text, SKN_STR("\xef\xbb\xbf")))
        lx->at = 3;
    if (has(lx, SKN_LANG_HASH) && skn_str_find(text, SKN_STR("<?")) >= 0)
        skip_page(lx);
}

static void skip_blanks(skn_lexer *lx)
{
    while (lx->at < lx->text.n) {
        char c = peek(lx, 0);

        if (c == '\n' || blank(c))
            pass(lx, lx->at + 1, 0);
        else if (c == '#' && lx->fresh && has(lx, SKN_LANG_DIRECTIVES))
            read_directive(lx);
        else if (c == '?' && peek(lx, 1) == '>' && has(lx, SKN_LANG_HASH))
            skip_page(lx);
        else if (!skip_comment(lx))
            break;
    }
}

/* The end of a text in quotes that begins at `from`, with backslash escapes. One that may not go over
 * lines ends with its line, closed or not. */
static size_t quoted_end(const skn_lexer *lx, size_t from, bool lines)
{
    skn_str s = lx->text;
    char    quote = s.p[from];

    for (size_t i = from + 1; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == quote)
            return i + 1;
        else if (s.p[i] == '\n' && !lines)
            return i;
    }
    return s.n;
}

/* 'a' and '\n' are characters, 'a alone is a lifetime. */
static size_t char_end(const skn_lexer *lx)
{
    skn_str s = lx->text;
    size_t  i = lx->at + 2;

    if (!has(lx, SKN_LANG_LIFETIME) || peek(lx, 1) == '\\')
        return quoted_end(lx, lx->at, false);
    while (i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80)
        i++;
    if (i < s.n && s.p[i] == '\'')
        return i + 1;
    return lx->at + 1;
}

/* To the end of a template or to the start of the next hole in it. */
static size_t template_end(skn_lexer *lx, size_t from)
{
    skn_str s = lx->text;

    for (size_t i = from; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '`')
            return i + 1;
        else if (s.p[i] == '$' && i + 1 < s.n && s.p[i + 1] == '{') {
            skn_vec_add(lx->a, &lx->holes, lx->braces);
            return i + 2;
        }
    }
    return s.n;
}

/* The end of /…/ at the lexer; its own offset when the line ends first. After that the line is not
 * searched again, which keeps the reading linear. */
static size_t pattern_end(skn_lexer *lx)
{
    skn_str s = lx->text;
    bool    set = false;
    size_t  i;

    if (lx->at < lx->no_pattern_before)
        return lx->at;
    for (i = lx->at + 1; i < s.n && s.p[i] != '\n'; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '/' && !set)
            return i + 1;
        else if (s.p[i] == '[' || s.p[i] == ']')
            set = s.p[i] == '[';
    }
    lx->no_pattern_before = i;
    return lx->at;
}

/* r"…", r#"…"#: as many marks behind as before. */
static size_t hashed_end(const skn_lexer *lx, size_t from)
{
    char   end[20] = "\"";
    size_t hashes = 0;

    while (from + hashes < lx->text.n && lx->text.p[from + hashes] == '#' && hashes < 16)
        end[++hashes] = '#';
    if (from + hashes >= lx->text.n || lx->text.p[from + hashes] != '"')
        return lx->at;
    return behind(lx, from + hashes + 1, end);
}

/* R"x(…)x" */
static size_t fenced_end(const skn_lexer *lx, size_t from)
{
    char   end[24] = ")";
    size_t n = 0;

    while (from + n < lx->text.n && lx->text.p[from + n] != '(' && n < 16) {
        end[n + 1] = lx->text.p[from + n];
        n++;
    }
    end[n + 1] = '"';
    return from + n < lx->text.n && lx->text.p[from + n] == '(' ? behind(lx, from + n, end)
                                                                : lx->at;
}

/* @"…": a quote in it is written twice. */
static size_t verbatim_end(const skn_lexer *lx, size_t from)
{
    size_t end = behind(lx, from, "\"");

    while (end < lx->text.n && lx->text.p[end] == '"')
        end = behind(lx, end + 1, "\"");
    return end;
}

/* The end of a raw text at the lexer; its own offset when there is none. */
static size_t raw_end(const skn_lexer *lx)
{
    char c = peek(lx, 0), d = peek(lx, 1);

    if (!has(lx, SKN_LANG_RAW))
        return lx->at;
    if (c == 'r' && has(lx, SKN_LANG_LIFETIME) && (d == '"' || d == '#'))
        return hashed_end(lx, lx->at + 1);
    if (c == 'R' && d == '"')
        return fenced_end(lx, lx->at + 2);
    return c == '@' && d == '"' ? verbatim_end(lx, lx->at + 2) : lx->at;
}

/* The end of the literal at the lexer; its own offset when there is none. */
static size_t literal_end(skn_lexer *lx)
{
    char   c = peek(lx, 0);
    size_t raw = raw_end(lx);

    if (raw != lx->at)
        return raw;
    if (c == '"' && peek(lx, 1) == '"' && peek(lx, 2) == '"' && has(lx, SKN_LANG_TRIPLE))
        return behind(lx, lx->at + 3, "\"\"\"");
    if (c == '"')
        return quoted_end(lx, lx->at, has(lx, SKN_LANG_MULTILINE));
    if (c == '\'')
        return has(lx, SKN_LANG_QUOTE) ? quoted_end(lx, lx->at, false) : char_end(lx);
    if (c == '`' && has(lx, SKN_LANG_TICK_RAW))
        return behind(lx, lx->at + 1, "`");
    if (c == '`' && has(lx, SKN_LANG_TEMPLATE))
        return template_end(lx, lx->at + 1);
    if (c == '/' && has(lx, SKN_LANG_TEMPLATE) && !lx->value)
        return pattern_end(lx);
    return lx->at;
}

static size_t word_end(const skn_lexer *lx)
{
    bool   number = peek(lx, 0) >= '0' && peek(lx, 0) <= '9';
    size_t i = lx->at;

    while (i < lx->text.n &&
           (word_char(lx->text.p[i]) || (number && lx->text.p[i] == '\'' &&
                                         i + 1 < lx->text.n && word_char(lx->text.p[i + 1]))))
        i++;
    return i;
}

/* Sets kind and mark of the token and returns its end. */
static size_t mark_end(skn_lexer *lx, skn_token *t)
{
    char c = peek(lx, 0), d = peek(lx, 1);

    t->kind = SKN_MARK;
    t->mark = c;
    if (c == '=' && d == '>')
        t->mark = SKN_MARK_FAT;
    else if (c == ':' && d == ':')
        t->mark = SKN_MARK_SCOPE;
    else if ((d == '=' && strchr("=!<>+-*/%&|^?", c)) || (c == '-' && d == '>') ||
             (c == d && (c == '&' || c == '|')))
        t->mark = SKN_MARK_OP;
    else
        return lx->at + 1;
    return lx->at + 2;
}

/* A '}' may end the hole of a template rather than a block. */
static size_t brace_end(skn_lexer *lx, skn_token *t)
{
    if (t->mark == '{')
        lx->braces++;
    if (t->mark != '}')
        return lx->at + 1;
    if (lx->holes.n && lx->holes.p[lx->holes.n - 1] == lx->braces) {
        lx->holes.n--;
        t->kind = SKN_LITERAL;
        return template_end(lx, lx->at + 1);
    }
    if (lx->braces)
        lx->braces--;
    return lx->at + 1;
}

static size_t tick_name_end(const skn_lexer *lx)
{
    size_t end = quoted_end(lx, lx->at, false);

    return end > lx->at + 1 ? end : lx->at + 1;
}

bool skn_lexer_next(skn_lexer *lx, skn_token *t)
{
    static const char before_pattern[] =
        "return typeof case in of delete void throw new else do";
    size_t from, to;

    skip_blanks(lx);
    if (lx->at >= lx->text.n)
        return false;
    *t = (skn_token){.kind = SKN_LITERAL, .first = lx->fresh, .line = lx->line};
    from = lx->at;
    if ((to = literal_end(lx)) == from) {
        if (word_char(peek(lx, 0)) || (peek(lx, 0) == '`' && has(lx, SKN_LANG_TICK_NAME))) {
            t->kind = SKN_WORD;
            to = peek(lx, 0) == '`' ? tick_name_end(lx) : word_end(lx);
        } else {
            to = mark_end(lx, t);
            if (t->mark == '{' || t->mark == '}')
                to = brace_end(lx, t);
        }
    }
    pass(lx, to, SKN_LINE_CODE);
    t->text = skn_str_sub(lx->text, from, to);
    lx->value = t->kind == SKN_LITERAL || (t->kind == SKN_MARK && strchr(")]}", t->mark)) ||
                (t->kind == SKN_WORD && !skn_str_among(t->text, before_pattern));
    return true;
}
