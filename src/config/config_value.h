/* config_value.h: the text of a setting into what it means. Only the configuration includes it.
 *
 * Threads: any. Lifetimes: everything lives in the arena. */
#pragma once

#include "config/config.h"

/* Fills in number and text from v->text, or v->list, as the setting's type has it. False, with what
 * is wrong and what to write instead, when it is not of that type. */
bool skn_config_value_read(skn_config_id id, skn_config_value *v, const char *home,
                           skn_arena *a, skn_str *wrong);
