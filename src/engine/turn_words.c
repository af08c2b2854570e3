/* turn_words.c: what an agent said in a turn, looked up where it was stored. */
#include "engine/chat_work.h"

/* Behind the last text of a turn there are the results of its calls, and what others said meanwhile. */
#define BACK    ((int64_t)1000)
#define AT_ONCE ((int64_t)20)

/* The thread that the turn speaks in. */
static skein_rc load(skn_working *w, const skein_turn *t, skn_trees *f, skn_thread *out,
                     bool *found, skein_error *err)
{
    skn_lane_row main = {.id = t->lane.v};
    skein_rc     rc = SKEIN_OK;

    if (!main.id)
        rc = skn_lane_need(w->tx, &w->chat, SKN_MAIN, w->a, &main, err);
    return rc ? rc : skn_thread_load(f, w->chat.version_id, main.id, out, found, err);
}

static bool is_text_of(const skein_message *m, const skein_turn *t)
{
    return m->role == SKEIN_ASSISTANT && skn_str_eq(m->turn_uid, t->uid) &&
           skn_str_trim(m->content).n > 0;
}

skein_rc skn_turn_words(skn_working *w, const skein_turn *t, skn_str *out, int64_t *message,
                        skein_error *err)
{
    skein_messages some;
    skn_thread     thread;
    skn_trees      f;
    bool           found;
    skein_rc       rc;

    *out = SKN_NONE;
    *message = 0;
    skn_trees_init(&f, w->tx, w->a, w->chat.id);
    if ((rc = load(w, t, &f, &thread, &found, err)) || !found)
        return rc;
    for (int64_t to = thread.length, end = to - BACK; to > 0 && to > end; to -= AT_ONCE) {
        rc = skn_thread_messages(&f, &thread, to > AT_ONCE ? to - AT_ONCE : 0, to, &some, err);
        if (rc)
            return rc;
        for (size_t i = some.count; i-- > 0;)
            if (is_text_of(&some.at[i], t)) {
                *out = some.at[i].content;
                *message = some.at[i].id.v;
                return SKEIN_OK;
            }
    }
    return SKEIN_OK;
}
