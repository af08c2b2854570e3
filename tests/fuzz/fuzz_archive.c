/* An archive is refused with a reason, or it is exactly what its rows are written as.
 *
 * No fuzzer finds a hash: so the input is read as it is, and once more without its last line
 * and with a last line that fits. */
#include "exchange/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_archive: %s\n", what);
    abort();
}

typedef struct rewriting {
    skn_buf rows;
    int64_t count;
} rewriting;

static skein_rc write_again(void *arg, skn_archive_row *row, int64_t line, skein_error *err)
{
    rewriting *r = arg;

    (void)err;
    r->count++;
    expect(line == r->count + 1, "a row has another line's number");
    skn_archive_row_write(row, &r->rows);
    return SKEIN_OK;
}

static void check_accepted(const rewriting *r, const skn_archive_facts *facts, skn_str bytes)
{
    skn_buf    all;
    skn_sha256 hash;
    char       digits[SKN_SHA256_TEXT];

    skn_buf_init(&all, bytes.n + 4096);
    skn_archive_header_write(&facts->header, &all);
    skn_buf_add(&all, skn_buf_str(&r->rows));
    skn_sha256_init(&hash);
    skn_sha256_add(&hash, skn_buf_str(&all));
    skn_archive_end_write(r->count, skn_sha256_text(&hash, digits), &all);
    expect(skn_str_eq(skn_buf_str(&all), bytes), "it is written differently");
    skn_buf_release(&all);
}

static void read_archive(skn_str bytes)
{
    rewriting         r = {.count = 0};
    skn_archive_facts facts;
    skn_lines         lines;
    skein_error       err = {0};
    skein_rc          rc;

    skn_buf_init(&r.rows, bytes.n * 2 + 4096);
    skn_lines_memory(&lines, "input", bytes, SKN_ARCHIVE_LINE);
    rc = skn_archive_scan(&lines, write_again, &r, &facts, &err);
    if (rc)
        expect(rc == SKEIN_DATA && err.rc == rc && err.message[0], "the reason is not said");
    else
        check_accepted(&r, &facts, bytes);
    skn_lines_close(&lines);
    skn_buf_release(&r.rows);
}

/* The whole lines before the first that claims to be the last. */
static skn_str body_of(skn_str bytes)
{
    size_t n = 0;

    for (size_t i = 0; i < bytes.n; i++)
        if (bytes.p[i] == '\n')
            n = i + 1;
    for (size_t i = 0; i < n; i++)
        if ((i == 0 || bytes.p[i - 1] == '\n') &&
            skn_str_starts(skn_str_sub(bytes, i, n), SKN_STR("{\"end\":")))
            n = i;
    return skn_str_sub(bytes, 0, n);
}

static void read_with_an_end(skn_str bytes)
{
    skn_str    body = body_of(bytes);
    skn_buf    whole;
    skn_sha256 hash;
    char       digits[SKN_SHA256_TEXT];
    int64_t    lines = 0;

    for (size_t i = 0; i < body.n; i++)
        lines += body.p[i] == '\n';
    skn_buf_init(&whole, body.n + 4096);
    skn_buf_add(&whole, body);
    skn_sha256_init(&hash);
    skn_sha256_add(&hash, body);
    skn_archive_end_write(lines > 0 ? lines - 1 : 0, skn_sha256_text(&hash, digits), &whole);
    read_archive(skn_buf_str(&whole));
    skn_buf_release(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str bytes = {(const char *)data, size};

    read_archive(bytes);
    read_with_an_end(bytes);
    return 0;
}
