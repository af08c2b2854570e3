#!/bin/sh
# cli_changes.sh: every change makes a version, says so, and can be taken back.
. "$(dirname "$0")/lib.sh"

must world new launch
must agent new lead
must agent new ada
must conv new --title Plan
cat >"$dir/in" <<'END'
{"messageId":"a-1","role":"user","content":"one"}
{"messageId":"a-2","role":"assistant","sender":"lead","content":"two","replyToMessageId":"a-1"}
{"messageId":"a-3","role":"user","content":"three"}
{"messageId":"a-4","role":"assistant","sender":"ada","content":"four","toolCalls":[{"toolCallId":"c1","toolName":"look","args":{}}]}
{"messageId":"a-5","role":"tool","sender":"look","content":"five","toolCallId":"c1"}
{"messageId":"a-6","role":"user","content":"six"}
END
must append <"$dir/in"

texts() {
    s log "$@" --json=content
    every content
}
all='one two three four five six'

t 'the conversation stands as it was stored' is "$(texts)" "$all"

# --- Amend ------------------------------------------------------------------------------------

s amend a-1 -m eins -n
t 'a dry run of an edit says so' prints 'Nothing was changed'
t 'and changes nothing' is "$(texts)" "$all"
s amend a-1 -m eins
t 'an edit makes v2' prints 'v1 → v2'
t 'an edit says how to take it back' prints 'Undo with "skein undo"'
t 'an edit keeps the rest' is "$(texts)" 'eins two three four five six'
t 'the old version stays' is "$(texts -v v1)" "$all"
s show a-1 --json
t 'the old message is still found' is "$(first content)" one
s show a-1
t 'and says where it is' prints 'only in v1'
s log --json=messageId,originalIds -n 6
new=$(first messageId)
t 'the new message names the old one' prints '"originalIds":["a-1"]'
s tree --json=messageId,parentMessageId
t 'a reply to the old text hangs on the new one' prints "{\"messageId\":\"a-2\",\"parentMessageId\":\"$new\"}"
s diff v1..v2
t 'the difference shows both texts' prints '+ '
s diff --json
t 'the difference of the last change as JSON' prints '"kind":"replaced"'
s diff v1..v2 --exit-code
t 'a difference can be the exit status' gave 10
s diff v2 v2 --exit-code
t 'no difference is 0' gave 0
(
    fresh
    must world new words
    must conv new
    must send --no-wait "$(printf 'The price is 5 000 euros.\nNothing else is new.\nPay it in May.')"
    must amend @you -m "$(printf 'The price is 7 000 euros.\nNothing else is new.\nPay it in June, or later.')"
    s diff
    printf '%s\n' "$out" | sed 's/ [^ ]* you/ ID you/' >"$dir/plain"
    s diff --color=always
    printf '%s\n' "$out" >"$dir/coloured"
)
t 'diff marks the changed words as git does, and leaves out lines that are the same' is "$(head -n 4 "$dir/plain")" "$(printf '%s\n' '- ID you    The price is [-5-] 000 euros.' '    … Pay it in [-May.-]' '+ ID you    The price is {+7+} 000 euros.' '    … Pay it in {+June, or later.+}   (amended)')"
t 'with colours instead of brackets where there are any' grep -q "The price is $(printf '\033')\[31m5$(printf '\033')\[0m 000 euros" "$dir/coloured"
s search one --json
t 'search finds what is only in an old version' prints '"version":1,"inCurrent":false'
s search one
t 'and says so' prints 'not in this version, but in v1'
s search one --current --json
t 'but not when only current versions are asked for' is "$out" '[]'

# --- Undo, redo, switch -----------------------------------------------------------------------

s undo -n
t 'a dry run of undo says where it would go' prints 'Would go from v2 to v1'
s undo --json
t 'undo goes back' is "$(first version)" v1
t 'undo says where it was' is "$(first previousVersion)" v2
t 'and how much moved' prints '"returning":1,"leaving":1,"sideEffects":0'
t 'the old text is back' is "$(texts)" "$all"
s redo
t 'redo says how to take it back' prints 'skein undo'
t 'and what came and went' prints '1 message returns, 1 leaves.'
t 'redo brings the edit back' is "$(texts)" 'eins two three four five six'
s switch v1 -n
t 'a dry run of switch says where it would go' prints 'Would go from v2 to v1.'
s switch v1
t 'a switch says how to come back' prints 'skein switch v2'
must undo
t 'a switch can be undone' is "$(texts)" 'eins two three four five six'
must switch v1
s history --json
t 'the history lists versions, newest first' is "$(every version)" 'v2 v1'
s history --graph
t 'the graph marks the current version' prints 'v1  now'

# --- rm, insert, move, squash -----------------------------------------------------------------

s rm a-5 --json
t 'a result goes with its call' is "$(texts)" 'one two three six'
must undo
s rm a-2 a-3
t 'two messages are removed' is "$(texts)" 'one four five six'
must undo
s insert --before a-3 -m between
t 'a message is put in between' is "$(texts)" 'one two between three four five six'
must undo
s move a-6 --before a-1
t 'a message is moved' is "$(texts)" 'six one two three four five'
must undo
s move a-1 --end
t 'a message is moved to the end' is "$(texts)" 'two three four five six one'
must undo
s squash a-1 a-2 --by-hand -m short --json
sq=$(first squashOperationId)
t 'a squash names its sources' prints '"sourceMessageIds":["a-1","a-2"]'
t 'a squash stands for them' is "$(texts)" 'short three four five six'
s show "$sq"
t 'a squash can be shown' prints 'by hand'
s log -n 5 --json=messageId
result=$(first messageId)
s show "$result" --origin
t 'its message says what it was made from' prints 'a-2'
must undo
s squash a-1 a-2 --join
t 'texts can be joined' prints 'squashed 2 messages'
must undo
t 'after all that the conversation is as it was' is "$(texts)" "$all"

# --- Removal and edit -------------------------------------------------------------------------

s rm --from a-3 -n --json
t 'a dry run counts what would go' prints '"count":4'
t 'and by whom it was said' prints '"byAgent":{'
s rm --from a-3 -n
t 'a dry run lists what would go' prints '  you      three'
s rm --from a-3 --json
t 'a removal answers like the server' prints '"success":true,"messageId":"a-3"'
t 'it says how many went' prints '"messagesRemovedTotal":4'
t 'nothing was sent instead' is "$(first resubmissionStatus)" skipped
t 'the message and all after it are gone' is "$(texts)" 'one two'
t 'also from the memory of an agent' is "$(texts --agent ada)" 'one two'
must undo
t 'a removal can be undone' is "$(texts)" "$all"
s redo
t 'tool calls that go are told, after it happened' prints '1 tool call in v'
t 'they were not undone' prints 'may have changed something outside: it was not undone.'
must undo --key again
s undo --key again -n
t 'what was not counted is not told' lacks '-1'
t 'only where it went' prints 'Would go from v'
s undo --key again --json
t 'nor as JSON' lacks '"returning"'
s edit a-3 -m drei --json
t 'an edit sends again' is "$(first resubmissionStatus)" success
t 'all after it is gone' is "$(texts)" 'one two drei'
must undo
t 'an edit can be undone in one step' is "$(texts)" "$all"

# --- Branch, append to an old version ---------------------------------------------------------

s branch a-2 -m 'what if' --json
other=$(first id)
t 'a branch is a conversation of its own' is "$(first title)" 'what if'
t 'it ends with the message it was made from' is "$(texts -c "$other")" 'one two'
must send more -c "$other" --no-wait
t 'what is said there stays there' is "$(texts)" "$all"
must amend a-1 -m eins
must undo
must send seven --no-wait
t 'after an undo the talk goes on' is "$(texts)" "$all seven"
s redo
t 'and there is nothing to redo' gave 5

# --- Conditions -------------------------------------------------------------------------------

s conv show --json
now=$(printf '%s' "$out" | sed 's/.*"version":\([0-9]*\).*"messageCount":\([0-9]*\).*/v\1.\2/')
s rm a-2 --expect v1.1
t 'a state that has passed refuses the change' fails 5 'has moved on'
s rm a-2 --expect "$now" --key k1 --json
t 'the state that is allows it' gave 0
made=$(first version)
s rm a-2 --expect "$now" --key k1 --json
t 'the same key again gives the first outcome' is "$(first version)" "$made"
must undo
s rm a-2 --expect "$now" --key k1
t 'after an undo it says that this was done already' prints "This was done already and made $made: "
t 'and that nothing was changed' prints 'Nothing was changed now.'
t 'nothing was' is "$(texts)" "$all seven"
must rm --from a-3 --key k2
s rm --from a-3 --key k2
t 'so does a removal of all that follows' prints 'This was done already and made v'
must undo

# --- Compaction -------------------------------------------------------------------------------

s compact -m 'They counted to six.' --covers 6 --json
summary=$(first messageId)
t 'a compaction is a message' is "$(first role)" summary
s context --json
t 'the context begins with the summary' prints '"coveredLength":6'
t 'and has the text of the summary' prints 'They counted to six.'
s log --json=messageId
t 'nothing was removed' prints a-1

# A summary of a memory is a line in the main lane; it stays where it came, whatever is reworded before it.
must world new memories
must agent new ada -w memories
must conv new --title notes -w memories
for word in one two three; do must send "$word" -w memories; done
must compact --agent ada -m 'Counted.' --covers 2 -w memories
must send four -w memories
must amend @~1 -m third -w memories
s log -w memories
t 'a summary stands where it was made' is "$(printf '%s\n' "$out" | sed -n -e 's/^    \([a-z]*\)$/\1/p' -e 's/^  ─ .*/summary/p' | tr '\n' ' ')" 'one two third summary four '
s log -n 2 -w memories
t 'also in the end of the log' prints '  ─ ada: the first 2 messages are summarised'
must world rm memories -y

# --- Purge ------------------------------------------------------------------------------------

must world new gone
must send -w gone draft
for i in $(seq 22); do must amend @ -m "text $i" -w gone; done
s purge --unreachable -n -w gone
t 'what is out of reach is counted before it goes' is "$(printf '%s\n' "$out" | head -n 1)" '22 messages that the current version does not hold:'
t 'listed, with who said it and its words' is "$(printf '%s\n' "$out" | sed -n '2,4s/^[^ ]* *//p')" "$(printf 'you    %s\n' draft 'text 1' 'text 2')"
t 'and the rest of a long list counted' is "$(printf '%s\n' "$out" | tail -n 2)" "$(printf '%s\n' 'and 2 more' 'Would erase 22 messages. Nothing was changed.')"
must purge --unreachable -y -w gone
s purge --unreachable -n -w gone
t 'what was erased before is not listed again' is "$out" "$(printf '%s\n' '0 messages that the current version does not hold' 'Would erase 0 messages. Nothing was changed.')"
must world rm gone -y
must world new deaf
must agent new ada -w deaf
must conv new -w deaf
s compact --agent ada -m "so far" -w deaf
t 'an agent that has heard nothing has nothing to summarise' complains 'there is nothing to compact in this lane'
must world rm deaf -y
must world new left
must agent new ada -w left
must send "a secret" -w left
must agent rm ada -y -w left
s purge @ -n -w left
t 'what an agent heard that is gone can be erased: a dry run' prints 'Would erase 1'
must agent new ada -w left
s purge @ -y -w left
t 'and the erasure, though another agent has the name' gave 0
s show @ --raw -w left
t 'which leaves no text' is "$out" ''
must world rm left -y
s purge a-3
t 'erasure without a terminal needs a yes' fails 2 'Confirm with -y'
s purge a-3 -n
t 'a dry run of an erasure erases nothing' prints 'Would erase 1'
t 'and shows what would go' prints 'a-3  '
t 'with its text' prints '  three'
t 'the text is still there' is "$(s show a-3 --raw; echo "$out")" three
copies=$dir/data$stores/backups
mkdir -p "$copies" && : >"$copies/skein-20260101T000000Z.db"
s purge a-3 -y
t 'an erasure is done' gave 0
[ "$kind" != sqlite ] || t 'copies that it does not reach are named' complains "Backups that were made before still have it: $copies"
rm -r "$copies"
t 'a summary that may have words of it is named' complains "A summary covers a-3 and stays: skein purge $summary"
s show a-3 --raw
t 'an erased text is gone' is "$out" ''
s log --oneline
t 'its place stays' prints '[erased]'
s search three --json
t 'search does not find it' is "$out" '[]'
t 'a search without a hit exits with 1' gave 1
s send "a secret" --json
source=$(first messageId)
must send "told to many"
s squash "$source" @ --join --json=resultMessageId
made=$(first resultMessageId)
s purge "$source" -y
t 'what was made of it is named' complains "A squash was made of $source and stays: skein purge $made"
must purge "$made" -y
s purge "$source" -y
t 'until it is erased too' is "$err" ''
must purge --unreachable -y
s fsck
t 'the store is sound after all this' gave 0

# --- What was removed --------------------------------------------------------------------------

fresh
must world new launch --description "to the moon"
must agent new ada
must conv new --title plan --json
plan=$(first id)
must append <<'END'
{"content":"said before"}
END
s conv ls --removed
t 'no conversation was archived' is "$out" 'No conversation is archived.'
must conv rm plan -y
s conv ls
t 'one that was removed is not listed' lacks "$plan"
s conv ls --removed
t 'but among those that were' prints "$plan"
t 'with its title' prints plan
s conv ls --archived --json=id,title
t 'and as JSON' is "$out" "[{\"id\":\"$plan\",\"title\":\"plan\"}]"
s -c "$plan" log
t 'what was said in an archived conversation can be read' prints 'said before'
s search before
t 'and found' prints 'said before'
t 'with the word that it is archived' prints '  archived'
s search before --archived no
t 'unless archived ones are left out' lacks 'said before'
s search before --archived only --json=archived
t 'they alone can be searched' is "$out" '[{"archived":true}]'
s search before --archived perhaps
t 'a word that is none is refused' fails 2 'is yes, no or only'
s -c "$plan" send --no-wait more
t 'nothing is said there' fails 5 "skein conv restore $plan"
s conv show "$plan"
t 'it is shown as archived' prints 'archived: it can be read'
s conv restore nosuch -n
t 'a dry run looks whether it is there' fails 3 'no conversation "nosuch" was removed here'
s conv restore "$plan" -n
t 'and says what it would do' prints "Would bring the conversation $plan back"
must conv restore "$plan"
s conv ls --removed --json
t 'until it is brought back' is "$out" '[]'
s world ls --removed
t 'no world was removed' is "$out" 'No world was removed.'
s world rm launch -y
t 'how to bring a world back is said' prints 'skein world restore launch'
s world ls --removed
t 'a world that was removed is listed' prints 'launch'
t 'with what it was for' prints 'to the moon'
s world ls --removed --json
t 'and as JSON with its agents' prints '"name":"ada"'
gone=$(first id)
s world restore nosuch
t 'it must have been removed' fails 3 'no world "nosuch" was removed here'
s world restore nosuch -n
t 'also for a dry run' fails 3 'no world "nosuch" was removed here'
must world new launch
s world restore launch
t 'its name may be taken' fails 5 "skein world restore $gone --as NAME"
s world restore launch --as moon -n
t 'a dry run brings none' prints 'Would bring'
must world rm launch -y
s world restore launch
t 'two may have had the name' fails 5 'Name its id'
s world restore "$gone" --as moon
t 'by its id it is meant alone' prints 'The world moon is back'
s -w moon log
t 'with what was said' prints 'said before'
must world restore launch
s world ls --removed --json
t 'then none is left' is "$out" '[]'
must world rm moon -y
must world new moon
s world restore moon --as stars
t 'whose name is taken comes back with another' prints 'The world stars is back'
must world rm moon -y
must world rename stars moon
must -w moon conv new --title travels
printf '%s\n' '{"messageId":"t-1","content":"one"}' '{"messageId":"t-2","content":"two"}' >"$dir/travels"
must -w moon append <"$dir/travels"
must -w moon amend t-1 -m eins
must -w moon rm t-2
must -w moon switch v1
s -w moon undo
t 'a switch that is taken back is called one' prints 'Took back: the switch to v1.'
must -w moon switch v2
s -w moon undo
t 'also where an edit made the version' prints 'Took back: the switch to v2.'
s -w moon redo
t 'and when it is brought back' prints 'Brought back: the switch to v2.'
printf '%s\n' '{"content":"three"}' '{"content":"four"}' >"$dir/travels"
must -w moon append <"$dir/travels"
s -w moon undo
t 'messages that leave with an undo are told' prints '2 newer messages are in v2: "skein -w moon log -v v2" shows them, "skein -w moon redo" brings them back.'
s -w moon redo
s -w moon undo 2
t 'the way back from several steps is as long' prints 'Bring it back with "skein -w moon redo 2".'
s -w moon redo 2
t 'and leads there' prints 'Undo with "skein -w moon undo 2".'
s -w moon undo
(
    fresh
    must world new back
    must send --no-wait hello
    must rm @
    must switch v1
    s undo
    printf '%s\n' "$out" >"$dir/older"
    must switch v1
    must send --no-wait again
    s switch v2
    printf '%s\n' "$out" >"$dir/newer"
)
t 'what was there before the version that is gone back to is not called newer' is "$(sed -n '/newer/p' "$dir/older")" ''
t 'what was said since it was left is' is "$(sed -n 's/:.*//; /newer/p' "$dir/newer")" '1 newer message is in v1'
must -w moon conv new --title calls
printf '%s\n' '{"messageId":"k-1","role":"user","content":"look"}' '{"messageId":"k-2","role":"assistant","sender":"ada","content":"","toolCalls":[{"toolCallId":"c1","toolName":"look","args":{}}]}' >"$dir/calls"
must -w moon append <"$dir/calls"
s -w moon rm --from k-1 -n
t 'a dry run names the tools of a message that only calls them' prints '  ada      calls look'
s fsck
t 'all is well in the store' gave 0
# --- Commands that are told can be pasted --------------------------------------------------------

fresh
must world new other
must world new "launch"
must world use other
must -w launch agent new ada
must -w launch conv new --title "a plan"
must -w launch send --no-wait one
must -w launch send --no-wait two
mkdir "$dir/paste"
ln -s "$SKEIN" "$dir/paste/skein"
# pasted: every command in quotes in what was just printed, run by a shell as it stands.
pasted() {
    told=$(cat "$dir/out" "$dir/err" | grep -o '"skein [^"]*"' | tr -d '"')
    [ -n "$told" ] || return 1
    printf '%s\n' "$told" | while IFS= read -r line; do
        case $line in *…*) exit 1 ;; esac
        (cd "$dir" && PATH=$dir/paste:$PATH && eval "$line -y") >"$dir/pasted" 2>&1 </dev/null || { cat "$dir/pasted"; exit 1; }
    done
}
s -w launch amend @ -m 'two, in other words'
t 'the undo that a change tells of can be pasted' pasted
s -w launch undo
t 'it was taken back' fails 5 'nothing to undo'
t 'what to do about a message instead can be pasted' pasted
s -w launch undo
t 'and was a change' gave 0
must -w launch conv new --title untouched
s -w launch -c untouched undo
t 'where nothing was said there is nothing to remove' is "$err" 'error: there is nothing to undo'
s -w launch -c 'a plan' rm @
t 'also with a conversation that has blanks' pasted
must -w launch agent new bo
t 'the way back from a new agent too' pasted
s -w launch agent show bo
t 'it is gone' gave 3
s -w launch world set turnLimit 7
t 'so can what shows a setting of a world' pasted
t 'which names the world' prints '"skein -w launch world show"'
s -w launch world set turnLimit null --json=turnLimit
t 'null restores the turns that a world has by default' prints '{"turnLimit":8}'
must -w launch world set compactAt 20
s -w launch world set compactAt null --json=compactAt
t 'and when it is summarised' prints '{"compactAt":50}'
must -w launch conv new --title shelf --json
shelf=$(first id)
must -w launch conv rm "$shelf" -y
s -w launch -c "$shelf" status
t 'of an archived conversation status says that nobody answers' prints 'current  launch, conversation shelf, archived: nobody answers in it  (-w)'
s -w launch conv show nowhere
t 'advice of a failure can be pasted' pasted
if [ "$kind" = pg ]; then
    address=$(printf '%s' "${store#--db=}" | sed 's|//|//skein@|; s|&user=skein||')
    for login in skein skein:planted; do
        "$SKEIN" "--db=$(printf '%s' "$address" | sed "s|//skein@|//$login@|")" -w launch -c 'a plan' amend @ -m "by $login" >"$dir/out" 2>"$dir/err"
        t "a database at which $login signs in is named, without a password" grep -qF "\"skein --db='$address' -w launch -c 'a plan' undo\"" "$dir/out"
        t 'and that can be pasted' pasted
    done
fi
must world rm other -y
must world new third
for words in 'conv show nowhere' 'log -c nowhere'; do
    s $words
    t "where no world is named, that of $words too" pasted
done
must world rm third -y
must world restore other
s -w launch queue rm nothing
t 'also a command that is named by its noun alone' pasted
t 'which has its place' complains '"skein -w launch queue" lists those that do'
s conv ls -w lanch
t 'and names what is needed' complains 'skein world new lanch'
s -w launch log -v 'v1, v2'
t 'nothing is left out of advice' sh -c 'case $1 in *…*) exit 1 ;; esac' - "$err"
source=$(cd "$(dirname "$0")/../.." && pwd)
# printed_as_it_is: statements that print a command by what does not add the place.
printed_as_it_is() {
    for file in "$source"/src/cli/*.c "$source"/src/cli/commands/*.c; do
        tr '\n' ' ' <"$file" | sed 's/;/;\n/g' |
            grep -E '(skn_print_(raw|colour|line|text|block)|skn_clean_add|fprintf|fputs)\(.*"([^"]*[^a-z/."])?(\\")?skein [a-z]' |
            grep -v 'skn_pasteable' || true
    done
}
t 'no command in the source is printed without its place' is "$(printed_as_it_is)" ''
t 'no advice in the source has a gap' is "$(grep -rn 'skein [a-z][^"]*…' "$source/src/cli" "$source/src/engine" "$source/src/api" "$source/src/http" --include='*.c' | grep -v '/\*')" ''

# --- What a message is called ---------------------------------------------------------------------

fresh
must world new names
must agent new ada
must conv new
must append <<'END'
{"messageId":"abcd-first-0001","role":"user","sender":"human","content":"one"}
{"messageId":"abcd-second-0002","role":"assistant","sender":"ada","content":"two"}
{"messageId":"abcd-third-0003","role":"user","sender":"human","content":"three"}
{"messageId":"abcd-fourth-0003","role":"assistant","sender":"ada","content":"four"}
END
s show @you --raw
t '@you is what you said last' is "$out" three
s show @ada --raw
t '@ada is what ada said last' is "$out" four
s show @bo
t 'who said nothing has no latest message' fails 3 'is of "bo"'
s show 0002 --raw
t 'the end of an id is as good as its beginning' is "$out" two
s show 0003
t 'when it is of one alone' fails 2 'is the end of several messages: "abcd-fourth-0003", "abcd-third-0003"'
s show 'd-0002^'
t 'and says of a reply what was asked' fails 3 'message "abcd-second-0002" replies to nothing'
s show 002
t 'and has four characters' gave 3
must edit -m 'three again' -y
s log --json=content
t 'edit without an id is of your last message' is "$(every content)" 'one two three again'

# --- The editor -----------------------------------------------------------------------------------

# `script` prints nothing at all where there are no pseudo-terminals, so it has to prove itself.
has_terminal=$(script -qec 'test -t 1 && echo yes' /dev/null </dev/null 2>/dev/null | tr -d '\r') || true
# edited EDITOR WORD…: runs the program at a terminal with this editor; leaves $out and $rc.
edited() {
    line="EDITOR='$1' '$SKEIN' '$store'"
    shift
    rc=0
    out=$(script -qec "$line $*" /dev/null </dev/null | tr -d '\r') || rc=$?
}
if [ "$has_terminal" = yes ]; then
    printf ': >"$1"\n' >"$dir/empties"
    for editor in true "sh $dir/empties"; do
        for command in 'edit @you' 'amend @you' 'insert --end'; do
            edited "$editor" "$command"
            t "$command in \"${editor%% *}\" says that nothing was done" prints 'unchanged; nothing was done'
        done
    done
    s history --json
    t 'and nothing was' is "$(every version)" 'v2 v1'
    printf 'echo more >>"$1"\n' >"$dir/adds"
    edited "sh $dir/adds" 'amend @you'
    t 'what was changed there counts' prints 'v2 → v3'
fi

finish
