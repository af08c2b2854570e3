# server.sh: a server for the scenario tests of commands that talk to one. Sourced after lib.sh.
XDG_RUNTIME_DIR=$dir/run XDG_STATE_HOME=$dir/state
export XDG_RUNTIME_DIR XDG_STATE_HOME
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset XDG_CONFIG_HOME SKEIN_CONFIG SKEIN_SERVER SKEIN_TOKEN_FILE NOTIFY_SOCKET DISPLAY WAYLAND_DISPLAY

server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT

# start_server WORD…: runs one on the store, until it says where it answers; leaves $server and $url.
start_server() {
    rm -f "$dir/pipe" && mkfifo "$dir/pipe"
    "$SKEIN" "$store" serve --no-open --listen 127.0.0.1:0 "$@" >"$dir/pipe" 2>"$dir/log" &
    server=$! url=
    exec 3<"$dir/pipe"
    while [ -z "$url" ] && IFS= read -r line <&3; do
        case $line in http://*) url=$line ;; esac
    done
    if [ -z "$url" ]; then
        echo "Bail out! the server did not start: $(cat "$dir/log")"
        exit 1
    fi
}

# stop_server [SIGNAL]
stop_server() {
    kill "-${1:-TERM}" "$server"
    wait "$server" 2>/dev/null
    server=
    exec 3<&-
}

# until_true COMMAND…: waits for it, for a minute.
until_true() {
    for _ in $(seq 1200); do
        "$@" && return
        sleep 0.05
    done
    return 1
}

# file_has FILE TEXT
file_has() { grep -q -F -- "$2" "$1" 2>/dev/null; }
