/* Which streams want an event. */
#include "api/call.h"

/* "message" is a beginning of "message.created", but not of "messages.x". */
static bool is_beginning(skn_str type, skn_str word)
{
    return word.n && skn_str_starts(type, word) &&
           (type.n == word.n || type.p[word.n] == '.' || word.p[word.n - 1] == '.');
}

static bool takes_type(skn_str types, skn_str type)
{
    skn_str word;

    if (!types.p)
        return true;
    while (skn_str_split(&types, ',', &word))
        if (is_beginning(type, skn_str_trim(word)))
            return true;
    return false;
}

/* What ended is known by its own cause: others may be at work in the chat all the time. */
static bool takes_cause(skn_taking *t, const skn_about *a)
{
    bool caused = skn_str_eq(a->cause, t->filter.cause);

    if (caused && skn_str_is(a->type, "world.idle")) {
        t->over = true;
        return true;
    }
    return (caused || skn_str_eq(a->message, t->filter.cause)) &&
           takes_type(t->filter.types, a->type);
}

/* A removed world has no further events; a stream of all worlds continues. */
static bool takes_end(skn_taking *t, const skn_about *a)
{
    const skn_stream_filter *f = &t->filter;

    t->over = true;
    return !f->chat.v && !f->cause.p && takes_type(f->types, a->type);
}

bool skn_takes(skn_taking *t, const skn_about *a)
{
    const skn_stream_filter *f = &t->filter;

    if (f->world.v && f->world.v == a->world.v && a->removed)
        return takes_end(t, a);
    if ((f->world.v && f->world.v != a->world.v) ||
        (f->chat.v && f->chat.v != a->chat.v &&
         !(f->inbox && is_beginning(a->type, SKN_STR("inbox")))))
        return false;
    return f->cause.p ? takes_cause(t, a) : takes_type(f->types, a->type);
}
