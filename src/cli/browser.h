/* browser.h: the person's browser.
 *
 * Threads: one. */
#ifndef SKN_CLI_BROWSER_H
#define SKN_CLI_BROWSER_H

#include <stdbool.h>

/* True where a browser can be seen: there is a display and a program that opens addresses. */
bool skn_browser_here(void);
/* Opens the address and returns at once; false when no process could be started. */
bool skn_browser_open(const char *url);

#endif
