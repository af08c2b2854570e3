/* skein.h: all that a host program may see. Start at engine.h, then change.h, then view.h. */
#ifndef SKEIN_SKEIN_H
#define SKEIN_SKEIN_H

#include <skein/agents.h>
#include <skein/call.h>
#include <skein/change.h>
#include <skein/engine.h>
#include <skein/error.h>
#include <skein/filespec.h>
#include <skein/message.h>
#include <skein/text.h>
#include <skein/timeline.h>
#include <skein/version.h>
#include <skein/view.h>
#include <skein/work.h>

#endif
