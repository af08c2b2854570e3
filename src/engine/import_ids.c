/* import_ids.c: ids for imported messages: the file's own, and where it has none, made ones.
 *
 * What is made for a world that can be told from all others follows from what it says, so that the
 * same file gets the same ids whenever and wherever it is imported. That is how a second import
 * finds that the world is there already. */
#include "base/sha256.h"
#include "base/uid.h"
#include "engine/import.h"

/* Ten characters of a digest, the first of them no sign. */
static skn_str id_of(skn_sha256 *hash, skn_arena *a)
{
    static const char letters[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    char  digits[SKN_SHA256_TEXT];
    char *id = SKN_ARRAY(a, SKN_UID_LEN + 1, char);

    skn_sha256_text(hash, digits);
    for (size_t i = 0; i < SKN_UID_LEN; i++) {
        unsigned value = 0;

        for (size_t k = 0; k < 4; k++) {
            char c = digits[i * 4 + k];

            value = value * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        id[i] = letters[value % (i ? 64 : 62)];
    }
    return (skn_str){id, SKN_UID_LEN};
}

static void add_part(skn_sha256 *hash, skn_str part)
{
    skn_sha256_add(hash, part);
    skn_sha256_add(hash, SKN_STR("\n"));
}

/* `which` of several that are the same in all else. */
static skn_str derived(const skn_foreign *f, const skn_foreign_message *m, size_t which)
{
    const skn_foreign_chat *chat = &f->chats.p[m->chat];
    skn_sha256              hash;

    skn_sha256_init(&hash);
    add_part(&hash, f->origin);
    add_part(&hash, chat->id.p ? chat->id : chat->title);
    add_part(&hash, m->m.sender);
    add_part(&hash, skn_arena_printf(f->a, "%lld %zu", (long long)m->place, which));
    add_part(&hash, m->m.content);
    return id_of(&hash, f->a);
}

static skn_str made(const skn_foreign *f, const skn_foreign_message *m, skn_map *equal)
{
    char    uid[SKN_UID_LEN + 1];
    skn_str first;
    void  **slot;

    if (!f->origin.p) {
        skn_store_uid(f->e->store, uid);
        return skn_arena_copy(f->a, skn_str_of(uid));
    }
    first = derived(f, m, 0);
    slot = skn_map_slot(equal, first);
    if (!*slot)
        *slot = SKN_NEW(f->a, size_t);
    return derived(f, m, (*(size_t *)*slot)++);
}

static void keep_or_make(skn_foreign *f, skn_foreign_message *m, skn_map *equal)
{
    skn_map *used = f->file->ids;

    if (m->had_id && skn_uid_valid(m->m.uid) && !skn_map_get(used, m->m.uid)) {
        f->report.ids_kept++;
    } else {
        if (m->had_id)
            skn_foreign_note(f->file, "id \"%.*s\" is %s and was replaced",
                             (int)(m->m.uid.n < 80 ? m->m.uid.n : 80), m->m.uid.p,
                             skn_uid_valid(m->m.uid) ? "there twice" : "no id here");
        do
            m->m.uid = made(f, m, equal);
        while (skn_map_get(used, m->m.uid));
        f->report.ids_made++;
    }
    *skn_map_slot(used, m->m.uid) = m;
}

void skn_foreign_ids(skn_foreign *f)
{
    skn_map   *equal = skn_map_new(f->a);
    skn_sha256 hash;

    for (size_t i = 0; i < f->messages.n; i++)
        keep_or_make(f, &f->messages.p[i], equal);
    if (!f->origin.p)
        return;
    skn_sha256_init(&hash);
    add_part(&hash, f->origin);
    add_part(&hash, f->messages.n ? f->messages.p[0].m.uid : SKN_STR(""));
    f->uid = id_of(&hash, f->a);
}
