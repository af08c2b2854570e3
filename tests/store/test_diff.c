/* What two versions do not have in common: small cases, and random histories against plain lists. */
#include "store/kit.h"

#include <stdlib.h>

static const char *const kind_names[] = {"-", "+", "~", ">"};

/* "-b ~c/C +d >e", with texts; the number of messages in both goes in front. */
static const char *shown(kit *k, int64_t from, int64_t to, char out[static 400])
{
    skein_diff d;

    KIT_OK(k, skein_diff_versions(k->e, k->how.conversation, from, to, k->mem, &d, &k->err));
    snprintf(out, 400, "%lld:", (long long)d.same);
    for (size_t i = 0; i < d.count; i++) {
        const skein_diff_entry *e = &d.at[i];
        size_t                  n = strlen(out);

        snprintf(out + n, 400 - n, " %s%s%s%s", kind_names[e->kind],
                 e->kind == SKEIN_DIFF_ADDED ? "" : e->before.content.p,
                 e->kind == SKEIN_DIFF_REPLACED ? "/" : "",
                 e->kind == SKEIN_DIFF_ADDED || e->kind == SKEIN_DIFF_REPLACED
                     ? e->after.content.p
                     : "");
    }
    return out;
}

static void say_letters(kit *k, skein_message *m, const char *letters)
{
    for (size_t i = 0; letters[i]; i++)
        m[i] = kit_say(k, SKEIN_USER, "human", (char[]){letters[i], '\0'});
}

static skein_version move(kit *k, skein_message_id what, skein_message_id before)
{
    skein_version v;

    KIT_OK(k, skein_reorder(k->e, &k->how, (skein_message_ids){&what, 1}, before, k->mem, &v,
                            &k->err));
    return v;
}

static void a_version_does_not_differ_from_itself(void **state)
{
    kit           k;
    skein_message m[3];
    char          out[400];

    kit_open(&k, state);
    assert_string_equal(shown(&k, 1, 1, out), "0:");
    say_letters(&k, m, "abc");
    assert_string_equal(shown(&k, 1, 0, out), "3:");
    kit_close(&k);
}

static void each_kind_of_change_is_told_as_what_it_is(void **state)
{
    kit              k;
    skein_message    m[6], made;
    skein_version    v;
    skein_message_id two[2];
    skein_squash     s;
    char             out[400];

    kit_open(&k, state);
    say_letters(&k, m, "abcdef");
    KIT_OK(&k, skein_amend(k.e, &k.how, m[1].id, skein_text("B"), k.mem, &v, &made, &k.err));
    assert_string_equal(shown(&k, 1, 2, out), "5: ~b/B");
    assert_string_equal(shown(&k, 2, 1, out), "5: ~B/b");
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m[3].id, 1}, k.mem, &v, &k.err));
    assert_string_equal(shown(&k, 1, 3, out), "4: ~b/B -d");
    KIT_OK(&k,
           skein_insert(k.e, &k.how, m[2].id,
                        &(skein_new_message){.role = SKEIN_USER, .content = skein_text("x")},
                        k.mem, &v, &made, &k.err));
    assert_string_equal(shown(&k, 3, 4, out), "5: +x");
    two[0] = m[4].id;
    two[1] = m[5].id;
    KIT_OK(&k, skein_squash_messages(
                   k.e, &k.how,
                   &(skein_squash_spec){.sources = {two, 2}, .content = skein_text("ef")},
                   k.mem, &s, &k.err));
    assert_string_equal(shown(&k, 4, 5, out), "4: -e -f +ef");
    kit_say(&k, SKEIN_USER, "human", "g");
    assert_string_equal(shown(&k, 4, 5, out), "4: -e -f +ef +g");
    assert_string_equal(shown(&k, 1, 5, out), "2: ~b/B +x -d -e -f +ef +g");
    kit_close(&k);
}

static void what_was_moved_is_told_with_both_places(void **state)
{
    kit           k;
    skein_message m[5];
    skein_diff    d;
    char          out[400];

    kit_open(&k, state);
    say_letters(&k, m, "abcde");
    move(&k, m[0].id, (skein_message_id){0});
    assert_string_equal(shown(&k, 1, 2, out), "5: >a");
    KIT_OK(&k, skein_diff_versions(k.e, k.chat.id, 1, 2, k.mem, &d, &k.err));
    assert_int_equal(d.at[0].before.position, 0);
    assert_int_equal(d.at[0].after.position, 4);
    move(&k, m[3].id, m[1].id);
    assert_string_equal(shown(&k, 2, 3, out), "5: >d");
    assert_string_equal(shown(&k, 3, 3, out), "5:");
    kit_close(&k);
}

/* With so many places cut up, most of the tree stays and is not looked at: a move across the part
 * that stayed must be seen all the same. */
static void a_move_across_shared_nodes_is_seen(void **state)
{
    enum { N = 1500 };
    kit                k;
    skein_new_message *m = calloc(N, sizeof *m);
    skein_messages     all;
    skein_message_id  *odd = calloc(N, sizeof *odd);
    skein_version      v;
    skein_diff         d;

    kit_open(&k, state);
    for (int i = 0; i < N; i++)
        m[i] = (skein_new_message){.role = SKEIN_USER, .content = skein_text("x")};
    KIT_OK(&k, kit_append(&k, m, N, &all));
    for (int i = 0; i < N / 2; i++)
        odd[i] = all.at[2 * i + 1].id; /* so that every message is a span of its own */
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){odd, N / 2}, k.mem, &v, &k.err));
    v = move(&k, all.at[2].id, all.at[N - 2].id);
    KIT_OK(&k, skein_diff_versions(k.e, k.chat.id, v.number - 1, v.number, k.mem, &d, &k.err));
    assert_int_equal(d.count, 1);
    assert_int_equal(d.at[0].kind, SKEIN_DIFF_MOVED);
    assert_true(d.at[0].before.id.v == all.at[2].id.v);
    assert_int_equal(d.at[0].before.position, 1);
    assert_int_equal(d.at[0].after.position, N / 2 - 2);
    assert_int_equal(d.same, N / 2);
    free(m);
    free(odd);
    kit_close(&k);
}

static void a_difference_that_nobody_could_read_is_refused(void **state)
{
    enum { BATCH = 10000, N = 11 };
    kit                k;
    skein_new_message *m = calloc(BATCH, sizeof *m);
    skein_messages     all;
    skein_message_id   first = {0};
    skein_removal      r;
    skein_diff         d;

    kit_open(&k, state);
    for (int i = 0; i < BATCH; i++)
        m[i] = (skein_new_message){
            .role = SKEIN_USER, .content = skein_text("x"), .heard_by_given = true};
    for (int i = 0; i < N; i++) {
        KIT_OK(&k, kit_append(&k, m, BATCH, &all));
        if (i == 0)
            first = all.at[0].id;
        skein_mem_reset(k.mem);
    }
    KIT_OK(&k, skein_remove_from(k.e, &k.how, first, false, k.mem, &r, &k.err));
    assert_int_equal(skein_diff_versions(k.e, k.chat.id, 1, 2, k.mem, &d, &k.err), SKEIN_LIMIT);
    assert_non_null(strstr(k.err.message, "differ in 110000 messages"));
    KIT_OK(&k, skein_diff_versions(k.e, k.chat.id, 1, 1, k.mem, &d, &k.err));
    assert_int_equal(d.same, 110000);
    free(m);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

static void a_version_that_is_not_there_is_named(void **state)
{
    kit        k;
    skein_diff d;

    kit_open(&k, state);
    assert_int_equal(skein_diff_versions(k.e, k.chat.id, 1, 7, k.mem, &d, &k.err),
                     SKEIN_NOT_FOUND);
    assert_non_null(strstr(k.err.message, "v7"));
    kit_close(&k);
}

/* --- Random histories -------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static size_t below(uint64_t *seed, size_t n)
{
    return (size_t)(next_random(seed) % n);
}

static skein_messages list(kit *k, int64_t version)
{
    skein_slice    what = {.conversation = k->chat.id, .version = version};
    skein_messages m;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, NULL, &k->err));
    return m;
}

static int64_t place(const skein_messages *m, int64_t id)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->at[i].id.v == id)
            return (int64_t)i;
    return -1;
}

/* How many messages of both stand in the same order at most, by the plain quadratic way. */
static size_t longest_order(const skein_messages *x, const skein_messages *y)
{
    size_t *best = calloc(x->count + 1, sizeof *best), most = 0;

    for (size_t i = 0; i < x->count; i++) {
        int64_t at = place(y, x->at[i].id.v);

        for (size_t j = 0; at >= 0 && j < i; j++) {
            int64_t before = place(y, x->at[j].id.v);

            if (before >= 0 && before < at && best[j] > best[i])
                best[i] = best[j];
        }
        best[i] += at >= 0;
        most = best[i] > most ? best[i] : most;
    }
    free(best);
    return most;
}

static void check_entry(const skein_diff_entry *e, const skein_messages *x,
                        const skein_messages *y)
{
    int64_t before = e->before.id.v, after = e->after.id.v;

    if (e->kind != SKEIN_DIFF_ADDED)
        assert_int_equal(place(x, before), e->before.position);
    if (e->kind != SKEIN_DIFF_REMOVED)
        assert_int_equal(place(y, after), e->after.position);
    if (e->kind == SKEIN_DIFF_MOVED)
        assert_int_equal(before, after);
    if (e->kind == SKEIN_DIFF_REPLACED)
        assert_int_equal(e->before.lineage.v, e->after.lineage.v);
    if (e->kind == SKEIN_DIFF_REMOVED || e->kind == SKEIN_DIFF_REPLACED)
        assert_int_equal(place(y, before), -1);
    if (e->kind == SKEIN_DIFF_ADDED || e->kind == SKEIN_DIFF_REPLACED)
        assert_int_equal(place(x, after), -1);
}

static void check_diff(kit *k, int64_t from, int64_t to)
{
    skein_messages x = list(k, from), y = list(k, to);
    skein_diff     d;
    size_t         left = 0, came = 0, moved = 0, common = 0, gone = 0, fresh = 0;

    KIT_OK(k, skein_diff_versions(k->e, k->chat.id, from, to, k->mem, &d, &k->err));
    for (size_t i = 0; i < d.count; i++) {
        check_entry(&d.at[i], &x, &y);
        left += d.at[i].kind == SKEIN_DIFF_REMOVED || d.at[i].kind == SKEIN_DIFF_REPLACED;
        came += d.at[i].kind == SKEIN_DIFF_ADDED || d.at[i].kind == SKEIN_DIFF_REPLACED;
        moved += d.at[i].kind == SKEIN_DIFF_MOVED;
    }
    for (size_t i = 0; i < x.count; i++)
        common += place(&y, x.at[i].id.v) >= 0;
    gone = x.count - common;
    fresh = y.count - common;
    assert_int_equal(left, gone);
    assert_int_equal(came, fresh);
    assert_int_equal(d.same, common);
    assert_int_equal(moved, common - longest_order(&x, &y));
}

static void change(kit *k, uint64_t *seed)
{
    skein_messages   now = list(k, 0);
    skein_message_id a = now.at[below(seed, now.count)].id,
                     b = now.at[below(seed, now.count)].id;
    skein_version v;
    skein_message m;
    skein_move    moved;
    skein_rc      rc = SKEIN_OK;

    switch (below(seed, 8)) {
    case 0:
    case 1:
        rc = skein_amend(k->e, &k->how, a, skein_text("edited"), k->mem, &v, &m, &k->err);
        break;
    case 2:
        rc = skein_delete(k->e, &k->how, (skein_message_ids){&a, 1}, k->mem, &v, &k->err);
        break;
    case 3:
        rc = skein_insert(
            k->e, &k->how, a,
            &(skein_new_message){.role = SKEIN_USER, .content = skein_text("new")}, k->mem, &v,
            &m, &k->err);
        break;
    case 4:
    case 5:
        if (a.v != b.v)
            move(k, a, b);
        break;
    case 6:
        move(k, a, (skein_message_id){0});
        break;
    default:
        rc = skein_undo(k->e, &k->how, 1, k->mem, &moved, &k->err);
        break;
    }
    if (rc != SKEIN_OK && rc != SKEIN_NOTHING && rc != SKEIN_INVALID)
        fail_msg("%s", k->err.message);
}

static void differences_are_those_of_plain_lists_after_any_history(void **state)
{
    kit            k;
    uint64_t       seed = 4101842887655102017u;
    skein_versions all;

    kit_open(&k, state);
    for (int i = 0; i < 120; i++) /* more than a node of spans, once it is cut up */
        kit_say(&k, SKEIN_USER, "human", "said");
    for (int i = 0; i < 150; i++) {
        change(&k, &seed);
        if (below(&seed, 4) == 0)
            kit_say(&k, SKEIN_USER, "human", "more");
    }
    KIT_OK(&k, skein_history(k.e, k.chat.id, k.mem, &all, &k.err));
    for (int i = 0; i < 40; i++) {
        int64_t from = (int64_t)below(&seed, all.count) + 1, to = from + 1;

        if (i % 2 || to > (int64_t)all.count)
            to = (int64_t)below(&seed, all.count) + 1;
        check_diff(&k, from, to);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_version_does_not_differ_from_itself),
        SKN_BOTH(each_kind_of_change_is_told_as_what_it_is),
        SKN_BOTH(what_was_moved_is_told_with_both_places),
        SKN_BOTH(a_move_across_shared_nodes_is_seen),
        SKN_ON_SQLITE(a_difference_that_nobody_could_read_is_refused),
        SKN_BOTH(a_version_that_is_not_there_is_named),
        SKN_BOTH(differences_are_those_of_plain_lists_after_any_history),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
