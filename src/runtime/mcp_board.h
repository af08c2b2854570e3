/* mcp_board.h: the states of tool servers, for readers on any thread. Only files of this folder include it.
 *
 * The servers belong to the loop, which copies their states here whenever they change.
 * Threads: any; the lock is held only while copying, and nothing outside is called meanwhile.
 * Lifetimes: the board owns its copies; results live in the reader's arena. */
#ifndef SKN_RUNTIME_MCP_BOARD_H
#define SKN_RUNTIME_MCP_BOARD_H

#include "base/json.h"
#include "engine/engine.h"

typedef struct skn_mcp_board skn_mcp_board;

skn_mcp_board *skn_mcp_board_new(void);
void           skn_mcp_board_free(skn_mcp_board *b); /* NULL is fine */
/* Fills in the states of these servers, by name. */
void skn_mcp_board_read(skn_mcp_board *b, skein_world_id world, skn_arena *a,
                        skn_tool_server *at, size_t count);

#endif
