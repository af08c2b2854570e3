/* default_model.h: the model of agents that name none: which it is, whom it concerns, and how a provider comes
 * to give it. A running server knows.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#pragma once

#include "base/json.h"
#include "cli/cli.h"
#include "config/config.h"

/* "demo/scripted"; absent when it names a provider that is not there. The door is a server's. */
skein_rc skn_default_model(skn_cli *cli, skn_str *out);
/* As it is set in the store or in the files. */
const skn_config_value *skn_default_model_set(skn_cli *cli);
/* The same for a person, where no server runs too: "auto" when only a server could tell. */
skn_str skn_default_model_shown(skn_cli *cli);
/* Behind a model that is the one of agents that name none. */
skn_str skn_model_mark(const skn_json *model, skn_str usual);
/* A model as JSON, with whether it is that one. */
skein_rc skn_model_item(skn_cli *cli, const skn_json *model, skn_str usual);
/* Lets the first model of the provider that talks answer for agents that name none. */
skein_rc skn_default_model_take(skn_cli *cli, skn_str provider);
/* Says which agents answer with which model from now on, or that none changes. `was`: the model before the
 * provider came. */
skein_rc skn_default_model_say(skn_cli *cli, skn_str was, skn_str provider);
/* Says who could not answer without this provider: by its model for agents that name none, or by name. */
skein_rc skn_provider_users_say(skn_cli *cli, const skn_json *provider, bool *any);

/* A model as a person names it: PROVIDER/MODEL, of a provider that is there.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */

/* Has it the form of one? */
bool skn_is_model_name(const char *text);
/* A name that no provider has would make every turn fail. A server that runs knows which there are, else the store and the
 * files tell. */
skein_rc skn_need_provider_of(skn_cli *cli, skn_str model);
/* The option --model of an agent: absent when it is empty or "default". Its provider must be there. */
skein_rc skn_model_option(skn_cli *cli, skn_str *out);

/* Which models would answer the next message in a world, and where they run.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */

/* A world as its server returns it, or these of its fields; NULL: no server runs, or it cannot be asked. */
const skn_json *skn_told_of_world(skn_cli *cli, const skein_world *world, const char *fields);
/* "answersWith" of a world, as its server tells it; NULL: no server runs, or it asks no models. */
const skn_json *skn_answers_with(skn_cli *cli, const skein_world *world);
/* "answers with demo/scripted (scripted, on this computer)", or that nobody answers, and why; for people. Empty where
 * skn_answers_with gives NULL. */
skn_str skn_answers_text(skn_cli *cli, const skein_world *world);
