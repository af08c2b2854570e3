/* act_mind.c: what an agent decides to keep in mind, or to forget. */
#include "engine/act.h"

skein_rc skn_act_remember(skn_acting *c, skein_error *err)
{
    skn_knowledge_row row = {.item = {.type = c->act->type,
                                      .content = c->act->text,
                                      .confidence = c->act->confidence,
                                      .created_at = c->w.now},
                             .agent_id = c->me.id.v,
                             .conversation_id = c->w.chat.id,
                             .message_id = c->row.step_message_id};
    bool              stored;
    skein_rc          rc = skn_knowledge_keep(c->w.e, c->w.tx, c->w.a, &row, &stored, err);

    if (rc)
        return rc;
    c->result = skn_arena_printf(c->w.a,
                                 stored ? "Kept in mind as %.*s" : "Known already as %.*s",
                                 SKN_FMT(row.item.uid));
    c->out->uid = row.item.uid;
    return SKEIN_OK;
}

skein_rc skn_act_forget(skn_acting *c, skein_error *err)
{
    skn_str  uid = skn_str_trim(c->act->text);
    bool     found;
    skein_rc rc = skn_check_word(uid, "the id of what is to be forgotten", SKN_WORD_MAX, err);

    if (rc || (rc = skn_knowledge_forget(c->w.tx, c->me.id.v, uid, c->w.now, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "nothing is kept in mind as \"%.*s\"",
                        SKN_FMT(uid));
    c->result = SKN_STR("Forgotten");
    c->out->uid = skn_arena_copy(c->w.a, uid);
    return SKEIN_OK;
}
