/* What differs between two versions. */
#include "cli/commands.h"

#include <inttypes.h>

#define BEHIND SKN_STR("    ") /* before what does not fit into the first row */

/* "A..B", "A B", "A" (up to now) or nothing (what the current version changed). */
static skein_rc read_range(skn_cli *cli, const skein_conversation *chat, skein_version *from,
                           skein_version *to)
{
    skn_str   first = cli->arg_count ? skn_arg(cli, 0) : SKN_NONE;
    ptrdiff_t dots = skn_str_find(first, SKN_STR(".."));
    skn_str   second = cli->arg_count > 1 ? skn_arg(cli, 1) : SKN_NONE;
    skein_rc  rc;

    if (first.n && dots >= 0) {
        second = skn_str_sub(first, (size_t)dots + 2, first.n);
        first = skn_str_sub(first, 0, (size_t)dots);
    }
    if ((rc = skn_need_version(cli, chat, second.n ? skn_arena_copy(cli->keep, second).p : NULL,
                               to)))
        return rc;
    if (!first.n && !to->origin)
        return skn_fail(&cli->err, SKEIN_NOTHING, "v%" PRId64 " was not made from another",
                        to->number);
    if (!first.n)
        return skn_door_version_numbered(cli, to->origin, from);
    return skn_need_version(cli, chat, skn_arena_copy(cli->keep, first).p, from);
}

/* --- Which words of two texts differ ------------------------------------------------------ */

typedef struct diff_word {
    skn_str text; /* of the text that was given */
    bool    changed;
} diff_word;

typedef struct diff_words {
    diff_word *at;
    size_t     count;
} diff_words;

/* Words that occur once in both texts and keep their order are fixed points (the longest rising run of
 * their places); equal words beside a fixed point belong to it. So the cost is n log n, whatever the texts. */

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

static diff_words split(skn_arena *mem, skn_str text)
{
    skn_vec(diff_word) words = {0};

    for (size_t from = 0, to; from < text.n; from = to) {
        to = from + 1;
        if (is_blank(text.p[from]))
            continue;
        while (to < text.n && !is_blank(text.p[to]))
            to++;
        skn_vec_add(mem, &words,
                    ((diff_word){.text = skn_str_sub(text, from, to), .changed = true}));
    }
    return (diff_words){words.p, words.n};
}

static place *place_of(skn_arena *mem, skn_map *places, skn_str word)
{
    void **slot = skn_map_slot(places, word);

    if (!*slot)
        *slot = SKN_ARRAY(mem, 1, place);
    return *slot;
}

/* The words that occur once on both sides, in the order of the new text. */
static pairs once_in_both(skn_arena *mem, const diff_words *old, const diff_words *new)
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

static void mark_same(diff_words *old, diff_words *new, size_t i, size_t j)
{
    old->at[i].changed = new->at[j].changed = false;
}

/* The longest run of pairs that rises on both sides. */
static void keep_run(skn_arena *mem, pairs *all, diff_words *old, diff_words *new)
{
    size_t *ends = SKN_ARRAY(mem, all->count + 1, size_t), count = 0;

    for (size_t i = 0; i < all->count; i++) {
        size_t at = ends_before(all, ends, count, all->at[i].old_at);

        all->at[i].before = at ? ends[at - 1] + 1 : 0;
        ends[at] = i;
        count += at == count;
    }
    for (size_t i = count ? ends[count - 1] + 1 : 0; i; i = all->at[i - 1].before)
        mark_same(old, new, all->at[i - 1].old_at, all->at[i - 1].new_at);
}

static bool same(const diff_words *old, const diff_words *new, size_t i, size_t j)
{
    return skn_str_eq(old->at[i].text, new->at[j].text);
}

static size_t next_kept(const diff_words *words, size_t i)
{
    while (i < words->count && words->at[i].changed)
        i++;
    return i;
}

/* Equal words at both ends of what lies between two kept words. */
static void keep_beside(diff_words *old, diff_words *new)
{
    size_t i = 0, j = 0, old_end, new_end, after_old, after_new;

    for (; i < old->count && j < new->count; i = after_old, j = after_new) {
        old_end = next_kept(old, i);
        new_end = next_kept(new, j);
        after_old = old_end + 1;
        after_new = new_end + 1;
        for (; i < old_end && j < new_end && same(old, new, i, j); i++, j++)
            mark_same(old, new, i, j);
        for (; i < old_end && j < new_end && same(old, new, old_end - 1, new_end - 1);
             old_end--, new_end--)
            mark_same(old, new, old_end - 1, new_end - 1);
    }
}

/* Words that stand in both texts, in the same order, are not changed. */
static void word_diff(skn_arena *mem, skn_str before, skn_str after, diff_words *old,
                      diff_words *new)
{
    pairs all;

    *old = split(mem, before);
    *new = split(mem, after);
    all = once_in_both(mem, old, new);
    keep_run(mem, &all, old, new);
    keep_beside(old, new);
}

/* --- Printing ----------------------------------------------------------------------------- */

typedef struct diff_side {
    skn_colour  colour;
    const char *sign;
    const char *open, *close; /* of changed words where there is no colour, as git has them */
} diff_side;

static const diff_side removed = {SKN_RED, "- ", "[-", "-]"},
                       added = {SKN_GREEN, "+ ", "{+", "+}"};

static void print_sign(skn_cli *cli, const diff_side *side)
{
    skn_print_colour(cli, side->colour, skn_str_of(side->sign));
}

static void one_side(skn_cli *cli, const diff_side *side, const skein_message *m)
{
    size_t row = skn_row_begin(cli);

    print_sign(cli, side);
    skn_print_oneline(cli, m, NULL);
    skn_row_end(cli, row, BEHIND);
}

static void print_changed(skn_cli *cli, const diff_side *side, skn_str text)
{
    skn_print_raw(cli, cli->out.colour ? SKN_NONE : skn_str_of(side->open));
    skn_print_colour(cli, side->colour, text);
    skn_print_raw(cli, cli->out.colour ? SKN_NONE : skn_str_of(side->close));
}

/* One line of a text. Changed words that follow each other are marked as one. */
static void marked_line(skn_cli *cli, const diff_side *side, const diff_words *words,
                        size_t from, size_t to)
{
    for (size_t i = from, end; i < to; i = end) {
        const char *first = words->at[i].text.p, *last;

        for (end = i + 1; end < to && words->at[end].changed == words->at[i].changed; end++)
            ;
        last = words->at[end - 1].text.p + words->at[end - 1].text.n;
        skn_print_raw(cli, i > from ? SKN_STR(" ") : SKN_NONE);
        if (words->at[i].changed)
            print_changed(cli, side, (skn_str){first, (size_t)(last - first)});
        else
            skn_print_line(cli, (skn_str){first, (size_t)(last - first)}, 0);
    }
}

/* The words of the line that begins with word number i; *changed: is one of them? */
static size_t line_end(const diff_words *words, size_t i, bool *changed)
{
    size_t end = i;

    *changed = false;
    do {
        const char *behind = words->at[end].text.p + words->at[end].text.n;

        *changed = *changed || words->at[end].changed;
        end++;
        if (end < words->count &&
            memchr(behind, '\n', (size_t)(words->at[end].text.p - behind)))
            break;
    } while (end < words->count);
    return end;
}

static void end_line(skn_cli *cli, size_t row)
{
    skn_row_end(cli, row, BEHIND);
    skn_print_raw(cli, SKN_STR("\n"));
}

/* The first line and those with changes; "…" for others. */
static void marked_side(skn_cli *cli, const diff_side *side, const skein_message *m,
                        const diff_words *words)
{
    size_t row = skn_row_begin(cli), end;
    bool   changed, left_out = false;

    print_sign(cli, side);
    skn_print_head(cli, m);
    for (size_t i = 0; i < words->count; i = end) {
        end = line_end(words, i, &changed);
        left_out = left_out || (i && !changed);
        if (i && !changed)
            continue;
        if (i) {
            end_line(cli, row);
            row = skn_row_begin(cli);
            skn_print(cli, "    %s", left_out ? "… " : "");
        }
        left_out = false;
        marked_line(cli, side, words, i, end);
    }
    skn_print_notes(cli, m, NULL);
    end_line(cli, row);
}

static size_t kept_of(const diff_words *words)
{
    size_t kept = 0;

    for (size_t i = 0; i < words->count; i++)
        kept += !words->at[i].changed;
    return kept;
}

/* One side of two texts. Where they have less than half of the shorter one in common, as those of a squash,
 * marks would tell nothing. */
static void print_side(skn_cli *cli, const diff_side *side, const skein_message *before,
                       const skein_message *after)
{
    const skein_message *m = side == &removed ? before : after;
    diff_words           old, new;
    size_t               least;

    word_diff(cli->keep, before->content, after->content, &old, &new);
    least = old.count < new.count ? old.count : new.count;
    if (!least || kept_of(&old) * 2 < least)
        one_side(cli, side, m);
    else
        marked_side(cli, side, m, side == &removed ? &old : &new);
}

static void print_moved(skn_cli *cli, const skein_diff_entry *e)
{
    size_t row = skn_row_begin(cli);

    skn_print_colour(cli, SKN_CYAN, SKN_STR("~ "));
    skn_print(cli, "%" PRId64 " → %" PRId64 "  ", e->before.position, e->after.position);
    skn_print_oneline(cli, &e->after, NULL);
    skn_row_end(cli, row, BEHIND);
}

/* Messages that went from, and came to, each place. */
typedef struct diff_places {
    skn_map *before, *after;
} diff_places;

static diff_places places_of(skn_cli *cli, const skein_diff *diff)
{
    diff_places out = {skn_map_new(cli->keep), skn_map_new(cli->keep)};

    for (size_t i = 0; i < diff->count; i++) {
        skein_diff_entry *e = &diff->at[i];

        if (e->kind == SKEIN_DIFF_REMOVED)
            *skn_map_slot_int(out.before, e->before.position) = &e->before;
        if (e->kind == SKEIN_DIFF_ADDED)
            *skn_map_slot_int(out.after, e->after.position) = &e->after;
    }
    return out;
}

/* What "skein edit" asks again, and what is answered then, stands in the place of what was there. */
static void print_half(skn_cli *cli, const diff_side *side, const skein_message *m,
                       const skein_message *other)
{
    if (!other || !skn_str_eq(m->sender, other->sender))
        one_side(cli, side, m);
    else if (side == &removed)
        print_side(cli, side, m, other);
    else
        print_side(cli, side, other, m);
}

static void print_entry(skn_cli *cli, const diff_places *places, const skein_diff_entry *e)
{
    switch (e->kind) {
    case SKEIN_DIFF_REMOVED:
        print_half(cli, &removed, &e->before,
                   skn_map_get_int(places->after, e->before.position));
        return;
    case SKEIN_DIFF_ADDED:
        print_half(cli, &added, &e->after, skn_map_get_int(places->before, e->after.position));
        return;
    case SKEIN_DIFF_REPLACED:
        print_side(cli, &removed, &e->before, &e->after);
        print_side(cli, &added, &e->before, &e->after);
        return;
    case SKEIN_DIFF_MOVED:
        print_moved(cli, e);
        return;
    }
}

static skein_diff_kind kind_of(const skn_json *change)
{
    return skn_is(change, "kind", "added")      ? SKEIN_DIFF_ADDED
           : skn_is(change, "kind", "replaced") ? SKEIN_DIFF_REPLACED
           : skn_is(change, "kind", "moved")    ? SKEIN_DIFF_MOVED
                                                : SKEIN_DIFF_REMOVED;
}

static void read_side(skn_cli *cli, const skn_json *v, skein_message *out)
{
    if (v && v->kind == SKN_JSON_OBJECT)
        skn_door_read_message(cli, v, out, NULL, NULL);
}

static void print_diff(skn_cli *cli, const skn_json *told, size_t count)
{
    skein_diff  diff = {.at = SKN_ARRAY(cli->keep, count + 1, skein_diff_entry)};
    diff_places places;

    for (const skn_json *c = skn_first(told, "changes"); c; c = c->next) {
        skein_diff_entry *e = &diff.at[diff.count++];

        e->kind = kind_of(c);
        read_side(cli, skn_json_get(c, "before"), &e->before);
        read_side(cli, skn_json_get(c, "after"), &e->after);
        if (e->kind == SKEIN_DIFF_REPLACED && !e->after.squash_uid.n)
            e->after.version_of = e->before.id;
    }
    places = places_of(cli, &diff);
    skn_out_page(cli);
    for (size_t i = 0; i < diff.count; i++)
        print_entry(cli, &places, &diff.at[i]);
}

skein_rc skn_cmd_diff(skn_cli *cli)
{
    skein_conversation chat;
    skein_version      from, to;
    const skn_json    *told, *changes;
    size_t             count;
    skein_rc           rc = skn_need_chat(cli, NULL, &chat);

    if (rc || (rc = read_range(cli, &chat, &from, &to)) ||
        (rc = skn_door_get(cli, &told, "%s/threads/%s/diff?from=%s", cli->door->chat,
                           skn_door_part(cli, to.thread_uid),
                           skn_door_part(cli, from.thread_uid))))
        return rc;
    changes = skn_json_get(told, "changes");
    count = changes ? changes->count : 0;
    if (cli->json) {
        if ((rc = skn_door_item(cli, told)))
            return rc;
    } else {
        print_diff(cli, told, count);
        skn_print(cli, "v%" PRId64 "..v%" PRId64 ": %zu change%s, ", from.number, to.number,
                  count, skn_plural((int64_t)count));
        skn_say(cli, told, "{same} message{same s} the same\n");
    }
    return skn_status(cli, skn_opt(cli, "exit-code") && count ? 10 : 0);
}
