#!/bin/sh
# far.sh: a store that is elsewhere: with --server alone commands say and do the same as on the store itself.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/server.sh"

cat >"$dir/script.yaml" <<'END'
pace: 1
rules:
  - when: forever
    do:
      - say: begun
      - wait: 10m
  - when: hand it on
    agent: ada
    from: human
    do:
      - call: delegate
        args: {agent: bo, title: Dates, task: Break down.}
  - when: hand it over
    agent: ada
    from: human
    do:
      - call: delegate
        args: {agent: bo, title: Dates, task: Take forever.}
  - when: break down
    do:
      - fail: the line is down
  - tool: delegate
    do: It is settled.
otherwise: "yes, says {agent}"
END

# f WORD…: runs the program with the server alone; there is no store where it looks for one.
f() {
    rc=0
    "$SKEIN" --server "$url" "$@" >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
}

must_f() {
    f "$@"
    [ "$rc" = 0 ] && return
    echo "Bail out! skein --server $* gave $rc: $err"
    exit 1
}

# alike WORD…: both say the same, with the same exit status.
alike() {
    s "$@"
    near=$out near_err=$err near_rc=$rc
    f "$@"
    [ "$out" = "$near" ] && [ "$err" = "$near_err" ] && [ "$rc" = "$near_rc" ] && return
    printf '%s\n' "near gave $near_rc: $near$near_err" | sed 's/^/# /'
    return 1
}

must world new launch --description "to the moon"
must agent new ada --prompt "You plan."
must agent new bo --lead ada --model demo/scripted
must conv new --title "launch plan"
start_server --script "$dir/script.yaml"
must send "@ada plan the launch"
must send hello
must append <<'END'
{"role":"assistant","sender":"ada","content":"Looking.","toolCalls":[{"toolCallId":"c1","toolName":"calendar","args":{"day":"Fri"}}]}
{"role":"tool","toolCallId":"c1","content":"free after noon"}
{"role":"user","sender":"human","content":"a note for nobody"}
END

# --- Reading ----------------------------------------------------------------------------------

t 'worlds are the same from afar' alike world ls
t 'and in JSON' alike world ls --json=name,description,agents
t 'a world' alike world show launch
t 'agents' alike agent ls
t 'and in JSON' alike agent ls --json
t 'an agent' alike agent show bo
t 'conversations' alike conv ls
t 'and in JSON' alike conv ls --json
t 'a conversation' alike conv show
t 'by its title' alike conv show 'launch plan'
t 'the log' alike log
t 'its end' alike log -n 2 --oneline
t 'in JSON' alike log --json
t 'with chosen fields' alike log -n 1 --json=messageId,text
t 'an agent'"'"'s memory' alike log --agent ada
t 'with the links of others' alike log --agent bo --raw --json
t 'only the main thread' alike log --main-thread --oneline
t 'without what nobody answered' alike log --no-memory-only --oneline
t 'a reply thread' alike log --thread @~6 --oneline
t 'with lines' alike log --graph
t 'not before a time' alike log --since 2h -n 1
t 'a message' alike show @
t 'by how far it is from the end' alike show @~3
t 'what it answers' alike show @~4^
t 'its text' alike show @ --raw
t 'who has it' alike show @~6 --delivery
t 'what stands around it' alike show @~3 --context
t 'in JSON' alike show @~6 --json
t 'with chosen fields' alike show @~6 --json=id,text
t 'an agent' alike show bo --json=name,model
t 'a field of something else' alike show bo --json=content
t 'what is found' alike search plan
t 'in JSON' alike search plan --json
t 'numbers' alike stats
t 'in JSON' alike stats --json
t 'of a reply thread' alike stats @~6
t 'for each agent' alike stats --by agent --json
t 'the tree' alike tree
t 'in JSON' alike tree --json
t 'in part' alike tree @~6 --depth 1
t 'for Graphviz' alike tree --dot
t 'for Mermaid' alike tree --mermaid
t 'in part' alike tree @~6 --mermaid
t 'what happened' alike timeline
t 'in JSON' alike timeline --json
t 'what a model would be sent' alike context --agent ada
t 'in JSON' alike context --agent ada --json
place=$HOME/.local/share/skein/files
[ "$kind" = pg ] || place=${store#--data=}/files
mkdir -p "$place"
printf 'one\n' >"$place/gone.txt"
must files add gone.txt
rm "$place/gone.txt"
t 'with a context file that is gone' alike context --agent ada
t 'which is named' complains 'gone.txt: there is no file "gone.txt"'
must files rm gone.txt
t 'the inbox' alike inbox ls
t 'an item that is not there' alike inbox show zzzzzzzz
t 'is not done' alike inbox done zzzzzzzz
t 'nor opened again' alike inbox reopen zzzzzzzz
t 'nor put off' alike inbox snooze zzzzzzzz 2h
t 'nor replied to' alike inbox reply zzzzzzzz yes
t 'nor allowed' alike inbox allow zzzzzzzz
t 'nor denied' alike inbox deny zzzzzzzz
t 'what waits' alike queue ls
t 'what does not is not removed' alike queue rm zzzzzzzz
t 'providers' alike provider ls
t 'a provider' alike provider show demo
t 'its models' alike provider models demo
t 'a provider that is not there' alike provider test nosuch
t 'which could be added' alike provider add local --type ollama -n
t 'used' alike provider use demo -n
t 'given a key' alike provider login demo -n
t 'and removed' alike provider rm demo -n
t 'what there is to detect' alike provider detect
t 'a version' alike show v1
t 'what is not there' alike show zzzzzzzzzz
t 'what an agent said last' alike show @ada
t 'what a person said last' alike show @you
t 'what somebody else did' alike show @cy
t 'a version that cannot be' alike show v0
t 'a conversation that is not there' alike log -c nowhere
t 'in a world that is named' alike log -w launch -c nowhere
t 'an agent that is not there' alike log --agent boo
t 'a world that is not there' alike log -w lanch
t 'what an agent has for itself' alike log -c bo:background
t 'a world that is not there' f -w lanch log
t 'is not found' fails 3 'Did you mean "launch"?'

# --- Saying -----------------------------------------------------------------------------------

f send "@ada are you there?"
t 'a message is said and answered' prints 'yes, says ada'
s log -n 2
t 'where the server is' prints '@ada are you there?'
f send --no-wait --to bo --reply-to @ "and you" --json
t 'to an agent, as a reply' prints '"content":"@bo and you"'
idle() { "$SKEIN" "$store" world show --json | grep -q '"isProcessing":false'; }
until_true idle
t 'there is no store where it was said' test ! -e "$HOME/.local/share/skein/skein.db"
f status
t 'the status tells of its worlds' prints 'world    launch: 2 agents'
t 'and whose store it is' prints "store    the server's"
f open @ --json
t 'a message has an address there' prints "\"url\":\"${url}w/launch/c/"
f send -n "not said"
t 'or only thought of' prints 'Would say'

# --- Changing ---------------------------------------------------------------------------------

s log --json --oneline
ids=$(every messageId)
last=${ids##* } first=${ids%% *}
f amend "$last" -m "another wording" -n
t 'a dry run changes nothing' prints 'Nothing was changed'
s history
t 'and makes no version' lines 1
f amend "$last" -m "another wording"
t 'a wording is changed' prints 'v1 → v2'
s log -n 1
t 'in the store' prints 'another wording'
t 'the history is the same' alike history
t 'and its graph' alike history --graph
t 'and its JSON' alike history --json
t 'and what was changed' alike diff v1..v2
t 'and in JSON' alike diff --json
t 'and its exit status' alike diff v1..v2 --exit-code
t 'and the log of another version' alike log -v v1 --json
f undo -n
t 'what undo would do is said' prints 'Would go from v2 to v1'
f undo
t 'it is undone' prints 'v2 → v1. Took back: '
f redo --json
t 'and redone' is "$(first version)" v2
f switch v1
t 'a version is switched to' prints 'Now at v1 (was v2)'
f rm @~1 --expect v9.1
t 'a version that is not there' gave 3
f rm @~1 --expect v1.1
t 'a state that it is not in' gave 5
f rm @~1
t 'a message is removed' prints 'v1 → v3'
f move @ --before "$first"
t 'one is moved' prints 'v3 → v4'
f insert -m "put in" --end
t 'one is put in' prints 'v4 → v5'
f squash @~1 @~2 --by-hand -m "in short"
t 'two are squashed' prints 'squashed 2 messages into'
f log -n 2
t 'which the log tells' prints '(squash sq_'
f squash --select words --join -n
t 'what is selected is found there' fails 3 'selects no message'
f log -n 2
f show "$(printf '%s' "$out" | grep -o 'sq_[A-Za-z0-9_-]*' | head -n 1)"
t 'and a squash can be shown' prints 'by hand'
f branch v1 -m "another course"
t 'a branch is made' prints 'Made the conversation'
f branch "$first" --json
t 'also from a message, which comes with it' prints '"messageCount":2'
f conv use 'launch plan'
t 'a conversation is made current' prints 'launch plan'
f switch v1
f edit "$first" -m "@ada plan it again" -n
t 'what an edit takes away is said' prints 'This will remove'
t 'and listed' prints '  you      @ada plan'
f edit "$first" -m "@ada plan it again"
t 'it is edited and sent again' prints 'Sent the edited message as'
t 'and its answer is shown' prints 'yes, says ada'
t 'to the last' prints '1 agent idle after'
f rm --from @~1 --wait
t 'all from a message on is removed' prints 'Removed '
f conv new --title "from afar"
t 'a conversation is made' prints 'it is current'
f conv rename "from afar" "from near"
t 'it gets another title' prints 'is now called from near.'
t 'which is stored' alike conv show "from near"
f world rename launch landing
t 'a world gets another name' prints 'The world launch is now called landing.'
f world show launch
t 'and is not found by the old one' gave 3
t 'but by the new one' alike world show landing
must_f world rename landing launch
must_f conv rename 'from near' 'from afar'

s conv new --title "for a while" --json
chat=$(first id)
f conv rm "$chat" -n
t 'what would be archived is said' prints 'Would archive'
f conv rm "$chat" -y
t 'a conversation is removed' prints "skein conv restore $chat"
t 'what was archived is listed' alike conv ls --archived
t 'and as JSON' alike conv ls --archived --json
t 'an archived conversation is shown' alike conv show "$chat"
f conv rename "$chat" other
t 'and changed by nobody' fails 5 'is archived'
f conv restore "$chat"
t 'and brought back' prints "The conversation $chat is back"
f conv set "$chat" --expect-reply ada --read-only on
t 'what its messages ask for is set' prints "The conversation $chat expects a reply of @ada and is read only."
t 'and is the same near and far' alike conv show "$chat" --json=replyExpected,readOnly
f -c "$chat" send --no-wait hush
f -c "$chat" log --json=instructions
t 'it is put on what is said there' prints '{"type":"ResponseExpected","target":"ada"},{"type":"ReadOnly"'
f conv set "$chat" --expect-reply '' --read-only off
t 'and taken away' prints 'expects no reply and is not read only'
f conv set "$chat"
t 'nothing to set is refused' fails 2 '--read-only on|off'
f conv set "$chat" --read-only perhaps
t 'nor is it perhaps' fails 2 'is on or off'
f conv use 'from afar'
f world new ''
t 'a name is not empty' fails 2 'error: the name is empty'
f agent new 'a b'
t 'and has no blanks' fails 2 'error: the name "a b" has a character'
t 'and what it may have' alike agent new 'a b'
f world new launch -n
t 'a world has its own name' fails 5 'already a world "launch"'
f world new spare -n
t 'one that is free may be taken' prints 'Would make the world spare'
f world new spare --description "for a while" --turn-limit 3 --json=name,description,turnLimit
t 'a world is made' is "$out" '{"name":"spare","description":"for a while","turnLimit":3}'
f world rm spare -y
t 'and removed' prints 'skein world restore spare'
t 'so are worlds' alike world ls --removed
t 'and as JSON' alike world ls --removed --json
f world restore spare --as other
t 'which come back, under another name if need be' prints 'The world other is back'
f world restore spare
t 'once' fails 3 'no world "spare" was removed here'
f log -c 'launch plan'
t 'of several worlds a conversation says which is meant' gave 0
must conv new --title "launch plan" -w other
f world use other
t 'a world is made the default of a server' prints 'The default is the world other now.'
f status
t 'and is shown as the current one' prints 'current  other, conversation launch plan  (default)'
f world new third
f log -c 'launch plan'
t 'unless several have one of that name' fails 2 '"launch plan" fits conversations of several worlds'
f log -c 'launch plan' -w launch
t 'and none is named' gave 0
for words in log 'log --json' timeline 'timeline --json' tree 'history --json' 'lane ls'; do
    # shellcheck disable=SC2086
    t "a world without a conversation is the same from afar: $words" alike $words -w third
    t 'and is not a failure' gave 0
done
must world rm other -y
must world rm third -y

# --- Tags -------------------------------------------------------------------------------------

must_f tag new careful --instruction Slow --target ada
t 'a tag that was made from afar' alike tag ls
t 'and in JSON' alike tag ls --json
must_f tag on careful
t 'is on' alike tag ls
t 'in that conversation' sh -c 'printf "%s" "$1" | grep -q "careful *on"' - "$out"
must_f tag off careful
t 'and off' alike tag ls
t 'a tag that is not there' alike tag rm nope
must_f tag rm careful
t 'a tag that was removed from afar' alike tag ls

# --- Erasing ----------------------------------------------------------------------------------

must world new secrets
must send -w secrets --no-wait "the first secret"
must send -w secrets --no-wait "another"
must amend -w secrets @ -m "a better one"
must squash -w secrets @ @~1 --join
t 'what would be erased is the same from afar' alike purge -w secrets -n @
t 'and what is out of reach' alike purge -w secrets -n --unreachable
t 'which is told' prints 'the first secret'
t 'in JSON, too' alike purge -w secrets -n --unreachable --json
must undo -w secrets
t 'nothing goes without a yes' alike purge -w secrets @~1
t 'nor without a message' alike purge -w secrets
f purge -w secrets @~1 -y
t 'a text is erased from afar' prints 'Erased 1 message; its place stays.'
t 'with a word on what was made of it' complains 'A squash was made of '
t 'and is gone' alike log -w secrets
t 'permanently' alike purge -w secrets @~1 -y
t 'what was erased is in the trail' sh -c '"$1" "$2" audit -n 1 | grep -q "purge .*1 erased"' - "$SKEIN" "$store"
must world rm secrets -y

# --- Servers of tools ---------------------------------------------------------------------------

t 'a world without tool servers says so' alike world tools
must world set mcpServers '{"gone":{"command":["/nowhere/at/all"]}}'
t 'those it has are the same from afar' alike world tools
t 'which are told' prints 'gone  '
t 'in JSON, too' alike world tools --json=name,transport,state,reason
must world set mcpServers null

# --- Context files ------------------------------------------------------------------------------

mkdir -p "$place/src"
printf 'int one(void)\n{\n    return 1;\n}\nint two(void)\n{\n    return 2;\n}\n' >"$place/src/a.c"
f files add src/a.c 'fun one' -n
t 'a file of the server would be added' is "$out" 'src/a.c  fun one  (would be added)'
f files add src/a.c 'fun one'
t 'and is' is "$out" 'src/a.c  fun one  added'
must_f files add src/a.c 'fun two'
t 'with more of it' alike files ls
t 'in JSON' alike files ls --json
t 'what agents read of it' alike files show
t 'is told' prints 'return 2;'
t 'of one file' alike files show src/a.c --json
t 'a file that is not there is not added' alike files add src/b.c
t 'nor one outside of the folder' alike files add ../in
t 'nor what is not in it' alike files add src/a.c 'fun three'
t 'one that was not added is not shown' alike files show b.c
t 'nor removed' alike files rm b.c
t 'one would be removed' alike files rm src/a.c -n
f files rm src/a.c
t 'and is' is "$out" 'src/a.c  fun one, fun two  removed'
t 'for all' alike files ls

# --- Messages from elsewhere --------------------------------------------------------------------

must world new notes
cat >"$dir/lines" <<'END'
{"messageId":"n-1","content":"one"}
{"messageId":"n-2","role":"assistant","sender":"ada","content":"two","toolCalls":[{"toolCallId":"k","toolName":"look"}]}
END
f append -w notes <"$dir/lines"
t 'messages are stored from afar' prints 'n-2'
t 'all of them' complains '2 stored. Take them back with'
f append -w notes --json=messageId,content <"$dir/lines"
t 'as what they are' is "$out" '[{"messageId":"n-1","content":"one"},
{"messageId":"n-2","content":"two"}]'
f append -w notes <"$dir/lines"
t 'once' complains '0 stored, 2 were there already.'
t 'and look the same' alike log -w notes --json
echo '{"role":"tool","toolCallId":"z","content":"found"}' >"$dir/lines"
f append -w notes --strict <"$dir/lines"
t 'a line that is refused is named' complains 'line 1: no tool call "z" waits for a result here'
printf '%s\n' '{"content":"three"}' '{"role":"boss"}' >"$dir/lines"
f append -w notes <"$dir/lines"
t 'and nothing is stored of its batch' fails 2 'line 2: "role" is "boss"'
echo '{"content":"break it down"}' >"$dir/lines"
f append -w notes --lane main.1 --call k <"$dir/lines"
t 'a delegation is begun with its call' alike lane ls -w notes
t 'which is told' prints 'call k'
t 'another would be the next one' alike lane new -w notes -n
f lane new -w notes main.1
t 'and is' prints 'Started the delegation main.1.1.'
f lane finish -w notes main.1.1 --state failed
t 'how it ended is said' prints 'main.1.1 is failed.'
t 'and seen' alike lane ls -w notes --json
t 'one that is not there does not end' alike lane finish -w notes main.7
t 'nor begins anything' alike lane new -w notes main.7
must world rm notes -y

# --- While agents are at work -----------------------------------------------------------------

must send --no-wait "@ada forever"
# What is stopped has said something, so it stays as a message.
until_true sh -c 'curl -s "$1" | grep -q "\"state\":\"writing\""' - "${url}api/v1/worlds/launch/agents/ada"
f rm @
t 'a change while agents work is refused' gave 5
f conv rm 'from afar' -y
t 'so is that it goes' fails 5 'or give --force'
f stop
t 'they are stopped' prints 'Stopped 1 answer'
f stop
t 'once' prints 'Nobody is at work'
must conv new --title busy
must send --no-wait "@ada forever"
f send --no-wait "@bo later"
t 'what is said meanwhile waits' complains 'Agents are at work: it waits until they are done.'
t 'which is not a failure' gave 0
must stop
until_true idle
must conv use 'from afar'

# --- Talking ----------------------------------------------------------------------------------

rc=0
printf '%s\n' '@ada a word' '/log' '/undo' '/squash 1-2 "both"' '/history' '/tag' '/reply @~1 @ada one' '/reply @~1 @ada two' >"$dir/lines"
"$SKEIN" --server "$url" chat <"$dir/lines" >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'a chat goes on line by line' prints 'yes, says ada'
t 'ends well' gave 0
t 'runs commands' prints 'squashed 2 messages into'
t 'all of them' sh -c '! cat "$1" "$2" | grep -q "works on the store itself"' - "$dir/out" "$dir/err"
t 'and how to come back' complains 'Come back with: skein chat launch --continue'
f chat --continue </dev/null
t 'what was said before is shown' prints 'both'

# --- Taking with one, and setting -------------------------------------------------------------

# The time at which it was written is in it.
timeless() { sed 's/[0-9]\{4\}-[0-9][0-9]-[0-9][0-9][ T][0-9:.]*Z\{0,1\}/TIME/g' "$dir/out"; }
# exports_alike WORD…: an export is the same from both.
exports_alike() {
    must export "$@"
    near=$(timeless)
    must_f export "$@"
    [ "$(timeless)" = "$near" ]
}
for format in md json jsonl mermaid html; do
    t "an export as $format is the same" exports_alike -f "$format"
done
t 'of an older version' exports_alike v1
t 'of a part' exports_alike @~1 --delegations none --redact
must_f export -o "$dir/far.md"
t 'into a file' file_has "$dir/far.md" '@ada a word'
must_f export --whole-world -f skein -o "$dir/far.skein"
t 'an archive of it all' test -s "$dir/far.skein"
f export -f nonsense
t 'a format must be one' fails 2 '"nonsense" is not a format'
f export -o "$dir/far.md"
t 'a file that is there stays' fails 5 'is already there'
f compact -m "what was said" --covers 1 --json
t 'a summary by hand' prints '"role":"summary"'
f compact -n
t 'what a model would do is said' prints 'Would let a model summarise'
f compact
t 'and done' prints 'stands for the first '
f world set turnLimit 7
t 'a world is changed' prints 'turnLimit of launch is set'
must_f world set approvals.remember ask
f world set approvals.forget ask --json
t 'one setting beside another' prints '"approvals":{"remember":"ask","forget":"ask"}'
f world set approvals '{"forget":"always"}' --json
t 'or all of them at once' prints '"approvals":{"forget":"always"}'
t 'as the store has it' alike world show --json=turnLimit,settings
f world set approvals.forget null
t 'what is taken away is said to be removed' prints 'approvals.forget of launch is removed'
must_f world set approvals '{"forget":"always"}'
f world set approvals null --json
t 'and none of them' lacks approvals
f world set turnLimit null --json=turnLimit
t 'null restores a default' prints '{"turnLimit":8}'
f world set description null --json=description
t 'and is a word where a text is wanted' prints '{"description":"null"}'
t 'what it may be is checked' alike world set turnLimit no
t 'also before it is set' alike world set monthlyTokens many -n
must_f world set monthlyTokens 5000 -n
t 'which changes nothing' alike world show
f world set aprovals x
t 'a name must be known' fails 2 'Did you mean "approvals"?'
f model use nosuch/x
t 'a model has a provider' fails 3 'there is no provider "nosuch"'
f model use demo/scripted
t 'a model for all' prints 'demo/scripted answers for agents that name no model'
t 'which is marked' alike model ls
must_f model use auto

# --- Agents and their work --------------------------------------------------------------------

f agent new cy --prompt "You count." --lead ada
t 'an agent is made' prints 'Made the agent cy in launch'
f agent new cy -n
t 'one of the name is enough' fails 5 'already an agent "cy"'
t 'as near' alike agent show cy
f agent edit cy --model nosuch/x
t 'its model must be one' fails 3 'There are: demo'
f agent edit cy --model demo/scripted --tools recall --lead '' --prompt "You count well." --json
t 'it is changed' prints '"systemPrompt":"You count well.","model":"demo/scripted","lead":null,"tools":["recall"]'
f agent edit cy --max-tokens 800 --json
t 'how long its answers may be is changed there, too' prints '"maxTokens":800'
f agent show cy
t 'and shown' prints 'tokens of an answer: at most 800'
f agent edit cy --max-tokens default --json
t 'and left to its model again' prints '"maxTokens":null'
f agent edit cy --tools default --json
t 'as are its tools' prints '"tools":null'
must_f agent edit cy --tools recall
f agent edit cy --model default --tools all --json
t 'and changed back' prints '"model":null,"lead":null,"tools":null'
t 'as the store has it' alike agent show cy
f agent pause cy
t 'it is paused' prints 'cy starts no new work'
t 'which is seen from near' alike agent ls
f agent wake cy
t 'who is paused is not woken at once' prints 'cy is paused'
f agent task cy count the beans --json
t 'a task is given' prints '"content":"count the beans"'
task=$(first id)
t 'its tasks are the same' alike agent tasks cy
t 'and in JSON' alike agent tasks cy --status pending --json
t 'those of all' alike task ls
t 'one of them' alike task show "$task"
t 'and in JSON' alike task show "$task" --json
t 'one that is not there' alike task show task_nosuch
f task cancel "$task"
t 'it is cancelled' prints "Cancelled the task $task of cy."
t 'which is kept' alike task ls --status cancelled
f task retry "$task"
t 'it is restarted' prints "cy has the task $task again."
t 'which is told alike' alike task show "$task" --json=id,status
f agent timer cy 15m --json
t 'a timer is set' prints '"runEvery":900000'
must_f agent timer cy off
f agent tell cy remember the beans --from ada --json
t 'it is told something' prints '"content":"remember the beans"'
t 'its mind is the same' alike agent memory cy
f agent resume cy
t 'it goes on' prints 'cy continues with waiting work'
until_true idle
f agent wake cy
t 'and is woken' prints 'cy looks for work now'
until_true idle
t 'what it did is the same' alike inspect cy
t 'a piece of it' alike inspect cy --session 1
t 'one that is not there' alike inspect cy --session 400
t 'and in JSON' alike inspect cy --json
t 'one who did nothing says so' alike inspect bo
t 'its background is among the conversations' alike conv ls
t 'and can be read' alike log -c cy:background --oneline
t 'a call of a model is the same' alike inspect --call @
t 'and is there' gave 0
t 'and in JSON' alike inspect --call @ --json
t 'what it was sent' alike inspect --call @ --saw
f log --oneline
f inspect --call "$(printf '%s\n' "$out" | sed -n 's/^ *\([^ ]*\)  *you .*/\1/p' | sed -n '$p')"
t 'what no model wrote has none, and a command for what there is' fails 3 'What a model would be sent now: skein '
t 'what it answered' alike inspect --call @ --raw
t 'a call that is not there' alike inspect --call call_nosuch
f agent rm cy -y
t 'it is removed' prints 'Removed the agent cy'
t 'and gone' alike agent show cy

# --- Following --------------------------------------------------------------------------------

"$SKEIN" --server "$url" log --follow -n 1 --oneline >"$dir/followed" 2>"$dir/notes" &
follower=$!
trap 'kill -9 $server $follower 2>/dev/null; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
until_true file_has "$dir/followed" ''
must send "@ada one more"
t 'a log goes on with what is said' until_true file_has "$dir/followed" 'one more'
t 'and with the answers' until_true file_has "$dir/followed" 'yes, says ada'
must amend @ -m "said otherwise"
t 'and with what is changed' until_true file_has "$dir/followed" 'said otherwise'
t 'and says so' until_true file_has "$dir/notes" 'Now at v'
t 'everything once' is "$(grep -c 'one more' "$dir/followed")" 1
kill "$follower"
wait "$follower" 2>/dev/null
"$SKEIN" --server "$url" log --follow --agent ada -n 1 --oneline >"$dir/followed" 2>"$dir/notes" &
follower=$!
until_true file_has "$dir/followed" ''
must send "@ada keep it in mind"
t 'so does what an agent remembers' until_true file_has "$dir/followed" 'keep it in mind'
kill "$follower"
wait "$follower" 2>/dev/null

# --- Asking again -----------------------------------------------------------------------------

must send --to ada --no-wait "say it again"
until_true sh -c '"$1" "$2" log -n 1 --json | grep -q "\"role\":\"assistant\""' - "$SKEIN" "$store"
f retry @^ --agent ada
t 'an agent answers again' prints 'ada answers '
until_true sh -c '[ "$("$1" "$2" log -n 2 --oneline | grep -c "yes, says ada")" = 2 ]' - "$SKEIN" "$store"
f retry @^ --agent ada --json
t 'as JSON the message is told' prints '"content":"@ada say it again"'
f retry @^ --agent nobody
t 'an agent must be there' fails 3 '"nobody"'
until_true sh -c '[ "$("$1" "$2" log -n 3 --oneline | grep -c "yes, says ada")" = 3 ]' - "$SKEIN" "$store"

# --- Delegations ------------------------------------------------------------------------------

must conv new --title "handed on"
t 'the lanes of an empty conversation' alike lane ls
s send "@ada hand it on"
t 'lanes are the same from afar' alike lane ls
t 'and why one failed' sh -c 'printf "%s" "$1" | grep -q "✕ bo failed at "' - "$out"
t 'and in JSON' alike lane ls --json
t 'of a conversation that is named' alike lane ls -c 'launch plan'
must send --no-wait "@ada hand it over"
until_true sh -c '"$1" "$2" lane ls | grep -q "@bo writing"' - "$SKEIN" "$store"
t 'and what is done there' alike lane ls
must stop
printf '%s\n' '{"role":"user","sender":"human","content":"for you alone"}' >"$dir/own.jsonl"
f append -c bo:foreground <"$dir/own.jsonl"
t "an agent's own conversation comes into being" prints 'for you alone'
f conv of bo
t 'the conversation of an agent is given' prints '  foreground of @bo'
t 'and is the same' alike conv of bo
t 'in JSON, too' alike conv of bo --json
t 'and in the background' alike conv of bo --mode background
f conv of bo --mode sideways
t 'which must be one of the two' fails 2 '"--mode" is foreground or background'
must conv use 'from afar'

# --- Following work ---------------------------------------------------------------------------

must agent task bo "count the shells"
"$SKEIN" --server "$url" inspect bo --follow >"$dir/followed" 2>"$dir/notes" &
follower=$!
answers() { [ "$(grep -c 'yes, says bo' "$dir/followed")" = "$1" ]; }
until_true answers 1
must agent task bo "count the seals"
t 'work is followed from afar' until_true file_has "$dir/followed" 'count the seals'
t 'with what comes of it' until_true answers 2
t 'everything once' is "$(grep -c 'count the seals' "$dir/followed")" 1
kill "$follower"
wait "$follower" 2>/dev/null

# --- What cannot be done from afar ------------------------------------------------------------

for words in fsck 'backup' 'import x'; do
    # shellcheck disable=SC2086
    f $words
    t "$words says that it works on the store itself" fails 2 "works on the store itself and cannot use --server $url"
done
f fsck
t 'in one line and an advice' sh -c '[ "$(wc -l <"$1")" -le 2 ]' - "$dir/err"
rc=0
SKEIN_SERVER=$url "$SKEIN" conv ls >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'the variable does as the option' prints 'from afar'
where=${url#http://}
f conv ls --server "${where%/}"
t 'an address without http:// is understood' prints 'from afar'

# Every command of the table asks the server, or says by its name that it cannot.
deaf=
s
for word in $(printf '%s\n' "$out" | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p'); do
    s help "$word"
    for usage in $(printf '%s\n' "$out" | sed -n "s/^ *skein \($word.*\)/\1/p" | sed 's/  .*//; s/\[[^]]*\]//g; s/  */+/g; s/+$//'); do
        words=$(printf '%s\n' "$usage" | sed 's/+TIME/+15m/g; s/+VERSION/+v1/; s/+KEY+VALUE/+turnLimit+3/; s|+PROVIDER/MODEL|+a/b|; s/+[A-Z][^+]*/+main.1/g; s/+/ /g')
        case $words in
        help*|version*|completion*|chat*|open) continue ;; # they need nobody, or are looked at above
        inspect|rm|stop|purge) words="$words main.1" ;;
        'provider add '*) words="$words --type openai" ;;
        'provider login '*) continue ;;                    # reads its key first
        esac
        # shellcheck disable=SC2086
        f $words -y --server http://127.0.0.1:1/ </dev/null
        case $rc,$err in
        *"works on the store itself and cannot use"*|6,*"cannot reach the server at http://127.0.0.1:1/"*) ;;
        *) deaf="$deaf$words: $rc $err; " ;;
        esac
    done
done
t 'every command uses the server or refuses it by name' is "$deaf" ''
f log --server http://127.0.0.1:1/
t 'a server that is not there' fails 6 'cannot reach the server at http://127.0.0.1:1/'
stop_server

# --- A server that is not to be trusted -------------------------------------------------------

# evil HOW: a server that answers as this one does, but for what HOW says; leaves its address in $url.
evil() {
    rm -f "$dir/evil" && mkfifo "$dir/evil"
    node "$(dirname "$0")/evil_proxy.mjs" "$honest" "$1" >"$dir/evil" &
    proxy=$!
    read -r url <"$dir/evil"
}
honest_again() {
    kill "$proxy"
    wait "$proxy" 2>/dev/null
    url=$honest
}
# harmful FILE…: a control character, or one that turns or hides text.
harmful() { LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]\|\342\200[\213\252-\256]\|\342\201[\246-\251]')" "$@"; }
# undocumented WORD…: adds to $torn a command that ended with a status that the manual does not have.
undocumented() { case $rc in [0-8] | 124) ;; *) torn="$torn$*: $rc; " ;; esac; }

start_server --script "$dir/script.yaml"
honest=$url
must agent task bo "count the seals again"
for how in texts all; do
    evil $how
    shown= seen=0 torn=
    for words in status 'world ls' 'world show' 'agent ls' 'agent show bo' 'conv ls' 'conv show' log 'log --oneline' 'show @' 'show @ada' history tree timeline \
        diff stats 'search plan' context 'inbox ls' 'task ls' 'agent tasks bo' 'agent memory bo' 'lane ls' 'queue ls' audit 'inspect bo' 'provider ls' 'model ls' \
        'agent timer bo' export 'export -f html' 'undo -n' 'switch v1 -n' 'send hello --no-wait' 'edit m1 -m x' 'world show nowhere' 'log --json' 'token ls' \
        'world tools' 'files ls' 'files show' 'purge -n @' 'lane new' 'lane finish main.1'; do
        # shellcheck disable=SC2086
        f $words
        undocumented "$words"
        harmful "$dir/err" && shown="$shown$words (told); "
        case $words in *--json) ;; *) harmful "$dir/out" && shown="$shown$words; " ;; esac
        case $out$err in *EVIL*) seen=$((seen + 1)) ;; esac
    done
    t "nothing that a hostile server says moves a terminal's cursor ($how)" is "$shown" ''
    t "nor makes up a status of its own ($how)" is "$torn" ''
    t "though it is shown ($how)" test "$seen" -gt 10
    honest_again
done
# The same on a terminal, which gets nothing else either: JSON and raw texts.
if [ "$(script -qec 'test -t 1 && echo yes' /dev/null </dev/null 2>/dev/null | tr -d '\r')" = yes ]; then
    evil texts
    for words in 'log --json' 'show @ --raw' 'world show --json' 'status' 'world show nowhere --json'; do
        script -qec "'$SKEIN' --server $url $words" /dev/null </dev/null | sed "s/$(printf '\033')\[[0-9]*m//g" | tr -d '\r' >"$dir/out"
        t "a terminal is shown no escape sequence by $words" sh -c '! LC_ALL=C grep -q "$1" "$2"' - "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]\|\342\200\256')" "$dir/out"
    done
    t 'but what was said' file_has "$dir/out" EVIL
    honest_again
fi
for how in holes bare; do
    evil $how
    torn=
    for words in 'world ls' 'agent ls' 'conv ls' log history 'inbox ls' 'task ls' 'lane ls' 'queue ls' audit 'search plan' 'tag ls' 'files ls' 'files show' 'purge -n @' 'lane new' 'world tools' 'provider ls' 'agent show bo' 'agent memory bo' 'inspect bo'; do
        # shellcheck disable=SC2086
        f $words
        undocumented "$words"
    done
    t "answers without what belongs in them end no program ($how)" is "$torn" ''
    honest_again
done
evil words
f world new aside
t 'a name is not a command of the shell that a hint is pasted into' lacks 'touch'
honest_again
must world rm aside -y
evil pages
f world ls
t 'a list without an end is not waited for' fails 6 'the server says that its list goes on, and gives nothing more'
honest_again
evil round
f world ls
t 'nor one whose page comes again' fails 6 'the server gives the same page of its list again and again'
honest_again
evil lies
f world ls
t 'nor one with more than its total' fails 124 "the server's list has no end"
honest_again
evil bare
f audit
t 'an answer that is not a list is not told as an empty one' fails 6 "the server's answer is not a list"
honest_again
evil huge
f world ls
t 'an answer that nobody can need is not kept' fails 2 "the server's answer is too large: over 32 MB"
honest_again
evil heads
f world ls
t 'nor an answer that is only announced' fails 6 'it announces an answer and never gives it'
honest_again
evil ends
f send "hello there"
t 'nor one that is over before it began' fails 6 'ends its event stream as soon as it begins'
honest_again
evil stream
f send "hello there"
t 'nor the end of one that is none' fails 2 "the server's answer is too large"
honest_again
stop_server

# --- With a token -----------------------------------------------------------------------------

echo 0123456789abcdef0123456789abcdef >"$dir/token"
chmod 600 "$dir/token"
start_server --script "$dir/script.yaml" --token-file "$dir/token"
f log
t 'a server with a token wants it' gave 4
t 'and says how to give it' complains 'SKEIN_TOKEN, or SKEIN_TOKEN_FILE with the file that holds it'
SKEIN_TOKEN=$(cat "$dir/token") f conv ls
t 'it is taken from the variable' prints 'from afar'
SKEIN_TOKEN=short f conv ls
t 'unless it is none' fails 2 'SKEIN_TOKEN must be'
SKEIN_TOKEN_FILE=$dir/token f conv ls
t 'and takes it' prints 'from afar'
stop_server

# --- Every command, near and far --------------------------------------------------------------

# Two new stores with a server each get the same commands: one near, in this process where that is enough, the other
# from afar. What is said must be the same, but for ids, times and addresses.
cat >"$dir/script.yaml" <<'END'
pace: 1
rules:
  - when: forever
    do:
      - wait: 10m
  - when: keep it
    do:
      - call: remember
        args: {name: note, content: The beans are counted.}
  - when: count the beans
    from: human
    do:
      - call: create_inbox_item
        args: {type: briefing, title: Beans, summary: Counted., content: There are nine beans.}
otherwise: "yes, says {agent}"
END
fresh
near_store=$store near_quoted=$quoted far_home=$HOME
HOME=$dir/near_home && mkdir "$HOME"
start_server --script "$dir/script.yaml"
HOME=$far_home near_server=$server near_url=$url
exec 4<&3
fresh
start_server --script "$dir/script.yaml"
trap 'kill -9 $server $near_server 2>/dev/null; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
: >"$dir/ran"
in=/dev/null

# at SIDE WORD…: runs the program; %NAME is what "pick" found on that side. Leaves what it said in SIDE.told.
at() {
    side=$1
    shift
    for word in "$@"; do
        shift
        case $word in %*) word=$(cat "$dir/$side.${word#%}") ;; esac
        set -- "$@" "$word"
    done
    case $side in
    near) where=$near_store home=$dir/near_home ;;
    *) where=--server=$url home=$HOME ;;
    esac
    rc=0
    HOME=$home "$SKEIN" "$where" "$@" <"$in" >"$dir/$side.out" 2>"$dir/$side.err" || rc=$?
    { cat "$dir/$side.out" && echo "-- $rc" && cat "$dir/$side.err"; } |
        sed "s|skein $near_quoted |skein |g; s|skein --server=[^ ]* |skein |g" |
        sed -E "s#($near_url|$url)#URL/#g
            s#([a-z]+_)?${head:-nothing}[0-9A-Za-z_-]{8}#ID#g; s#call_[0-9a-f]{16}#ID#g; s#sign-in=[0-9a-f]*#sign-in=KEY#
            s#($(id -un)|owner) +(cli  |socket|127\.0\.0\.1) +#SOMEBODY #; s#[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]*Z?#TIME#g
            s#[0-9.]+ m?s([^a-z]|\$)#SPAN\1#g; s#(duration|elapsed|latency)([A-Za-z]*)\":[0-9.]+#\1\2\":SPAN#g" >"$dir/$side.told"
}
# pick NAME FIELD WORD…: the first FIELD of what the command says on each side.
pick() {
    name=$1 field=$2
    shift 2
    for side in near far; do
        at $side "$@" --json
        grep -o "\"$field\":\"[^\"]*\"" "$dir/$side.out" | head -n 1 | cut -d '"' -f 4 >"$dir/$side.$name"
    done
}
same() {
    at far "$@"
    at near "$@"
    cmp -s "$dir/near.told" "$dir/far.told" && [ "$rc" = 0 ] && return
    diff "$dir/near.told" "$dir/far.told" | sed 's/^/# /'
    return 1
}
both() {
    echo "$*" >>"$dir/ran"
    t "near and far the same: $*" same "$@"
}
# both_have TEXT WORD…: waits until both sides say TEXT.
said_on() {
    at "$@" --json && grep -q -F -- "$text" "$dir/$1.out"
}
both_have() {
    text=$1
    shift
    until_true said_on near "$@" && until_true said_on far "$@" || echo "Bail out! $*: no $text"
}
both_idle() { both_have '"isProcessing":false' world show; }

both world new launch --description "to the moon"
pick world id world show
head=$(cut -c 1-2 "$dir/far.world") # of all ids of these hours
both world new spare
both world use launch
both world rename spare other
both world rm other -y
both world restore other
both world ls
both world set turnLimit 7
both world tools
both world show
both agent new ada --prompt "You plan."
both agent new bo --lead ada
both agent edit bo --prompt "You count."
both agent pause bo
both agent resume bo
both agent ls
both agent show bo
both conv new --title "launch plan"
both conv new --title aside
both conv use "launch plan"
both conv rename aside beside
both conv set beside --read-only on
both conv show beside
pick aside id conv show beside
both conv rm beside -y
both conv restore %aside
both conv of bo
both conv ls
printf '{"content":"one"}\n{"content":"two"}\n' >"$dir/lines"
in=$dir/lines
both append
in=/dev/null
both send "@ada plan the launch"
both retry @^ --agent ada
both_idle
both amend @~2 -m "another wording"
both insert -m "put in" --end
both move @ --before @~2
both squash @~1 @~2 --by-hand -m "in short"
both compact --covers 1 -m "what was said"
both undo
both redo
both switch v1
both edit -m "@ada plan it again"
pick answer messageId log -n 1
both retry @
both show @
both switch %answer
both rm @~1
both branch v1
both log
both tree
both show @
both search plan
both history --graph
both diff v1..v2
both stats
both timeline
both context --agent ada
both export -f md
both open @ --json
both status --json=current,worlds
both lane new
both lane ls
both lane finish main.1
both tag new careful --instruction Slow --target ada
both tag on careful
both tag ls
both tag off careful
both tag rm careful
for files in "$HOME/.local/share/skein/files" "$dir/near_home/.local/share/skein/files" "$dir/data$((stores - 1))/files" "$dir/data$stores/files"; do
    mkdir -p "$files" && printf 'one\n' >"$files/a.txt"
done
both files add a.txt
both files ls
both files show
both files rm a.txt
both send --no-wait "@ada forever"
both_have '"state":"thinking"' agent show ada
both send --no-wait "@ada later"
pick waiting id queue ls
both queue ls
both queue rm %waiting
both stop
both_idle
both agent timer bo 15m
both agent timer bo off
both agent tell bo "remember the beans"
both_idle
both agent wake bo
both_idle
both agent task bo "count the beans"
both_have Beans inbox ls
both_idle
pick item id inbox ls
both inbox ls
both inbox show %item
both inbox done %item
both inbox reopen %item
both inbox snooze %item off
both inbox reply %item "thank you"
both_idle
both agent tasks bo
pick task id task ls
both task ls
both task show %task
both agent memory bo
both inspect bo --session 1
both agent task bo "think forever"
pick task id task ls --status pending
both task cancel %task
both_idle
both task retry %task
both_have '"state":"thinking"' agent show bo
both stop
both_idle
both world set approvals.remember ask
both send --no-wait "@ada keep it"
both_have approval inbox ls --needs-me
pick item id inbox ls --needs-me
both inbox allow %item
both_idle
both send --no-wait "@ada keep it"
both_have approval inbox ls --needs-me
pick item id inbox ls --needs-me
both inbox deny %item
both_idle
both provider ls
both provider show demo
both provider models demo
both provider test demo
both provider detect
both provider add local --type openai-compatible --base-url http://127.0.0.1:1/v1
echo sk-planted >"$dir/key"
in=$dir/key
both provider login local
in=/dev/null
both provider use local
both provider rm local -y
both model use demo/scripted
both model ls
printf '%s\n' '@ada a word' '/log' >"$dir/lines"
in=$dir/lines
both chat
in=/dev/null
both purge @ -y
both agent rm bo -y
both audit

# The commands that bypass the API, and those that only show what the program is, are named in docs/architecture.md.
around=$(tr '\n' ' ' <"$(dirname "$0")/../../docs/architecture.md" | grep -o 'bypass the API: [^.]*' | grep -o '`[a-z]*`' | tr -d '`' | tr '\n' ' ')
# commands: those of the help, a line each.
commands() {
    "$SKEIN" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | while read -r word; do
        "$SKEIN" help "$word" |
            sed -n "1s/^skein $word\( .*\)\{0,1\}\$/$word/p; s/^  skein \($word [a-z]*\)\( .*\)\{0,1\}\$/\1/p"
    done
}
commands >"$dir/commands"
t 'the help has commands' test "$(wc -l <"$dir/commands")" -gt 100
missing=
while read -r command; do
    case " $around" in *" ${command%% *} "*) continue ;; esac
    grep -Eq "^$command( |\$)" "$dir/ran" || missing="$missing $command,"
done <"$dir/commands"
t 'every command is compared, but those that docs/architecture.md exempts' is "$missing" ''
wrong=
for word in $around; do
    grep -Eq "^$word( |\$)" "$dir/commands" || wrong="$wrong $word,"
    grep -Eq "^$word( |\$)" "$dir/ran" && wrong="$wrong $word,"
done
t 'and what it exempts are commands that are not compared' is "$wrong" ''
stop_server
server=$near_server
stop_server
finish
