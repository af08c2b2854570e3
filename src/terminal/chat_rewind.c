/* chat_rewind.c: Esc Esc: back to something the person said, and what can be done from there. */
#include "terminal/chat.h"

#include "base/utf8.h"
#include "cli/input.h"

#include <inttypes.h>
#include <signal.h>

#define OWN_MOST   200 /* messages to pick from */
#define TEXT_BYTES 400 /* of one: more does not fit on a row */
#define OWN        SKN_STR("from:me role:user")
#define PROMPT     "Keep the facts, dates and decisions; drop tool noise and small talk."

typedef enum choice {
    EDIT,
    MAKE_CURRENT,
    SUMMARISE_FROM,
    SUMMARISE_UP_TO,
    BRANCH,
    CHOICES
} choice;

/* The message that was picked, where it stands, and what stands around it there. */
typedef struct target {
    skein_message m;
    int64_t       version, length;
    int64_t       current; /* the version that is */
} target;

/* --- Picking a message -------------------------------------------------------------------- */

/* What a model wrote in place of several is nobody's own. */
static bool is_own(const skn_json *m)
{
    return !skn_has(m, "purged") && !(skn_has(m, "squashOperationId") && skn_has(m, "model"));
}

static skein_rc read_own(skn_chat *c, skn_arena *mem, skn_json_list *out)
{
    skn_json_list hits = {0};
    skn_cli      *cli = skn_chat_ask(c, mem);
    const char   *path = skn_arena_text(mem, "%s/search?q=%s&chatId=%s", cli->door->world,
                                        skn_door_part(cli, OWN), skn_door_part(cli, c->chat.uid));
    skein_rc      rc = skn_chat_told(c, skn_door_all(cli, path, OWN_MOST, &hits));

    for (size_t i = 0; !rc && i < hits.n; i++)
        if (is_own(hits.p[i]))
            skn_vec_add(mem, out, hits.p[i]);
    return rc;
}

/* Oldest first, as they were said; those of other versions too. */
static skn_menu_item *own_items(skn_arena *mem, const skn_json_list *hits)
{
    skn_menu_item *items = SKN_ARRAY(mem, hits->n, skn_menu_item);

    for (size_t i = 0; i < hits->n; i++) {
        const skn_json *hit = hits->p[hits->n - 1 - i];

        items[i].label = skn_has(hit, "inCurrent")
                             ? SKN_STR("now")
                             : skn_arena_printf(mem, "v%" PRId64,
                                                skn_door_int(hit, "version", 0));
        items[i].text = skn_utf8_cut(skn_json_str(hit, "content"), TEXT_BYTES);
    }
    return items;
}

static skn_menu message_menu(skn_arena *mem, const skn_json_list *hits)
{
    return (skn_menu){.title = SKN_STR("Go back to which of your messages?"),
                      .keys = "↑ ↓ and Enter, or a digit · Esc changes nothing",
                      .items = own_items(mem, hits),
                      .count = hits->n,
                      .at = hits->n - 1};
}

static skein_rc find_target(skn_chat *c, skn_arena *mem, skn_str uid, target *out)
{
    skein_conversation  now;
    skein_message_facts facts;
    skein_version       version;
    skein_rc            rc;

    if ((rc = skn_chat_now(c, mem, &now)))
        return rc;
    if (!(rc = skn_door_message(skn_chat_ask(c, mem), uid, &out->m, &facts, NULL))) {
        out->version = skn_home_version(&facts, now.version);
        rc = skn_door_version_numbered(&c->question.cli, out->version, &version);
    }
    if (!rc) {
        out->current = now.version;
        out->length = version.length;
    }
    return skn_chat_told(c, rc);
}

/* --- Picking what to do ------------------------------------------------------------------- */

static int64_t count_from(const target *t)
{
    return t->length - t->m.position;
}

static skn_str merge_text(skn_arena *mem, int64_t count, const char *which)
{
    if (count < 2)
        return SKN_STR("there is nothing to merge");
    return skn_arena_printf(mem, "the %" PRId64 " messages %s become one", count, which);
}

static void choice_items(skn_arena *mem, const target *t, skn_menu_item *items)
{
    static const char *const labels[CHOICES] = {"edit from here", "make that version current",
                                                "summarise from here", "summarise up to here",
                                                "branch"};

    for (size_t i = 0; i < CHOICES; i++)
        items[i].label = skn_str_of(labels[i]);
    items[EDIT].text = SKN_STR("send it in other words; later messages are removed");
    items[MAKE_CURRENT].text = t->version == t->current
                                   ? skn_arena_printf(mem, "v%" PRId64 " is", t->current)
                                   : skn_arena_printf(mem, "v%" PRId64 " instead of v%" PRId64,
                                                      t->version, t->current);
    items[SUMMARISE_FROM].text = merge_text(mem, count_from(t), "from this on");
    items[SUMMARISE_UP_TO].text = merge_text(mem, t->m.position, "before it");
    items[BRANCH].text = SKN_STR("another conversation that begins like this");
}

static skn_menu_end pick_choice(skn_chat *c, skn_arena *mem, const target *t, choice *out)
{
    skn_menu_item items[CHOICES];
    skn_menu      m = {.title = skn_arena_printf(mem, "From \"%.*s\"",
                                                 SKN_FMT(skn_utf8_cut(t->m.content, TEXT_BYTES))),
                       .keys = "↑ ↓ and Enter, or a digit · Esc back to the messages",
                       .items = items,
                       .count = CHOICES};
    skn_menu_end  end;

    choice_items(mem, t, items);
    end = skn_chat_menu(c, &m);
    *out = (choice)m.at;
    return end;
}

/* --- Doing it ----------------------------------------------------------------------------- */

static bool switch_to(skn_chat *c, int64_t version)
{
    const char *words[] = {"switch", skn_arena_text(c->mem, "v%" PRId64, version)};

    return skn_chat_run(c, words, 2) == 0;
}

/* Changes are made in the version that is current. */
static bool stand_on(skn_chat *c, int64_t version)
{
    skein_conversation now;

    if (skn_chat_now(c, c->mem, &now)) {
        skn_chat_complain(c);
        return false;
    }
    return now.version == version || switch_to(c, version);
}

static void begin_edit(skn_chat *c, const target *t)
{
    snprintf(c->edited, sizeof c->edited, "%.*s", SKN_FMT(t->m.uid));
    c->edited_version = t->version;
    skn_line_edit_preset(c->edit, t->m.content);
    skn_chat_tell(
        c, "Enter sends it again and removes later messages; an empty line changes nothing.");
}

/* What was typed comes back when it cannot be done now, since agents are at work for instance. */
void skn_chat_edit(skn_chat *c, skn_str text)
{
    skn_arena  *mem = skn_arena_new();
    const char *words[] = {"edit", "--no-wait", c->edited, "-m", skn_arena_copy(mem, text).p};

    if (!text.n) {
        skn_chat_tell(c, "Nothing was changed.");
        c->edited[0] = '\0';
    } else if (!stand_on(c, c->edited_version) || skn_chat_run(c, words, 5)) {
        skn_line_edit_preset(c->edit, skn_str_of(words[4]));
    } else {
        c->edited[0] = '\0';
    }
    skn_arena_free(mem);
    c->changed = true;
}

static void make_current(skn_chat *c, const target *t)
{
    if (t->version == t->current)
        skn_chat_tell(c, "v%" PRId64 " is current.", t->current);
    else
        (void)switch_to(c, t->version);
}

static void summarise(skn_chat *c, skn_arena *mem, const target *t, int64_t from, int64_t count)
{
    skn_json_list list = {0};
    const char  **words;

    if (count < 2) {
        skn_chat_tell(c, "There is nothing to merge: it takes two messages or more.");
        return;
    }
    if (!stand_on(c, t->version))
        return;
    if (skn_chat_ids(c, mem, t->version, from, count, &list)) {
        skn_chat_complain(c);
        return;
    }
    words = SKN_ARRAY(mem, list.n + 3, const char *);
    words[0] = "squash";
    words[1] = "-m";
    words[2] = PROMPT;
    for (size_t i = 0; i < list.n; i++)
        words[3 + i] = skn_arena_copy(mem, skn_json_str(list.p[i], "messageId")).p;
    skn_chat_tell(c, "Summarising %zu messages…", list.n);
    (void)skn_chat_run(c, words, list.n + 3);
    skn_interrupt_arm(SIGINT); /* who waited for the model has had it */
}

static void branch(skn_chat *c, skn_arena *mem, const target *t)
{
    const skn_json *made;
    skn_str         title = SKN_NONE, old = c->chat.uid;
    int64_t         length;

    if (c->chat.title.n)
        title = skn_arena_printf(mem, "%.*s (branch)", SKN_FMT(c->chat.title));
    if (skn_chat_told(c, skn_branch_new(skn_chat_ask(c, mem), t->version, t->m.position + 1,
                                        title, &made))) {
        skn_chat_complain(c);
        return;
    }
    length = skn_door_int(made, "messageCount", 0);
    skn_chat_move(c, skn_json_str(made, "id"));
    if (!c->rc)
        skn_chat_tell(c,
                      "This is %.*s now, which begins with %" PRId64
                      " message%s of the other.\nThat one stays: skein chat %.*s -c %.*s",
                      SKN_FMT(skn_json_str(made, "id")), length, skn_plural(length),
                      SKN_FMT(c->world.name), SKN_FMT(old));
}

static void act(skn_chat *c, skn_arena *mem, const target *t, choice what)
{
    if (what == EDIT)
        begin_edit(c, t);
    else if (what == MAKE_CURRENT)
        make_current(c, t);
    else if (what == SUMMARISE_FROM)
        summarise(c, mem, t, t->m.position, count_from(t));
    else if (what == SUMMARISE_UP_TO)
        summarise(c, mem, t, 0, t->m.position);
    else
        branch(c, mem, t);
}

/* --- Together ----------------------------------------------------------------------------- */

static void pick(skn_chat *c, skn_arena *mem, const skn_json_list *hits)
{
    skn_menu     messages = message_menu(mem, hits);
    skn_menu_end end = SKN_MENU_BACK;
    choice       what;
    target       t;

    while (end == SKN_MENU_BACK) {
        if (skn_chat_menu(c, &messages) != SKN_MENU_PICKED)
            return;
        if (find_target(c, mem, skn_json_str(hits->p[hits->n - 1 - messages.at], "messageId"),
                        &t)) {
            skn_chat_complain(c);
            return;
        }
        end = pick_choice(c, mem, &t, &what);
    }
    if (end == SKN_MENU_PICKED)
        act(c, mem, &t, what);
}

void skn_chat_rewind(skn_chat *c)
{
    skn_arena    *mem = skn_arena_new();
    skn_json_list hits = {0};

    c->edited[0] = c->queued[0] = '\0';
    if (read_own(c, mem, &hits))
        skn_chat_complain(c);
    else if (!hits.n)
        skn_chat_tell(c, "You have sent nothing here yet.");
    else
        pick(c, mem, &hits);
    skn_arena_free(mem);
}
