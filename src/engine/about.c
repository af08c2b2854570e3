/* about.c: what those above the engine may know of the store. */
#include "engine/core.h"
#include "engine/engine.h"

int skn_schema_known(void)
{
    return skn_store_schema();
}

skein_rc skn_floor_measure(skein_engine *e, skein_conversation_id conversation, skn_str text,
                           int64_t count, int64_t *nanos, skein_error *err)
{
    return skn_store_floor(e->store, &(skn_floor){conversation.v, text, count}, nanos, err);
}
