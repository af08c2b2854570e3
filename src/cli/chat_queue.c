/* chat_queue.c: messages that wait until the agents are done: read, said at once, written again. */
#include "cli/chat_ask.h"

#include <stdio.h>

skein_rc skn_chat_queue_read(skn_chat *c, skein_queue *out)
{
    skn_far_question q;

    return skn_chat_told(c, &q, skn_far_queue(skn_chat_ask(c, c->mem, &q), out));
}

static const char *path_of(skn_cli *cli, skn_str uid)
{
    return skn_arena_printf(cli->keep, "%s/queue/%s", cli->door->chat, skn_far_part(cli, uid))
        .p;
}

skein_rc skn_chat_queue_now(skn_chat *c, skn_str uid)
{
    const skn_json  *v;
    skn_far_question q;
    skn_cli         *cli = skn_chat_ask(c, c->mem, &q);

    return skn_chat_told(
        c, &q, skn_far_change(cli, "PATCH", path_of(cli, uid), SKN_STR("{\"send\":true}"), &v));
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
    const skn_json  *v;
    skn_far_question q;
    skn_far_body     b;
    skn_cli         *cli = skn_chat_ask(c, c->mem, &q);

    skn_jw_kstr(skn_far_body_begin(cli, &b), "content", text);
    return skn_chat_told(c, &q,
                         skn_far_send(&b, "PATCH", path_of(cli, skn_str_of(c->queued)), &v));
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
