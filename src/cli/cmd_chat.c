#include "cli/commands.h"
int skn_cmd_chat(skn_cli *cli){(void)cli;return 0;}
