/* chat_queue.c: messages that wait until the agents are done: read, said at once, written again. */
#include "cli/chat.h"
#include "cli/chat_far.h"

#include <stdio.h>

skein_rc skn_chat_queue_read(skn_chat *c, skein_queue *out)
{
    return c->cli->far
               ? skn_chat_far_queue(c, out)
               : skein_queue_list(c->cli->engine, c->chat.id, c->mem, out, &c->cli->err);
}

skein_rc skn_chat_queue_now(skn_chat *c, skn_str uid)
{
    skein_posted posted;

    return c->cli->far ? skn_chat_far_now(c, uid)
                       : skein_queue_send(c->cli->engine, c->chat.id, uid, c->mem, &posted,
                                          &c->cli->err);
}

/* --- In other words ------------------------------------------------------------------------ */

void skn_chat_queue_take(skn_chat *c)
{
    skein_queue queue;

    if (skn_chat_queue_read(c, &queue)) {
        skn_chat_complain(c);
    } else if (queue.count) {
        snprintf(c->queued, sizeof c->queued, "%.*s", SKN_FMT(queue.at[0].uid));
        skn_line_edit_preset(c->edit, queue.at[0].content);
    }
    skn_arena_reset(c->mem);
    c->changed = true;
}

static skein_rc put(skn_chat *c, skn_str text)
{
    skn_str uid = skn_str_of(c->queued);

    return c->cli->far ? skn_chat_far_requeue(c, uid, text)
                       : skein_queue_edit(c->cli->engine, c->chat.id, uid, text, &c->cli->err);
}

/* When it was said meanwhile, what was typed is the next line instead of lost. */
void skn_chat_queue_put(skn_chat *c, skn_str text)
{
    skein_rc rc = text.n ? put(c, text) : SKEIN_OK;

    c->queued[0] = '\0';
    if (!text.n)
        skn_chat_tell(c, "It waits as it was.");
    else if (rc == SKEIN_NOT_FOUND)
        skn_chat_tell(c, "It was said meanwhile. What you typed is your next line.");
    else if (rc)
        skn_chat_complain(c);
    if (rc)
        skn_line_edit_preset(c->edit, text);
    if (rc == SKEIN_NOT_FOUND)
        c->cli->err = (skein_error){.rc = SKEIN_OK};
    c->changed = true;
}
