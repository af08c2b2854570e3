/* The one thing that cannot be taken back: erasing texts for ever. */
#include "api/handlers.h"

#include "base/utf8.h"

#define PART       500 /* messages that are looked at in one go */
#define SHOWN_MOST 20  /* texts that are shown before they go, beside those that are named */
#define SHOWN_TEXT 400 /* bytes of each */

/* --- What was made of them and stays ------------------------------------------------------- */

static bool is_made_of(const skein_squash *q, skn_str uid)
{
    for (size_t i = 0; i < q->source_count; i++)
        if (skn_str_eq(q->sources[i], uid))
            return true;
    return false;
}

static void write_kept(skn_api_call *c, skn_str uid, const char *in, skn_str by)
{
    skn_jw_object(&c->w);
    skn_jw_kstr(&c->w, "messageId", uid);
    skn_jw_kstr(&c->w, "in", skn_str_of(in));
    skn_jw_kstr(&c->w, "keptMessageId", by);
    skn_jw_object_end(&c->w);
}

/* Text that a squash took over stands in another message, which is erased only by its own name. */
static skein_rc tell_squashes(skn_api_call *c, skn_str uid)
{
    skein_uids   all;
    skein_squash q;
    skein_rc     rc = skein_squash_list(c->engine, c->chat.id, 0, c->mem, &all, &c->error);

    for (size_t i = 0; !rc && i < all.count; i++) {
        rc = skein_squash_get(c->engine, all.at[i], c->mem, &q, &c->error);
        if (!rc && !q.result.purged && is_made_of(&q, uid))
            write_kept(c, uid, "squash", q.result.uid);
    }
    return rc;
}

/* Is it among the first `count` messages of the lane? */
static skein_rc is_covered(skn_api_call *c, skein_slice lane, int64_t count, skn_str uid,
                           bool *out)
{
    skein_messages part = {.count = 1};
    skein_at       at;
    skein_rc       rc = SKEIN_OK;

    *out = false;
    while (!rc && !*out && lane.from < count && part.count) {
        lane.count = count - lane.from < PART ? count - lane.from : PART;
        rc = skein_read(c->engine, &lane, c->mem, &part, &at, &c->error);
        for (size_t i = 0; !rc && i < part.count; i++)
            *out |= skn_str_eq(part.at[i].uid, uid);
        lane.from += PART;
    }
    return rc;
}

/* A model was told the text, and may have taken words of it into a summary. */
static skein_rc tell_summaries(skn_api_call *c, const skein_slice *lane, skn_str uid)
{
    skein_summaries list;
    bool            covered;
    skein_rc        rc = skein_summary_list(c->engine, lane, c->mem, &list, &c->error);

    for (size_t i = 0; !rc && i < list.count; i++) {
        rc = is_covered(c, *lane, list.at[i].covers, uid, &covered);
        if (!rc && covered && !list.at[i].message.purged)
            write_kept(c, uid, "summary", list.at[i].message.uid);
    }
    return rc;
}

static skein_rc tell_copies(skn_api_call *c, skn_str uid)
{
    skein_slice lane = {.conversation = c->chat.id};
    skein_lanes lanes;
    skein_rc    rc;

    if ((rc = tell_squashes(c, uid)) ||
        (rc = skein_lane_list(c->engine, c->chat.id, c->mem, &lanes, &c->error)))
        return rc;
    for (size_t i = 0; !rc && i < lanes.count; i++) {
        lane.lane = lanes.at[i].key;
        rc = tell_summaries(c, &lane, uid);
    }
    return rc;
}

static skein_rc write_all_kept(skn_api_call *c)
{
    const skn_json *ids = skn_json_get(c->json, "messageIds");
    skein_rc        rc = SKEIN_OK;

    skn_jw_key(&c->w, "kept");
    skn_jw_array(&c->w);
    for (const skn_json *v = ids ? ids->first : NULL; v && !rc; v = v->next)
        rc = tell_copies(c, v->text);
    skn_jw_array_end(&c->w);
    return rc;
}

/* --- Erasing ------------------------------------------------------------------------------ */

/* The messages that are named, or none for all that the current version does not hold. */
static skein_rc read_what(skn_api_call *c, skein_message_ids *out)
{
    bool     unreachable;
    skein_rc rc = skn_api_flag(c, "unreachable", &unreachable);

    *out = (skein_message_ids){0};
    if (rc)
        return rc;
    if (unreachable == skn_api_has(c, "messageIds"))
        return skn_call_invalid(c, "/messageIds", "is required, or \"unreachable\", not both");
    return unreachable ? SKEIN_OK : skn_api_ids(c, "messageIds", out);
}

static void write_shown(skn_api_call *c, const skein_messages *first)
{
    skn_jw_key(&c->w, "messages");
    skn_jw_array(&c->w);
    for (size_t i = 0; i < first->count; i++) {
        skn_jw_object(&c->w);
        skn_jw_kstr(&c->w, "messageId", first->at[i].uid);
        skn_jw_kstr(&c->w, "sender", first->at[i].sender);
        skn_jw_kstr(&c->w, "text", skn_utf8_cut(first->at[i].content, SHOWN_TEXT));
        skn_jw_object_end(&c->w);
    }
    skn_jw_array_end(&c->w);
}

static skein_rc purge(skn_api_call *c, const skein_change *how, skein_message_ids ids,
                      skein_messages *shown, int64_t *erased)
{
    *shown = (skein_messages){0};
    if (how->dry_run)
        return skn_purge_look(c->engine, how, ids, ids.count + SHOWN_MOST, c->mem, shown,
                              erased, &c->error);
    return ids.count ? skein_purge(c->engine, how, ids, erased, &c->error)
                     : skein_purge_unreachable(c->engine, how, erased, &c->error);
}

skein_rc skn_api_purge(skn_api_call *c)
{
    skein_change      how;
    skein_message_ids ids;
    skein_messages    shown;
    int64_t           erased;
    skein_rc          rc;

    if ((rc = skn_find_chat_param(c)) || (rc = skn_api_change(c, false, &how)) ||
        (rc = read_what(c, &ids)))
        return rc;
    if ((rc = purge(c, &how, ids, &shown, &erased)))
        return skn_api_changed(c, rc);
    skn_jw_object(&c->w);
    skn_jw_kint(&c->w, "erased", erased);
    skn_jw_kbool(&c->w, "dryRun", how.dry_run);
    write_shown(c, &shown);
    rc = write_all_kept(c);
    skn_jw_object_end(&c->w);
    return rc;
}
