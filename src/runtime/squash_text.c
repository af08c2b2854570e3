/* squash_text.c: a squash whose text a model writes. The sources are looked for again when it is stored: one that
 * was changed meanwhile is a conflict, and nothing is changed. */
#include "runtime/wish.h"

enum { TEXT_BYTES = 4 << 20 };

typedef struct squash {
    skein_message_id *ids;
    size_t            count;
    skn_str           prompt, actor;
    skein_squash      made;
    bool              dry_run;
} squash;

static skein_rc add_sources(skn_wish *w, const squash *s, skn_buf *b, skein_error *err)
{
    const skein_message_ids ids = {s->ids, s->count};
    skein_messages          m;
    skein_rc                rc = skein_messages_get(w->r->o.engine, ids, w->a, &m, err);

    for (size_t i = 0; !rc && i < m.count; i++) {
        skn_buf_addf(b, "--- %.*s (%s)\n%.*s\n", SKN_FMT(m.at[i].sender),
                     skein_role_name(m.at[i].role), SKN_FMT(m.at[i].content));
        for (size_t k = 0; k < m.at[i].call_count; k++)
            skn_buf_addf(b, "[calls %.*s %.*s]\n", SKN_FMT(m.at[i].calls[k].tool_name),
                         SKN_FMT(m.at[i].calls[k].args));
    }
    return rc;
}

static skein_rc read_sources(skn_wish *w, skein_error *err)
{
    squash  *s = w->own;
    skn_buf  b;
    skein_rc rc;

    skn_buf_init(&b, TEXT_BYTES);
    skn_buf_addf(&b, "%.*s\n\nThe messages:\n", SKN_FMT(s->prompt));
    rc = add_sources(w, s, &b, err);
    w->text = skn_arena_copy(w->a, skn_buf_str(&b));
    if (!rc && b.over)
        rc = skn_fail(err, SKEIN_LIMIT, "the messages are over %d MB together",
                      TEXT_BYTES >> 20);
    skn_buf_release(&b);
    w->system = SKN_STR("You merge messages of a conversation into one that takes their place. "
                        "Follow the person's instruction. Write only the new message.");
    return rc;
}

static skein_rc store_squash(skn_wish *w, skein_error *err)
{
    squash                 *s = w->own;
    const skein_change      how = {.conversation = w->chat, .actor = s->actor};
    const skein_squash_spec spec = {.sources = {s->ids, s->count},
                                    .content = w->wrote,
                                    .prompt = s->prompt,
                                    .model = w->out.model,
                                    .by_agent = true,
                                    .call = skn_wish_call(w)};
    skein_rc                rc;

    w->out.text = skn_arena_copy(w->a, w->wrote);
    if (s->dry_run)
        return SKEIN_OK;
    rc = skein_squash_messages(w->r->o.engine, &how, &spec, w->a, &s->made, err);
    if (rc == SKEIN_NOT_FOUND) /* one of them left this version while the model wrote */
        return skn_fail(err, SKEIN_CONFLICT,
                        "a message that was to be squashed is not in the current version any "
                        "more; nothing was changed");
    if (rc)
        return rc;
    w->out.message = &s->made.result;
    w->out.squash = &s->made;
    return SKEIN_OK;
}

static const skn_wish_kind squash_kind = {"squash", "a squash was not made", read_sources,
                                          store_squash, .whole = true};

skn_wish *skn_runtime_squash(skn_runtime *r, const skn_squash_wish *wish, skn_wish_done *done,
                             void *arg)
{
    skn_wish *w = skn_wish_new(r, &squash_kind);
    squash   *s = SKN_NEW(w->a, squash);

    w->own = s;
    w->world = wish->world;
    w->chat = wish->chat;
    w->model = skn_arena_copy(w->a, wish->model);
    s->prompt = skn_arena_copy(w->a, wish->prompt);
    s->actor = skn_arena_copy(w->a, wish->actor);
    s->dry_run = wish->dry_run;
    s->count = wish->source_count;
    s->ids = SKN_ARRAY(w->a, s->count, skein_message_id);
    for (size_t i = 0; i < s->count; i++)
        s->ids[i] = wish->sources[i];
    skn_wish_start(w, done, arg);
    return w;
}
