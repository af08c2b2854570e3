#!/bin/sh
# agents.sh: the tour in five steps, and the commands for agents at work: inbox, inspect, agent, task, provider, model.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/server.sh"

start_server --no-delay
s world show tour --json
t 'the tour has a lead and two who work for it' is "$(every lead)" 'lead lead'
stop_server

# start_said WORD…: what a server says when it starts; it is ended then.
start_said() {
    rc=0
    rm -f "$dir/said"
    "$SKEIN" "$store" serve --no-open --listen 127.0.0.1:0 "$@" >"$dir/said" 2>"$dir/log" &
    server=$!
    until_true file_has "$dir/said" "${until_text:-http://}"
    kill "$server"
    wait "$server" 2>/dev/null
    server=
    out=$(cat "$dir/said") err=$(cat "$dir/log")
}
start_said
t 'the model is named' prints 'Model     demo/scripted: canned replies, no AI, works offline'
t 'what was looked for is told' prints 'looked for keys in 7 environment variables: none set'
t 'what was not looked for is not' lacks 'looked on this computer'
ANTHROPIC_API_KEY=sk-ant-planted-0123456789 start_said
t 'a key that is set is named' prints 'ANTHROPIC_API_KEY is set: not contacted until you pick it'
t 'and not shown' lacks planted
start_said --demo
t 'with --demo nothing is looked for' lacks 'looked'
until_text='readyMs' start_said --json
t 'the same as JSON' prints '"model":"demo/scripted","found":{"servers":[],"keys":[]}'

mkdir -p "$HOME/.config/skein"
printf 'secrets:\n  env:\n    ABSENT_API_KEY: ["127.0.0.1:9"]\n' >"$HOME/.config/skein/skein.yaml"
start_server --no-delay
must world ls --json=description
t 'the tour does not say who answers: a model of this computer may' lacks 'no AI'
idle() { "$SKEIN" "$store" -w tour world show --json | grep -q '"isProcessing":false'; }
inbox_has() { "$SKEIN" "$store" inbox ls --json | grep -q -F -- "$1"; }

# 1: hello to everyone.
s send 'Hello everyone!'
t 'step 1: three agents answer' gave 0
for name in lead ada bo; do
    t "$name greets" prints "$name"
done

# 2: a delegation, and one below it.
s send '@lead plan a launch'
t 'step 2: the lead delegates and concludes' prints 'Done: the script settles on Thursday.'
t 'what is said below it names where' prints '  main.1  '
t 'and so further down' prints '  main.1.1  '
s show main.1 --json
t 'main.1 is of ada, and done' prints '"agent":"ada"'
t 'done' prints '"state":"done"'
s show main.1.1
t 'main.1.1 is below it' prints 'My canned criticism'
s timeline
t 'the timeline has both' prints 'main.1.1'
s stop main.1
t 'what is over cannot be stopped' fails 5 'main.1'
s retry main.1
t 'nor tried again when it succeeded' fails 5 'main.1'
s stop main.9
t 'there must be one' fails 3 'main.9'

# 3: edit and undo.
s send '@lead 3'
t 'step 3: the lead says how' prints 'skein undo'
s edit @~1 -m '@lead 1' -y
t 'an edit waits for the answer' prints '1 agent idle after'
t 'and shows it' prints 'lead  '
must undo
s log -n 2
t 'an edit can be taken back' prints '@lead 3'

# 4: squash by a model.
s send '@lead 4'
t 'step 4: the lead says how' prints 'skein squash'
s squash @ @~1 -m 'Merge these.' -n
t 'a preview is written by the model' prints 'followed the instruction "Merge these."'
t 'and changes nothing' prints 'Nothing was changed'
s squash @ @~1 -m 'Merge these.'
t 'a squash is made' prints 'squashed 2 messages into'
t 'and says by whom' prints 'By demo/scripted'
must show @ --json
t 'the message in their place says where it is from' prints '"squashOperationId":"sq_'
id=$(first squashOperationId)
s show "$id" --json
t 'the prompt is kept' prints '"prompt":"Merge these."'
must undo
s squash @ @~1 -m 'Merge these.' --json
t 'as JSON' prints '"model":"demo/scripted"'
must undo
s squash @ @~1 -m x --expect v1.1
t 'conditions are for what is done here' fails 2 '--by-hand'

# 5: background work and a briefing.
s send '@lead let it be done in the background'
t 'step 5: the lead hands it on' prints 'Ada has a task in her background now'
t 'a briefing comes' until_true inbox_has 'The tour worked in the background'
until_true idle

s inbox
t 'the inbox lists it' prints 'The tour worked in the background'
t 'under its heading' prints 'BRIEFINGS AND NEWS'
t 'and nothing beside it' lacks 'The system'
t 'nor what was not briefed' lacks 'has finished a task'
s inbox --needs-me
t 'it needs nobody' prints 'Nothing needs you.'
s inbox --exit-code
t 'so the exit status is 0' gave 0
s inbox ls --json
item=$(first id)
s inbox show "$item" -n --json
t 'a look with -n leaves it unread' prints '"readAt":null'
s inbox show 1
t 'it can be shown by its number' prints 'A canned briefing of the scripted demo.'
s inbox show "$item" --json
t 'and is read then' lacks '"readAt":null'
s inbox reply "$(printf %.9s "$item")" hello there
t 'a briefing can be answered' prints 'Sent to lead as'
until_true idle
s log -c lead:foreground
t 'the answer is in the conversation with the agent' prints 'hello there'
s inbox snooze "$item" 2h
t 'it can be hidden' prints 'is hidden until'
s inbox
t 'and is' lacks "$item"
must inbox snooze "$item" off
s inbox done "$item"
t 'it can be done' prints "$item is done"
t 'and how to take that back can be pasted' grep -q "skein $quoted inbox reopen $item\"" "$dir/out"
s inbox ls --done
t 'done ones are kept' prints "$item"
s inbox reopen "$item"
t 'that can be taken back' prints 'open again'
s inbox done 1 2
t 'all that are named must be there' fails 3 '"2"'
s inbox
t 'before one of them is done' prints "$item"
must inbox done 1
s inbox reopen 1
t 'what is reopened is counted in the list of what is done' prints "$item is open again"
s inbox snooze "$item" soon
t 'a time is a time' fails 2 '"soon"'
s inbox show in_nosuchitem
t 'an item must be there' fails 3 in_nosuchitem

# The work behind it.
s inspect lead
t 'background work can be seen' prints 'Subordinate ada reports:'
t 'with its calls of tools' prints 'calls create_inbox_item'
s inspect ada --session 1
t 'a piece of it' prints 'Task of the tour:'
s inspect ada --session 99
t 'which must be there' fails 3 99
s inspect bo
t 'one who did nothing says so' prints 'nothing in the background yet'
s inspect ada --json
t 'as JSON' prints '"sender":"ada"'
s inspect
t 'somebody must be named' fails 2 'name an agent'
s inspect --call @
t 'a call of a model is found by its message' prints 'demo/scripted'
s inspect --call @ --saw
t 'what the model saw is shown' prints '"messages":[{"role":"user"'
t 'and that it is a script' prints 'canned answers'
s inspect --call @ --raw
raw=$out
must show @ --raw
t 'what it answered is the message' is "$raw" "$out"
s inspect --call call_nosuch
t 'a call must be there' fails 3 call_nosuch

# Agents and tasks.
must agent pause lead
s agent task lead Look at the tides.
t 'a task is given' prints 'lead has the task'
s agent tasks lead --status pending --json
t 'it waits while the agent is paused' prints '"content":"Look at the tides."'
task=$(first id)
s agent show lead --json
t 'who is paused says so' prints '"state":"paused","detail":null,"pendingTasks":1,"paused":true'
s task show "$task"
t 'a task can be shown' prints 'Look at the tides.'
s task cancel "$task" -n
t 'and would be cancelled' prints 'Would cancel'
s task cancel "$task"
t 'and is' prints 'Cancelled'
s task ls --json=id,status
t 'which is kept' prints "{\"id\":\"$task\",\"status\":\"cancelled\"}"
s task show task_nosuch
t 'a task must be there' fails 3 task_nosuch
must agent resume lead
s agent task lead -n x
t 'a dry run gives none' prints 'Would give'
s agent tell ada 'hi ada' --from lead --expect-reply
t 'an agent is told something' prints 'Told ada as'
answered() { "$SKEIN" "$store" inspect lead | grep -q 'ada answers your question'; }
t 'and its answer comes back' until_true answered
until_true idle
s agent timer lead 15m
t 'a timer can be set' prints 'every 15m'
s agent show lead --json
t 'and is' prints '"runEvery":900000'
must agent timer lead off
s agent timer lead never
t 'a time is a time there too' fails 2 never
s agent wake bo
t 'an agent can be woken' prints 'bo looks'
worked() { "$SKEIN" "$store" inspect bo | grep -q '(scripted)'; }
t 'and does something then' until_true worked
s agent edit bo --prompt 'You criticise.' --model demo/scripted --tools recall,remember --json
t 'an agent can be changed' prints '"systemPrompt":"You criticise.","model":"demo/scripted","lead":"lead","tools":["recall","remember"]'
s agent show bo
t 'it is shown what it is held to' prints 'tools: recall, remember'
s agent edit bo --tools recall,nosuch
t 'a tool must be there' fails 2 'no tool "nosuch"'
s agent edit bo --tools ''
s agent show bo
t 'it may have none' prints 'tools: none'
s agent edit bo --lead '' --tools all --json
t 'and parts of it removed' prints '"lead":null,"tools":null'
s agent show bo
t 'or all of them' prints 'tools: all'
must agent edit bo --max-tokens 800
must agent show bo
t 'how long an answer may be is shown' prints 'tokens of an answer: at most 800'
t 'and changes nothing else' prints 'tools: all'
s agent edit bo --max-tokens none
t 'it is a number' fails 2 'must be a whole number from 1 to 1000000000, or default'
must agent edit bo --max-tokens default --json
t 'and may be left to the model again' prints '"maxTokens":null'
must agent edit bo --set topP=0.5 --set effort=low --set 'stop=["END"]' --json
t 'other settings of its model are set by their names' prints '"topP":0.5,"maxTokens":null,"stop":["END"],"seed":null,"effort":"low"'
must agent edit bo --set topP= --set effort= --set stop= --json
t 'and taken back' prints '"topP":null,"maxTokens":null,"stop":null,"seed":null,"effort":null'
s agent edit bo --set heat=1
t 'one that there is not is refused' fails 2 'is nothing that an agent has'
s agent edit bo --set effort
t 'a setting has a value' fails 2 'must be like topP=0.9'
s agent edit bo
t 'something must change' fails 2 '--prompt'
for name in null none demo /x demo/; do
    s agent edit bo --model "$name"
    t "\"$name\" is not a model" fails 2 "\"$name\" is not a model"
done
s agent edit bo --model nosuch/x
t 'a model has a provider that is there' fails 3 'there is no provider "nosuch"'
t 'those there are, are listed' complains 'There are: demo'
s agent new cy --model nosuch/x
t 'also for a new agent' fails 3 'there is no provider "nosuch"'
s agent show bo --json
t 'the model stays' prints '"model":"demo/scripted"'
s agent edit bo --model default --json
t 'an agent can go back to the model of all' prints '"model":null'
s agent show bo
t 'which is shown, and that it is that' prints '  demo/scripted (default)'
s agent ls
t 'as in a list' prints '  demo/scripted (default)'
must agent edit bo --model demo/scripted
s agent show bo
t 'a model of its own is not' lacks '(default)'
must agent edit bo --model ''
s agent show bo --json
t 'an empty one is none' prints '"model":null'
s agent memory lead
t 'memory is empty at first' prints 'has no notes'

# Settings of a world, and a tool that needs a word.
s world set monthlyTokens 100000 --json
t 'a setting of a world' prints '"monthlyTokens":100000'
s world set approvals.demo_lookup ask --json
t 'one more beside it' prints '"settings":{"monthlyTokens":100000,"approvals":{"demo_lookup":"ask"}}'
s world set approvals.demo_lookup maybe
t 'what it may be is checked' fails 2 approvals
s world set aprovals x
t 'a name must be known' fails 2 'Did you mean "approvals"?'
printf '{"demo_lookup":"ask"}' >"$dir/approvals.json"
s world set approvals "$dir/approvals.json" --json
t 'an object can stand in a file' prints '{"demo_lookup":"ask"}'
s send --no-wait '@lead look up tides'
t 'the agent asks' until_true inbox_has '"type":"approval"'
s inbox --exit-code
t 'somebody is needed' gave 10
t 'and told so' prints 'NEEDS YOU'
s inbox ls --needs-me --json
item=$(first id)
s inbox allow 1
t 'a number is not enough to decide by' fails 2 "the item's id"
s inbox reply "$item" yes
t 'words are none' fails 2 'inbox allow'
s inbox done "$item"
t 'what waits for a decision is not put away' fails 5 'waits for a decision'
s inbox allow "$item"
t 'it may' prints 'lead may call demo_lookup'
until_true idle
s inbox reopen "$item"
t 'nor is one that is decided opened again' fails 5 'was answered'
s log -n 1
t 'and goes on' prints 'Its result is demo data'
must send --no-wait '@lead look up stars'
until_true inbox_has '"type":"approval"'
must inbox ls --needs-me --json
must inbox deny "$(first id)"
until_true idle
s log -n 2
t 'or may not' lacks 'is known here only by name'
s world set approvals null
t 'a setting that is taken away is said to be removed' prints 'approvals of tour is removed'

# Files of a conversation: what is added is what models are sent.
place=$HOME/.local/share/skein/files
[ "$kind" = pg ] || place=${store#--data=}/files
mkdir -p "$place"
printf 'the tide table\n' >"$place/tides.txt"
must files add tides.txt
must send '@lead hello'
s inspect --call @ --saw
t 'a file of the conversation is sent to the model' prints 'the tide table'
mkdir "$place/more"
yes 'one line of a long file' | head -n 20000 >"$place/more/long.txt"
s files add more/long.txt
t 'a file that is cut says so when it is added' complains 'more/long.txt: cut after line '
printf 'int one(void) { return 1; }\n' >"$place/more/a.c"
must files rm more/long.txt
must files add more/a.c 'fun one'
must files add more/a.c '1:1'
printf 'int two(void) { return 2; }\n' >"$place/more/a.c"
must files add more/long.txt
must send '@lead hello'
s inspect --call @ --saw
t 'a missing item is named to the model' prints '(fun one: there is no '
t 'the others are given to it' prints 'return 2;'
t 'a cut file is named to it' prints '(cut after line '
must files rm more/long.txt
must files rm more/a.c
must files rm tides.txt

# Summaries.
s compact -n
t 'what a summary would cover' prints 'Would let a model summarise the first'
s compact
t 'a summary by a model' prints 'A canned summary of the scripted demo'
s show @
t 'lists what it stands for' prints 'of main:'
t 'message by message' prints 'Hello everyone!'
s show @ --json
t 'as JSON' prints '"coveredMessageIds":["'

# Providers and models.
s provider ls
t 'the scripted one is there' prints 'demo'
t 'and gives the model of all' prints 'default model demo/scripted'
s provider test demo
t 'and answers' gave 0
s model ls
t 'with its model' is "$out" 'demo/scripted  (default)'
s model ls nosuch
t 'of a provider that is there' fails 3 'there is no provider "nosuch"'
s model ls --json
t 'as JSON' prints '"model":"demo/scripted","contextWindow":null,"windowFrom":null,"default":true'
s model ls --json=model,default
t 'with chosen fields' is "$out" '[{"model":"demo/scripted","default":true}]'
for wrong in 'office --type openai-compatible' 'office --type nonsense' 'OFFICE/1 --type ollama' 'demo --type ollama' 'office --type openai --base-url ftp://nowhere' \
    'office --type openai --key-env HOME'; do
    s provider add $wrong
    really="$rc $err"
    s provider add $wrong -n
    t "a dry run refuses what is refused: $wrong" is "$rc $err" "$really"
    t 'which it is' test "$rc" != 0
done
s provider add office --type openai-compatible --base-url http://127.0.0.1:9/v1 -n
t 'one that is all right adds nothing' prints 'Would add the provider office'
s provider login office -n
t 'as can be seen' fails 3 'there is no provider "office"'
s provider add office --type openai-compatible --base-url http://127.0.0.1:9/v1
t 'a provider can be added' prints 'office'
s provider add office --type openai-compatible --base-url http://127.0.0.1:9/v1 -n
t 'once' fails 5 'there is a provider "office" already'
printf 'sk-planted-9876543210\n' >"$dir/key"
s provider login office <"$dir/key"
t 'and given a key' prints '3210'
t 'which is not shown' lacks planted
s provider show office --json
t 'not even as JSON' prints '"tail":"…3210"'
s provider login office </dev/null
t 'a key must be there' fails 2 'no key'
s provider test office
t 'one that does not answer' gave 6
t 'says so' prints unreachable
s provider rm office -y
t 'it can be forgotten' is "$out" 'Removed, with its key.'
s provider show office
t 'and is' fails 3 office
must provider add fk --type anthropic --base-url http://127.0.0.1:9 --key-env ABSENT_API_KEY
must model use fk/some
s send '@lead hello'
t 'who has no key is told' gave 4
t 'with how to give one' complains 'skein provider login fk'
must provider rm fk -y
must provider add office --type openai-compatible --base-url http://127.0.0.1:9/v1
s model use office/some
t 'a model for all' prints 'office/some answers for agents that name no model'
model_is() { "$SKEIN" "$store" send '@lead hello' >/dev/null 2>&1; "$SKEIN" "$store" inspect --call @ 2>/dev/null | grep -q "$1"; }
s send '@lead hello'
t 'is asked at once' gave 6
must agent edit bo --model office/own
s provider rm office
t 'who has it by name or as the default must be thought of' gave 2
t 'the default is named' prints 'office/some is the default. Without it these agents, which name no model, cannot answer:'
t 'with whom it concerns' prints '    tour: @lead, @ada'
t 'and so is who has a model of its own there' prints '    tour: @bo'
t 'what to say is said' complains 'Confirm with -y'
s provider rm office -n
t 'a dry run says so too' prints '    tour: @bo'
s provider show office
t 'it is still there' gave 0
must agent edit bo --model default
must model use auto
t 'and no longer' until_true model_is demo/scripted
must provider rm office -y
s model use office/some
t 'a provider must be there' fails 3 'there is no provider "office"'
s model use office/some -n
t 'also to try it' fails 3 'there is no provider "office"'
s config set defaults.model office/some
t 'or to set it by its name' fails 3 'there is no provider "office"'
s model use demo/scripted -n
t 'one that is there can be tried' prints 'Would let demo/scripted answer'
s model use nonsense
t 'a model has a provider' fails 2 'PROVIDER/MODEL'
t 'no key is in the log' sh -c '! grep -q planted "$1"' - "$dir/log"

# Without a server.
stop_server
s provider add office --type ollama -n
t 'trying to add a provider needs a server as adding one does' fails 3 'skein serve'
for command in 'provider ls' 'model ls' 'squash @ @~1 -m x' compact; do
    s $command
    t "$command needs a server" fails 3 'skein serve'
done
s inbox
t 'the inbox does not' gave 0
s agent task ada later
t 'nor a task' gave 0
t 'which says that nobody begins it yet' is "$err" 'No server runs here: ada begins when one does (skein serve).'
s inspect ada
t 'nor a look' prints '1 task waiting'
for command in 'agent wake ada' 'agent tell ada hello' 'agent timer ada 1h' 'agent wake ada --json'; do
    s $command
    t "so does $command" complains 'No server runs here: ada'
    s $command -n
    t 'not where nothing is done' is "$err" ''
done
s fsck
t 'all is well in the store' gave 0
finish
