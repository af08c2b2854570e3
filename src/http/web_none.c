/* A program without the web page: `meson setup -Dweb=disabled`. */
#include "http/web.h"

const skn_web_file skn_web_files[] = {{0}};
