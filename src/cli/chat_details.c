/* chat_details.c: Ctrl-O: what the newest answer was made of, above the prompt. */
#include "cli/chat_box.h"

#define FRAME_ROWS ((size_t)2)

/* Those that cannot be read now are left out, like the boxes of delegations. */
void skn_chat_details(skn_chat *c, size_t most)
{
    skn_arena  *mem = skn_arena_new();
    skein_error before = c->cli->err;
    skn_box     box;
    bool        found;

    if (c->unfolded && most > FRAME_ROWS && !skn_box_answer(c, mem, &box, &found)) {
        if (found)
            skn_box_print(c, &box, most - FRAME_ROWS, "Ctrl-O folds", skn_chat_row_end);
        else
            skn_chat_row(c, SKN_DIM, SKN_STR("Nothing to unfold yet. Ctrl-O folds."));
    }
    c->cli->err = before;
    skn_arena_free(mem);
}
