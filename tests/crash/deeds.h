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
    skein_message_id call, gone; /* with a tool's result after it; in an old version only */
} skn_scene;

/* Fills a store: two agents, a chat with a tool exchange and a delegation, four versions, and one
 * undone. Fails the test when it cannot. */
void skn_scene_make(skein_engine *e, skn_scene *s);

typedef enum skn_deed_kind {
    SKN_DEED_PLAIN,
    SKN_DEED_FINAL,    /* leaves no chat on which another could be done */
    SKN_DEED_TWO_STEPS /* a failure may leave the first of two steps done */
} skn_deed_kind;

typedef struct skn_deed {
    const char *name;
    skein_rc (*run)(skein_engine *e, const skn_scene *s, skein_mem *mem, skein_error *err);
    skn_deed_kind kind;
} skn_deed;

extern const skn_deed skn_deeds[];
extern const int      skn_deed_count;

/* Does it, with memory of its own; err is empty when it succeeds. */
skein_rc skn_deed_run(const skn_deed *d, skein_engine *e, const skn_scene *s, skein_error *err);

#endif
