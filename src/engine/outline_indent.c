/* Outlines of languages where indentation tells what belongs together. */
#include "engine/outline_lex.h"

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

    while (skn_word_in("async private protected public", word))
        word = next_word(&rest);
    d.type = skn_word_in(r->lang->types, word);
    if (!d.type && !skn_word_in(r->lang->functions, word))
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
