/* import_edits.c: edits that agent-world could make for some agents only. It kept them in edit-errors.json; here they
 * are among the edits that failed, until their messages are edited or removed. */
#include "engine/import.h"

#define EDITS_MOST   100 /* as many as either program keeps */
#define REASONS_MOST 4000

/* "ada: memory is locked; bo: disk full" */
static skn_str reasons_of(const skn_foreign *f, const skn_json *agents)
{
    skn_str words = SKN_STR("");

    for (const skn_json *v = agents ? agents->first : NULL; v && words.n < REASONS_MOST;
         v = v->next)
        words = skn_arena_printf(f->a, "%.*s%s%.*s: %.*s", SKN_FMT(words), words.n ? "; " : "",
                                 SKN_FMT(skn_foreign_text(v, "agentId")),
                                 SKN_FMT(skn_foreign_text(v, "error")));
    return words.n ? words : SKN_STR("the reason was not kept");
}

void skn_import_edits(skn_foreign *f, const skn_json *list)
{
    size_t left = list && list->kind == SKN_JSON_ARRAY ? list->count : 0;

    for (const skn_json *v = left ? list->first : NULL; v; v = v->next, left--) {
        skn_foreign_edit one = {.message = skn_foreign_text(v, "messageId"),
                                .operation = skn_foreign_text(v, "operation"),
                                .at = skn_foreign_time(skn_json_get(v, "timestamp"))};

        if (left > EDITS_MOST || !one.message.n)
            continue;
        one.error = reasons_of(f, skn_json_get(v, "failedAgents"));
        skn_vec_add(f->a, &f->edits, one);
    }
}

/* The world is in the store by now, so what cannot be kept is only named. */
void skn_import_edits_keep(skn_foreign *f, skein_world_id world)
{
    for (size_t i = 0; i < f->edits.n; i++) {
        const skn_foreign_edit *one = &f->edits.p[i];
        skein_conversation      chat;
        skein_message           m;
        skein_edit_error        what = {.error = one->error, .at = one->at};

        what.operation = skn_str_is(one->operation, "resubmission") ? SKN_STR("resubmit")
                                                                    : SKN_STR("remove");
        if (!skein_message_in_world(f->e, world, one->message, f->a, &m, &chat, NULL)) {
            what.chat = chat.id;
            what.message_uid = m.uid;
            if (!skein_edit_error_add(f->e, world, &what, NULL))
                continue;
        }
        skn_foreign_note(f->file, "that an edit of \"%.*s\" had failed was not kept",
                         SKN_FMT(skn_str_sub(one->message, 0, 100)));
    }
}
