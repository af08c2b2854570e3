/* The trail: who changed what. It is only read here. */
#include "api/handlers.h"

#include "base/error.h"

/* A cursor is the id of the row that was shown last. */
static skein_rc read_cursor(skn_api_call *c, int64_t *before)
{
    skn_str cursor = skn_call_query(c, "cursor"), text;

    *before = 0;
    if (!cursor.p)
        return SKEIN_OK;
    if (cursor.n > 64 || !skn_base64url_read(c->mem, cursor, &text) ||
        !skn_str_starts(text, SKN_STR("audit:")) ||
        !skn_str_int(skn_str_sub(text, 6, text.n), before) || *before < 1)
        return skn_call_invalid(c, "/cursor", "is not a cursor of this list");
    return SKEIN_OK;
}

skein_rc skn_api_list_audit(skn_api_call *c)
{
    skein_audit_rows rows;
    skn_str          next = SKN_NONE;
    int64_t          limit, before;
    size_t           shown;
    skein_rc         rc;

    if ((rc = skn_page_limit(c, SKN_PAGE_DEFAULT, &limit)) || (rc = read_cursor(c, &before)) ||
        (rc = skein_audit_list(c->engine, before, (size_t)limit + 1, c->mem, &rows, &c->error)))
        return rc;
    shown = rows.count > (size_t)limit ? (size_t)limit : rows.count;
    if (shown < rows.count)
        next = skn_base64url(
            c->mem, skn_arena_printf(c->mem, "audit:%lld", (long long)rows.at[shown - 1].id));
    skn_call_list(c);
    for (size_t i = 0; i < shown; i++)
        skn_shape_audit(&c->w, &rows.at[i]);
    skn_call_list_end(c, next, SKN_NONE, -1);
    return skn_page_fields(c, SKN_FIELDS_AUDIT);
}
