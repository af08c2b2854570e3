/* What models cost: a table in the program, files beside the configuration, and what a provider says of its own. */
#include "config/config.h"

#include <string.h>

#define MOST_PRICES 1000

extern const char *const skn_prices_text[];

static const char *const parts[] = {"input", "cached", "written", "output", NULL};

/* "2.50", below a million */
static bool read_price(const skn_yaml *at, int64_t *out)
{
    size_t digits = 0, dots = 0;

    if (!at || at->kind != SKN_YAML_TEXT)
        return false;
    for (size_t i = 0; i < at->text.n; i++) {
        if (at->text.p[i] == '.')
            dots++;
        else if (at->text.p[i] < '0' || at->text.p[i] > '9')
            return false;
        else
            digits += !dots;
    }
    *out = skn_micros_of(at->text);
    return digits >= 1 && digits <= 6 && dots <= 1;
}

bool skn_config_price(const skn_yaml *at, skn_model_price *out)
{
    int64_t        *into[] = {&out->input, &out->cached, &out->written, &out->output};
    const skn_yaml *one;

    if (at->kind != SKN_YAML_MAP)
        return false;
    for (const skn_yaml *y = at->first; y; y = y->next)
        if (!skn_config_is_among(parts, y->key))
            return false;
    for (size_t i = 0; i < 4; i++)
        if ((one = skn_yaml_get(at, parts[i])) ? !read_price(one, into[i]) : i % 3 == 0)
            return false;
        else if (!one)
            *into[i] = out->input;
    return true;
}

void skn_config_prices(skn_config_reading *r, const skn_yaml *root)
{
    static const char *const keys[] = {"updated", "prices", NULL};
    const skn_yaml          *list = skn_yaml_get(root, "prices");

    for (const skn_yaml *y = root->kind == SKN_YAML_MAP ? root->first : NULL; y; y = y->next)
        if (!skn_config_is_among(keys, y->key))
            skn_config_unknown(r, y, "", keys);
    if (!list || list->kind != SKN_YAML_MAP || list->count > MOST_PRICES) {
        skn_config_bad(r, root, "this is no table \"prices:\" of at most %d models",
                       MOST_PRICES);
        return;
    }
    for (const skn_yaml *m = list->first; m; m = m->next) {
        skn_model_price p = {.model = skn_arena_copy(r->a, m->key), .rank = r->prices};

        if (skn_config_price(m, &p))
            skn_vec_add(r->a, &r->c->prices, p);
        else
            skn_config_bad_key(r, m, "the price of %.*s must be { input: 2.50, output: 10.00 }",
                               SKN_FMT(p.model));
    }
}

void skn_config_prices_standard(skn_config_reading *r)
{
    const skn_yaml *root;
    skein_error     err;
    skn_buf         text;

    skn_buf_init(&text, 1 << 16);
    for (const char *const *line = skn_prices_text; *line; line++)
        skn_buf_addf(&text, "%s", *line);
    r->file = "prices.yaml";
    r->prices = 1;
    if (!skn_yaml_parse(&root, skn_buf_keep(&text, r->a), r->file, r->a, &err))
        skn_config_prices(r, root);
}

static bool fits(const skn_model_price *p, skn_str model)
{
    skn_str name = p->model;
    bool    open = name.n && name.p[name.n - 1] == '*';

    return open ? skn_str_starts(model, skn_str_sub(name, 0, name.n - 1))
                : skn_str_eq(model, name);
}

const skn_model_price *skn_price_find(const skn_model_price *list, size_t count, skn_str model)
{
    const skn_model_price *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (fits(&list[i], model) &&
            (!best || list[i].rank > best->rank ||
             (list[i].rank == best->rank && list[i].model.n > best->model.n)))
            best = &list[i];
    return best;
}

#define MOST_TOKENS INT64_C(1000000000)

/* A price is below 10^12, so three parts of this are in range. */
static int64_t part(int64_t tokens, int64_t price)
{
    tokens = tokens < 0 ? 0 : tokens > MOST_TOKENS ? MOST_TOKENS : tokens;
    return tokens / 1000 * price + tokens % 1000 * price / 1000;
}

int64_t skn_price_of(const skn_model_price *p, int64_t in, int64_t cached, int64_t written,
                     int64_t out)
{
    return part(in - cached - written, p->input) + part(cached, p->cached) +
           part(written, p->written) + part(out, p->output);
}
