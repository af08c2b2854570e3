/* Brings a database's schema up to date. The table schema_version has one row for each migration
 * that was applied; what is not there runs in order, each in a transaction of its own. */
#include "store/db.h"

#include "base/buf.h"
#include "base/clock.h"

#include <string.h>

#define SCHEMA_LIMIT ((size_t)1024 * 1024) /* bytes of one migration */

static const char version_table[] =
    "CREATE TABLE schema_version(version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)";

int skn_migrate_newest(void)
{
    return skn_migrations[skn_migration_count - 1].number;
}

/* 0 when nothing is there yet. */
static skein_rc read_version(skn_db *db, int64_t *version, skein_error *err)
{
    int64_t  there;
    skein_rc rc = skn_db_number(db, db->driver->dialect.has_version, &there, err);

    *version = 0;
    if (rc || !there)
        return rc;
    return skn_db_number(db, "SELECT max(version) FROM schema_version", version, err);
}

static skein_rc refuse_newer(int64_t version, skein_error *err)
{
    if (version <= skn_migrate_newest())
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_NEWER,
                         "use the newer program that made it; nothing was changed",
                         "the store has schema %lld, this program knows %d", (long long)version,
                         skn_migrate_newest());
}

static skein_rc refuse_foreign(skn_db *db, skein_error *err)
{
    int64_t  tables;
    skein_rc rc = skn_db_number(db, db->driver->dialect.has_tables, &tables, err);

    if (rc || tables == 0)
        return rc;
    return skn_fail_hint(err, SKEIN_NOT_OURS,
                         "it was left as it is; name another file or schema",
                         "the database has tables, but it is not a skein store");
}

/* The migration's text in the words of this database. */
static void translate(skn_buf *out, const char *text, const skn_dialect *d)
{
    const struct {
        skn_str     mark;
        const char *word;
    } words[] = {{SKN_STR("{ID}"), d->id},
                 {SKN_STR("{BLOB}"), d->blob},
                 {SKN_STR("{CODE}"), d->code},
                 {SKN_STR("{ROWLESS}"), d->rowless}};
    const size_t count = sizeof words / sizeof *words;
    skn_str      rest = skn_str_of(text);

    while (rest.n) {
        size_t plain = strcspn(rest.p, "{"), i;

        skn_buf_add(out, (skn_str){rest.p, plain});
        rest = skn_str_sub(rest, plain, rest.n);
        for (i = 0; i < count && !skn_str_starts(rest, words[i].mark); i++)
            ;
        if (i < count)
            skn_buf_add(out, skn_str_of(words[i].word));
        else if (rest.n)
            skn_buf_addc(out, '{');
        rest = skn_str_sub(rest, i < count ? words[i].mark.n : rest.n > 0, rest.n);
    }
}

static const struct skn_migration *migration_after(const skn_db *db, int64_t version)
{
    for (int i = 0; i < skn_migration_count; i++) {
        const struct skn_migration *m = &skn_migrations[i];

        if (m->number == version + 1 &&
            !skn_str_ends(skn_str_of(m->name), skn_str_of(db->driver->dialect.suffix)))
            return m;
    }
    return NULL;
}

static skein_rc apply(skn_db *db, const struct skn_migration *m, skein_error *err)
{
    skn_buf  sql;
    skein_rc rc = SKEIN_OK;

    skn_buf_init(&sql, SCHEMA_LIMIT);
    if (m->number == 1)
        skn_buf_addf(&sql, "%s;\n%s;\n", db->driver->dialect.found, version_table);
    translate(&sql, m->text, &db->driver->dialect);
    skn_buf_addf(&sql, ";\nINSERT INTO schema_version(version, applied_at) VALUES(%d, %lld)",
                 m->number, (long long)skn_clock_micros());
    if (sql.over)
        rc = skn_fail(err, SKEIN_LIMIT, "migration \"%s\" is over %zu bytes", m->name,
                      sql.limit);
    if (!rc)
        rc = skn_db_script(db, sql.p, err);
    if (!rc && skn_str_is(skn_str_of(m->name), "hash"))
        rc = skn_hash_old_messages(db, err); /* no database can, in its own words */
    skn_buf_release(&sql);
    return rc;
}

/* One migration under the lock; another program may have been faster, so the version is read
 * again. */
static skein_rc advance(skn_db *db, int64_t *version, skein_error *err)
{
    const struct skn_migration *m;
    skein_rc                    rc;

    if ((rc = skn_db_begin_write(db, err)))
        return rc;
    if (db->driver->dialect.lock[0] && (rc = skn_db_script(db, db->driver->dialect.lock, err)))
        goto out;
    if ((rc = read_version(db, version, err)) || (rc = refuse_newer(*version, err)))
        goto out;
    if (*version == 0 && (rc = refuse_foreign(db, err)))
        goto out;
    m = migration_after(db, *version);
    if (m && !(rc = apply(db, m, err)) && !(rc = skn_db_commit(db, err)))
        *version = m->number;
out:
    skn_db_rollback(db);
    return rc;
}

skein_rc skn_migrate_to(skn_db *db, int schema, skein_error *err)
{
    int64_t  version;
    skein_rc rc;

    if ((rc = read_version(db, &version, err)))
        return rc;
    if (version == schema || (rc = refuse_newer(version, err)))
        return rc;
    if (db->read_only)
        return skn_migrate_check(db, err);
    while (!rc && version < schema)
        rc = advance(db, &version, err);
    return rc;
}

skein_rc skn_migrate(skn_db *db, skein_error *err)
{
    return skn_migrate_to(db, skn_migrate_newest(), err);
}

skein_rc skn_migrate_check(skn_db *db, skein_error *err)
{
    int64_t  version;
    skein_rc rc;

    if ((rc = read_version(db, &version, err)) || (rc = refuse_newer(version, err)))
        return rc;
    if (version == skn_migrate_newest())
        return SKEIN_OK;
    if (version == 0 && (rc = refuse_foreign(db, err)))
        return rc;
    if (version == 0) {
        return skn_fail_hint(err, SKEIN_NOT_FOUND, "open it for writing once to make it",
                             "there is no store in it yet");
    }
    skn_fail(err, SKEIN_READ_ONLY, "the store has the old schema %lld, and may not be written",
             (long long)version);
    return skn_hint(err, SKEIN_READ_ONLY, "open it for writing once to bring it to schema %d",
                    skn_migrate_newest());
}
