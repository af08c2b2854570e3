/* deeds.h: every way to change a store, each once, on the same small scene: what the fault tests
 * make fail at every place.
 *
 * Threads: one.  Lifetimes: a scene names rows of its store and of every copy of it. */
#ifndef SKN_TESTS_DEEDS_H
#define SKN_TESTS_DEEDS_H

#include <skein/skein.h>

#define SKN_SCENE_SAID 6

typedef struct skn_scene {
    skein_world_id        world;
    skein_agent_id        ada;
    skein_conversation_id chat;
    skein_lane_id         delegation;
    skein_message_id      said[SKN_SCENE_SAID]; /* by a person, all in the current version */
    skein_message_id      call, gone; /* with a tool's result after it; in an old version only */
} skn_scene;

/* Fills a store: two agents, a chat with a tool exchange and a delegation, four versions, and one
 * undone. Fails the test when it cannot. */
void skn_scene_make(skein_engine *e, skn_scene *s);

typedef struct skn_deed {
    const char *name;
    skein_rc (*run)(skein_engine *e, const skn_scene *s, skein_mem *mem, skein_error *err);
    bool two_steps; /* a failure may leave the first of two done */
} skn_deed;

extern const skn_deed skn_deeds[];
extern const int      skn_deed_count;

#endif
