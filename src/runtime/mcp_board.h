/* mcp_board.h: what is known of the tool servers, for whoever asks. Only files of this folder include it.
 *
 * The servers belong to the loop; their states are written down here whenever they change.
 * Threads: any; the lock is held for a copy and no longer, and nothing outside is called meanwhile.
 * Lifetimes: the board's own copies; what is read lives in the reader's arena. */
#ifndef SKN_RUNTIME_MCP_BOARD_H
#define SKN_RUNTIME_MCP_BOARD_H

#include "base/json.h"
#include "engine/engine.h"

typedef struct skn_mcp_board skn_mcp_board;

skn_mcp_board *skn_mcp_board_new(void);
void           skn_mcp_board_free(skn_mcp_board *b); /* NULL is fine */
/* Fills in what is known of these, by their names. */
void skn_mcp_board_read(skn_mcp_board *b, skein_world_id world, skn_arena *a,
                        skn_tool_server *at, size_t count);

#endif
