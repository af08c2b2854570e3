#include "http/sse.h"

#include <inttypes.h>

/* Where the line that begins at `from` ends. */
static size_t line_end(skn_str s, size_t from)
{
    while (from < s.n && s.p[from] != '\n' && s.p[from] != '\r')
        from++;
    return from;
}

/* Where the next line begins: behind LF, CR, or both. */
static size_t after_end(skn_str s, size_t end)
{
    if (s.p[end] == '\r' && end + 1 < s.n && s.p[end + 1] == '\n')
        return end + 2;
    return end + 1;
}

static void add_line(skn_buf *out, skn_str line)
{
    skn_buf_add(out, SKN_STR("data: "));
    skn_buf_add(out, line);
    skn_buf_addc(out, '\n');
}

void skn_sse_frame(skn_buf *out, int64_t id, skn_str event, skn_str data)
{
    size_t from = 0, end;

    if (id)
        skn_buf_addf(out, "id: %" PRId64 "\n", id);
    skn_buf_add(out, SKN_STR("event: "));
    skn_buf_add(out, event);
    skn_buf_addc(out, '\n');
    while (data.n && (end = line_end(data, from)) < data.n) {
        add_line(out, skn_str_sub(data, from, end));
        from = after_end(data, end);
    }
    add_line(out, data.n ? skn_str_sub(data, from, data.n) : SKN_STR(""));
    skn_buf_addc(out, '\n');
}

void skn_sse_retry(skn_buf *out, int64_t ms)
{
    skn_buf_addf(out, "retry: %" PRId64 "\n\n", ms);
}
