#!/bin/sh
# cli_basics.sh: worlds, agents, conversations; saying and reading; help and JSON.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)

# --- Help -------------------------------------------------------------------------------------

s
t 'without a command there is an overview' prints 'Move and care'
s help history
t 'help of a command lists its options' prints '--graph'
t 'help of a command lists its fields' prints 'originalThread'
s log -h
t 'the switch -h shows the same help' prints '--oneline'
s help world
t 'help of a noun lists its commands' prints 'skein world new NAME'

# same COMMAND SENTENCE: help and manual page say the same of an option.
same() {
    # shellcheck disable=SC2086 # a command has one or two words
    s help $1
    prints "$2" && grep -qxF "$2." "$here/../../docs/skein.1"
}
t 'a conversation to read only is told apart from one that nobody changes' \
    same 'conv set' 'on: agents read messages and do not answer; off: they answer'
t 'what the main thread has is told' same log 'Only opening messages and messages of people and leads'
t 'what an agent is not shown is told' same log 'With --agent: include reply links of others, which the agent does not see'
t 'what a retry without a text does is told' same edit 'Retry a failed edit; without -m or -F, only remove the messages'
t 'whose end is waited for before a change is told' same undo 'Wait for working agents before the change'
t 'and who is stopped' same edit 'Stop working agents before the change'
t 'whose text a summary is is told' same compact 'The model that writes the summary; with -m or -F: the model that wrote it'
s --version
t 'the version is printed' prints 'skein 0.'
s completion bash
t 'completion for bash knows the commands' prints ' timeline'
printf '%s\n' "$out" >"$dir/completion"
t 'completion for bash is a script' sh -c 'command -v bash >/dev/null || exit 0; bash -n "$1"' - "$dir/completion"
s completion fish
t 'completion for fish knows the options' prints '-l guess-links'

# Every command and every option of the table stands in the manual page.
undocumented=
s
for word in $(printf '%s\n' "$out" | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p'); do
    s help "$word"
    for command in "$word" $(printf '%s\n' "$out" | sed -n "s/^  skein $word \([a-z]*\).*/\1/p"); do
        [ "$command" = "$word" ] && full=$word || full="$word $command"
        [ "$full" != "$word" ] || printf '%s\n' "$out" | grep -q "^skein $word" || continue
        grep -q "^\.It Ic $full\( \|\$\)" "$here/../../docs/skein.1" || undocumented="$undocumented $full;"
    done
    for option in $(printf '%s\n' "$out" | sed -n 's/^  .. *\(--[a-z-]*\).*/\1/p'); do
        grep -q "Fl ${option#-}\( \|\$\)" "$here/../../docs/skein.1" || undocumented="$undocumented $option;"
    done
done
t 'the manual page has every command and option' is "$undocumented" ''

# --- Managing ---------------------------------------------------------------------------------

s world new Launch --description 'The launch'
t 'a world is made, its name in lower case' prints 'Made the world launch'
s world ls --json
t 'a world is listed as JSON' is "$(every name)" launch
must agent new lead --prompt 'You lead.' --model demo/scripted
s agent new ada --lead lead --json
t 'an agent knows its lead' is "$(first lead)" lead
must agent new bo
s agent ls --json=name
t 'the chosen fields alone are printed' is "$out" '[{"name":"lead"},
{"name":"ada"},
{"name":"bo"}]'
s agent ls --json name,lead
t 'the fields may follow as a word of their own' prints '{"name":"ada","lead":"lead"}'
s conv new --title 'Plan'
t 'a conversation is made and is current' prints 'it is current'
s conv ls --json
chat=$(first id)
t 'a conversation is listed with its title' is "$(first title)" Plan
s conv show Plan --json
t 'a conversation is found by its title' is "$(first id)" "$chat"
must world show --json
t 'the world names its current conversation' is "$(first currentChatId)" "$chat"
must conv new --title 'Other'
must conv use Plan
s world show --json=currentChatId
t 'another conversation can be made current' prints "\"$chat\""
s log -c ada:background
t 'reading does not make the conversation of an agent' fails 3 'It is created on first use'
s conv of ada --mode background --json
t 'an agent has a background conversation' is "$(first mode)" background
own=$(first id)
s conv show ada:background --json
t 'it is always the same one' is "$(first id)" "$own"
s -n world new second
t 'a dry run makes nothing' prints 'Would make the world second'
s world new second -n --json
t 'a dry run answers in JSON too' is "$out" '{"dryRun":true,"would":"make the world second"}'
s world ls --json=name
t 'only the first world is there' is "$out" '[{"name":"launch"}]'

# --- Saying -----------------------------------------------------------------------------------

s send '@lead plan the launch' --json
t 'what is sent is printed as one object' lines 1
t 'it is an event' is "$(first event)" message.created
t 'every agent hears it' prints '"seenByAgents":["lead","ada","bo"]'
one=$(first messageId)
t 'it is said that nobody answers' complains 'nobody answers'
s send hello --to bo --no-wait -q
t 'quiet is quiet' is "$err" ''
s log -n 1 --json
t 'whom it is for stands at its start' is "$(first content)" '@bo hello'
s send again --reply-to "$one" --expect-reply ada --no-wait --json
t 'a reply keeps its link' is "$(first replyToMessageId)" "$one"
t 'an expected answer is an instruction' prints '{"type":"ResponseExpected","target":"ada"}'
must tag new urgent --instruction Priority --target lead
must send 'now' --tag urgent --no-wait
s log -n 1 --json
t 'a tag becomes its instruction' prints '{"type":"Priority","target":"lead"}'
s tag on urgent -n
t 'a tag that would be on says so' prints 'would be'
must tag on urgent
s tag ls --json
t 'a tag is on' prints '"active":true'
must send 'then' --no-wait
s log -n 1 --json=instructions
t 'a tag that is on goes onto what is sent' prints 'Priority'
must tag off urgent
must send 'later' --no-wait
s log -n 1 --json=instructions
t 'a tag that is off does not' lacks 'Priority'
printf 'from a pipe\n' >"$dir/in"
must send --no-wait <"$dir/in"
s log -n 1 --json
t 'without a text standard input is sent' is "$(first content)" 'from a pipe'

# --- Appending --------------------------------------------------------------------------------

must conv new --title Work
cat >"$dir/in" <<'END'
{"messageId":"m-1","role":"user","content":"Plan the launch for next Friday."}
{"messageId":"m-2","role":"assistant","sender":"lead","content":"I will split this.","replyToMessageId":"m-1"}

{"messageId":"m-3","role":"assistant","sender":"ada","content":"","replyToMessageId":"m-2","toolCalls":[{"toolCallId":"call-1","toolName":"calendar","args":{"week": 47}}],"unknown":{"ignored":[1,2]}}
{"messageId":"m-4","role":"tool","sender":"calendar","content":"freeze until noon","toolCallId":"call-1"}
{"messageId":"m-5","role":"assistant","sender":"ada","content":"The freeze lasts until noon.","replyToMessageId":"m-2","createdAt":"2001-02-03T04:05:06Z","thinking":"let me see","model":"demo/scripted"}
END
s append --json <"$dir/in"
t 'lines are stored and printed' is "$(every messageId | cut -d ' ' -f 1-5)" 'm-1 m-2 m-3 m-4 m-5'
s append --json=messageId <"$dir/in"
t 'the same ids again are stored once' gave 0
s log --json=messageId
t 'there are five messages' lines 5
s log -n 2 --json=messageId
t 'the last two are the last two' is "$(every messageId)" 'm-4 m-5'
s show m-3 --json
t 'the arguments of a call keep their text' prints '"args":{"week": 47}'
t 'a message says who came before it' is "$(first previousMessageId)" m-2
s show m-5 --json
t 'a time is kept' is "$(first createdAt)" '2001-02-03T04:05:06.000Z'
t 'thinking is kept' is "$(first thinking)" 'let me see'
s log --until 2001-02-03T04:05:06Z --json=messageId
t 'a time bounds the log' is "$(every messageId)" m-5
s log --oneline
t 'one line for each message' lines 5
s log
t 'a reply names whom it answers' prints '↪ you m-1'
t 'a message says who heard it' prints '→ lead, ada, bo'
s log --graph
t 'the graph begins with the newest' is "$(printf '%s\n' "$out" | head -n 1 | cut -c 1-5)" '* m-5'
s log --thread m-3 --json=messageId
t 'a reply thread can be read alone' is "$(every messageId)" 'm-3 m-4'
s log --agent ada --json
t 'an agent remembers its own words as its own' prints '"messageId":"m-5","chatId":"'"$(first chatId)"'","role":"assistant"'
t 'an agent remembers the words of others as said to it' prints '"messageId":"m-2","chatId":"'"$(first chatId)"'","role":"user"'
s show @ --json
t 'the latest message has a short name' is "$(first messageId)" m-5
s show @~3 --json
t 'so have those before it' is "$(first messageId)" m-2
s show 'm-2^' --json
t 'and what a message replies to' is "$(first messageId)" m-1
s show m-4 --raw
t 'the raw text is the text alone' is "$out" 'freeze until noon'

# --- Reading ----------------------------------------------------------------------------------

s tree
t 'the tree is drawn' prints '    │   └── calendar freeze until noon'
t 'the tree is counted' prints '5 messages'
s tree --json=messageId,parentMessageId
t 'the tree as JSON names parents' prints '{"messageId":"m-4","parentMessageId":"m-3"}'
s tree m-2 --depth 1 --json=messageId
t 'a part of the tree, one level deep' is "$(every messageId)" m-2
s tree m-4
t 'what a part of it answers is not said to be missing' lacks 'not here'
s tree --unanswered --json=messageId
t 'answers of agents that nobody answers are not unanswered' is "$out" '[]'
s tree --dot
t 'the tree for Graphviz' prints '"m-2" -> "m-3";'
s tree --mermaid
t 'the tree for Mermaid' prints 'flowchart'
s stats --json
t 'numbers about the threads' prints '"messages":5'
s search freeze --json
t 'search finds words' is "$(every messageId)" 'm-5 m-4'
s search freeze
t 'search says how many' complains '2 found'
s context --agent ada --json
t 'a context has the call and its result' prints '"toolCallId":"call-1"'
s timeline --json
t 'a timeline pairs calls and results' prints '"kind":"tool_execution"'

printf '%s\n' '{"messageId":"m-6","role":"assistant","sender":"ada","content":"For your notes: {\"a\":[1,\"}\"]}"}' >"$dir/in"
must conv new --title Notes
must append <"$dir/in"
s log
t 'what an agent said to nobody is marked' prints '[in-memory, no reply]'
s log --no-memory-only --json
t 'and can be left out' is "$out" '[]'
s log --json=content,sender
t 'fields are chosen whatever the text holds' is "$out" '[{"content":"For your notes: {\"a\":[1,\"}\"]}","sender":"ada"}]'
must conv use Work

printf '%s\n' '{"role":"user","content":"check dates"}' '{"role":"assistant","sender":"ada","content":"done"}' >"$dir/in"
must append --lane main.1 --call call-1 <"$dir/in"
s lane ls --json
t 'appending starts the next delegation' prints '"delegationId":"main.1","threadPath":"main.1","parent":"main"'
t 'which names the call that it is for' prints '"agent":null,"askedBy":null,"title":null,"spawnCallId":"call-1"'
s log --lane main.1 --json=content
t 'a delegation has its own log' is "$(every content)" 'check dates done'
s timeline --delegation main.1 --json
t 'a delegation has its own timeline' is "$(first lane)" main.1
s timeline --json
t 'a call shows what it started' prints '"delegation":"main.1"'
must lane finish main.1 --state failed
s lane ls --json
t 'a delegation says how it ended' prints '"state":"failed"'
s show main.1
t 'a delegation can be shown' prints 'check dates'
s show ada
t 'an agent can be shown' prints 'works for @lead'
s log --main-thread --json=messageId
t 'the main thread has people, leads and first messages' is "$(every messageId)" 'm-1 m-2'
s log --main-thread -n 1 --json=messageId
t 'the last of them are counted after choosing' is "$(every messageId)" m-2

cat >"$dir/events" <<'END'
{"id":"e1","threadId":"main","type":"USER_MESSAGE","timestamp":"2026-11-15T14:02:00Z","data":"hi"}
{"id":"e2","threadId":"main","type":"TOOL_CALL","timestamp":"2026-11-15T14:02:01Z","data":{"callId":"c1","toolName":"delegate","input":{"delegateThreadId":"main.1"}}}
{"id":"e3","threadId":"main.1","type":"AGENT_MESSAGE","timestamp":"2026-11-15T14:02:02Z","data":"working"}
{"id":"e4","threadId":"main","type":"TOOL_RESULT","timestamp":"2026-11-15T14:02:03Z","data":{"callId":"c1","output":"ok","success":true}}
END
s timeline --events "$dir/events"
t 'event lines give a timeline' prints '"mainTimeline":{"lane":"main"'
t 'and those of delegations' prints '"delegateTimelines":{"main.1":'
s timeline --events - <"$dir/events"
t 'event lines may come from standard input' prints '"delegation":"main.1"'

# --- Members that no message has ----------------------------------------------------------------

must log --json -n 1 --oneline
printf '%s\n' "$out" | sed 's/^\[//; s/]$//; s/"messageId":"/&x/' >"$dir/in"
s append -n <"$dir/in"
t 'what is printed can be stored again' gave 0
t 'without a word' is "$err" 'Would store 1 message. Nothing was changed.'
printf '%s\n' '{"contnet":"a","content":"b"}' '{"contnet":"c","content":"d","zzzzzz":1}' >"$dir/in"
s append -n <"$dir/in"
t 'a member that no message has is named' complains 'line 1: no message has "contnet"; it is ignored. Did you mean "content"?'
t 'once' is "$(printf '%s\n' "$err" | grep -c contnet)" 1

# --- Context files ----------------------------------------------------------------------------

place=$HOME/.local/share/skein/files
[ "$kind" = pg ] || place=$dir/data1/files
printf 'int total(int a)\n{\n    return a;\n}\nint other(void)\n{\n    return 7;\n}\n' >"$dir/sum.c"
cd "$dir"
s files add sum.c
t 'what agents cannot read is not added' fails 3 'there is no file "sum.c"'
t 'where they read is told' complains "Agents read files below $place: put it there"
t 'and nothing is copied there' test ! -e "$place/sum.c"
mkdir -p "$place/src"
cp sum.c "$place/src"
s files add src/sum.c 'fun nope'
t 'an item that is not in a file is not added' fails 3 'there is no "fun nope" in "src/sum.c"'
t 'where to look for what is in it is told' complains "The file is $place/src/sum.c; lines (\"142:156\") can be named too"
t 'and not where the file should be' is "${err#*put it there}" "$err"
must files add src/sum.c 'fun total'
s files ls --json
t 'a context file is listed' is "$out" '[{"path":"src/sum.c","readFull":false,"items":["fun total"],"prompt":null,"problems":[]}]'
s files show
t 'a context file gives the function' prints 'return a;'
t 'and no more' lacks 'other'
cd "$place/src"
must files add sum.c 'fun other'
s files ls --json
t 'more of it is added, from wherever' is "$out" '[{"path":"src/sum.c","readFull":false,"items":["fun total","fun other"],"prompt":null,"problems":[]}]'
printf 'int total(int a)\n{\n    return a;\n}\n' >sum.c
s files show
t 'the items that are left are given' prints 'return a;'
t 'and an item that is gone is named' complains 'src/sum.c, fun other: there is no "fun other" in "src/sum.c"'
s files show --json
t 'in JSON too' prints '"problems":[{"item":"fun other","detail":"there is no \"fun other\" in \"src/sum.c\""}]'
s files ls
t 'the list names it' complains 'src/sum.c, fun other: there is no "fun other"'
s context
t 'and so does what a model would be sent' complains 'src/sum.c, fun other: there is no "fun other"'
must files add ../src/sum.c
s files ls --json
t 'all of it is more than a part' is "$out" '[{"path":"src/sum.c","readFull":true,"items":[],"prompt":null,"problems":[]}]'
must files add sum.c 'fun total'
s files ls --json
t 'and stays all of it' is "$out" '[{"path":"src/sum.c","readFull":true,"items":[],"prompt":null,"problems":[]}]'
cd "$dir"
must files rm src/sum.c
s files ls --json
t 'a context file can be taken out' is "$out" '[]'

# --- Moving -----------------------------------------------------------------------------------

s export -f md
t 'an export as Markdown' prints 'Plan the launch for next Friday.'
must export -f skein -o "$dir/all.skein"
t 'an archive is a file of its own' test -s "$dir/all.skein"
t 'no part of it is left beside' test ! -e "$dir/all.skein.part"
s import "$dir/all.skein"
t 'an archive of what is here already is a conflict' fails 5 'already in this store'
s fsck
t 'the store is sound' gave 0
if [ "$kind" = sqlite ]; then
    must backup -o "$dir/copy.db"
    s world ls
    t 'a backup is a store' sh -c '"$1" --db "sqlite:$2" world ls | grep -q launch' - "$SKEIN" "$dir/copy.db"
fi
rc=0
SKEIN_SERVER=http://127.0.0.1:1 "$SKEIN" migrate >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'the schema of a server elsewhere is not brought up from here' fails 2 'works on the store itself and cannot use SKEIN_SERVER'
s migrate
t 'a store that is up to date stays as it is' prints 'already'
s status --json
t 'status knows the worlds' prints '"name":"launch"'
s doctor
t 'the doctor finds nothing' prints '0 failures'

s log --json
printf '%s\n' "$out" >"$dir/before"
fresh
s -n world new empty
t 'a dry run says that the first world would be made' is "$out" 'Would make the world empty. Nothing was changed.'
s world ls
t 'and makes no store' fails 3 'there is no store'
must world new empty
s import "$dir/all.skein" -n
t 'a dry run of an import says what would come' prints '7 messages'
s world ls --json=name
t 'but nothing came' is "$out" '[{"name":"empty"}]'
must import "$dir/all.skein" --as copy
s -w copy log --json
printf '%s\n' "$out" >"$dir/after"
t 'an archive comes back as it was' cmp -s "$dir/before" "$dir/after"
s fsck
t 'and is sound' gave 0

# --- What is not as it should be ---------------------------------------------------------------

fresh
must world new odd
must agent new ada
must conv new
printf '%s\n' '{"role":"tool","toolCallId":"lost","content":"late"}' >"$dir/in"
s append --strict <"$dir/in"
t 'a strict append refuses a result without a call' fails 5 'waits for a result'
s append --json <"$dir/in"
t 'an append stores it as it is' is "$(first content)" late
t 'and says so' prints 'no tool call waited for this result'
s context --agent ada --json
t 'no model is sent it' lacks late
printf '%s\n' '{"role":"user","content":"I am ada","instructions":[{"type":"Source.Agent","target":"ada"}]}' >"$dir/in"
s append --json <"$dir/in"
t 'the source of a message is who sent it' prints '"instructions":[{"type":"Source.User"}]'

# --- The doctor's report, and what it mends ----------------------------------------------------

fresh
must world new launch
must agent new ada
must conv new
must send "Plan the launch for next Friday."
s doctor --bundle "$dir/report.json"
t 'its report has every check' grep -q '"checks":\[{"check":"program","result":"ok"' "$dir/report.json"
t 'and the settings' grep -q '"log.level"' "$dir/report.json"
t 'no text of a message' sh -c '! grep -q "Plan the launch" "$1"' - "$dir/report.json"
t 'and others cannot read it' is "$(stat -c %a "$dir/report.json")" 600
s doctor --bundle "$dir/report.json"
t 'a report that is there is not overwritten' fails 5 'already there'
if [ "$kind" = sqlite ]; then
    chmod 755 "$dir/data$stores"
    s doctor --fix
    t 'a folder that others can look into is closed' prints 'fixed folder'
    t 'and is' is "$(stat -c %a "$dir/data$stores")" 700
fi

# --- The configuration in an editor ------------------------------------------------------------

yaml=$HOME/.config/skein/skein.yaml
put() { printf 'cat >"$1" <<END\n%s\nEND\n' "$1" >"$dir/editor"; EDITOR="sh $dir/editor"; export EDITOR; }
put 'log:
  level: warn'
s config edit
t 'a file is made where there was none' prints "Wrote $yaml."
s config get log.level
t 'and counts' is "$out" warn
put 'log:
  level: loud'
s config edit
t 'one with a mistake is refused' fails 2 'the file has mistakes'
t 'and the mistake named' complains ':2:10: log.level is "loud"'
t 'the old one stays' grep -q 'level: warn' "$yaml"
t 'and what was written is kept' grep -q 'level: loud' "$yaml.edited"
s config edit
t 'which is not overwritten' fails 5 'from an earlier edit'
rm "$yaml.edited"
ln -s "$dir/real.yaml" "$yaml.link"
mv "$yaml" "$dir/real.yaml" && mv "$yaml.link" "$yaml"
chmod 640 "$dir/real.yaml"
put 'log:
  level: info'
must config edit
t 'a link stays a link' test -L "$yaml"
t 'and its file keeps who may read it' is "$(stat -c %a "$dir/real.yaml")" 640
t 'with the new text' grep -q 'level: info' "$dir/real.yaml"
EDITOR=false
s config edit
t 'an editor that fails changes nothing' fails 5 'nothing was changed'
s config edit --no-input
t 'without input there is no editor' fails 2 'opens an editor'
unset EDITOR
rm "$yaml" "$dir/real.yaml"

# --- Other names ------------------------------------------------------------------------------

must conv new --title "first title"
s conv rename "first title" "second title"
t 'a conversation gets another title' prints 'is now called second title.'
s conv show "first title"
t 'and is not found by the old one' gave 3
s conv rename "second title" "a$(printf '\033')b"
t 'a title with a control character is refused' fails 2 'title'
s -n conv rename "second title" third
t 'a dry run renames nothing' prints 'Would rename the conversation'
s conv rename "second title" "" --json=title,id
chat=$(first id)
t 'an empty title takes it away' prints '"title":null'
must conv rm "$chat" -y
s conv rename ada:background plan
t "an agent's own conversation has no title" fails 2 'named after its agent'
must world new other
s -w launch world rename launch other
t 'a name that is taken is refused' fails 5 'other'
must world rm other -y
must world rename launch landing
s world ls --json=name
t 'a world has its new name' is "$out" '[{"name":"landing"}]'
must world rename landing launch

# --- A world in which nothing was said ----------------------------------------------------------

fresh
must world new silent
shown= quiet=
for words in log timeline tree history 'lane ls' 'queue ls' 'files ls'; do
    # shellcheck disable=SC2086
    s $words
    gave 0 && complains 'Nothing to show: no conversation is open in this world. Begin one: skein conv new' && [ -z "$out" ] || shown="$shown $words"
    # shellcheck disable=SC2086
    s $words --json
    [ "$words" = timeline ] || { gave 0 && [ "$out$err" = '[]' ]; } || quiet="$quiet $words"
done
t 'what shows a conversation says that there is none yet' is "$shown" ''
t 'and to programs that there is nothing' is "$quiet" ''
s timeline --json
t 'in the form that is theirs' is "$out" '{"lane":"main","items":[],"counts":{"events":0,"items":0,"messages":0},"lastActivityAt":null,"version":"main:0:","delegations":{}}'
s tree M1
t 'a message that is named is still not there' fails 3 'has no conversation yet'
s show M1
t 'nor is it shown' fails 3 'has no conversation yet'
echo '{"role":"user","sender":"human","content":"first"}' >"$dir/in"
s append -n <"$dir/in"
t 'a dry run makes no conversation' fails 3 'has no conversation yet'
s append <"$dir/in"
t 'what is appended makes the first conversation' complains '1 stored.'
s log --json=content
t 'and is in it' is "$out" '[{"content":"first"}]'
s log --json
cp "$dir/out" "$dir/list"
s tag on absent
t 'a tag that is not there is defined by what the hint says' fails 3 'tag new absent'
must conv ls --json=id
must conv rm "$(first id)"
s append <"$dir/in"
t 'where all are archived, another one' complains '1 stored.'

fresh
must world new first
s append <"$dir/list"
t 'the list that log prints can be appended' complains '1 stored.'

# --- Which world is current ---------------------------------------------------------------------

fresh
must world new first
must world new second
s status
t 'a world that is made is the default' prints 'current  second  (default)'
s agent new ada
s agent ls -w second --json=name
t 'and what follows happens in it' is "$out" '[{"name":"ada"}]'
s world use nowhere
t 'a world that is not there cannot be used' fails 3 'there is no world "nowhere"'
s world use first -n
t 'a dry run uses none' prints 'Would make first the default'
s world use first
t 'another one can be the default' prints 'The default is the world first now.'
s status --json=current
t 'which a program can read' is "$out" '{"current":{"world":"first","chatId":null,"by":"default"}}'
must world rename first prime
s status
t 'a default that gets another name stays it' prints 'current  prime  (default)'
must conv new --title plan
must conv new --title talk -w second
s log -c talk
t 'a conversation of another world is found by its title' gave 0

mkdir -p "$dir/clone/deep/er"
printf 'world: second\nconversation: talk\n' >"$dir/clone/.skein.yaml"
cd "$dir/clone/deep/er"
s status
t 'a .skein.yaml above names world and conversation' prints "current  second, conversation talk  ($dir/clone/.skein.yaml)"
s status -w prime
t 'an option goes before it' prints 'current  prime, conversation plan  (-w)'
SKEIN_WORLD=prime
export SKEIN_WORLD
s status
t 'and so does SKEIN_WORLD' prints 'current  prime, conversation plan  (SKEIN_WORLD)'
unset SKEIN_WORLD
s world use prime
t 'a default that is not in force says so' complains "Here the world is still \"second\", which is named by $dir/clone/.skein.yaml."
printf 'server: http://127.0.0.1:9/\nworld: second\ntoken: abc\n' >"$dir/clone/.skein.yaml"
s status
t 'it cannot say where messages and tokens go' complains "$dir/clone/.skein.yaml:1: \"server\" is ignored"
t 'and each such line is named once' is "$(printf '%s\n' "$err" | grep -c warning)" 2
t 'while its world is used' prints 'current  second, conversation talk'
printf 'world: [a, b]\n' >"$dir/clone/.skein.yaml"
s log
t 'a world must be a name' fails 2 '"world" must be a name'
printf 'world: {' >"$dir/clone/.skein.yaml"
s log
t 'a file that cannot be read is a failure, not another world' fails 2 "$dir/clone/.skein.yaml"
printf 'world: gone\n' >"$dir/clone/.skein.yaml"
s log
t 'it is said who named a world that is not there' complains "The world is named by $dir/clone/.skein.yaml."
printf 'world: second\n' >"$dir/clone/.skein.yaml"
s send 'into the other world'
t 'what is said into its world says which that is' complains "To the world \"second\", which is named by $dir/clone/.skein.yaml."
s send -w prime 'into the one that is named'
t 'but not where the world was named' is "$err" 'No server runs here: it is stored, and nobody answers.'
s conv show nowhere
t 'commands that are told hold its world' complains '"skein -w second conv ls"'

# What others can have written chooses no world.
chmod 666 "$dir/clone/.skein.yaml"
s status
t 'one that others can write is passed over' prints 'current  prime, conversation plan  (default)'
t 'and that is told once' is "$(printf '%s\n' "$err" | grep -c "^Passed over: others can write \"$dir/clone/.skein.yaml\" (0666).\$")" 1
s status -w prime
t 'but not where it would not count' is "$err" ''
chmod 644 "$dir/clone/.skein.yaml"
mv "$dir/clone/.skein.yaml" "$dir/clone/deep/real.yaml"
ln -s deep/real.yaml "$dir/clone/.skein.yaml"
s status
t 'so is a link' complains "Passed over: \"$dir/clone/.skein.yaml\" is a link."
rm "$dir/clone/.skein.yaml"
printf 'world: [' >"$dir/clone/.skein.yaml"
chmod 1777 "$dir/clone"
s status
t 'one in a folder that others can write into is passed over' prints 'current  prime, conversation plan  (default)'
t 'and its folder named' complains "$dir/clone/.skein.yaml is passed over: others can write into the folder \"$dir/clone\" (1777)."
rm "$dir/clone/.skein.yaml"
printf 'world: second\n' >"$dir/.skein.yaml"
s status
t 'nothing above such a folder counts' prints 'current  prime, conversation plan  (default)'
t 'no note is printed about it' is "$err" ''
chmod 755 "$dir/clone"
s status
t 'a folder above that is the own counts' prints 'current  second'
if [ "$(id -u)" = 0 ]; then
    chown 65534 "$dir/.skein.yaml"
    s status
    t 'a file of another user is passed over' complains "Passed over: \"$dir/.skein.yaml\" belongs to the user"
    chown 0 "$dir/.skein.yaml"
    chown 65534 "$dir/clone"
    s status
    t 'a folder of another user ends the search' prints 'current  prime, conversation plan  (default)'
fi
rm "$dir/.skein.yaml"
cd "$dir"

finish
