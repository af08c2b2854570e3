/* Guessed links, made only when asked for: the ways in which a call of the tool "delegate"
 * was tied to its lane before calls named it. Nothing stated is overruled, and no lane is
 * used twice. */
#include "base/arena.h"
#include "engine/timeline_state.h"

#include <stdlib.h>

enum { WINDOW = 5 * 1000 * 1000 }; /* microseconds between a call and its lane's first record */

static bool may_guess(const skn_tool *tool)
{
    return !tool->child && !tool->linked &&
           skn_str_is(skn_rec_field(tool->call, SKN_FIELD_TOOL_NAME), "delegate");
}

static void guess(skein_timeline *parent, skn_tool *tool, skein_timeline *child)
{
    tool->child = child;
    child->parent = parent;
    child->via = tool;
    child->guessed = true;
}

/* --- By notices --------------------------------------------------------------------------- */

/* The X of the last "(Thread: X)"; absent when there is none. */
static skn_str named_thread(skn_str text)
{
    skn_str open = SKN_STR("(Thread: "), name = SKN_NONE;
    size_t  start = 0; /* 0: none is open */

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '(' && skn_str_starts(skn_str_sub(text, i, text.n), open)) {
            start = i + open.n;
        } else if (text.p[i] == ')' && start > 0) {
            name = skn_str_sub(text, start, i);
            start = 0;
        }
    }
    return name;
}

static skein_timeline *noticed_lane(const skein_timeline *t, const skn_rec *rec)
{
    skn_str         key = SKN_NONE;
    skein_timeline *child;

    if (rec->type == SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE)
        key = named_thread(skn_rec_field(rec, SKN_FIELD_TEXT));
    if (key.n == 0 || skn_str_eq(key, t->key))
        return NULL;
    child = skn_lane_find(t->set, key);
    return child && child->order > 0 && !child->parent ? child : NULL;
}

/* Of the calls before notice `seq`, from *next on: the first that was still open, else the last
 * that was not. */
static skn_tool *noticed_call(const skein_timeline *t, uint32_t seq, size_t *next,
                              skn_tool **answered)
{
    skn_tool *found = NULL;

    for (; !found && *next < t->tools.n; (*next)++) {
        skn_tool *tool = skn_tool_at(t, *next);

        if (tool->call->seq > seq)
            break;
        if (!may_guess(tool))
            continue;
        if (tool->result && tool->result->seq < seq)
            *answered = tool;
        else
            found = tool;
    }
    if (!found && *answered && may_guess(*answered))
        found = *answered;
    return found;
}

static void guess_by_notices(skein_timeline *t)
{
    skn_tool *answered = NULL;
    size_t    next = 0;

    if (t->tools.n == 0)
        return;
    for (size_t i = 0; i < t->records.n; i++) {
        skein_timeline *child = noticed_lane(t, skn_rec_at(t, i));
        skn_tool       *tool = child ? noticed_call(t, (uint32_t)i, &next, &answered) : NULL;

        if (tool)
            guess(t, tool, child);
    }
}

/* --- By time ------------------------------------------------------------------------------ */

typedef struct candidate {
    skein_timeline *parent, *child;
} candidate;

static int cmp_times(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int cmp_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    int              order = x->parent == y->parent ? 0 : skn_lane_cmp(x->parent, y->parent);

    if (order == 0)
        order = cmp_times(x->child->first_at, y->child->first_at);
    return order ? order : skn_lane_cmp(x->child, y->child);
}

static int cmp_calls(const void *a, const void *b)
{
    const skn_rec *x = (*(skn_tool *const *)a)->call, *y = (*(skn_tool *const *)b)->call;
    int            order = cmp_times(x->at, y->at);

    return order ? order : cmp_times(x->seq, y->seq);
}

/* Only lanes whose key is their parent's with one more part: a guess may look at names. */
static size_t find_candidates(const skein_timelines *set, candidate *out)
{
    size_t n = 0;

    for (size_t i = 0; i < set->sorted_count; i++) {
        skein_timeline *t = set->sorted[i], *parent;
        size_t          dot = t->key.n;

        if (t->parent || t->first_at == 0 || t->dots == 0)
            continue;
        while (t->key.p[--dot] != '.')
            ;
        parent = skn_lane_find(set, skn_str_sub(t->key, 0, dot));
        if (parent)
            out[n++] = (candidate){parent, t};
    }
    qsort(out, n, sizeof *out, cmp_candidates);
    return n;
}

static size_t find_calls(const skein_timeline *t, skn_tool **out)
{
    size_t n = 0;

    for (size_t i = 0; i < t->tools.n; i++) {
        skn_tool *tool = skn_tool_at(t, i);

        if (may_guess(tool) && tool->call->at != 0)
            out[n++] = tool;
    }
    qsort(out, n, sizeof *out, cmp_calls);
    return n;
}

static bool within(int64_t earlier, int64_t later)
{
    return (uint64_t)later - (uint64_t)earlier < WINDOW;
}

/* Both lists in order of time: the first call takes the first lane that is near enough. */
static void guess_by_time(candidate *c, size_t count)
{
    skein_timeline *parent = c->parent;
    skn_tool      **calls = skn_heap((parent->tools.n + 1) * sizeof *calls);
    size_t          n = find_calls(parent, calls), i = 0, k = 0;

    while (i < count && k < n) {
        int64_t at = calls[k]->call->at, first = c[i].child->first_at;

        if (first < at ? within(first, at) : within(at, first))
            guess(parent, calls[k++], c[i++].child);
        else if (first < at)
            i++;
        else
            k++;
    }
    free(calls);
}

void skn_links_guess(skein_timelines *set)
{
    candidate *c = skn_heap((set->sorted_count + 1) * sizeof *c);
    size_t     n, end;

    for (size_t i = 0; i < set->sorted_count; i++)
        guess_by_notices(set->sorted[i]);
    n = find_candidates(set, c);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && c[end].parent == c[i].parent; end++)
            ;
        guess_by_time(c + i, end - i);
    }
    free(c);
}
