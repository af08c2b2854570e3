/* The section "providers" as it is used. All of it was checked by config_providers.c; what is not as it
 * must be cannot have passed, and is left out here. */
#include "cli/config.h"

#include "base/amount.h"

#include <string.h>

/* "10.00" in millionths; what is beyond them is cut off, and what does not fit stays the largest. */
static int64_t micros_of(skn_str digits)
{
    const int64_t most = INT64_MAX / 100;
    int64_t       n = 0;
    int           decimals = -1;

    for (size_t i = 0; i < digits.n && decimals < 6; i++) {
        if (digits.p[i] == '.') {
            decimals = 0;
            continue;
        }
        if (n > most)
            return INT64_MAX;
        n = n * 10 + (digits.p[i] - '0');
        decimals += decimals >= 0;
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 6; i++)
        n = n > most ? INT64_MAX / 10 : n * 10;
    return n;
}

static void read_budget(const skn_yaml *at, skn_provider_setting *out)
{
    const skn_yaml *monthly = skn_yaml_get(at, "monthly"), *then = skn_yaml_get(at, "then");
    skn_str         text = monthly ? skn_str_trim(monthly->text) : SKN_NONE;
    size_t          n = 0;

    out->stops = then && skn_str_is(then->text, "stop");
    while (n < text.n && ((text.p[n] >= '0' && text.p[n] <= '9') || text.p[n] == '.'))
        n++;
    if (text.n < n + 3)
        return;
    out->monthly_micros = micros_of(skn_str_sub(text, 0, n));
    memcpy(out->currency, text.p + text.n - 3, 3);
}

static void read_prices(const skn_yaml *at, skn_provider_setting *out, skn_arena *a)
{
    skn_model_price *list = SKN_ARRAY(a, at->count + 1, skn_model_price);

    for (const skn_yaml *m = at->first; m; m = m->next) {
        const skn_yaml *in = skn_yaml_get(m, "input"), *to = skn_yaml_get(m, "output");

        if (in && to)
            list[out->price_count++] = (skn_model_price){
                skn_arena_copy(a, m->key), micros_of(in->text), micros_of(to->text)};
    }
    out->prices = list;
}

static void read_command(const skn_yaml *list, skn_key_source *out, skn_arena *a)
{
    size_t n = 0;

    out->command = SKN_ARRAY(a, list->count + 1, const char *);
    for (const skn_yaml *word = list->first; word; word = word->next)
        out->command[n++] = skn_arena_copy(a, word->text).p;
}

static void read_key(const skn_yaml *at, skn_key_source *out, skn_arena *a)
{
    static const struct {
        const char  *key;
        skn_key_from from;
    } kinds[] = {
        {"env", SKN_KEY_ENV}, {"file", SKN_KEY_FILE}, {"credential", SKN_KEY_CREDENTIAL}};

    if (at->kind == SKN_YAML_TEXT) {
        out->from = SKN_KEY_WRITTEN;
        out->name = skn_arena_copy(a, at->text);
        return;
    }
    if (!at->first)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (skn_str_is(at->first->key, kinds[i].key))
            out->from = kinds[i].from;
    out->name = skn_arena_copy(a, at->first->text);
    if (skn_str_is(at->first->key, "command")) {
        out->from = SKN_KEY_COMMAND;
        read_command(at->first, out, a);
    }
}

static void read_headers(const skn_yaml *at, skn_provider_setting *out, skn_arena *a)
{
    skn_named_text *list = SKN_ARRAY(a, at->count + 1, skn_named_text);

    for (const skn_yaml *h = at->first; h; h = h->next)
        list[out->header_count++] = (skn_named_text){skn_arena_copy(a, h->key),
                                                     skn_arena_copy(a, h->text)};
    out->headers = list;
}

static void read_models(const skn_yaml *at, skn_provider_setting *out, skn_arena *a)
{
    skn_str *list = SKN_ARRAY(a, at->count + 1, skn_str);

    for (const skn_yaml *m = at->first; m; m = m->next)
        list[out->model_count++] = skn_arena_copy(a, m->text);
    out->models = list;
}

static void read_numbers(const skn_yaml *at, skn_provider_setting *out)
{
    const skn_yaml *timeout = skn_yaml_get(at, "timeout");
    const skn_yaml *retries = skn_yaml_get(at, "maxRetries");
    const skn_yaml *at_once = skn_yaml_get(at, "concurrency");
    int64_t         n;

    out->retries = -1;
    if (timeout)
        skn_amount_duration(timeout->text, &out->timeout_ms);
    if (retries && skn_str_int(retries->text, &n))
        out->retries = (int)n;
    if (at_once && skn_str_int(at_once->text, &n))
        out->at_once = (int)n;
}

void skn_config_provider_read(const skn_config_provider *p, skn_provider_setting *out,
                              skn_arena *a)
{
    const skn_yaml *at = p->at, *part;

    *out = (skn_provider_setting){.name = skn_arena_copy(a, p->name),
                                  .type = skn_arena_copy(a, p->type)};
    out->origin = skn_arena_printf(a, "%s:%d", p->file, at->key_line);
    read_numbers(at, out);
    if ((part = skn_yaml_get(at, "baseUrl")))
        out->base_url = skn_arena_copy(a, part->text);
    if ((part = skn_yaml_get(at, "apiKey")))
        read_key(part, &out->key, a);
    if ((part = skn_yaml_get(at, "headers")))
        read_headers(part, out, a);
    if ((part = skn_yaml_get(at, "models")))
        read_models(part, out, a);
    if ((part = skn_yaml_get(at, "prices")))
        read_prices(part, out, a);
    if ((part = skn_yaml_get(at, "budget")))
        read_budget(part, out);
}
