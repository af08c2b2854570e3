/* Answers as the engine's types: messages, versions, the places where they are, and what a person calls them. */
#include "base/clock.h"
#include "cli/place.h"
#include "cli/say.h"

#include <ctype.h>
#include <inttypes.h>

const skn_json *skn_first(const skn_json *v, const char *member)
{
    const skn_json *list = skn_json_get(v, member);

    return list ? list->first : NULL; /* what is not a list has none */
}

int64_t skn_door_int(const skn_json *v, const char *key, int64_t fallback)
{
    int64_t out;

    return skn_json_int(v, key, fallback, &out, NULL) ? fallback : out;
}

bool skn_door_flag(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_BOOL && m->boolean;
}

int64_t skn_door_time(const skn_json *v, const char *key)
{
    int64_t at = 0;

    return skn_time_parse(skn_json_str(v, key), &at) ? at : 0;
}

/* Of a world or an agent. Hints are commands to paste that name it, so one that a shell would obey is not a name. */
static skn_str name_of(const skn_json *v)
{
    skn_str name = skn_json_str(v, "name");

    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] <= ' ' || strchr("\"'`$&|;<>()*?[]{}#~!\\", name.p[i]))
            return SKN_NONE;
    return name;
}

void skn_door_read_world(skn_cli *cli, const skn_json *v, skein_world *out)
{
    skn_told_world told;

    skn_shape_read(&skn_world_shape, v, cli->keep, &told);
    *out = told.world;
    out->name = name_of(v);
    out->id.v = skn_door_number(cli, out->uid);
    out->current_chat.v = skn_door_number(cli, out->current_chat_uid);
}

static void door_read_agent(skn_cli *cli, const skn_json *v, skein_agent *out)
{
    skn_told_agent told;

    skn_shape_read(&skn_agent_shape, v, cli->keep, &told);
    *out = told.agent;
    out->name = name_of(v);
    out->settings = v->raw;
    out->id.v = skn_door_number(cli, out->uid);
    out->lead.v = out->lead_name.n ? 1 : 0; /* who it is, is known by name alone */
}

void skn_door_read_chat(skn_cli *cli, const skn_json *v, skein_conversation *out)
{
    skn_chat_from_json(v, cli->keep, out);
    out->id.v = skn_door_number(cli, out->uid);
}

int64_t skn_door_version_number(skn_str name)
{
    int64_t n = 0;

    return name.n > 1 && skn_str_int(skn_str_sub(name, 1, name.n), &n) ? n : 0;
}

static void door_read_version(const skn_json *v, skein_version *out)
{
    skn_version_from_json(v, NULL, out);
}

void skn_door_read_message(skn_cli *cli, const skn_json *v, skein_message *out,
                           skein_message_facts *facts, skein_deliveries *deliveries)
{
    skn_told_message told = {.m.position = -1};

    skn_shape_fill(&skn_message_shape, v, cli->keep, &told);
    *out = told.m;
    out->id.v = skn_door_number(cli, out->uid);
    if (out->author == SKEIN_BY_AGENT)
        out->author_agent.v = skn_door_number(cli, out->sender);
    if (told.f.original_count && !out->squash_uid.n) /* an edit; the facts say of what */
        out->version_of = out->id;
    if (facts)
        *facts = told.f;
    if (deliveries)
        *deliveries = told.d;
}

/* --- Worlds and agents -------------------------------------------------------------------- */

/* Without its agents and conversations, which take longer. */
#define WORLD_ALONE                                                                            \
    "?fields=id,name,description,turnLimit,compactAt,settings,currentChatId,createdAt"

skein_rc skn_door_worlds(skn_cli *cli, skein_worlds *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_door_all(cli, "/worlds" WORLD_ALONE, 0, &list);

    *out = (skein_worlds){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_world)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_door_read_world(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

void skn_door_enter(skn_cli *cli, const skein_world *world)
{
    cli->door->world_name = world->name;
    cli->door->world = skn_arena_text(cli->keep, "/worlds/%s", skn_door_part(cli, world->name));
}

void skn_door_enter_chat(skn_cli *cli, const skein_conversation *chat)
{
    cli->door->chat_uid = chat->uid;
    cli->door->chat = skn_arena_text(cli->keep, "%s/chats/%s", cli->door->world,
                                     skn_door_part(cli, chat->uid));
}

skein_rc skn_door_world(skn_cli *cli, skn_str ref, skein_world *out)
{
    const skn_json *v;
    skein_rc rc = skn_door_get(cli, &v, "/worlds/%s" WORLD_ALONE, skn_door_part(cli, ref));

    if (!rc)
        skn_door_read_world(cli, v, out);
    return skn_missing(cli, rc, "world");
}

skein_rc skn_door_agents(skn_cli *cli, skein_agents *out)
{
    skn_json_list list = {0};
    skein_rc rc = skn_door_all(cli, skn_arena_text(cli->keep, "%s/agents", cli->door->world), 0,
                               &list);

    *out = (skein_agents){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_agent)};
    for (size_t i = 0; !rc && i < list.n; i++)
        door_read_agent(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_door_agent(skn_cli *cli, skn_str name, skein_agent *out)
{
    skn_str         bare = skn_str_sub(name, skn_str_starts(name, SKN_STR("@")), name.n);
    const skn_json *v;
    skein_rc        rc = skn_door_get(cli, &v, "%s/agents/%s", cli->door->world,
                                      skn_door_part(cli, bare));

    if (!rc)
        door_read_agent(cli, v, out);
    return skn_missing(cli, rc, "agent");
}

/* --- Conversations ------------------------------------------------------------------------ */

skein_rc skn_door_chat(skn_cli *cli, const char *ref, skein_conversation *out)
{
    const skn_json *v;
    skein_rc        rc = skn_door_get(cli, &v, "%s/chats/%s?typed=true", cli->door->world,
                                      skn_door_part(cli, skn_str_of(ref)));

    if (rc)
        return cli->more.thing ? rc : skn_missing(cli, rc, "chat");
    skn_door_read_chat(cli, v, out);
    skn_door_enter_chat(cli, out);
    return SKEIN_OK;
}

/* --- Messages and versions ---------------------------------------------------------------- */

skein_rc skn_door_message(skn_cli *cli, skn_str ref, skein_message *out,
                          skein_message_facts *facts, skein_deliveries *deliveries)
{
    const skn_json *v;
    skein_rc rc = skn_door_get(cli, &v, "%s/messages/%s?chatId=%s&typed=true", cli->door->world,
                               skn_door_part(cli, ref),
                               skn_door_part(cli, cli->door->chat_uid));

    if (!rc)
        skn_door_read_message(cli, v, out, facts, deliveries);
    return skn_missing(cli, rc, "message");
}

skein_rc skn_door_history(skn_cli *cli, skein_versions *out)
{
    skn_json_list list = {0};
    skein_rc rc = skn_door_all(cli, skn_arena_text(cli->keep, "%s/threads", cli->door->chat), 0,
                               &list);

    *out = (skein_versions){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_version)};
    for (size_t i = 0; !rc && i < list.n; i++)
        door_read_version(list.p[i], &out->at[out->count++]);
    return rc;
}

static skein_rc door_version(skn_cli *cli, skn_str ref, skein_version *out)
{
    const skn_json *v;
    skein_rc        rc = skn_door_get(cli, &v, "%s/threads/%s", cli->door->chat,
                                      skn_door_part(cli, ref));

    if (!rc)
        door_read_version(v, out);
    return skn_missing(cli, rc, "version");
}

skein_rc skn_door_version_numbered(skn_cli *cli, int64_t number, skein_version *out)
{
    return door_version(cli, skn_arena_printf(cli->keep, "v%" PRId64, number), out);
}

/* --- Versions and messages, by what a person calls them ------------------------------------ */

bool skn_is_version(skn_str ref)
{
    int64_t number;

    if (skn_str_starts(ref, SKN_STR("t_")))
        return true;
    return ref.n > 1 && ref.p[0] == 'v' && isdigit((unsigned char)ref.p[1]) &&
           skn_str_int(skn_str_sub(ref, 1, ref.n), &number);
}

bool skn_is_lane(skn_str ref)
{
    skn_str piece;
    int64_t number;

    if (!skn_str_split(&ref, '.', &piece) || !skn_str_is(piece, "main"))
        return false;
    while (skn_str_split(&ref, '.', &piece))
        if (!piece.n || !isdigit((unsigned char)piece.p[0]) || !skn_str_int(piece, &number))
            return false;
    return true;
}

bool skn_is_part(skn_str id, skn_str ref)
{
    return ref.n >= 4 && (skn_str_starts(id, ref) || skn_str_ends(id, ref));
}

skein_rc skn_need_version(skn_cli *cli, const skein_conversation *chat, const char *ref,
                          skein_version *out)
{
    if (ref && !skn_is_version(skn_str_of(ref)))
        return skn_fail_hint(
            &cli->err, SKEIN_USAGE,
            "Versions are called v1, v2 and so on; \"skein history\" lists them",
            "\"%s\" is not a version", ref);
    return ref ? door_version(cli, skn_str_of(ref), out)
               : skn_door_version_numbered(cli, chat->version, out);
}

static bool split_length(skn_str ref, skn_str *version, int64_t *length)
{
    size_t dot = ref.n;

    while (dot > 0 && ref.p[dot - 1] != '.')
        dot--;
    if (dot < 2 || dot == ref.n || !isdigit((unsigned char)ref.p[dot]))
        return false;
    *version = skn_str_sub(ref, 0, dot - 1);
    return skn_str_int(skn_str_sub(ref, dot, ref.n), length);
}

bool skn_is_version_at(skn_str ref)
{
    skn_str version;
    int64_t length;

    return split_length(ref, &version, &length) && skn_is_version(version);
}

skein_rc skn_need_version_at(skn_cli *cli, const skein_conversation *chat, const char *ref,
                             skein_version *out, int64_t *length)
{
    skn_str  version;
    skein_rc rc;

    *length = -1;
    if (!ref || !skn_is_version_at(skn_str_of(ref)))
        return skn_need_version(cli, chat, ref, out);
    split_length(skn_str_of(ref), &version, length);
    if ((rc = skn_need_version(cli, chat, skn_arena_copy(cli->keep, version).p, out)))
        return rc;
    if (*length > out->length)
        return skn_missing(cli,
                           skn_fail(&cli->err, SKEIN_NOT_FOUND,
                                    "v%lld has %lld messages, not %lld", (long long)out->number,
                                    (long long)out->length, (long long)*length),
                           "version");
    return SKEIN_OK;
}

skein_rc skn_need_message(skn_cli *cli, skn_str ref, skein_message *out)
{
    return skn_door_message(cli, ref, out, NULL, NULL);
}

skein_rc skn_need_messages(skn_cli *cli, size_t from, skn_uids *out)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    *out = (skn_uids){0};
    for (size_t i = from; i < cli->arg_count && !rc; i++)
        if (!(rc = skn_need_message(cli, skn_arg(cli, i), &m)))
            skn_vec_add(cli->keep, out, m.uid);
    return rc;
}

skein_rc skn_missing(skn_cli *cli, skein_rc rc, const char *thing)
{
    if (rc == SKEIN_NOT_FOUND)
        cli->more.thing = thing;
    return rc;
}

/* --- Views -------------------------------------------------------------------------------- */

const char *skn_door_parameter(skn_cli *cli, const char *name, skn_str value)
{
    if (!value.n)
        return "";
    return skn_arena_text(cli->keep, "&%s=%s", name, skn_door_part(cli, value));
}

/* --- Messages of a lane ----------------------------------------------------------------------------- */

static skein_rc get_page(skn_cli *cli, const skn_door_slice *what, int64_t from, int64_t limit,
                         const skn_json **out)
{
    return skn_door_get(
        cli, out, "%s/threads/%s/messages?from=%" PRId64 "&limit=%" PRId64 "%s%s%s",
        cli->door->chat, skn_door_part(cli, what->thread), from, limit,
        skn_door_parameter(cli, "agent", what->agent),
        skn_door_parameter(cli, "delegation", what->lane), what->raw ? "&raw=true" : "");
}

static void read_log(skn_cli *cli, const skn_json_list *list, skn_door_log *out)
{
    size_t n = list->n;

    out->items = list->p;
    out->list = (skein_messages){SKN_ARRAY(cli->keep, n + 1, skein_message), n};
    out->facts = SKN_ARRAY(cli->keep, n + 1, skein_message_facts);
    out->deliveries = SKN_ARRAY(cli->keep, n + 1, skein_deliveries);
    for (size_t i = 0; i < n; i++)
        skn_door_read_message(cli, list->p[i], &out->list.at[i], &out->facts[i],
                              &out->deliveries[i]);
}

skein_rc skn_door_log_part(skn_cli *cli, const skn_door_slice *what, int64_t from,
                           int64_t count, skn_door_log *out)
{
    skn_json_list   list = {0};
    const skn_json *page, *data;
    size_t          size = SKN_DOOR_PAGE;
    int64_t         limit, left;
    skein_rc        rc;

    do {
        left = count - (int64_t)list.n;
        do {
            limit = left < (int64_t)size ? left : (int64_t)size;
            rc = get_page(cli, what, from + (int64_t)list.n, limit, &page);
        } while (rc == SKEIN_LIMIT && skn_door_less(&size));
        if (rc)
            return rc;
        data = skn_json_get(page, "data");
        for (const skn_json *v = data ? data->first : NULL; v; v = v->next)
            skn_vec_add(cli->keep, &list, v);
    } while (data && data->count == limit && (int64_t)list.n < count);
    out->length = skn_door_int(skn_json_get(page, "page"), "total", 0);
    read_log(cli, &list, out);
    return SKEIN_OK;
}

skein_rc skn_door_log_read(skn_cli *cli, const skn_door_slice *what, skn_door_log *out)
{
    return skn_door_log_part(cli, what, -what->last, what->last ? what->last : INT64_MAX, out);
}

static void add_uid(void *arg, skn_cli *look, const skn_json *v)
{
    (void)look;
    *skn_map_slot(arg, skn_json_str(v, "messageId")) = arg;
}

skein_rc skn_door_subtree(skn_cli *cli, skn_str uid, skn_str thread, skn_map **out)
{
    const char *path = skn_arena_text(cli->keep, "%s/messages/%s/subtree?fields=messageId%s%s",
                                      cli->door->world, skn_door_part(cli, uid),
                                      skn_door_parameter(cli, "chatId", cli->door->chat_uid),
                                      skn_door_parameter(cli, "threadId", thread));

    *out = skn_map_new(cli->keep);
    return skn_door_each(cli, path, SKN_HERE_PAGE, add_uid, *out);
}

/* Makes what was read for a moment last. */
static void keep_message(skn_arena *a, skein_message *m)
{
    skn_told_message told = {.m = *m};

    skn_shape_keep(&skn_message_shape, &told, a);
    *m = told.m;
}

/* A tree, while it is read. */
typedef struct reading {
    skn_cli *cli;
    skn_map *places;
    skn_vec(skein_reply_node) nodes;
    int     depth;
    int64_t unanswered;
} reading;

/* Whatever a server says: it becomes a place in a list of levels. */
static int level_of(const skn_json *node)
{
    enum { MOST = 1 << 20 };
    int64_t depth = skn_door_int(node, "depth", 0);

    return depth < 0 ? 0 : depth > MOST ? MOST : (int)depth;
}

/* Parents come before their children, and are known by their id then. */
static void add_node(void *arg, skn_cli *look, const skn_json *v)
{
    reading         *r = arg;
    void            *parent = skn_map_get(r->places, skn_json_str(v, "parentMessageId"));
    skein_reply_node node = {.parent = (int64_t)(intptr_t)parent - 1,
                             .depth = level_of(v),
                             .replies = skn_door_int(v, "replyCount", 0),
                             .unanswered = skn_door_flag(v, "unanswered"),
                             .memory_only = skn_door_flag(v, "memoryOnly")};

    skn_door_read_message(look, v, &node.message, NULL, NULL);
    keep_message(r->cli->keep, &node.message);
    skn_vec_add(r->cli->keep, &r->nodes, node);
    *skn_map_slot(r->places, node.message.uid) = (void *)(intptr_t)r->nodes.n;
    r->depth = node.depth >= r->depth ? node.depth + 1 : r->depth;
    r->unanswered += node.unanswered;
}

skein_rc skn_door_tree(skn_cli *cli, skn_str thread, skn_str root, skein_reply_tree *out)
{
    reading     r = {.cli = cli, .places = skn_map_new(cli->keep)};
    const char *path = skn_arena_text(cli->keep, "%s/tree?threadId=%s%s", cli->door->chat,
                                      skn_door_part(cli, thread),
                                      skn_door_parameter(cli, "root", root));
    skein_rc    rc = skn_door_each(cli, path, SKN_HERE_PAGE, add_node, &r);

    *out = (skein_reply_tree){
        .at = r.nodes.p, .count = r.nodes.n, .depth = r.depth, .unanswered = r.unanswered};
    return rc;
}
