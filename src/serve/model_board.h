/* model_board.h: which model answers for an agent, and where that runs, as the providers of a server are now.
 *
 * Threads: any; putting is the loop's. Lifetimes: what is found lives in the caller's arena. */
#ifndef SKN_SERVE_MODEL_BOARD_H
#define SKN_SERVE_MODEL_BOARD_H

#include "http/http.h"
#include "serve/provider_set.h"

typedef struct skn_model_board skn_model_board;

/* `only` answers for all agents, whatever they name; NULL: none does. */
skn_model_board *skn_model_board_new(const char *only);
void             skn_model_board_free(skn_model_board *b); /* NULL is fine */
/* The providers, and the model for agents that name none, are as they are in the set now. */
void skn_model_board_put(skn_model_board *b, skn_provider_set *set);
/* What answers for an agent that names `model`; absent: none. */
void skn_model_board_find(skn_model_board *b, skn_str model, skn_arena *a,
                          skn_api_answerer *out);

#endif
