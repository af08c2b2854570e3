#!/bin/sh
# serve.sh: the server as a program: how it starts, is found, is told things, and ends.
. "$(dirname "$0")/lib.sh"

XDG_RUNTIME_DIR=$dir/run
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset XDG_CONFIG_HOME SKEIN_CONFIG SKEIN_SERVER SKEIN_TOKEN_FILE NOTIFY_SOCKET DISPLAY WAYLAND_DISPLAY

pids=
trap 'kill -9 $pids 2>/dev/null; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT

# start WORD…: runs a server until it says where it answers; leaves $pid and $url. The log is in
# $dir/log, all that it prints in $dir/said.
start() {
    rm -f "$dir/pipe" && mkfifo "$dir/pipe"
    "$SKEIN" "$store" serve --no-open "$@" >"$dir/pipe" 2>"$dir/log" &
    pid=$! pids="$pids $!" url=
    exec 3<"$dir/pipe"
    : >"$dir/said"
    while [ -z "$url" ] && IFS= read -r line <&3; do
        printf '%s\n' "$line" >>"$dir/said"
        case $line in http://*) url=$line ;; *'"url":"http'*) url=$(printf '%s' "$line" | cut -d '"' -f 12) ;; esac
    done
    [ -n "$url" ] && return
    echo "Bail out! skein serve $* did not start: $(cat "$dir/log")"
    exit 1
}

# ended: waits for the server; leaves its exit status in $rc.
ended() {
    rc=0
    wait "$pid" || rc=$?
    cat <&3 >>"$dir/said"
    exec 3<&-
    out=$(cat "$dir/said") err=$(cat "$dir/log")
}

# stop [SIGNAL]
stop() {
    kill "-${1:-TERM}" "$pid"
    ended
}

# get URL [HEADER…]: leaves $status and $body.
get() {
    node -e '
        const [url, ...lines] = process.argv.slice(1)
        const headers = Object.fromEntries(lines.map(l => l.split(/: (.*)/).slice(0, 2)))
        const done = (status, body) => console.log(status + "\n" + body)
        const [, socketPath] = url.match(/^unix:(.*):/) ?? []
        const at = socketPath ? [{ socketPath, path: url.slice(url.lastIndexOf(":") + 1), headers }] : [url, { headers }]
        require("http").get(...at, r => {
            let body = ""
            r.on("data", d => { body += d }).on("end", () => done(r.statusCode, body))
        }).on("error", e => done(0, e.code))' "$@" >"$dir/got"
    status=$(head -n 1 "$dir/got") body=$(tail -n +2 "$dir/got")
}

# answers STATUS PATH [HEADER…]
answers() {
    wanted=$1 path=$2
    shift 2
    get "$url$path" "$@"
    out=$body
    [ "$status" = "$wanted" ]
}

# sign_in LABEL: as a browser, with $token; leaves $cookie.
sign_in() {
    cookie=$(node -e '
        const [url, token, label] = process.argv.slice(1)
        const headers = { origin: new URL(url).origin, "content-type": "application/json", "user-agent": label }
        fetch(url + "session", { method: "POST", headers, body: JSON.stringify({ token }) })
            .then(r => console.log(r.headers.get("set-cookie").split(";")[0]))' "$url" "$token" "$1")
}

# r WORD…: a server that is to end by itself; leaves $out, $err and $rc.
r() {
    rc=0
    timeout 60 "$SKEIN" "$store" serve --no-open "$@" >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
}

# has FILE TEXT: waits until the file has it, for a minute.
has() {
    for _ in $(seq 1200); do
        grep -q -- "$2" "$1" && return
        sleep 0.05
    done
    err=$(cat "$1")
    return 1
}
logged() { has "$dir/log" "$1"; }

gone() { ! kill -0 "$1" 2>/dev/null; }
# nowhere TEXT FILE…: none of the files has the text, and there is something in each of them.
nowhere() {
    text=$1
    shift
    for file in "$@"; do
        [ -s "$file" ] && ! grep -F -q -- "$text" "$file" || return 1
    done
}
# description: the file in which a server says where it is.
description() {
    case $kind in
    sqlite) echo "${store#--data=}/server.json" ;;
    pg) find "$XDG_RUNTIME_DIR/skein" -name '*.server.json' ;;
    esac
}

# --- Starting ---------------------------------------------------------------------------------

r -n --listen 127.0.0.1:0
t 'a dry run starts no server' prints 'Would run a server on '
t 'and makes nothing' [ ! -e "${store#--data=}" ]
start --listen 127.0.0.1:0
[ "$(id -u)" -ne 0 ] || t 'a server of root says so when it starts' logged 'this server runs as root'
t 'the address is on a line of its own' sh -c 'printf %s "$1" | grep -q "^http://127.0.0.1:[1-9][0-9]*/$"' - "$url"
t 'and answers' answers 200 readyz
out=$(cat "$dir/said")
t 'the model says what it is' prints '  Model     demo/scripted: canned replies, no AI, works offline'
t 'the tour is made' prints '  World     "tour" with @lead, @ada, @bo'
t 'the address is told' prints "  Web       $url"
case $kind in
sqlite) shown=$store ;;
pg) shown="--db='${store#--db=}'" ;;
esac
t 'and the other way in, on this store' grep -q -F "  Terminal  skein $shown chat" "$dir/said"
t 'what Ctrl-C does is said' prints ' ms. Ctrl-C stops the server; your data stays.'
if [ "$kind" = sqlite ]; then
    expected=$(printf '%s\n' "skein 0" '' "  Data      ${store#--data=}/skein.db  (new)" \
        '  Model     demo/scripted: canned replies, no AI, works offline' \
        '            looked for keys in 7 environment variables: none set' \
        '  World     "tour" with @lead, @ada, @bo' '  Web       URL in your browser' \
        "  Terminal  skein $store chat in another window" '' \
        'Ready in N ms. Ctrl-C stops the server; your data stays.' URL)
    t 'nothing else is said' is "$(sed -e 's/^skein .*/skein 0/' -e "s|$url *|URL |" -e 's/URL $/URL/' \
        -e 's/Ready in [0-9]* ms/Ready in N ms/' "$dir/said")" "$expected"
    t 'what it makes is for its owner only' is "$(find "${store#--data=}" -perm /077)" ''
fi
t 'no core is dumped' grep -q 'Max core file size  *0 ' "/proc/$pid/limits"
t 'the API is there' answers 200 api/v1/worlds/tour
t 'settings are shown with their origin' answers 200 settings
t 'the address is one of them' prints '"server.listen":{"value":"127.0.0.1:0","origin":"--listen","restart":true}'

# --- Being found ------------------------------------------------------------------------------

s status
t 'status names the server' prints "server   $url  pid $pid"
s status --json
t 'also as JSON' is "$(first url)" "$url"
socket=$(first socket)
t 'it has a socket' test -S "$socket"
get "unix:$socket:/readyz"
t 'that answers' is "$status" 200
s doctor
t 'the doctor sees the server' prints "$url  pid $pid, up "
t 'and finds nothing' prints '0 failures'
s open
t 'open prints the address' is "$out" "$url"
t 'and says that there is no browser' complains 'No browser here'
must send hello --no-wait
s log -n 1 --json
message=$(first messageId) chat=$(first chatId)
s open "$message"
t 'a message has an address' is "$out" "${url}w/tour/c/$chat#m-$message"
s open v1
t 'so has a version' prints "${url}w/tour/c/$chat?v=t_"
s world ls --server http://127.0.0.1:1/
t 'another server is nothing to a command that works on the store' fails 2 'cannot use --server http://127.0.0.1:1/'
t 'and what to do is said' complains 'Name the store or the server, not both'
s log --server http://127.0.0.1:1/
t 'also not to read' gave 2
s undo --server http://127.0.0.1:1/
t 'nor to change' gave 2
s world ls --server "${url%/}"
t 'the one that runs on the store is fine' prints tour
s world ls --server "http://localhost:${url##*:}"
t 'by whatever name' prints tour
SKEIN_SERVER=http://127.0.0.1:1/ s world ls
t 'a store that is named counts more than the variable' prints tour
rc=0
SKEIN_SERVER=http://127.0.0.1:1/ "$SKEIN" world ls >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'which else is as good as the option' fails 6 'cannot reach the server at http://127.0.0.1:1/'
r
t 'a second server on the same data says so' prints "A server already runs on this data (pid $pid, $url)."
t 'and is not a failure' gave 0
t 'and prints the address' sh -c 'printf "%s\n" "$1" | grep -q "^$2$"' - "$out" "$url"
r -q
t 'with -q that alone' is "$out" "$url"
r --json
t 'with --json as an object' prints '{"alreadyRunning":true'

# --- Being told -------------------------------------------------------------------------------

kill -USR1 "$pid"
t 'statistics go into the log' logged '"statistics","uptimeMs":'

# --- Ending -----------------------------------------------------------------------------------

json=$(description)
t 'it describes itself in a file' test -f "$json"
stop
t 'SIGTERM is a clean end' gave 0
t 'the description goes with it' test ! -e "$json"
t 'and the socket' test ! -e "$socket"
s status
t 'status says that there is none' prints 'server   none'

printf 'pace: 20\nrules:\n  - {when: slow, do: one two %s}\n' "$(seq -s ' ' 5000)" >"$dir/slow.yaml"
start --listen 127.0.0.1:0 --script "$dir/slow.yaml"
node -e 'require("http").get(process.argv[1], r => r.on("data", d => { if (/message.delta/.test(d)) process.exit(0) }))
    setTimeout(() => process.exit(1), 60000)' "${url}worlds/tour/events" &
writing=$!
must send --no-wait --to lead slow
t 'an answer is being written' wait "$writing"
stop
t 'an end in the middle of it is a clean one' gave 0
t 'it is in the log' complains 'shutting down'
s log -n 1 --json
t 'what was written is kept' prints '"content":"one'
t 'as far as it was' lacks ' 5000'
s open
t 'nothing can be opened then' fails 3 'no server runs on'
s log --json=content
t 'what was said is there' prints hello
s fsck
t 'the store is sound' gave 0

start --listen 127.0.0.1:0
t 'the same store is served again' answers 200 "worlds/tour/messages/$message?chatId=$chat"
out=$(cat "$dir/said")
t 'it is not new' lacks '(new)'
kill -9 "$pid"
ended
s status
t 'a server that was killed is not found' prints 'server   none'
start -q --listen '[::1]:0'
t 'and is in nobody'\''s way' answers 200 readyz
t 'with -q only the address is printed' is "$(cat "$dir/said")" "$url"
stop INT
t 'Ctrl-C is a clean end' gave 0
start --json --listen 127.0.0.1:0
t 'with --json there is one object' grep -q '^{"program":"skein","version":.*"readyMs":[0-9]*}$' "$dir/said"
t 'whose address answers' answers 200 readyz
stop
t 'the log follows it as JSON lines' prints '"message":"listening on'

mkfifo "$dir/left"
exec 4<>"$dir/left" 5>"$dir/left" 4>&-
"$SKEIN" "$store" serve --no-open --listen 127.0.0.1:0 >&5 2>"$dir/left-log" &
pid=$!
pids="$pids $pid"
has "$dir/left-log" 'listening on'
exec 5>&-
s status
t 'a server outlives whoever read its first lines' prints "pid $pid"
rc=0
kill "$pid"
wait "$pid" || rc=$?
t 'and ends well all the same' gave 0

fresh
for i in 1 2 3 4; do
    "$SKEIN" "$store" serve --no-open -q --listen 127.0.0.1:0 >"$dir/race$i" 2>"$dir/race-err$i" &
    pids="$pids $!"
done
for i in 1 2 3 4; do
    has "$dir/race$i" .
done
t 'of many that start at once one serves, and all say where' is \
    "$(sort -u "$dir/race1" "$dir/race2" "$dir/race3" "$dir/race4" | wc -l)" 1
s status --json
pid=$(printf '%s' "$out" | sed 's/.*"pid":\([0-9]*\).*/\1/')
kill "$pid"
wait

# --- Addresses --------------------------------------------------------------------------------

fresh
r --listen nowhere
t 'an address that is none is refused' fails 2 'server.listen is "nowhere": use ADDRESS:PORT'
r --listen 127.0.0.1:99999
t 'so is a port that is none' fails 2 'use ADDRESS:PORT'
r --listen 0.0.0.0:0
t 'other computers need a token' fails 2 '"0.0.0.0" can be reached from other computers, so a token is needed'
r --listen '[::]:0'
t 'whatever the address is' fails 2 '"::" can be reached from other computers'
s -n status
t 'nothing was made for these' prints 'nothing is there yet'
rc=0
(ulimit -n 8 && exec timeout 60 "$SKEIN" "$store" serve --no-open --listen 127.0.0.1:0) >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'too few files that may be open are an error' fails 1 'the server must be able to open 48 files and connections'
t 'which says what to do' complains 'ulimit -n 1024; skein'

node -e '
    const server = require("net").createServer().listen(0, "127.0.0.1", () => console.log(server.address().port))' >"$dir/port" &
holder=$! pids="$pids $!"
has "$dir/port" .
port=$(cat "$dir/port")
r --listen "127.0.0.1:$port"
t 'a port that is taken is a failure' fails 1 "Port $port is used by \"node\" (pid $holder)"
r --port "$port"
t 'also when it is named alone' fails 1 "Port $port is used by"
kill "$holder"

# The usual port may be taken by anybody on this machine; if it is not, it is now.
node -e '
    const server = require("net").createServer().listen(7534, "127.0.0.1", () => console.log("taken"))
    server.on("error", () => { console.log("taken"); setInterval(() => {}, 1000) })' >"$dir/port" &
holder=$! pids="$pids $!"
has "$dir/port" taken
start
t 'the usual port that is taken is left for the next' grep -q 'Port 7534 is used by .*\. Using 75[0-9]* instead\.' "$dir/log"
t 'which answers' answers 200 readyz
stop
NOTIFY_SOCKET=$dir/nobody
export NOTIFY_SOCKET
r
t 'but not under a service manager' fails 1 'Port 7534 is used by'
unset NOTIFY_SOCKET
kill "$holder"

cat >"$dir/activate.mjs" <<'END'
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
const server = createServer().listen(0, '127.0.0.1', () => {
    const child = spawn('/bin/sh', ['-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', 'sh', ...process.argv.slice(2)],
        { stdio: ['ignore', 'pipe', 'inherit', server._handle] })
    let said = ''
    child.stdout.on('data', d => {
        said += d
        if (!said.endsWith('\n')) return
        console.log(said.trim() === `http://127.0.0.1:${server.address().port}/` ? 'same' : said)
        server.close()
        child.kill()
    })
    child.on('exit', code => { console.log(code) })
})
END
t 'a socket that was passed on is used' is \
    "$(node "$dir/activate.mjs" "$SKEIN" "$store" serve -q --no-open --listen 127.0.0.1:1 2>/dev/null | tr '\n' ' ')" 'same 0 '

# --- Sign-in ----------------------------------------------------------------------------------

token=planted-0123456789-abcdef
printf 'short\n' >"$dir/token"
r --listen 127.0.0.1:0 --token-file "$dir/token"
t 'a short token is refused' fails 2 'must be one line of 16 to 512 visible characters'
r --listen 127.0.0.1:0 --token-file "$dir/none"
t 'a token file that is missing is named' fails 2 "$dir/none"
printf '%s\n' "$token" >"$dir/token"
printf '%s\n' "$token" >"$dir/a token"
chmod 644 "$dir/a token"
SKEIN_TOKEN_FILE="$dir/a token" start --listen 127.0.0.1:0 --log-level trace
t 'a token file that others read is a warning' logged "is readable by others (0644). Try: chmod 600 '$dir/a token'"
t 'with a token the API needs it' answers 401 worlds
t 'a wrong one does not do' answers 401 worlds 'Authorization: Bearer planted-0123456789-abcdeg'
t 'the right one does' answers 200 worlds "Authorization: Bearer $token"
t 'settings answer with it' answers 200 settings "Authorization: Bearer $token"
printf '%s' "$body" >"$dir/settings"
t 'whether it is ready is not a secret' answers 200 readyz
s status --json
get "unix:$(first socket):/worlds"
t 'the socket needs none' is "$status" 200
s doctor
printf '%s' "$out$err" >"$dir/doctor"
s status
printf '%s' "$out$err" >"$dir/status"
s config list --show-origin
printf '%s' "$out$err" >"$dir/list"
cp "$(description)" "$dir/description"
kill -USR1 "$pid"
logged statistics
stop
t 'the token is in no output' nowhere "$token" "$dir/said" "$dir/log" "$dir/settings" "$dir/doctor" "$dir/status" \
    "$dir/list" "$dir/description"
chmod 600 "$dir/token"
start --listen 0.0.0.0:0 --token-file "$dir/token"
t 'with a token other computers may come' answers 200 worlds "Authorization: Bearer $token"
stop
t 'it says that it listens for them' prints 'It listens on all addresses of this computer, port '
t 'so does the log' complains "listening on all addresses of this computer, port "

# --- Whose files these are --------------------------------------------------------------------

fresh
case $kind in
sqlite) own=${store#--data=} ;;
pg) own=$XDG_RUNTIME_DIR/skein ;;
esac
umask 0
s token
umask 022
made=$(find "$own" -name '*token' -newer "$dir/token")
t 'what a token is kept in is closed to others, whatever is usual here' is "$(stat -c %a "$own" "$made" | tr '\n' ' ')" '700 600 '
chmod 666 "$made"
r --listen 127.0.0.1:0
t 'a token that others can write is not used' fails 1 "others can write \"$made\" (0666)"
t 'and what to do is a command' complains "rm -f $made"
chmod 640 "$made"
r --listen 127.0.0.1:0
t 'nor one that others can read' fails 1 "others can read \"$made\" (0640)"
t 'which can be mended' complains "chmod 600 $made"
s token
t 'nor is it shown' fails 1 "others can read \"$made\" (0640)"
chmod 600 "$made"
mv "$made" "$dir/elsewhere"
ln -s "$dir/elsewhere" "$made"
r --listen 127.0.0.1:0
t 'nor one that is a link' fails 1 "\"$made\" is a link"
rm "$made"
mkfifo -m 600 "$made"
r --listen 127.0.0.1:0
t 'nor one that is a pipe' fails 1 "\"$made\" is not a file"
rm "$made"
chmod 777 "$own"
r --listen 127.0.0.1:0
t 'a folder that others can write into is not used' fails 1 "others can write into the folder \"$own\" (0777)"
t 'with a command that closes it' complains "chmod go-w $own"
s status
t 'also not to look for a server' fails 1 "others can write into the folder \"$own\" (0777)"
chmod 700 "$own"
printf '%s\n' "$token" >"$dir/open-token"
chmod 666 "$dir/open-token"
r --listen 127.0.0.1:0 --token-file "$dir/open-token"
t 'a token file that is named and that others can write is refused' fails 2 "others can write \"$dir/open-token\" (0666)"
echo 'server: { accessLog: true }' >"$dir/open.yaml"
chmod 666 "$dir/open.yaml"
r --listen 127.0.0.1:0 --config "$dir/open.yaml"
t 'nor is a configuration file that others can write' fails 2 "others can write \"$dir/open.yaml\" (0666)"
start --listen 127.0.0.1:0 --socket off
json=$(description)
chmod 622 "$json"
s status
t 'what others can write does not say where the server is' fails 1 "others can write \"$json\" (0622)"
chmod 600 "$json"
lock=$(printf '%s' "$json" | sed 's|/server.json$|/skein.lock|; s|server.json$|lock|')
chmod 602 "$lock"
s status
t 'nor does a lock that others can take' fails 1 "others can write \"$lock\" (0602)"
chmod 600 "$lock"
sed -i 's|"url":"[^"]*"|"url":"http://192.0.2.1:7534/"|' "$json"
SKEIN_TOKEN=$token s token ls
t 'a server that is found is on this computer, or is told no token' fails 6 'other computers can have this address; name it with --server'
stop
if [ "$kind" = sqlite ]; then
    mkdir "$dir/it's \$loose"
    chmod 777 "$dir/it's \$loose"
    rc=0
    "$SKEIN" --data "$dir/it's \$loose/data" world new launch >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
    t 'a folder in one whose content everybody can move is not used' fails 1 "everybody can move what is in the folder \"$dir/it's \$loose\" (0777)"
    t 'and the command that mends it can be pasted, whatever its name' complains "chmod +t '$dir/it'\\''s \$loose'"
    chmod 1777 "$dir/it's \$loose"
    rc=0
    "$SKEIN" --data "$dir/it's \$loose/data" world new launch >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
    t 'one in a sticky folder is' gave 0
    t 'and only its user can enter it' is "$(stat -c %a "$dir/it's \$loose/data")" 700
fi

# --- Reading only -----------------------------------------------------------------------------

fresh
r --read-only
t 'there is nothing to read only' gave 3
must world new launch
must token
token=$out
start --read-only --listen 127.0.0.1:0
t 'a server that only reads answers' answers 200 worlds/launch
t 'and makes no tour' answers 404 worlds/tour
s status
t 'and is found' prints "server   $url  pid $pid, since "
t 'as one that only reads' prints ', only reads'
s status --json
t 'also in JSON' prints '"readOnly":true'
s open
t 'its page can be opened' is "$out" "$url"
s doctor
t 'and the doctor sees it' prints "$url  pid $pid, up "
s agent new ada
t 'what changes something does without it' gave 0
s send hello
t 'what is said says that it only reads' complains 'The server that runs here only reads: it is stored, and nobody answers.'
sign_in reading
s token ls
t 'its browsers are listed' prints reading
s token revoke "${out%% *}"
t 'and one of them signed out' answers 401 session "Cookie: $cookie" 'X-Forwarded-For: 192.0.2.1'
sign_in reading
reader=$pid read_url=$url reading=$cookie
exec 4<&3
start --listen 127.0.0.1:0
s status
t 'a server that does more comes before it' prints "server   $url  pid $pid"
sign_in writing
s token ls
t 'the browsers of both are listed' lines 2
s token revoke --all
t 'who signs all out is told of which servers' complains "All browsers are signed out of $url and $read_url."
t 'which is so of the one' answers 401 session "Cookie: $cookie" 'X-Forwarded-For: 192.0.2.1'
stop
url=$read_url
t 'and of the other' answers 401 session "Cookie: $reading" 'X-Forwarded-For: 192.0.2.1'
pid=$reader url=$read_url
s status
t 'and leaves it behind' prints "server   $url  pid $pid"
exec 3<&4 4<&-
stop
t 'and ends' gave 0
s status
t 'and is found no more' prints 'server   none'

# --- Configuration ----------------------------------------------------------------------------

cat >"$dir/skein.yaml" <<'END'
# check with: skein config check
server:
  lsten: 127.0.0.1:7534
log:
  level:   loud
providers:
  anthropic:
    type: anthropic
    apiKey: planted-0123456789-abcdef
END
chmod 644 "$dir/skein.yaml"
s config check "$dir/skein.yaml"
t 'mistakes are told with their place and a cure' is "$out" "$dir/skein.yaml:3:3: unknown key \"lsten\" in server. Did you mean \"listen\"?
$dir/skein.yaml:5:12: log.level is \"loud\": use error, warn, info, debug or trace
$dir/skein.yaml:9:13: apiKey is written in the file and the file is readable by others (0644).
    Use { env: … } or { file: … }, or: chmod 600 $dir/skein.yaml
2 errors, 1 warning"
t 'and are bad configuration' gave 2
s config check "$dir/skein.yaml" --json
t 'also as JSON' prints '{"severity":"error","source":"'"$dir/skein.yaml"'","line":3,"column":3,'
r --config "$dir/skein.yaml"
t 'a server does not start with them' fails 2 'log.level is "loud"'
t 'and tells all of them' complains 'unknown key "lsten"'
printf 'log:\n\tlevel: info\n' >"$dir/tab.yaml"
s config check "$dir/tab.yaml"
t 'a tab is named' prints "$dir/tab.yaml:2:1: a tab where spaces are needed; use spaces"
printf 'log:\n  level: *x\n' >"$dir/alias.yaml"
s config check "$dir/alias.yaml"
t 'so is an alias' prints "$dir/alias.yaml:2:10: "
s config check "$dir/missing.yaml"
t 'and a file that is not there' prints "$dir/missing.yaml: cannot be read: No such file or directory"
t 'which is an error' gave 2
cd "$dir"
s config check
t 'a skein.yaml in the current folder is not read' is "$out" '0 errors, 0 warnings'
SKEIN_LOG_LEVEL=loud s config check
t 'variables are checked too' prints 'SKEIN_LOG_LEVEL: log.level is "loud": use error, warn, info, debug or trace'

mkdir -p "$HOME/.config/skein"
cat >"$HOME/.config/skein/skein.yaml" <<'END'
log:
  level: debug
providers:
  office:
    type: openai-compatible
    baseUrl: https://llm.example.org/v1
    apiKey: planted-0123456789-abcdef
END
chmod 600 "$HOME/.config/skein/skein.yaml"
s config path
t 'the files that count are named' prints "$HOME/.config/skein/skein.yaml"
s config get log.level
t 'the file of the person counts' is "$out" debug
s config list --show-origin
t 'every value has its origin' prints "log.level = debug	$HOME/.config/skein/skein.yaml:2"
t 'also those that are built in' prints 'server.listen = 127.0.0.1:7534	built-in'
t 'a key is only hinted at' prints 'providers.office = openai-compatible https://llm.example.org/v1, key …cdef'
SKEIN_LOG_LEVEL=warn s config list --show-origin
t 'the environment wins' prints 'log.level = warn	SKEIN_LOG_LEVEL'
s config get log.levl
t 'a name that is none is told' fails 3 'Did you mean "log.level"?'
s config set log.level info
t 'what is in files is not set in the store' fails 2 'is read from a file'
s config set defaults.model gpt
t 'what is set is checked' fails 2 'defaults.model is "gpt": use auto or PROVIDER/MODEL'
for words in 'config set defaults.model nix/x' 'config set -n defaults.model nix/x' 'model use -n nix/x'; do
    s $words
    t "the provider of a model must be there: $words" fails 3 'there is no provider "nix"'
    t 'those that are there are named' complains 'There are: demo, office'
done
SKEIN_DEFAULTS_MODEL=nix/x s doctor
t 'the doctor tells of one that is set all the same' prints 'warn  model          defaults.model is nix/x, and there is no provider "nix"'
t 'with a cure' prints 'cure: name another model in SKEIN_DEFAULTS_MODEL'
printf 'defaults:\n  model: nix/x\n' >"$dir/own.yaml"
s doctor --config "$dir/own.yaml"
t 'also in a file' prints 'cure: "skein --config='"$dir"'/own.yaml model use auto" chooses one that is available'
s doctor
t 'but of nothing else' lacks 'defaults.model'
must config set defaults.model demo/scripted
must config set ui.theme dark
s config set theme light
t 'only what there is can be set' fails 3 'there is no setting "theme"'
t 'but for names that are free' complains 'begin with "ui." are free'
s config set default.model demo/scripted
t 'what may be meant is told' fails 3 'Did you mean "defaults.model"?'
s config list --show-origin
t 'what is set is in the store' prints 'defaults.model = demo/scripted	store'
t 'also what nobody but its user knows' prints 'ui.theme = dark	store'
for words in "config set ui.theme $(printf 'a\033[31mb\007')" 'config get ui.theme' 'config list'; do
    s $words
    t "the terminal gets no control characters from ${words%% ui.*}" is "$rc$(printf '%s' "$out" | tr -d '\n' | tr -dc '[:cntrl:]')" 0
    t 'but signs for them' prints 'a␛[31mb␇'
done
must config set ui.theme dark

printf 'log:\n  level: warn\n' >"$dir/own.yaml"
start --config "$dir/own.yaml" --listen 127.0.0.1:0
answers 200 settings
t 'a server shows the settings that count' prints '"log.level":{"value":"warn","origin":"'"$dir/own.yaml"':2"'
printf 'log:\n  level: info\nserver:\n  socket: off\n' >"$dir/own.yaml"
kill -HUP "$pid"
t 'SIGHUP reads them again' logged 'configuration reloaded'
t 'what needs a restart is named' logged 'server.socket is \\"off\\" now: a restart is needed'
answers 200 settings
t 'the new ones are shown' prints '"log.level":{"value":"info"'
printf 'log:\n  level: loud\n' >"$dir/own.yaml"
kill -HUP "$pid"
t 'a bad file changes nothing' logged 'the configuration has 1 error, 0 warnings: the settings stay as they were'
answers 200 settings
t 'the old ones count' prints '"log.level":{"value":"info"'
t 'and what is wrong is shown' prints ':2:10: log.level is \"loud\"'
s doctor --config "$dir/own.yaml"
t 'the doctor says so too' prints 'fail  configuration  1 error, 0 warnings'
t 'with a cure that can be pasted' prints "cure: \"skein --config=$dir/own.yaml config check\" names every line"
t 'and fails' gave 8
stop
t 'and ends as always' gave 0

# --- Where nothing can be kept ------------------------------------------------------------------

: >"$dir/file"
rc=0
timeout 60 "$SKEIN" --data "$dir/file/data" serve >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'a folder that cannot be written to is named' fails 1 "Cannot write to $dir/file/data (Not a directory)"
t 'with a way out' complains 'Try: skein serve --data /some/folder'
printf 'rules:\n  - when: x\n    do:\n      - sya: y\n' >"$dir/script.yaml"
r --listen 127.0.0.1:0 --script "$dir/script.yaml"
t 'a script with a mistake starts nothing' complains "$dir/script.yaml:4:"
t 'and is bad input' gave 2
s status
t 'and leaves no server behind' prints 'server   none'

finish
