#!/bin/sh
# chat.sh: "skein chat" without a terminal: lines in, messages out.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/server.sh"

cat >"$dir/script.yaml" <<'END'
pace: 1
rules:
  - when: slowly
    do:
      - say: begun
      - wait: 600ms
      - say: ended
  - when: forever
    do:
      - say: begun
      - wait: 10m
  - when: it fails
    do:
      - fail: the line is down
  - when: two lines
    do:
      - say: "first\nsecond"
  - when: ask bo
    agent: ada
    do:
      - say: "@bo are you there?"
otherwise: "yes, says {agent}"
END

# c LINE…: a chat of these lines; leaves $out, $err and $rc.
c() {
    rc=0
    printf '%s\n' "$@" | "$SKEIN" "$store" chat -w launch >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
}
# shape: without ids and times.
shape() {
    printf '%s\n' "$out" | sed -e 's/\(tu_\|t_\)\{0,1\}P[A-Za-z0-9_-]\{9\}/ID/g' -e 's/2[0-9-]*T[0-9:.]*Z/TIME/g'
}

must world new launch
must agent new ada
start_server --script "$dir/script.yaml"

c 'hello'
t 'a line is a message, and its answer is printed' is "$(shape)" "$(printf '%s\n' 'you › hello  → ada' \
    'ada   ↪ you   TIME  ID · demo/scripted' '  yes, says ada')"
t 'a world without a conversation gets one' sh -c '"$1" "$2" conv ls | grep -q c_' - "$SKEIN" "$store"
t 'it ends well' gave 0
t 'and says how to come back' complains 'Come back with: skein chat launch --continue'
t 'also on the web' complains "On the web: ${url}w/launch/c/c_"
must agent new bo
c 'hello' '/undo'
t 'the example of the documents works' gave 0
t 'a command that cannot be says why' complains 'there is nothing to undo'
t 'all who are there answer' prints 'yes, says bo'
c '@bo slowly' '@ada and then'
t 'a line waits for the answers to the one before' is "$(shape | tail -n 5)" "$(printf '%s\n' '' '  ended' \
    'you › @ada and then  → ada, bo' 'ada   ↪ you   TIME  ID · demo/scripted' '  yes, says ada')"
c '@ada two lines' '' '   '
t 'lines of an answer stand under each other' prints '  first
  second'
t 'empty lines say nothing' is "$(printf '%s\n' "$out" | grep -c '^you')" 1
c '@ada it fails'
t 'a failure is told' prints 'ada failed: '
c ' /undo'
t 'behind a blank a slash is text' prints 'you › /undo'
printf '@ada no line end' | "$SKEIN" "$store" chat -w launch >"$dir/out" 2>"$dir/err"
out=$(cat "$dir/out")
t 'the last line needs no end' prints 'yes, says ada'

# --- Commands -------------------------------------------------------------------------------------

s log -n 1 --json -w launch
id=$(first messageId)
c '/reply @' '@bo I mean it' '@ada and this'
s log -n 4 --json -w launch
t 'a reply names what it answers' is "$(printf '%s\n' "$out" | sed -n 1p | grep -o '"replyToMessageId":"[^"]*"')" "\"replyToMessageId\":\"$id\""
t 'the next message does not' is "$(printf '%s\n' "$out" | sed -n 3p | grep -c '"replyToMessageId":null')" 1
c "/reply #$id @bo at once"
t 'it can be said in one line' prints 'you › @bo at once'
c '/reply none'
t 'what is not there is told' complains '"none"'
c '@bo before' '/edit @~1 @bo after' '/undo' '/redo'
t 'an edit is answered' prints 'you › @bo after'
t 'and tells its version' prints 'Now at v2.'
t 'undo and redo move' prints 'v1 → v2.'
t 'what takes it back can be typed here' prints 'undo with "/undo".'
t 'what brings it back too' prints 'Bring it back with "/redo".'
t 'and what shows what left' prints '"/log -v v2" shows them, "/redo" brings them back.'
t 'no command of a shell is told' lacks '"skein '
c '/history'
t 'history lists versions' prints 'v2  now  edit'
c '/switch v1' '/tree' '/log'
t 'switch makes one current' prints 'Now at v1 (was v2). Back with "/undo" or "/switch v2".'
t 'tree draws' prints 'unanswered'
c '/squash 1-2 "in short: hello"'
t 'squash takes a range' prints 'squash'
t 'and tells how to take it back' prints '"/undo"'
s log --json -w launch
t 'and its text stands for the messages' is "$(first content)" 'in short: hello'
must tag new careful -w launch
c '/tag careful' '@bo carefully' '@bo freely' '/tag none' '/tag'
t 'a tag goes with the next message' prints 'The next message carries "careful".'
t 'tags are listed' prints 'careful'
t 'one that is not defined is told' prints 'There is no tag "none"'
s log -n 4 --json -w launch
t 'with that one only' is "$(printf '%s\n' "$out" | grep -c '{"type":"careful"}')" 1
c '/inbox' '/inspect ada'
t 'the inbox can be seen' prints 'The inbox is empty.'
t 'and the background of an agent' prints 'nothing in the background yet'
c '/model demo/scripted' '@bo hm' '/model off'
t 'a model can be asked for' prints 'Messages from here on are for the model demo/scripted'
t 'and is left again' prints 'Every agent has its own model.'
c "/export $dir/talk.md"
t 'a chat can be exported' file_has "$dir/talk.md" 'in short: hello'
echo mine >"$dir/mine"
c "/export $dir/mine"
t 'a file that is there is left alone' is "$(cat "$dir/mine")" mine
t 'which is told, with what can be typed here' complains 'Name another file: /export FILE'
t 'and nothing is said to be written' lacks Written
c "/export $dir/nowhere/talk.md"
t 'neither is it where nothing can be written' lacks Written
t 'but why not' complains 'No such file or directory'
c '/stop nobody' '/reply nope x'
t 'what is hinted at works where it is pasted' is "$(grep -c '"skein --d[ab][^ ]* -w launch agent ls" lists' "$dir/err")" 1
t 'or typed' complains '"/log" shows ids.'
c '/squash 99-100 "x"'
t 'messages that are not there are told' complains 'has no message 99'
c '/search freely' '/show @'
t 'messages are found' prints 'freely'
c '/stop' '/queue' '/now'
t 'nobody is at work' prints 'Nobody is at work.'
t 'nothing waits' prints 'Nothing waits.'
c '/help'
for command in reply edit undo redo tree history switch squash tag model export stop retry queue now help quit; do
    t "help names /$command" prints "  /$command "
done
t 'and tells how a line with a slash is sent' prints 'Begin with a blank to send a line that starts with /.'
c '/undoo' '/zzzzz'
t 'a command that is none has a neighbour' prints 'There is no /undoo. Did you mean /undo?'
t 'or not' prints 'There is no /zzzzz. /help lists the commands.'
c '/quit' 'never said'
t 'quit ends it' is "$out" ''
c '/edit @' '/squash 1'
t 'what is missing is told' prints 'Use it like this: /edit @ TEXT'
c '@bo once' '/edit' '/edit @you @bo twice'
t 'without an id the last message is meant, and how it is named is told' prints 'Use it like this: /edit @you TEXT'
t 'which works' prints 'you › @bo twice'

# --- Places ---------------------------------------------------------------------------------------

s chat elsewhere </dev/null
t 'a world must be there' fails 3 '"elsewhere"'
printf 'just us\n' | "$SKEIN" "$store" chat launch --agent ada --model demo/scripted >"$dir/out" 2>"$dir/err"
out=$(cat "$dir/out")
t 'an agent has a conversation of its own' is "$(shape | head -n 1)" 'you › just us  → ada'
mkdir "$dir/paste"
ln -s "$SKEIN" "$dir/paste/skein"
# back: what the chat before says of how to come back, run by a shell as it stands.
back() {
    rc=0
    (PATH=$dir/paste:$PATH && eval "$(sed -n 's/^Come back with: //p' "$dir/err")") </dev/null >"$dir/out" 2>"$dir/back" || rc=$?
    out=$(cat "$dir/out") err=$(cat "$dir/back")
}
back
t 'which is come back to' prints 'you › just us'
t 'with the model that was chosen' complains '--agent ada --model demo/scripted --continue'
must conv show -w launch --json
usual=$(first id)
must conv new --title aside -w launch --json
aside=$(first id)
must conv new --title newer -w launch --json
newer=$(first id)
mkdir "$dir/folder"
printf 'world: launch\nconversation: %s\n' "$aside" >"$dir/folder/.skein.yaml"
(cd "$dir/folder" && echo '@ada in the folder' | "$SKEIN" "$store" chat >"$dir/out" 2>"$dir/err")
back
t 'so is the conversation that a folder names, from elsewhere' prints 'you › @ada in the folder'
must conv rm "$aside" -y -w launch
must conv rm "$newer" -y -w launch
must conv use "$usual" -w launch
rc=0
"$SKEIN" "$store" chat launch --continue </dev/null >"$dir/out" 2>"$dir/err" || rc=$?
out=$(cat "$dir/out")
t 'continue shows what was said' prints 'you › @bo hm'
must append -w launch <<'JSON'
{"role":"assistant","sender":"ada","content":"For your notes: it ends at noon."}
JSON
"$SKEIN" "$store" chat launch --continue </dev/null >"$dir/out" 2>"$dir/err"
out=$(cat "$dir/out")
t 'what is only remembered says so' is "$(shape | tail -n 2)" "$(printf '%s\n' 'ada   TIME   [in-memory, no reply]  ID' '  For your notes: it ends at noon.')"
s chat --json </dev/null
t 'a chat has no JSON' fails 2 'skein send --json'
s chat -n </dev/null
t 'and no dry run' fails 2 'skein send -n'

# --- Others -----------------------------------------------------------------------------------------

mkfifo "$dir/keys"
"$SKEIN" "$store" chat launch <"$dir/keys" >"$dir/beside" 2>&1 &
beside=$!
exec 4>"$dir/keys"
echo '@ada forever, the first' >&4
until_true file_has "$dir/beside" 'forever, the first'
must edit @ -w launch -m '@bo the second' -y --force
new=$(printf '%s\n' "$out" | sed -n 's/^Sent the edited message as \(.*\)\.$/\1/p')
t 'who waits is told that the message was edited' until_true file_has "$dir/beside" "was edited elsewhere, and $new took its place. /undo takes that back."
t 'and not to ask again' is "$(grep -c '/retry' "$dir/beside")" 0
t 'what took its place is shown' until_true file_has "$dir/beside" 'you › @bo the second'
until_true file_has "$dir/beside" 'yes, says bo'
echo '@ada ask bo' >&4
until_true file_has "$dir/beside" '@bo are you there?'
t 'what has to be answered does not' is "$(grep -c 'in-memory' "$dir/beside")" 0
echo '@bo the third' >&4
until_true file_has "$dir/beside" 'you › @bo the third'
echo '/rm @^' >&4
echo '/log' >&4
exec 4>&-
rc=0
wait "$beside" || rc=$?
t 'what is done in the chat itself is not told of others' is "$(grep -c elsewhere "$dir/beside")" 1
t 'and it ends well' gave 0

# --- Ends -----------------------------------------------------------------------------------------

env --default-signal=INT "$SKEIN" "$store" chat launch <"$dir/keys" >"$dir/beside" 2>&1 &
beside=$!
exec 4>"$dir/keys"
echo '@ada forever' >&4
until_true file_has "$dir/beside" '→ ada, bo'
kill -INT "$beside"
t 'an interrupt stops the agents' until_true file_has "$dir/beside" 'Stopped. What was written stays.'
t 'and says how to ask again' until_true file_has "$dir/beside" 'Ask again: /retry '
t 'and says what a second one does' until_true file_has "$dir/beside" 'Ctrl-C again leaves.'
kill -INT "$beside"
rc=0
wait "$beside" || rc=$?
t 'which leaves' gave 130
exec 4>&-

"$SKEIN" "$store" chat launch <"$dir/keys" >"$dir/beside" 2>&1 &
beside=$!
exec 4>"$dir/keys"
echo '@ada before' >&4
until_true file_has "$dir/beside" 'yes, says ada'
stop_server KILL
start_server --script "$dir/script.yaml" 4>&- # or it would keep the lines open
echo '@bo afterwards' >&4
t 'a chat goes on when the server comes back' until_true file_has "$dir/beside" 'yes, says bo'
exec 4>&-
rc=0
wait "$beside" || rc=$?
t 'and ends well' gave 0
t 'nothing is told twice' is "$(grep -c 'yes, says ada' "$dir/beside")" 1

stop_server
finish
