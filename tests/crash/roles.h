/* roles.h: what the processes of a test do that share one store.
 *
 * Threads: one a process. */
#ifndef SKN_TESTS_ROLES_H
#define SKN_TESTS_ROLES_H

/* args: ROLE ADDRESS NUMBER COUNT SEED. Opens the store, waits for the start, plays the role, and
 * reports. Roles: append, amend, mixed, compact, first, repeat. */
int skn_role_run(char **args);

#endif
