#include "provider/script.h"

#include <stdio.h>
#include <stdlib.h>

skn_script *skn_script_tour(void)
{
    skn_script *s;
    skein_error err = {0};
    skn_buf     text;

    skn_buf_init(&text, SKN_SCRIPT_ANSWER);
    for (const char *const *line = skn_tour_text; *line; line++)
        skn_buf_add(&text, skn_str_of(*line));
    if (skn_script_read(&s, skn_buf_str(&text), "tour.yaml", &err)) {
        fprintf(stderr, "%s\n", err.message); /* a fault of the build, not of whoever runs it */
        abort();
    }
    skn_buf_release(&text);
    return s;
}
