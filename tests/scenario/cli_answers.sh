#!/bin/sh
# cli_answers.sh: what a command says and how it ends fits what it did.
. "$(dirname "$0")/lib.sh"

quiet() { [ -z "$err" ]; }
silent() { [ -z "$out" ]; }
matches() { printf '%s\n' "$1" | grep -q "$2"; }
# on_terminal WORD…: runs the program with a terminal as its output; leaves $out and $rc.
# `script` prints nothing at all where there are no pseudo-terminals, so it has to prove itself.
has_terminal=$(script -qec 'test -t 1 && echo yes' /dev/null </dev/null 2>/dev/null | tr -d '\r') || true
on_terminal() {
    line=$SKEIN
    for word in "$store" "$@"; do
        line="$line '$word'"
    done
    rc=0
    out=$(script -qec "$line" /dev/null </dev/null) || rc=$?
}

# --- Without a store --------------------------------------------------------------------------

printf '{"role":"user","content":"hello"}\n' >"$dir/talk.jsonl"
export TMPDIR="$dir/tmp"
mkdir "$TMPDIR"
s import "$dir/talk.jsonl" -n
t 'a dry run of an import needs no store' gave 0
t 'it reports what is in the file' prints 'will get new ones'
s world ls
t 'and makes none' gave 3
t 'nothing is left of it' is "$(ls "$TMPDIR")" ''
if [ "$kind" = pg ]; then
    t 'a missing store is named by its schema' complains "schema \"cli_$$_1\""
    t 'and by the option that chooses it' complains '--db'
fi

# --- Success is success -----------------------------------------------------------------------

must world new launch --description 'To the moon'
must agent new ada --prompt 'You are Ada.'
must agent new lead
must conv new --title Plan
cat >"$dir/in" <<'END'
{"messageId":"a-1","role":"user","content":"one"}
{"messageId":"a-2","role":"assistant","sender":"lead","content":"two","replyToMessageId":"a-1"}
{"messageId":"a-3","role":"user","content":"three"}
{"messageId":"a-4","role":"assistant","sender":"ada","content":"four","toolCalls":[{"toolCallId":"c1","toolName":"look","args":{}}]}
{"messageId":"a-5","role":"tool","sender":"look","content":"five","toolCallId":"c1"}
{"messageId":"a-6","role":"user","content":"six"}
END
s append <"$dir/in"
t 'appending says how many are new' complains '6 stored. Take them back with "skein rm --from a-1"'
s append <"$dir/in"
t 'the same again says that it was there' complains '0 stored, 6 were there already.'
t 'and does not advise to remove it' is "${err%--from*}" "$err"
printf '{"messageId":"a-7","content":"seven"}\n' >>"$dir/in"
s append <"$dir/in"
t 'only what is new is to be taken back' complains '1 stored, 6 were there already. Take it back with "skein rm --from a-7"'
s search three --json=id,text
t 'a search that finds exits with 0' gave 0
t 'and complains of nothing' quiet
t 'id and text are names of fields too' is "$out" '[{"id":"a-3","text":"three"}]'
s search three --json=position
t 'what was not read from a version has no place' is "$out" '[{"position":null}]'
s search three --json
t 'also among all fields' prints '"position":null'
must amend a-1 -m eins
must amend a-3 -m drei
s undo 9
t 'more steps than there are take back all there are' gave 0
t 'and say how many' prints '2 steps'
t 'and complain of nothing' quiet
s redo 9 --json
t 'the same for bringing back' gave 0
s show a-3
t 'where a message stands is said with the version that has it' prints 'role user, not in this version (position 2 in v2), '
t 'and with all of them' prints 'only in v2, v1'
must lane new
printf '{"messageId":"a-8","role":"assistant","sender":"ada","content":"aside"}\n' >"$dir/aside"
must append --lane main.1 <"$dir/aside"
s show a-8
t 'what is not in the main lane has no position in it' prints 'role assistant, not in the main lane, '
s show a-8 --json
t 'nor has it in JSON' prints '"position":null'
must undo
must redo
must undo 9
if [ "$kind" = sqlite ] && [ "$(id -u)" != 0 ]; then
    chmod -R a-w "$dir/data1"
    for words in 'log' 'search three' 'tree' 'history' 'stats' 'context' 'fsck' 'export' 'timeline'; do
        # shellcheck disable=SC2086
        s $words
        t "a store that may only be read answers $words" gave 0
        t "and $words does not complain" is "${err%error*}" "$err"
    done
    chmod -R u+w "$dir/data1"
fi

# --- Output that is lost ----------------------------------------------------------------------

rc=0
"$SKEIN" "$store" amend a-1 -m eins --json >/dev/full 2>"$dir/err" || rc=$?
err=$(cat "$dir/err") out=
t 'a change whose answer is lost is a failure' fails 1 'the change was made, but writing the output failed'
t 'that must not be tried again' complains '"retryable":false'
must undo
s append --json <<'END'
{"content":7}
END
t 'a failed append prints no list' silent
t 'its place in the line is named once' complains 'line 1: \"content\" must be a text'
printf '{"content":\n' >"$dir/bad"
s append <"$dir/bad"
t 'a broken line is named once' fails 2 'error: line 1, column '
printf '{"role":"user","content":"x"}\n{"content":\n' >"$dir/bad.jsonl"
s import "$dir/bad.jsonl"
t 'a broken line of a file is named once too' fails 2 '": line 2, column '
{ printf '{"role":"user","content":"'; head -c 17000000 /dev/zero | tr '\0' x; printf '"}\n'; } >"$dir/long.jsonl"
s import "$dir/long.jsonl"
t 'why nothing of a file can be imported is said' fails 2 'line 1 was dropped: the text is 17000000 bytes'
rm "$dir/long.jsonl"
s import "$dir/nowhere" --json
t 'a failed import prints no list' silent

# --- Control characters -----------------------------------------------------------------------

must conv new --title Escapes
printf '{"content":"red \\u001b[31m alert \\u009b5m \\u202e"}\n' >"$dir/bad"
must append <"$dir/bad"
esc=$(printf '\033')
s export
t 'an export for people shows what an escape is' prints '␛[31m'
t 'and has none' lacks "$esc"
s export --json
t 'one for programs has every character' prints '\u001b[31m'
s show @ --json=content
t 'what would turn or command a terminal is an escape in JSON' prints '\u009b5m \u202e'
if [ "$has_terminal" = yes ]; then
    on_terminal export
    t 'a terminal gets an export without escapes' lacks "$esc"
    t 'but with what was said' prints '[31m alert'
    on_terminal export -f mermaid
    t 'the same for a drawing' lacks "$esc"
    on_terminal tree --mermaid
    t 'and for a drawing of the tree' lacks "$esc"
fi
must conv use Plan

# --- Files ------------------------------------------------------------------------------------

s export -n -o "$dir/plan.md"
t 'a dry run of an export says so' prints 'Nothing was changed'
t 'and writes nothing' test ! -e "$dir/plan.md"
must export -o "$dir/plan.md"
echo mine >"$dir/plan.md"
s export -o "$dir/plan.md"
t 'a file that is there is not replaced' fails 5 'is already there'
t 'it stays as it was' is "$(cat "$dir/plan.md")" mine
must export -o "$dir/plan.md" -y
t 'with -y it is' is "$(grep -c mine "$dir/plan.md")" 0
s export -f json
t 'the world of an export has its agents' prints '"agents":[{"id"'
t 'and its chats' prints '"chats":[{"id"'

work=$HOME/.local/share/skein/files
[ "$kind" = pg ] || work=${store#--data=}/files
mkdir -p "$work"
printf 'int one(void)\n{\n    return 1;\n}\n' >"$work/a.c"
top=$(pwd)
cd "$work" || exit 1
s files add nowhere.c
t 'a file that is not there is not added' fails 3 'nowhere.c'
s files add ../in
t 'nor one outside of the folder' fails 2 '../in'
s files add a.c 'fun two'
t 'nor an item that is not in it' gave 3
t 'which is named' complains 'two'
s files ls --json
t 'nothing was added' is "$out" '[]'
must files add a.c 'fun one'
cd "$top" || exit 1

# --- Changes ----------------------------------------------------------------------------------

s squash a-3 a-1 --join -n
t 'texts are joined in the order of the conversation' prints 'human: one

    human: three'
s squash a-4 --by-hand -m short --json
t 'a call is squashed with its result' prints '"sourceMessageIds":["a-4","a-5"]'
must undo
s squash a-1 --by-hand -m short
t 'one message alone is not' fails 2 'two messages or more'
for words in 'send' 'amend a-1 -m' 'edit a-1 -m' 'insert --end -m'; do
    # shellcheck disable=SC2086
    s $words '  '
    t "blanks are nothing to $words" gave 2
done
printf '{"role":"user","content":"part"}\n' >"$dir/part"
must append --lane main.1 <"$dir/part"
must append --lane main.1 <"$dir/part"
s log --lane main.1 --json=id
part=$(first id)
s rm --from "$part" -n
t 'a removal in a delegation says so before' prints 'from 1 delegation'
s rm --from "$part"
t 'and after' prints 'Removed 0 messages from the main lane, and from 1 delegation.'
must undo

for words in 'amend a-1 -m x' 'rm a-1' 'rm --from a-3' 'edit a-3 -m x' 'move a-1 --end' \
    'squash a-1 a-2 --join' 'insert --end -m x' 'switch v2' 'world rm launch' 'agent rm ada' \
    'conv rm Plan' 'conv use Plan' 'branch a-2' 'send x' 'purge a-1' 'files rm a.c'; do
    # shellcheck disable=SC2086
    s $words -n --json
    t "a dry run of $words says that it is one" prints '"dryRun":true'
done
s amend a-1 -m x -n --json=id,version
t 'also when fields are chosen, without ids that will never be' is "$out" '{"dryRun":true,"id":null,"version":null}'

# --- References -------------------------------------------------------------------------------

s log -v v1.2 --json id
t 'a version can be read while it was shorter' is "$out" '[{"id":"a-1"},
{"id":"a-2"}]'
s log -v v1.99
t 'but not longer than it is' fails 3 'v1 has 7 messages, not 99'
s show v1.2 --json
t 'such a version can be shown' prints '"length":2'
s branch v1.2 --json
t 'and branched from' prints '"messageCount":2'
t 'a branch has a title of its own' is "$(first title)" 'Plan (branch)'
s show a-1 --json=id,text
t 'a message is shown with chosen fields' is "$out" '{"id":"a-1","text":"'"$("$SKEIN" "$store" show a-1 --raw)"'"}'
s show v1 --json length
t 'a version too' is "$out" '{"length":7}'
s show ada --json=name,lead
t 'and an agent' is "$out" '{"name":"ada","lead":null}'
s show v1 --json=content
t 'each has its own' fails 2 '"content\" is not a field of a version'
s show a-1 --json=systemPrompt
t 'which are named' complains '"fields":"messageId,'
must agent new model
s show --json model
t 'a word that a command needs is not a field' prints '"name":"model"'
must agent rm model -y
s show ada
t 'an agent is shown with what it is told' prints 'You are Ada.'
s world ls
t 'worlds are listed with what they hold' prints '2 agents, 3 conversations  To the moon'

# --- Problems ---------------------------------------------------------------------------------

s log --json id,tekst
t 'an unknown field behind --json lists the known ones' fails 2 'messageId,chatId'
problem() {
    sentence=$1 code=$2
    shift 2
    s "$@" --json
    t "$sentence" complains "\"code\":\"$code\""
}
problem 'a world that is not there' WORLD_NOT_FOUND -w lanch log
t 'may be meant to be another' complains '"didYouMean":"launch"'
s -w lanch log
t 'which is said in words too' fails 3 'Did you mean "launch"?'
t 'with the worlds that there are' complains ' launch'
t 'and how to make the one that was named' complains 'Make it with "skein world new lanch"'
problem 'a chat that is not there' CHAT_NOT_FOUND -c nowhere log
problem 'a message that is not there' MESSAGE_NOT_FOUND amend zzzz9999 -m x
problem 'an agent that is not there' AGENT_NOT_FOUND agent show leed
t 'an agent may be meant to be another' complains '"didYouMean":"lead"'
problem 'a version that is not there' VERSION_NOT_FOUND switch v99
problem 'a conversation that has moved on' VERSION_CONFLICT rm a-1 --expect v1.1
t 'where it stands now is told' complains '"current":"t_'
must rm a-1 --key k-1
problem 'a key for another request' IDEMPOTENCY_MISMATCH rm a-2 --key k-1
t 'has a status of its own' complains '"status":422'
must undo
for name in you tool system assistant summary human; do
    s agent new "$name"
    t "no agent can be called $name" fails 2 "\"$name\""
done
must purge a-6 -y
s purge a-6 -y
t 'what was erased before is not a failure' gave 0
t 'and is said so' prints 'erased before'
printf '{"role":"assistant","sender":"lead","content":"to nobody","seenByAgents":[]}\n' >"$dir/bad"
must append <"$dir/bad"
s log
t 'no line of a log ends with a blank' is "$(printf '%s\n' "$out" | grep -c ' $')" 0
if [ "$kind" = sqlite ]; then
    head -c 20000 "$dir/data1/skein.db" >"$dir/cut.db"
    s "--db=sqlite:$dir/cut.db" fsck
    t 'a file that is cut is damaged' gave 8
    t 'and is not to be checked by what just checked it' is "${err%run*fsck*}" "$err"
    must backup -o "$dir/changed.db"
    LC_ALL=C sed -i 's/to nobody/to anyone/' "$dir/changed.db"
    s "--db=sqlite:$dir/changed.db" fsck
    t 'a text that changed is damage' gave 8
    t 'with the invariant that it breaks' prints 'unchanged: A stored message never changes'
    t 'and where' prints '    the text of message "'
fi

# --- The width of the terminal ------------------------------------------------------------------

if [ "$has_terminal" = yes ]; then
    fresh
    must world new wide
    must conv new
    must send --no-wait "$(printf 'several words that are broken between and never inside of them\n\n    kept, indented')"
    out=$(script -qec "stty cols 30; '$SKEIN' '$store' log" /dev/null </dev/null | tr -d '\r' | tail -n +2)
    t 'log breaks texts between words, at the width of the terminal' is "$out" "$(printf '    several words that are\n    broken between and never\n    inside of them\n\n        kept, indented')"
    rows() { out=$(script -qec "stty cols $1; '$SKEIN' '$store' --color=never $2" /dev/null </dev/null | tr -d '\r'); }
    rows 40 timeline
    t 'timeline breaks texts between words, at the width of the terminal' is "$(printf '%s\n' "$out" | sed -n '3,$p')" "$(printf '      that are broken between and never\n      inside of them')"
    rows 56 tree
    t 'tree cuts a text between words where the terminal ends' matches "$(printf '%s\n' "$out" | head -n 1)" '^you   several words that are broken…  [^ ]*  [0-9:]*$'
    rows 120 tree
    t 'and uses all of its width' matches "$(printf '%s\n' "$out" | head -n 1)" '^you   several words that are broken between and never inside of them  [^ ]*  [0-9:]*$'
    must edit @you --no-wait -m "$(printf 'several words that are marked between and never inside of them\n\n    kept, indented')"
    rows 48 diff
    t 'diff breaks texts between words, at the width of the terminal' is "$(printf '%s\n' "$out" | sed 's/ [^ ]* you/ ID you/' | head -n 4)" "$(printf '%s\n' '- ID you    several words that are' '    [-broken-] between and never inside of them' '+ ID you    several words that are' '    {+marked+} between and never inside of them')"
    must world new broad --description 'several words that are broken between and never inside of them'
    rows 32 'world ls'
    t 'a list breaks its rows between words, at the width of the terminal' is "$(printf '%s\n' "$out" | sed -n '/^broad/,/of…/p' | tr '\n' '|')" 'broad                 0 agents,|    0 conversations  several|    words that are broken|    between and never inside of…|'
    s world ls
    t 'and stays whole for a program' prints '  several words that are broken between and never inside of'
    must world rm broad -y
    mkdir "$dir/pager"
    printf '#!/bin/sh\necho "$*" >"%s"\nexec cat >/dev/null\n' "$dir/pager/args" >"$dir/pager/less"
    chmod +x "$dir/pager/less"
    script -qec "PAGER= PATH='$dir/pager':\$PATH '$SKEIN' '$store' log" /dev/null </dev/null >/dev/null
    t 'log opens the pager at its end' is "$(cat "$dir/pager/args")" '-FIRX +G'
    rm "$dir/pager/args"
    script -qec "stty rows 200 cols 80; PAGER= PATH='$dir/pager':\$PATH '$SKEIN' '$store' --color=never log" /dev/null </dev/null | tr -d '\r' >"$dir/out"
    t 'what fits on the terminal needs no pager' test ! -e "$dir/pager/args"
    t 'and is printed all the same' grep -q 'several words that are marked' "$dir/out"
    script -qec "stty rows 3 cols 80; PAGER= PATH='$dir/pager':\$PATH '$SKEIN' '$store' log" /dev/null </dev/null >/dev/null
    t 'what does not fit does' is "$(cat "$dir/pager/args")" '-FIRX +G'
    script -qec "PAGER= PATH='$dir/pager':\$PATH '$SKEIN' '$store' history" /dev/null </dev/null >/dev/null
    t 'other lists at their beginning' is "$(cat "$dir/pager/args")" '-FIRX'
fi

finish
