/* Words that occur once in both texts and keep their order are fixed points (the longest rising run of
 * their places); equal words beside a fixed point belong to it. So the cost is n log n, whatever the texts. */
#include "cli/word_diff.h"

#include "base/hash.h"

typedef struct place {
    size_t old_at, new_at, old_count, new_count;
} place;

typedef struct pair {
    size_t old_at, new_at;
    size_t before; /* the pair before this one in its run, plus one; 0: none */
} pair;

typedef struct pairs {
    pair  *at;
    size_t count;
} pairs;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static skn_diff_words split(skn_arena *mem, skn_str text)
{
    skn_vec(skn_diff_word) words = {0};

    for (size_t from = 0, to; from < text.n; from = to) {
        to = from + 1;
        if (is_blank(text.p[from]))
            continue;
        while (to < text.n && !is_blank(text.p[to]))
            to++;
        skn_vec_add(mem, &words,
                    ((skn_diff_word){.text = skn_str_sub(text, from, to), .changed = true}));
    }
    return (skn_diff_words){words.p, words.n};
}

static place *place_of(skn_arena *mem, skn_map *places, skn_str word)
{
    void **slot = skn_map_slot(places, word);

    if (!*slot)
        *slot = SKN_ARRAY(mem, 1, place);
    return *slot;
}

/* The words that occur once on both sides, in the order of the new text. */
static pairs once_in_both(skn_arena *mem, const skn_diff_words *old, const skn_diff_words *new)
{
    skn_map *places = skn_map_new(mem);
    pairs    out = {SKN_ARRAY(mem, new->count + 1, pair), 0};

    for (size_t i = 0; i < old->count; i++) {
        place *p = place_of(mem, places, old->at[i].text);

        p->old_at = i;
        p->old_count++;
    }
    for (size_t i = 0; i < new->count; i++)
        place_of(mem, places, new->at[i].text)->new_count++;
    for (size_t i = 0; i < new->count; i++) {
        const place *p = place_of(mem, places, new->at[i].text);

        if (p->old_count == 1 && p->new_count == 1)
            out.at[out.count++] = (pair){.old_at = p->old_at, .new_at = i};
    }
    return out;
}

/* The number of ends that stand before this place in the old text; ends rise. */
static size_t ends_before(const pairs *all, const size_t *ends, size_t count, size_t old_at)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (all->at[ends[middle]].old_at < old_at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void keep(skn_diff_words *old, skn_diff_words *new, size_t i, size_t j)
{
    old->at[i].changed = new->at[j].changed = false;
}

/* The longest run of pairs that rises on both sides. */
static void keep_run(skn_arena *mem, pairs *all, skn_diff_words *old, skn_diff_words *new)
{
    size_t *ends = SKN_ARRAY(mem, all->count + 1, size_t), count = 0;

    for (size_t i = 0; i < all->count; i++) {
        size_t at = ends_before(all, ends, count, all->at[i].old_at);

        all->at[i].before = at ? ends[at - 1] + 1 : 0;
        ends[at] = i;
        count += at == count;
    }
    for (size_t i = count ? ends[count - 1] + 1 : 0; i; i = all->at[i - 1].before)
        keep(old, new, all->at[i - 1].old_at, all->at[i - 1].new_at);
}

static bool same(const skn_diff_words *old, const skn_diff_words *new, size_t i, size_t j)
{
    return skn_str_eq(old->at[i].text, new->at[j].text);
}

static size_t next_kept(const skn_diff_words *words, size_t i)
{
    while (i < words->count && words->at[i].changed)
        i++;
    return i;
}

/* Equal words at both ends of what lies between two kept words. */
static void keep_beside(skn_diff_words *old, skn_diff_words *new)
{
    size_t i = 0, j = 0, old_end, new_end, after_old, after_new;

    for (; i < old->count && j < new->count; i = after_old, j = after_new) {
        old_end = next_kept(old, i);
        new_end = next_kept(new, j);
        after_old = old_end + 1;
        after_new = new_end + 1;
        for (; i < old_end && j < new_end && same(old, new, i, j); i++, j++)
            keep(old, new, i, j);
        for (; i < old_end && j < new_end && same(old, new, old_end - 1, new_end - 1);
             old_end--, new_end--)
            keep(old, new, old_end - 1, new_end - 1);
    }
}

void skn_word_diff(skn_arena *mem, skn_str before, skn_str after, skn_diff_words *old,
                   skn_diff_words *new)
{
    pairs all;

    *old = split(mem, before);
    *new = split(mem, after);
    all = once_in_both(mem, old, new);
    keep_run(mem, &all, old, new);
    keep_beside(old, new);
}
