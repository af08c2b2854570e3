#include "cli/far_view.h"
#include "base/error.h"
#include "cli/place.h"
#include "cli/print.h"

#include <inttypes.h>
#include <stdlib.h>

const char *skn_far_parameter(skn_cli *cli, const char *name, skn_str value)
{
    if (!value.n)
        return "";
    return skn_arena_printf(cli->keep, "&%s=%s", name, skn_far_part(cli, value)).p;
}

/* --- Messages ----------------------------------------------------------------------------- */

static skein_rc get_page(skn_cli *cli, const skn_far_slice *what, int64_t from, int64_t limit,
                         const skn_json **out)
{
    return skn_far_get(
        cli, out, "%s/threads/%s/messages?from=%" PRId64 "&limit=%" PRId64 "%s%s%s",
        cli->door->chat, skn_far_part(cli, what->thread), from, limit,
        skn_far_parameter(cli, "agent", what->agent),
        skn_far_parameter(cli, "delegation", what->lane), what->raw ? "&raw=true" : "");
}

static void read_log(skn_cli *cli, const skn_json_list *list, skn_far_log *out)
{
    size_t n = list->n;

    out->items = list->p;
    out->list = (skein_messages){SKN_ARRAY(cli->keep, n + 1, skein_message), n};
    out->facts = SKN_ARRAY(cli->keep, n + 1, skein_message_facts);
    out->deliveries = SKN_ARRAY(cli->keep, n + 1, skein_deliveries);
    for (size_t i = 0; i < n; i++)
        skn_far_read_message(cli, list->p[i], &out->list.at[i], &out->facts[i],
                             &out->deliveries[i]);
}

skein_rc skn_far_log_part(skn_cli *cli, const skn_far_slice *what, int64_t from, int64_t count,
                          skn_far_log *out)
{
    skn_json_list   list = {0};
    const skn_json *page, *data;
    size_t          size = SKN_FAR_PAGE;
    int64_t         limit, left;
    skein_rc        rc;

    do {
        left = count - (int64_t)list.n;
        do {
            limit = left < (int64_t)size ? left : (int64_t)size;
            rc = get_page(cli, what, from + (int64_t)list.n, limit, &page);
        } while (rc == SKEIN_LIMIT && skn_far_less(&size));
        if (rc)
            return rc;
        data = skn_json_get(page, "data");
        for (const skn_json *v = data ? data->first : NULL; v; v = v->next)
            skn_vec_add(cli->keep, &list, v);
    } while (data && data->count == limit && (int64_t)list.n < count);
    out->length = skn_far_int(skn_json_get(page, "page"), "total", 0);
    read_log(cli, &list, out);
    return SKEIN_OK;
}

skein_rc skn_far_log_read(skn_cli *cli, const skn_far_slice *what, skn_far_log *out)
{
    return skn_far_log_part(cli, what, -what->last, what->last ? what->last : INT64_MAX, out);
}

static void add_uid(void *arg, skn_cli *look, const skn_json *v)
{
    (void)look;
    *skn_map_slot(arg, skn_far_text(v, "messageId")) = arg;
}

skein_rc skn_far_subtree(skn_cli *cli, skn_str uid, skn_str thread, skn_map **out)
{
    const char *path = skn_arena_printf(cli->keep,
                                        "%s/messages/%s/subtree?fields=messageId%s%s",
                                        cli->door->world, skn_far_part(cli, uid),
                                        skn_far_parameter(cli, "chatId", cli->door->chat_uid),
                                        skn_far_parameter(cli, "threadId", thread))
                           .p;

    *out = skn_map_new(cli->keep);
    return skn_far_each(cli, path, SKN_HERE_PAGE, add_uid, *out);
}

static skn_str keep_text(skn_arena *a, skn_str text)
{
    return text.p ? skn_arena_copy(a, text) : SKN_NONE;
}

/* Makes what was read for a moment last. */
static void keep_message(skn_arena *a, skein_message *m)
{
    skn_str *const     texts[] = {&m->uid,      &m->sender,     &m->content,  &m->thinking,
                                  &m->reply_to, &m->squash_uid, &m->turn_uid, &m->tool_call_id,
                                  &m->model,    &m->warning};
    skein_tool_call   *calls = SKN_ARRAY(a, m->call_count + 1, skein_tool_call);
    skein_instruction *told = SKN_ARRAY(a, m->instruction_count + 1, skein_instruction);

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = keep_text(a, *texts[i]);
    for (size_t i = 0; i < m->call_count; i++)
        calls[i] = (skein_tool_call){.call_id = keep_text(a, m->calls[i].call_id),
                                     .tool_name = keep_text(a, m->calls[i].tool_name),
                                     .args = keep_text(a, m->calls[i].args)};
    for (size_t i = 0; i < m->instruction_count; i++)
        told[i] = (skein_instruction){keep_text(a, m->instructions[i].type),
                                      keep_text(a, m->instructions[i].target)};
    m->calls = calls;
    m->instructions = told;
}

/* A tree, while it is read. */
typedef struct reading {
    skn_cli *cli;
    skn_map *places;
    skn_vec(skein_reply_node) nodes;
    int     depth;
    int64_t unanswered;
} reading;

/* Parents come before their children, and are known by their id then. */
static void add_node(void *arg, skn_cli *look, const skn_json *v)
{
    reading         *r = arg;
    void            *parent = skn_map_get(r->places, skn_far_text(v, "parentMessageId"));
    skein_reply_node node = {.parent = (int64_t)(intptr_t)parent - 1,
                             .depth = (int)skn_far_int(v, "depth", 0),
                             .replies = skn_far_int(v, "replyCount", 0),
                             .unanswered = skn_far_flag(v, "unanswered"),
                             .memory_only = skn_far_flag(v, "memoryOnly")};

    skn_far_read_message(look, v, &node.message, NULL, NULL);
    keep_message(r->cli->keep, &node.message);
    skn_vec_add(r->cli->keep, &r->nodes, node);
    *skn_map_slot(r->places, node.message.uid) = (void *)(intptr_t)r->nodes.n;
    r->depth = node.depth >= r->depth ? node.depth + 1 : r->depth;
    r->unanswered += node.unanswered;
}

skein_rc skn_far_tree(skn_cli *cli, skn_str thread, skn_str root, skein_reply_tree *out)
{
    reading     r = {.cli = cli, .places = skn_map_new(cli->keep)};
    const char *path = skn_arena_printf(cli->keep, "%s/tree?threadId=%s%s", cli->door->chat,
                                        skn_far_part(cli, thread),
                                        skn_far_parameter(cli, "root", root))
                           .p;
    skein_rc rc = skn_far_each(cli, path, SKN_HERE_PAGE, add_node, &r);

    *out = (skein_reply_tree){
        .at = r.nodes.p, .count = r.nodes.n, .depth = r.depth, .unanswered = r.unanswered};
    return rc;
}

/* --- Versions against each other ---------------------------------------------------------- */

static skein_diff_kind diff_kind(skn_str name)
{
    return skn_str_is(name, "added")      ? SKEIN_DIFF_ADDED
           : skn_str_is(name, "replaced") ? SKEIN_DIFF_REPLACED
           : skn_str_is(name, "moved")    ? SKEIN_DIFF_MOVED
                                          : SKEIN_DIFF_REMOVED;
}

static void read_side(skn_cli *cli, const skn_json *v, skein_message *out)
{
    if (v && v->kind == SKN_JSON_OBJECT)
        skn_far_read_message(cli, v, out, NULL, NULL);
}

skein_rc skn_far_diff(skn_cli *cli, const skein_version *from, const skein_version *to,
                      skein_diff *out, const skn_json **whole)
{
    const skn_json *changes;
    skein_rc        rc = skn_far_get(cli, whole, "%s/threads/%s/diff?from=%s", cli->door->chat,
                                     skn_far_part(cli, to->thread_uid),
                                     skn_far_part(cli, from->thread_uid));

    if (rc)
        return rc;
    changes = skn_json_get(*whole, "changes");
    *out = (skein_diff){.same = skn_far_int(*whole, "same", 0)};
    out->at = SKN_ARRAY(cli->keep, (changes ? changes->count : 0) + 1, skein_diff_entry);
    for (const skn_json *c = changes ? changes->first : NULL; c; c = c->next) {
        skein_diff_entry *e = &out->at[out->count++];

        e->kind = diff_kind(skn_far_text(c, "kind"));
        read_side(cli, skn_json_get(c, "before"), &e->before);
        read_side(cli, skn_json_get(c, "after"), &e->after);
        if (e->kind == SKEIN_DIFF_REPLACED && !e->after.squash_uid.n)
            e->after.version_of = e->before.id;
    }
    return SKEIN_OK;
}

/* --- Numbers ------------------------------------------------------------------------------ */

static skein_pair_count *read_pairs(skn_cli *cli, const skn_json *v, size_t *count)
{
    skein_pair_count *out = SKN_ARRAY(cli->keep, (v ? v->count : 0) + 1, skein_pair_count);

    for (const skn_json *p = v ? v->first : NULL; p; p = p->next)
        if (p->kind == SKN_JSON_OBJECT)
            out[(*count)++] = (skein_pair_count){
                skn_far_text(p, "who"), skn_far_text(p, "whom"), skn_far_int(p, "count", 0)};
        else if (skn_str_int(p->text, &out[*count].count))
            out[(*count)++].who = p->key;
    return out;
}

static void read_busiest(skn_cli *cli, const skn_json *v, skein_stats *out)
{
    out->busiest = SKN_ARRAY(cli->keep, (v ? v->count : 0) + 1, skein_busy_thread);
    for (const skn_json *t = v ? v->first : NULL; t; t = t->next) {
        skein_busy_thread *one = &out->busiest[out->busiest_count++];

        one->messages = skn_far_int(t, "messages", 0);
        one->depth = (int)skn_far_int(t, "depth", 0);
        read_side(cli, skn_json_get(t, "root"), &one->root);
    }
}

skein_rc skn_far_stats(skn_cli *cli, skn_str thread, skn_str root, skein_stats *out,
                       const skn_json **whole)
{
    const skn_json *rate;
    skein_rc        rc = skn_far_get(cli, whole, "%s/analytics?threadId=%s%s", cli->door->chat,
                                     skn_far_part(cli, thread), skn_far_parameter(cli, "root", root));

    if (rc)
        return rc;
    *out = (skein_stats){.messages = skn_far_int(*whole, "messages", 0),
                         .tool_results = skn_far_int(*whole, "toolResults", 0),
                         .replies = skn_far_int(*whole, "replies", 0),
                         .roots = skn_far_int(*whole, "threads", 0),
                         .unanswered = skn_far_int(*whole, "unanswered", 0),
                         .memory_only = skn_far_int(*whole, "memoryOnly", 0),
                         .depth = (int)skn_far_int(*whole, "depth", 0)};
    rate = skn_json_get(*whole, "repliesPerMessage");
    out->replies_a_message = rate ? strtod(skn_arena_copy(cli->keep, rate->text).p, NULL) : 0;
    out->answers = read_pairs(cli, skn_json_get(*whole, "answers"), &out->answer_count);
    out->senders = read_pairs(cli, skn_json_get(*whole, "senders"), &out->sender_count);
    read_busiest(cli, skn_json_get(*whole, "busiest"), out);
    return SKEIN_OK;
}

/* --- Contexts and finding ----------------------------------------------------------------- */

static void read_prompt(skn_cli *cli, const skn_json *v, skein_prompt_message *out)
{
    skein_message m;

    skn_far_read_message(cli, v, &m, NULL, NULL);
    *out = (skein_prompt_message){.role = m.role,
                                  .text = m.content,
                                  .calls = m.calls,
                                  .call_count = m.call_count,
                                  .tool_call_id = m.tool_call_id,
                                  .tool_name = skn_far_text(v, "toolName"),
                                  .failed = skn_far_flag(v, "isError"),
                                  .synthetic = skn_far_flag(v, "synthetic")};
}

skein_rc skn_far_context(skn_cli *cli, const skn_far_slice *what, skein_context *out,
                         const skn_json **whole)
{
    const skn_json *list;
    skein_rc        rc = skn_far_get(cli, whole, "%s/context?threadId=%s%s%s", cli->door->chat,
                                     skn_far_part(cli, what->thread),
                                     skn_far_parameter(cli, "agent", what->agent),
                                     skn_far_parameter(cli, "delegation", what->lane));

    if (rc)
        return rc;
    list = skn_json_get(*whole, "messages");
    *out = (skein_context){.summary_uid = skn_far_text(*whole, "summaryMessageId"),
                           .covered = skn_far_int(*whole, "coveredLength", 0),
                           .stored = skn_far_int(*whole, "storedLength", 0),
                           .tokens = skn_far_int(*whole, "tokens", 0),
                           .fixed = skn_far_int(*whole, "fixedTokens", 0),
                           .limit = skn_far_int(*whole, "limit", 0)};
    out->at = SKN_ARRAY(cli->keep, (list ? list->count : 0) + 1, skein_prompt_message);
    for (const skn_json *m = list ? list->first : NULL; m; m = m->next)
        read_prompt(cli, m, &out->at[out->count++]);
    return SKEIN_OK;
}

static void read_hit(skn_cli *cli, const skn_json *v, skein_hit *out)
{
    *out = (skein_hit){.conversation = {.uid = skn_far_text(v, "chatId"),
                                        .title = skn_far_text(v, "title"),
                                        .agent_name = skn_far_text(v, "agent"),
                                        .archived = skn_far_flag(v, "archived")},
                       .version = skn_far_int(v, "version", 0),
                       .in_current = skn_far_flag(v, "inCurrent"),
                       .snippet = skn_far_text(v, "snippet")};
    skn_mode_from(skn_far_text(v, "mode"), &out->conversation.mode);
    skn_far_read_message(cli, v, &out->message, NULL, NULL);
}

skein_rc skn_far_search(skn_cli *cli, const skein_search_request *req, skn_str chat,
                        skein_hits *out)
{
    static const char *const archived[] = {[SKEIN_ARCHIVED_ALSO] = "",
                                           [SKEIN_ARCHIVED_NOT] = "&archived=false",
                                           [SKEIN_ARCHIVED_ONLY] = "&archived=true"};

    skn_json_list list = {0};
    const char   *path = skn_arena_printf(
                             cli->keep, "%s/search?q=%s%s%s%s",
                           req->world.v ? cli->door->world : "", skn_far_part(cli, req->query),
                           req->current_only ? "&current=true" : "", archived[req->archived],
                             skn_far_parameter(cli, "chatId", chat))
                           .p;
    skein_rc rc = skn_far_all(cli, path, req->limit ? (size_t)req->limit : 50, &list);

    *out = (skein_hits){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_hit)};
    for (size_t i = 0; !rc && i < list.n; i++)
        read_hit(cli, list.p[i], &out->at[out->count++]);
    return rc;
}
