/* Which program answers, and how it is spoken to. */
#include "api/handlers.h"

extern const char   skn_openapi_json[]; /* made from openapi.json */
extern const size_t skn_openapi_json_size;

skein_rc skn_api_get_version(skn_api_call *c)
{
    skn_jw *w = &c->w;

    skn_jw_object(w);
    skn_jw_kstr(w, "name", SKN_STR("skein"));
    skn_jw_kstr(w, "version", skn_str_of(skein_version_text()));
    skn_jw_kstr(w, "api", SKN_STR("v1"));
    skn_jw_kint(w, "schema", skn_schema_known());
    skn_jw_object_end(w);
    return SKEIN_OK;
}

skein_rc skn_api_openapi(skn_api_call *c)
{
    skn_buf_add(&c->out, (skn_str){skn_openapi_json, skn_openapi_json_size});
    return SKEIN_OK;
}

skein_rc skn_api_get_problem(skn_api_call *c)
{
    if (!skn_problem_page(c->params[0], &c->out))
        return skn_call_problem(c, 404, "not-found", "there is no problem \"%.*s\"",
                                SKN_FMT(c->params[0]));
    c->type = "text/html; charset=utf-8";
    return SKEIN_OK;
}
