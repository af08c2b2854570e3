/* Reading a script: what is refused says where, and what is accepted answers every line the same way
 * twice. */
#include "provider/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_script: %s\n", what);
    abort();
}

/* All that the script has for a line, one thing after the other. */
static void answer(const skn_script *s, const skn_script_line *line, skn_buf *out)
{
    skn_arena       *a = skn_arena_new();
    skn_script_match match;

    skn_script_choose(s, line, a, &match);
    expect(match.steps->cut_after >= -1 && match.steps->at, "no steps");
    for (size_t i = 0; i < match.steps->count; i++) {
        const skn_script_step *step = &match.steps->at[i];

        if (step->kind == SKN_STEP_SAY || step->kind == SKN_STEP_THINK)
            skn_script_text(s, step, line, &match, out);
        else if (step->kind == SKN_STEP_CALL)
            skn_script_args(step, line, &match, a, out);
        skn_buf_addf(out, "|%d|", (int)step->kind);
    }
    skn_arena_free(a);
}

static void ask(const skn_script *s, skn_str agent, skn_str text, skn_str tool)
{
    skn_script_line line = {agent, SKN_STR("human"), text, tool};
    skn_buf         once, twice;

    skn_buf_init(&once, SKN_SCRIPT_ANSWER);
    skn_buf_init(&twice, SKN_SCRIPT_ANSWER);
    answer(s, &line, &once);
    answer(s, &line, &twice);
    expect(skn_str_eq(skn_buf_str(&once), skn_buf_str(&twice)), "two answers differ");
    skn_buf_release(&once);
    skn_buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str     source = {(const char *)data, size};
    skn_script *s;
    skein_error err = {0};
    skein_rc    rc = skn_script_read(&s, source, "f", &err);

    if (rc) {
        expect(rc == err.rc && (rc == SKEIN_INVALID || rc == SKEIN_LIMIT) && !s, "wrong code");
        expect(strncmp(err.message, "f:", 2) == 0, "the message does not say where");
        return 0;
    }
    ask(s, SKN_STR("ada"), SKN_STR("aab 12 tea"), SKN_NONE);
    ask(s, SKN_STR("bo"), SKN_STR(""), SKN_NONE);
    ask(s, SKN_STR("bo"), SKN_STR("tea"), SKN_STR("t"));
    skn_script_free(s);
    return 0;
}
