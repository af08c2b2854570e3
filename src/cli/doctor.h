/* doctor.h: what the doctor writes down for others. */
#ifndef SKN_CLI_DOCTOR_H
#define SKN_CLI_DOCTOR_H

#include "cli/cli.h"

#define SKN_BUNDLE_LIMIT (8 << 20)

/* A new file with the checks (a JSON list), the program, the system and the settings. */
skein_rc skn_doctor_bundle(skn_cli *cli, const char *path, skn_str checks);

#endif
