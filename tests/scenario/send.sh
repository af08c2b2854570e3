#!/bin/sh
# send.sh: commands that talk to a server, or notice that one is at work: send, stop, log --follow, edit.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/server.sh"
here=$(dirname "$0")

cat >"$dir/script.yaml" <<'END'
pace: 1
rules:
  - when: slowly
    do:
      - say: begun
      - wait: 1500ms
      - say: ended
  - when: very late
    do:
      - say: begun
      - wait: 5s
      - say: ended
  - when: at length
    do:
      - wait: 6s
      - say: ended
  - when: forever
    do:
      - say: begun
      - wait: 10m
  - when: word by word
    do:
      - say: WORDS
      - wait: 10m
  - when: fail both
    do:
      - fail: rate_limit
  - when: fail halfway
    do:
      - say: half a word
      - fail: the line is down
  - matches: fail one
    agent: bo
    do:
      - fail: the line is down
  - when: two lines
    do:
      - say: "first\nsecond"
  - when: only blanks
    do:
      - say: "  "
  - when: ask bo
    agent: ada
    do:
      - say: "@bo are you there?"
  - when: there
    do:
      - say: here
  - when: look
    do:
      - call: demo_lookup
        args: {query: tides}
  - tool: demo_lookup
    do:
      - say: looked
  - when: hand it on
    agent: lead
    from: human
    do:
      - call: delegate
        args: {agent: kit, title: Dates, task: Break down.}
  - when: break down
    do:
      - fail: the line is down
  - when: hand it over
    agent: lead
    from: human
    do:
      - say: I ask kit.
      - call: delegate
        args: {agent: kit, title: Dates, task: Take forever.}
  - tool: delegate
    do: It is settled.
otherwise: "yes, says {agent}"
END

words=$(seq -f 'w%g' -s ' ' 1 9999)
sed -i "s/say: WORDS/say: $words/" "$dir/script.yaml"

# shape: output without ids and times, the answers of agents in the order of their names.
shape() {
    printf '%s\n' "$out" | sed -e 's/ [A-Za-z0-9_-]\{10\}\( \|$\)/ ID\1/g' -e 's/after [0-9]*\.[0-9] s/after N s/' | LC_ALL=C sort
}
# s_bg WORD…: runs the program beside, its output in $dir/beside; leaves $beside.
s_bg() {
    : >"$dir/beside"
    env --default-signal=INT "$SKEIN" "$store" "$@" >"$dir/beside" 2>&1 &
    beside=$!
}
# join: waits for it; leaves $out and $rc.
join() {
    rc=0
    wait "$beside" || rc=$?
    out=$(told "$dir/beside") err=
}
writes() { curl -s "${url}api/v1/worlds/launch/agents/$1" | grep -q '"state":"writing"'; }
idle() { s world show launch --json && prints '"isProcessing":false'; }
answered() { s log -n 1 --json && prints '"role":"assistant"'; }

must world new launch
must agent new ada
must agent new bo
s send ''
t 'no text is refused' fails 2 'the message has no text'
s send hello -n
t 'a dry run in a world without a conversation says that there will be one' is "$out" 'Would say 5 bytes in a new conversation. Nothing was changed.'
s conv ls
t 'neither makes one' is "$out" ''
must conv new --title talk

# --- Without a server ---------------------------------------------------------------------------

s send hello
t 'without a server it is stored' is "$(shape)" 'you   ID  → ada, bo'
t 'and said that nobody answers' complains 'No server runs here: it is stored, and nobody answers.'
s chat
t 'a chat needs a server' fails 3 'no server runs on '
t 'and says how to start one' complains 'Start one with "skein serve"'
s stop
t 'nobody is there to be stopped' is "$out" 'Nobody is at work in launch.'

s send '  '
t 'a message has a text' fails 2 'error: the message has no text'
s show main.7
t 'a delegation that is not there says where they are' fails 3 'there is no delegation "main.7"'
must conv rename talk ''
t 'a title can go' prints ' has no title now.'
must conv rename "$(printf '%s' "$out" | grep -o 'c_[A-Za-z0-9_-]*')" talk

# --- Answers ------------------------------------------------------------------------------------

start_server --script "$dir/script.yaml"
s send what about it
t 'the answers are shown' is "$(shape)" "$(printf '%s\n' '2 agents idle after N s.' 'ada   ID  ↪ ID  yes, says ada' \
    'bo    ID  ↪ ID  yes, says bo' 'you   ID  → ada, bo')"
t 'the message stands before them' is "$(printf '%s\n' "$out" | sed -n '1s/ .*//p')" you
t 'and who is done at the end' is "$(printf '%s\n' "$out" | sed -n '4s/ .*//p')" 2
t 'that is a success' gave 0
s send two lines --to ada
t 'further lines stand under the name' prints 'first
      second'
t 'only who is named answers' prints '1 agent idle after '
s send --to ada only blanks
t 'an answer of blanks is one' gave 0
t 'and it is said that there is nothing in it' prints '(wrote only blanks)'
s send --to ada "ask bo"
t 'answers of agents to agents come too' prints '@bo are you there?'
t 'from each of them' prints '2 agents idle after '
s send --to ada look at this
t 'calls of tools are named' prints 'calls demo_lookup'
t 'and what is said after them' prints 'looked'
printf 'status?\n' >"$dir/text"
s send --to ada --json -F "$dir/text"
t 'as JSON it is a line each' lines 3
t 'the message first' is "$(every event)" 'message.created message.completed world.idle'
t 'with who gets it' prints '"delivery":[{"agent":"ada","state":"queued"}'
t 'the answer with its text' prints '"text":"yes, says ada"'
t 'and what it answers' is "$(every replyToMessageId)" "$(first messageId)"
t 'the end with its time' prints '"elapsedMs":'
s send --to ada --json=event,sender,text hm
t 'fields can be picked' is "$(printf '%s\n' "$out" | sed -n 2p)" '{"event":"message.completed","sender":"ada","text":"yes, says ada"}'
s log -n 1 --json
parent=$(first messageId)
s send --to bo --reply-to @ --json good
t 'it can be an answer' is "$(every replyToMessageId | cut -d ' ' -f 1)" "$parent"
must tag new careful
s send --expect-reply bo --tag careful --json well
t 'it carries instructions' prints '{"type":"ResponseExpected","target":"bo"}'
t 'and tags' prints '{"type":"careful"}'
s send --tag none well
t 'a tag must be defined' fails 3 'there is no tag "none"'
s send --to cy well
t 'an agent must be there' fails 3 '"cy"'
s send --no-wait so
t 'with --no-wait only the message is shown' is "$(shape)" 'you   ID  → ada, bo'
until_true idle
s log -n 1
t 'it is answered all the same' prints '    yes, says '

# --- Waiting ------------------------------------------------------------------------------------

for seconds in 2 5; do # a busy machine may not have said it in two
    s send --timeout ${seconds}s @ada at length
    prints '→ ada, bo' && break
    until_true idle
done
t 'waiting has a limit' gave 124
t 'which is said' complains 'the agents have not all answered in time'
t 'what came before is shown' prints '→ ada, bo'
until_true idle
s log -n 1
t 'the work goes on' prints 'ended'
s send --timeout soon hm
t 'a limit is a time' fails 2 '"soon" is not a time for "--timeout"'
must send --no-wait @ada forever
s_bg send --to bo and then
t 'while agents work it waits' until_true file_has "$dir/beside" 'Agents are at work: it waits until they are done.'
must stop ada
join
t 'and is answered after that' prints '  yes, says bo'
must send --no-wait @ada forever
s send --no-wait --to bo one more
t 'without waiting that is said at once' complains 'Agents are at work: it waits until they are done.'
s queue --json=sender,content
t 'what waits is listed' is "$out" '[{"sender":"human","content":"@bo one more"}]'
s queue
waiting=$(printf '%s\n' "$out" | head -n 1 | cut -d ' ' -f 1)
t 'with its text' prints '    @bo one more'
s show "$waiting"
t 'one that waits is shown, as waiting' is "$(printf '%s\n' "$out" | sed 1d)" "$(printf '%s\n' '    @bo one more' \
    "It waits until the agents are done. Take it back with \"skein queue rm $waiting\".")"
s queue rm nosuch
t 'only what waits can be taken back' fails 3 'no message "nosuch" waits here'
s queue rm "$waiting" -n
t 'a dry run takes nothing back' prints "Would remove $waiting from the queue"
s queue rm -- "${waiting#??????}" # it may begin with a dash
t 'it is taken back, by the end of its id' is "$out" "Removed $waiting from the queue. It was not sent."
s queue
t 'and waits no longer' complains 'Nothing waits.'
s send --no-wait --to bo and another
s_far() {
    rc=0
    "$SKEIN" --server "$url" "$@" >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
}
s_far queue --json=id,content
t 'from afar as well' prints '"content":"@bo and another"'
waiting=$(first id)
s_far show "$waiting"
t 'and shown' prints '    @bo and another'
s_far queue rm "$waiting"
t 'where it is taken back, too' prints 'It was not sent.'
must stop ada
until_true idle
s_bg send @ada forever
until_true file_has "$dir/beside" '→ ada, bo'
kill -INT "$beside"
join
t 'an interrupt ends the waiting' gave 130
t 'politely' prints 'Stopped waiting. The message stays, and the agents continue.'
until_true writes ada
s stop
t 'agents can be stopped' is "$out" 'Stopped 1 answer in launch. What was written stays.'
s log -n 1
t 'what was written is there' prints '    begun'
t 'and that it was stopped' prints '(stopped)'
t 'and how to ask again' prints '      ask again: skein retry '
s show @
t 'one alone says it, too' prints '(stopped)'
s retry @^ --agent ada
t 'one agent answers again' prints 'ada answers '
until_true writes ada
s retry @^ --agent ada
t 'while it does it is not asked once more' gave 5
t 'which says why' complains 'agents have yet to answer'
must stop
s_bg send @ada forever
until_true file_has "$dir/beside" '→ ada, bo'
until_true writes ada
must stop ada
join
t 'who waits for an answer is told that it was stopped' prints 'ada was stopped. What was written stays.'
t 'with the way to ask again' prints '  Ask again: skein retry '
must send --no-wait @ada forever
s stop bo --json
t 'one agent alone can be' is "$out" '{"stopped":0,"tasks":[]}'
s stop ada --json -c talk
t 'by its name' is "$out" '{"stopped":1,"tasks":[]}'

# --- What keeps an agent from answering -----------------------------------------------------------

# ask_first WORD…: says that beside until the tool waits for a person; leaves $item.
ask_first() {
    s_bg send --timeout 300s "$@"
    until_true file_has "$dir/beside" 'inbox allow in_'
    item=$(told "$dir/beside" | grep -o 'in_[A-Za-z0-9_-]*' | head -n 1)
}
printf '{"demo_lookup":"ask"}' >"$dir/approvals.json"
must world set approvals "$dir/approvals.json"
ask_first --to ada look at this
t 'who is needed is told while it waits' file_has "$dir/beside" " inbox allow $item"
s agent show ada
t 'and shown of the agent' prints 'tool demo_lookup, waits for you'
must agent edit ada --set topP=0.9 --set 'stop=["END","over"]' --set 'schema={"type":"object"}'
s agent show ada
t 'and so are its settings' prints '  topP: 0.9
  stops at: END, over
  answers in JSON by a schema'
must agent edit ada --set topP= --set stop= --set schema=
must inbox allow "$item"
join
t 'once it may it goes on' prints 'looked'
must world set approvals null
must agent pause ada
s send --to ada hello
t 'who is paused is told' complains 'ada is paused: the message waits. skein agent resume ada'
t 'and not that it is idle' lacks idle
t 'that is not a failure' gave 0
s send hello all
t 'the others are counted' prints '1 agent idle after '
must agent resume ada
until_true idle

# --- Failures -----------------------------------------------------------------------------------

s send fail one
t 'an agent that fails is told' complains 'bo failed: '
t 'and how to ask it again' complains '  Ask again: skein retry '
t 'the others answer' prints 'yes, says ada'
t 'that is partly done' gave 7
s log -n 3
t 'which the log says, too' prints ' --agent bo'
s send fail both
t 'when all fail it is a failure' gave 6
t 'and says so' complains 'nobody could answer'
s send @ada fail halfway
t 'half an answer is none' gave 6
t 'but its words are shown' prints 'half a word'
t 'and why there are no more' complains 'ada failed: '
s log -n 1
t 'they stay, and say that they were cut off' prints '(cut off)'
s send --json fail both
t 'as JSON too' prints '{"event":"message.failed"'

# --- Changes while agents are at work -------------------------------------------------------------

s send --json --to bo begin
root=$(first messageId)
must send --no-wait @ada forever
until_true sh -c '"$1" "$2" world show launch --json | grep -q "\"state\":\"thinking\""' - "$SKEIN" "$store"
s edit "$root" -m x -y
t 'an edit is refused then' fails 5 "error: launch is busy: ada is answering "
t 'with how to wait' complains "edit $root -m x -y --wait"
t 'in words that can be pasted' sh -c 'case $1 in *…*) exit 1 ;; esac' - "$err"
t 'and how to stop them' complains '  stop:  skein stop -w launch'
s undo --json
t 'as JSON with who is busy' complains '"busy":[{"agent":"ada",'
s conv rm talk -y
t 'a conversation stays while agents answer in it' fails 5 'error: agents are answering in this conversation: ada'
t 'with the option that stops them' complains 'stop them with "skein -c talk stop", or give --force'
s world rm launch -y
t 'so does a world' fails 5 'error: agents are answering in this world: ada'
s agent rm ada -y
t 'and an agent' fails 5 'error: this agent is answering: ada'
s edit "$root" -m 'begin again' -y --force
t 'force stops them' gave 0
t 'and the new message is answered' prints '2 agents idle after'
s log -n 3 --json
t 'by both' is "$(printf '%s\n' "$out" | grep -o '"content":"[^"]*"' | LC_ALL=C sort | tr '\n' ' ')" \
    '"content":"begin again" "content":"yes, says ada" "content":"yes, says bo" '
must send --no-wait @ada slowly
s undo --wait
t 'a change can wait until they are done' prints 'Took back: edit'
t 'what they said meanwhile stays in its version' sh -c '"$1" "$2" log -v v2 -n 1 | grep -q ended' - "$SKEIN" "$store"

# The command has to have begun while the answer is not there.
must send --no-wait @ada very late, the first
s edit @ -m '@ada the second' -y --wait --no-wait
t 'what a place names is fixed before the waiting' gave 0
t 'and that is edited' sh -c '! "$1" "$2" log | grep -q "very late, the first"' - "$SKEIN" "$store"
until_true answered
until_true idle
must send --no-wait @ada very late, the third
s rm --from @ -y --wait
t 'in options too' sh -c '! "$1" "$2" log | grep -q "very late, the third"' - "$SKEIN" "$store"

# What was told while it was written is more than the store has: that is given it from time to time. Each time it
# may have been given just now.
last_told() { grep -o '"text":"[^"]*"' "$dir/told" | tail -n 1 | grep -o 'w[0-9]*' | tail -n 1; }
kept=
for _ in 1 2 3; do
    curl -sN "${url}worlds/launch/events" >"$dir/told" &
    teller=$!
    until_true file_has "$dir/told" stream.open
    must send --no-wait @ada word by word
    until_true file_has "$dir/told" ' w40'
    word=$(last_told)
    must edit @ -m '@bo other words' -y --force --json
    was=$(first previousVersion)
    kill "$teller"
    s log -v "$was" -n 1
    prints " $word" && kept="$kept yes"
    until_true idle
done
t 'a change by force keeps what an agent wrote up to then' is "$kept" ' yes yes yes'
s log -v "$was" -n 1
t 'and that it was stopped' prints '(stopped)'
must send --no-wait @ada forever
until_true writes ada
c_other() { "$SKEIN" "$store" conv ls -w other --json | grep -o 'c_[A-Za-z0-9_-]*' | head -n 1; }
must world new other
must agent new cy -w other
must conv new --title elsewhere -w other
must send --no-wait -w other @cy forever
s rm @ --force -y -c "$(c_other)"
t 'the conversation alone says where, by force too' prints 'v1 → v2: delete 1'
must world rm other -y --force
must stop

# --- Taken away while somebody waits --------------------------------------------------------------

# waits WORD…: says it beside, until an agent is at it; leaves $said.
stored() { file_has "$dir/beside" '→ ada, bo' || file_has "$dir/beside" message.created; }
waits() {
    s_bg send --timeout 300s "$@"
    until_true stored
    until_true writes ada
    said=$(sed -n '1s/^you *\([^ ]*\).*/\1/p' "$dir/beside")
}
s conv ls --json
chat=$(first id)
waits @ada forever
s edit "$said" -m '@bo instead' -y --force --json
new=$(first newMessageId)
join
t 'who waits is told that the message was edited' prints "error: the message $said was edited elsewhere, and $new took its place"
t 'and how to take that back' prints '"skein undo" takes that back'
t 'and not to ask again' lacks 'skein retry'
t 'that is a conflict' gave 5
until_true idle
waits @ada forever
s amend "$said" -m '@ada another wording' --force --json
new=$(first messageId)
join
t 'also of another wording' prints "error: the message $said was amended elsewhere, and $new took its place"
waits @ada forever
must rm "$said" --force
join
t 'of a removal' prints "error: the message $said was removed elsewhere"
t 'with the same status' gave 5
waits @ada forever
curl -s -X DELETE -H 'Content-Type: application/json' -d "{\"chatId\":\"$chat\",\"force\":true,\"resubmit\":true}" "${url}worlds/launch/messages/$said" >"$dir/out"
join
t 'of the first step of an edit on the page' prints "error: the message $said was edited elsewhere"
waits @ada forever
must undo --force
join
t 'and of another version' prints "error: the message $said is not in v"
t 'which is gone to' prints '"skein switch" goes to one'
waits --json @ada forever
said=$(grep -o '"messageId":"[^"]*"' "$dir/beside" | head -n 1 | cut -d '"' -f 4)
must rm "$said" --force
join
t 'as JSON it is a problem' prints '"code":"CONFLICT"'
must conv new --title passing
waits @ada forever
must conv rm passing -y --force
join
t 'of a conversation that was removed' prints "error: the message $said was removed with its conversation"
t 'and where it is' prints 'conv ls --archived'
must conv use "$chat"
must send --no-wait @ada forever
s_bg send --timeout 300s @bo later
until_true file_has "$dir/beside" 'it waits until they are done'
waiting=$(curl -s "${url}worlds/launch/chats/$chat/queue" | grep -o '"id":"[^"]*"' | cut -d '"' -f 4)
curl -s -X DELETE "${url}worlds/launch/chats/$chat/queue/$waiting"
join
t 'who waits to be said is told, too' prints "error: the message $waiting was taken out of the queue elsewhere"
t 'which is a conflict' gave 5
must stop

# --- Following ----------------------------------------------------------------------------------

s_bg log --follow -n 1
until_true file_has "$dir/beside" ''
must send --to bo follow this
t 'a log goes on with what is said' until_true file_has "$dir/beside" '@bo follow this'
t 'and with answers' until_true file_has "$dir/beside" '    yes, says bo'
stop_server KILL
must send offline
t 'also without a server' until_true file_has "$dir/beside" '    offline'
start_server --script "$dir/script.yaml"
must send --to ada online again
t 'and when it is back' until_true file_has "$dir/beside" '    yes, says ada'
must rm @
t 'another version is told' until_true file_has "$dir/beside" 'Now at v'
must send --to bo after that
t 'and goes on there' until_true file_has "$dir/beside" '@bo after that'
must edit @~1 -m '@bo said in other words' --no-wait
t 'an edit is told with its new message' until_true file_has "$dir/beside" '@bo said in other words'
until_true idle
kill "$beside"
join
t 'nothing is told twice' is "$(printf '%s\n' "$out" | grep -c 'follow this')" 1
s_bg log --follow --json -n 1
until_true file_has "$dir/beside" messageId
must send --to bo the last
until_true sh -c '[ "$(wc -l <"$1")" = 3 ]' - "$dir/beside"
kill "$beside"
join
t 'as JSON it is a line for each' is "$(printf '%s\n' "$out" | grep -c '^{.*}$')" 3
s log --follow -v v1
t 'a version that was does not go on' fails 2 '"--follow" goes with neither'

# --- Connections that are cut ---------------------------------------------------------------------

node "$here/cut_proxy.mjs" "$url" 0,starting,0,150,500,900,1800,2500 >"$dir/proxy" &
proxy=$!
trap 'kill -9 $server $proxy 2>/dev/null; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
until_true file_has "$dir/proxy" http
s send --timeout 300s --server "$(cat "$dir/proxy")" cut off
t 'answers come through a line that is cut' is "$(shape)" "$(printf '%s\n' '2 agents idle after N s.' \
    'ada   ID  ↪ ID  yes, says ada' 'bo    ID  ↪ ID  yes, says bo' 'you   ID  → ada, bo')"
s log --json
t 'and the message is stored once' is "$(printf '%s\n' "$out" | grep -c '"content":"cut off"')" 1
kill "$proxy"
s send --server http://127.0.0.1:1/ hm
t 'a server that is not there is told' fails 6 'cannot reach the server at http://127.0.0.1:1/'
s status --server http://127.0.0.1:1/
t 'also by status' fails 6 'cannot reach the server at http://127.0.0.1:1/'
s send --server https://127.0.0.1:1/ hm
t 'a server behind https needs a tunnel' fails 2 'commands speak http only'

# other HEADER: something else that answers at $at, with this header.
other() {
    rm -f "$dir/other"
    node -e 'const [name, value] = process.argv[1].split(": ");
const it = require("http").createServer((_, answer) => answer.setHeader(name, value).end("[]"));
it.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${it.address().port}/`))' "$1" >"$dir/other" &
    proxy=$!
    until_true file_has "$dir/other" http
    at=$(cat "$dir/other")
}
other 'Server: somebody'
s status --server "$at"
t 'what is not skein is told' fails 6 'the program that answers there (status 200) is not skein'
kill "$proxy"
other 'Skein-Version: 99.1.0'
s status --server "$at"
t 'so is one of another age' fails 1 'the server is skein 99.1.0, this program is skein '
kill "$proxy"

s_bg send @ada forever
until_true file_has "$dir/beside" '→ ada, bo'
until_true writes ada
stop_server KILL
start_server --script "$dir/script.yaml"
join
t 'a server that died and came back is asked again' prints 'ada failed'
t 'and nobody answered' gave 6

# --- Failures beside the main lane ---------------------------------------------------------------------

why=' failed at 2[^ ]*: the line is down$'
must world new ship
must agent new lead -w ship
must agent new kit --lead lead -w ship
must conv new --title talk -w ship
s send '@lead hand it on' -w ship
for words in 'show main.1' 'log --lane main.1' 'lane ls' timeline; do
    # shellcheck disable=SC2086 # words
    s $words -w ship
    t "\"$words\" says why a delegation failed" sh -c 'printf "%s\n" "$1" | grep -q "^    ✕ kit$2"' - "$out" "$why"
done
s log --lane main.1 --json -w ship
s show "$(first messageId)" -w ship
t 'so does its message' sh -c 'printf "%s\n" "$1" | grep -q "^    ✕ kit$2"' - "$out" "$why"
must agent task kit break down -w ship
failed_behind() { s inspect kit -w ship && printf '%s\n' "$out" | grep -q "^    ✕ kit$why"; }
t 'a failure in the background is shown there' until_true failed_behind
s agent show kit -w ship
t 'and of the agent' sh -c 'printf "%s\n" "$1" | grep -q "^    ✕ kit$2"' - "$out" "$why"
s agent show lead -w ship
t 'not of one that has answered' lacks ✕
s_bg send '@lead hand it over' -w ship
until_true sh -c 'curl -s "$1" | grep -q "\"state\":\"writing\""' - "${url}api/v1/worlds/ship/agents/kit"
stop_server KILL
start_server --script "$dir/script.yaml"
join
t 'what was said before a tool is shown when the server dies in it' prints 'I ask kit.'
t 'but is not an answer' gave 6
t 'which is said' prints 'error: nobody could answer'

# --- Nobody is there to answer ----------------------------------------------------------------

must world new lonely
s -w lonely send --no-wait hello
t 'the first message into a new world begins its first conversation' gave 0
t 'a world without agents says so at once' complains 'This world has no agents, so nobody answers.'
t 'with what to do' complains 'agent new NAME'
s -w lonely send "and now?"
t 'also when answers are awaited' complains 'This world has no agents, so nobody answers.'
s -w lonely conv ls --json=messageCount
t 'both are in one conversation' is "$out" '[{"messageCount":2}]'
must -w lonely agent new idle
must -w lonely agent pause idle
s -w lonely send --no-wait "@idle hello"
t 'that all who would answer are paused is said at once' complains 'idle is paused: the message waits.'

stop_server
finish
