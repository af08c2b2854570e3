/* The only file that knows md4c.h. */
#include "exchange/markup.h"

#include "base/clean.h"
#include "base/late.h"

#include <md4c.h>
#include <string.h>
#include <strings.h>

#define LONGEST  ((size_t)256 << 10) /* bytes of a text */
#define GROWTH   16                  /* times it, its HTML at most */
#define DEEPEST  40                  /* of blocks and spans in each other */
#define HEADINGS 2                   /* levels that the page has above those of a text */

struct skn_markup {
    int (*parse)(const MD_CHAR *text, MD_SIZE size, const MD_PARSER *parser, void *arg);
};

const skn_markup *skn_markup_load(skn_arena *a)
{
    static const char *const name = "md_parse";
    skn_markup              *m = SKN_NEW(a, skn_markup);

    return skn_late_load("libmd4c.so.0", &name, 1, m) ? NULL : m;
}

/* --- Text --------------------------------------------------------------------------------- */

typedef struct writer {
    skn_buf out;
    int     depth;
    int     links;  /* and pictures that are open; only the outermost is a link */
    bool    linked; /* … if it may be one */
} writer;

/* What ends the reading: only what is negative does everywhere. */
static int stop(const writer *w)
{
    return w->depth > DEEPEST || w->out.over ? -1 : 0;
}

/* The names of the signs that are markup stay as they are; others are shown as they were typed. */
static void add_entity(skn_buf *out, skn_str entity)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (skn_str_is(entity, known[i])) {
            skn_buf_add(out, entity);
            return;
        }
    skn_clean_html(out, entity);
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *arg)
{
    writer *w = arg;
    skn_str s = {text, size};

    switch (type) {
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR: /* in a chat a line end is meant as one */
        skn_buf_addf(&w->out, "<br>\n");
        break;
    case MD_TEXT_NULLCHAR:
        skn_buf_addf(&w->out, "\xef\xbf\xbd");
        break;
    case MD_TEXT_ENTITY:
        add_entity(&w->out, s);
        break;
    case MD_TEXT_NORMAL:
    case MD_TEXT_CODE:
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH:
        skn_clean_html(&w->out, s);
        break;
    }
    return stop(w);
}

/* --- Blocks ------------------------------------------------------------------------------- */

/* What stands around a block; NULL for one that needs more. */
static const char *const tags[] = {
    [MD_BLOCK_QUOTE] = "blockquote",
    [MD_BLOCK_UL] = "ul",
    [MD_BLOCK_OL] = "ol",
    [MD_BLOCK_LI] = "li",
    [MD_BLOCK_P] = "p",
    [MD_BLOCK_HTML] = "p",
    [MD_BLOCK_TABLE] = "table",
    [MD_BLOCK_THEAD] = "thead",
    [MD_BLOCK_TBODY] = "tbody",
    [MD_BLOCK_TR] = "tr",
    [MD_BLOCK_TH] = "th",
    [MD_BLOCK_TD] = "td",
};

static unsigned heading_of(const void *detail)
{
    unsigned level = ((const MD_BLOCK_H_DETAIL *)detail)->level + HEADINGS;

    return level < 6 ? level : 6;
}

static void begin_cell(skn_buf *out, const char *tag, const void *detail)
{
    static const char *const how[] = {"", "left", "center", "right"};
    MD_ALIGN                 align = ((const MD_BLOCK_TD_DETAIL *)detail)->align;

    skn_buf_addf(out, align ? "<%s style=\"text-align:%s\">" : "<%s>", tag, how[align]);
}

static void begin_item(skn_buf *out, const void *detail)
{
    const MD_BLOCK_LI_DETAIL *li = detail;

    skn_buf_addf(out, "<li>");
    if (li->is_task)
        skn_buf_addf(out, li->task_mark == ' ' ? "☐ " : "☑ ");
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    writer  *w = arg;
    skn_buf *out = &w->out;

    switch (type) {
    case MD_BLOCK_DOC:
        break;
    case MD_BLOCK_HR:
        skn_buf_addf(out, "<hr>\n");
        break;
    case MD_BLOCK_H:
        skn_buf_addf(out, "<h%u>", heading_of(detail));
        break;
    case MD_BLOCK_CODE:
        skn_buf_addf(out, "<pre class=\"code\"><code>");
        break;
    case MD_BLOCK_OL:
        skn_buf_addf(out, "<ol start=\"%u\">\n", ((const MD_BLOCK_OL_DETAIL *)detail)->start);
        break;
    case MD_BLOCK_LI:
        begin_item(out, detail);
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        begin_cell(out, tags[type], detail);
        break;
    default:
        skn_buf_addf(out, "<%s>", tags[type]);
        break;
    }
    w->depth++;
    return stop(w);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
    writer     *w = arg;
    skn_buf    *out = &w->out;
    const char *tag = tags[type];

    if (type == MD_BLOCK_H)
        skn_buf_addf(out, "</h%u>\n", heading_of(detail));
    else if (type == MD_BLOCK_CODE)
        skn_buf_addf(out, "</code></pre>\n");
    else if (tag)
        skn_buf_addf(out, "</%s>\n", tag);
    w->depth--;
    return stop(w);
}

/* --- Spans -------------------------------------------------------------------------------- */

static bool may_lead(const MD_ATTRIBUTE *to)
{
    static const char *const schemes[] = {"http://", "https://", "mailto:"};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t n = strlen(schemes[i]);

        if (to->size > n && strncasecmp(to->text, schemes[i], n) == 0)
            return true;
    }
    return false;
}

static void add_address(skn_buf *out, const MD_ATTRIBUTE *to)
{
    for (size_t i = 0; to->substr_offsets[i] < to->size; i++) {
        skn_str part = {to->text + to->substr_offsets[i],
                        to->substr_offsets[i + 1] - to->substr_offsets[i]};

        if (to->substr_types[i] == MD_TEXT_ENTITY)
            add_entity(out, part);
        else
            skn_clean_html(out, part);
    }
}

/* A picture is not fetched: it is a link to it. */
static void begin_link(writer *w, const MD_ATTRIBUTE *to)
{
    if (w->links++ > 0)
        return;
    w->linked = may_lead(to);
    if (!w->linked)
        return;
    skn_buf_addf(&w->out, "<a rel=\"noopener noreferrer\" href=\"");
    add_address(&w->out, to);
    skn_buf_addf(&w->out, "\">");
}

static void end_link(writer *w)
{
    if (--w->links == 0 && w->linked)
        skn_buf_addf(&w->out, "</a>");
}

static const char *span_of(MD_SPANTYPE type)
{
    return type == MD_SPAN_EM       ? "em"
           : type == MD_SPAN_STRONG ? "strong"
           : type == MD_SPAN_CODE   ? "code"
           : type == MD_SPAN_DEL    ? "del"
                                    : NULL;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
    writer *w = arg;

    if (type == MD_SPAN_A)
        begin_link(w, &((const MD_SPAN_A_DETAIL *)detail)->href);
    else if (type == MD_SPAN_IMG)
        begin_link(w, &((const MD_SPAN_IMG_DETAIL *)detail)->src);
    else if (span_of(type))
        skn_buf_addf(&w->out, "<%s>", span_of(type));
    w->depth++;
    return stop(w);
}

static int leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
    writer *w = arg;

    (void)detail;
    if (type == MD_SPAN_A || type == MD_SPAN_IMG)
        end_link(w);
    else if (span_of(type))
        skn_buf_addf(&w->out, "</%s>", span_of(type));
    w->depth--;
    return stop(w);
}

/* --- The whole ---------------------------------------------------------------------------- */

bool skn_markup_html(const skn_markup *m, skn_str text, skn_buf *out)
{
    const MD_PARSER parser = {.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH |
                                       MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS |
                                       MD_FLAG_NOHTML,
                              .enter_block = enter_block,
                              .leave_block = leave_block,
                              .enter_span = enter_span,
                              .leave_span = leave_span,
                              .text = on_text};
    writer          w = {.depth = 0};
    bool            done;

    if (!m || text.n > LONGEST)
        return false;
    skn_buf_init(&w.out, text.n * GROWTH + 256);
    done = m->parse(text.p, (MD_SIZE)text.n, &parser, &w) == 0 && stop(&w) == 0 && w.depth == 0;
    if (done)
        skn_buf_add(out, skn_buf_str(&w.out));
    skn_buf_release(&w.out);
    return done;
}
