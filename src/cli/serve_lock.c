/* One server for a store: the lock that it holds, and the file in which it describes itself. */
#include "cli/file_write.h"
#include "cli/own.h"
#include "cli/place.h"
#include "cli/serve.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS  2000
#define RETRY_MS 20

static skein_rc cannot_write(skn_serve *s)
{
    skn_fail(&s->cli->err, SKEIN_IO, "Cannot write to %s (%s)", s->traces.folder,
             strerror(errno));
    return skn_hint(&s->cli->err, SKEIN_IO, "Try: skein serve --data /some/folder");
}

/* A lock of the process: nobody inherits it, and it goes with the process however that ends. */
static bool take_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_SETLK, &lock) == 0;
}

/* Who has the lock has just begun or ended, unless it describes itself. */
static skein_rc wait_for_other(skn_serve *s, bool *running, skn_server *other)
{
    const struct timespec pause = {0, RETRY_MS * 1000000L};
    skein_rc              rc;

    for (int waited = 0; waited < WAIT_MS; waited += RETRY_MS) {
        if ((rc = skn_discover_here(s->cli, other, running)) || *running)
            return rc;
        if (take_lock(s->lock))
            return SKEIN_OK;
        nanosleep(&pause, NULL);
    }
    skn_fail(&s->cli->err, SKEIN_CONFLICT, "another server is starting or stopping on %s",
             s->traces.folder);
    return skn_hint(&s->cli->err, SKEIN_CONFLICT, "Try again in a moment");
}

/* One that only reads may share the store with any other, and need not be able to write beside it; of several the first
 * is the one that is found. */
static skein_rc lock_to_read(skn_serve *s)
{
    skein_error err;

    if (skn_own_open(s->traces.reader_lock, SKN_OWN_FILE, O_RDWR | O_CREAT, &s->lock, NULL,
                     &err))
        s->lock = -1;
    if (s->lock < 0 || take_lock(s->lock))
        return SKEIN_OK;
    close(s->lock);
    s->lock = -1;
    return SKEIN_OK;
}

skein_rc skn_serve_lock(skn_serve *s, bool *running, skn_server *other)
{
    skein_rc rc = skn_place_guard(s->cli);

    *running = false;
    if (rc)
        return rc;
    if (s->read_only)
        return lock_to_read(s);
    rc = skn_own_open(s->traces.lock, SKN_OWN_FILE, O_RDWR | O_CREAT, &s->lock, NULL,
                      &s->cli->err);
    if (rc)
        return skn_own_refused(&s->cli->err) ? rc : cannot_write(s);
    if (take_lock(s->lock))
        return SKEIN_OK;
    return wait_for_other(s, running, other);
}

static void write_description(const skn_serve *s, skn_buf *out)
{
    skn_jw w;

    skn_jw_init(&w, out);
    skn_jw_object(&w);
    skn_jw_kint(&w, "pid", (int64_t)getpid());
    skn_jw_kstr(&w, "url", skn_str_of(s->url));
    skn_jw_kstr(&w, "socket", skn_str_of(s->socket));
    skn_jw_ktime(&w, "startedAt", s->started_at);
    skn_jw_kstr(&w, "version", skn_str_of(skein_version_text()));
    skn_jw_kstr(&w, "tokenFile", skn_str_of(s->token_file));
    skn_jw_object_end(&w);
    skn_buf_addc(out, '\n');
}

skein_rc skn_serve_describe(const skn_serve *s, skein_error *err)
{
    skn_buf  text;
    skein_rc rc;

    if (s->lock < 0)
        return SKEIN_OK;
    skn_buf_init(&text, 1 << 16);
    write_description(s, &text);
    rc = skn_file_write(s->read_only ? s->traces.reader_json : s->traces.json,
                        skn_buf_str(&text), err);
    skn_buf_release(&text);
    return rc;
}

void skn_serve_forget(const skn_serve *s)
{
    if (s->lock < 0)
        return;
    unlink(s->read_only ? s->traces.reader_json : s->traces.json);
    if (!s->read_only)
        skn_socket_remove(s->socket);
}
