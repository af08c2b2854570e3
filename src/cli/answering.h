/* answering.h: which models would answer the next message in a world, and where they run.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_ANSWERING_H
#define SKN_CLI_ANSWERING_H

#include "base/json.h"
#include "cli/cli.h"

/* A world as its server tells of it, or these of its fields; NULL: no server runs, or it cannot be asked. */
const skn_json *skn_told_of_world(skn_cli *cli, const skein_world *world, const char *fields);
/* "answersWith" of a world, as its server tells it; NULL: no server runs, or it asks no models. */
const skn_json *skn_answers_with(skn_cli *cli, const skein_world *world);
/* "answers with demo/scripted (scripted, on this computer)", or that nobody answers, and why; for people. Empty where
 * skn_answers_with gives NULL. */
skn_str skn_answers_text(skn_cli *cli, const skein_world *world);

#endif
