#!/bin/sh
# pg.sh: a private PostgreSQL 15 for as long as one command runs.
#
#   tools/pg.sh run COMMAND [ARGUMENT]...
#
# Makes a cluster in a temporary directory, reachable only through a Unix socket in it, sets
# SKEIN_TEST_PG to the address of an empty database, runs the command, and removes everything
# again, also when the command fails or this script is stopped. Its exit status is the command's.
# As root the server runs as "postgres" or "nobody", since PostgreSQL refuses to run as root.
# SKEIN_PG_FAST=1 switches off what is for the day the computer fails, for runs that test no
# durability of the server's own.
set -eu

bin=${SKEIN_PG_BIN:-/usr/lib/postgresql/15/bin}
dir= child= started=

fail() {
    echo "pg.sh: $*" >&2
    exit 1
}

# PostgreSQL's own programs run as the unprivileged user when we are root.
as_pg() {
    if [ -n "$user" ]; then
        setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
    else
        "$@"
    fi
}

cleanup() {
    trap '' INT TERM HUP
    if [ -n "$child" ]; then
        kill -s TERM -- "-$child" 2>/dev/null || true
        wait "$child" 2>/dev/null || true
    fi
    if [ -n "$started" ]; then
        as_pg "$bin/pg_ctl" -s -D "$dir/data" -m immediate stop || true
    fi
    if [ -n "$dir" ]; then
        cd / && rm -rf "$dir"
    fi
}

[ "${1-}" = run ] && [ $# -ge 2 ] || fail 'usage: tools/pg.sh run COMMAND [ARGUMENT]...'
shift
[ -x "$bin/initdb" ] || fail "there is no PostgreSQL 15 in $bin; run: tools/deps.sh test"

user= owner=$(id -un)
if [ "$(id -u)" = 0 ]; then
    for user in postgres nobody; do
        id "$user" >/dev/null 2>&1 && break
    done
    owner=$user
fi

trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# A socket's path may be 107 bytes long, so a deep TMPDIR is no place for it.
tmp=${TMPDIR:-/tmp}
[ ${#tmp} -le 60 ] || tmp=/tmp
dir=$(mktemp -d "$tmp/skein-pg.XXXXXX")
[ -z "$user" ] || chown "$user" "$dir"
here=$PWD
cd "$dir"

# Words sort as people sort them, so that a statement which needs bytes in order is found out.
as_pg "$bin/initdb" -D "$dir/data" -U skein -A trust -E UTF8 --no-sync \
    --locale=C.UTF-8 --locale-provider=icu --icu-locale=en >"$dir/initdb.log" 2>&1 || {
    cat "$dir/initdb.log" >&2
    fail 'initdb failed'
}
careful=on
[ "${SKEIN_PG_FAST:-0}" = 0 ] || careful=off
as_pg tee -a "$dir/data/postgresql.conf" >/dev/null <<EOF
listen_addresses = ''
unix_socket_directories = '$dir'
max_connections = 500 # of all the servers that run side by side
shared_buffers = 32MB
fsync = $careful
full_page_writes = $careful
jit = off # no statement here runs as long as it takes to compile it
synchronous_commit = on
autovacuum_naptime = 10s
client_min_messages = warning
EOF

started=1
as_pg "$bin/pg_ctl" -s -w -t 60 -D "$dir/data" -l "$dir/server.log" start || {
    cat "$dir/server.log" >&2
    fail "the server did not start (as \"$owner\")"
}
as_pg "$bin/createdb" -h "$dir" -U skein skein_test
export SKEIN_TEST_PG="postgresql:///skein_test?host=$dir&user=skein"

# The command gets a session of its own, so that it can be ended with all its children, and the
# signals that a shell hides from what it starts in the background.
cd "$here"
exec 3<&0
setsid env --default-signal=INT,QUIT "$@" <&3 3<&- &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
