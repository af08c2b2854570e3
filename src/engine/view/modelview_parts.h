/* modelview_parts.h: what the files behind modelview.h share among themselves.
 *
 * Threads: one view at a time per object.  Lifetimes: everything lives in the arena it was made with. */
#ifndef SKN_ENGINE_VIEW_MODELVIEW_PARTS_H
#define SKN_ENGINE_VIEW_MODELVIEW_PARTS_H

#include "base/hash.h"
#include "engine/view/modelview.h"

/* The names that text may not speak for. */
typedef struct skn_voices {
    skn_arena *a;
    skn_map   *names; /* in lower case */
} skn_voices;

/* The call ids that a view has given out. */
typedef struct skn_call_ids {
    skn_arena *a;
    skn_map   *used;
    skn_map   *stems; /* the last number tried behind a stem */
} skn_call_ids;

/* True when s has nothing to read: no character but blanks, line ends and invisible ones. */
bool skn_view_blank(skn_str s);
/* The same text, with U+FFFD for every byte that is not UTF-8 and for U+0000. */
skn_str skn_view_clean(skn_arena *a, skn_str s);
/* The name to put in front of a message's text; "human" only for humans. */
skn_str skn_view_name(skn_arena *a, const skein_message *m);

/* The line that names a message as the one to answer. */
skn_str skn_view_again(skn_arena *a, const skein_message *m);

void skn_voices_init(skn_voices *v, skn_arena *a);
void skn_voices_add(skn_voices *v, skn_str name);
/* Text with the lines escaped that look like the engine's; with names, also those of speakers. */
skn_str skn_voices_escape(const skn_voices *v, skn_str text, bool names);

#endif
