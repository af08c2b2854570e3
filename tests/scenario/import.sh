#!/bin/sh
# import.sh: what docs/migrating.md tells to do, done: agent-world's folders through the program.
# Databases are in tests/store/test_import_agentworld.c; here one is only recognised.
. "$(dirname "$0")/lib.sh"

world=$dir/agent-world/lab
mkdir -p "$world/chats" "$world/agents/fern" "$world/agents/moss"
cat >"$world/config.json" <<'END'
{"id":"lab","name":"Lab","turnLimit":5,"currentChatId":"c1","createdAt":"2026-01-02T03:00:00.000Z"}
END
echo '{"id":"c1","name":"Soil plan"}' >"$world/chats/c1.json"
cat >"$world/agents/fern/memory.json" <<'END'
[{"role":"user","sender":"human","content":"which crop?","chatId":"c1","createdAt":"2026-01-02T03:04:05.000Z"},
 {"role":"assistant","sender":"fern","content":"beans","chatId":"c1","createdAt":"2026-01-02T03:04:06.000Z"}]
END
cat >"$world/agents/moss/memory.json" <<'END'
[{"role":"user","sender":"human","content":"which crop?","chatId":"c1","createdAt":"2026-01-02T03:04:05.000Z"}]
END

s import "$dir/agent-world" -n
t 'a dry run says what will be' gave 0
t 'how many ids it makes' prints '0 have message ids, 2 will get new ones'
t 'and what it guesses' prints '0 have reply links, 1 will be guessed from time and marked as guessed'
t 'and that it wrote nothing' prints 'Nothing was written (-n).'

s import "$dir/agent-world"
t 'then it is done' gave 0
t 'copies are one message' prints '1 were copies of a message in another agent'"'"'s memory'
t 'the world has its name' prints 'It is world "lab".'
must log --json
ids=$(every messageId)
t 'the guess is marked' prints '"warnings":["its reply link was guessed from time"]'
t 'who heard it is kept' prints '"seenByAgents":["fern","moss"]'
must export
t 'an export says it too' prints '[note: its reply link was guessed from time]'
must world show --json
t 'the turn limit is kept' prints '"turnLimit":5'

s import "$dir/agent-world"
t 'a second import says that it is there' fails 5 'world "lab" of'
s import "$world" --as other
t 'also under another name, and names the one that is there' fails 5 'world "lab" of'
must world ls --json=name
t 'and makes nothing' is "$(every name)" lab

fresh
must import "$world" --as copy
must log --json
t 'elsewhere it gets the same ids' is "$(every messageId)" "$ids"

# --- There and back ---------------------------------------------------------------------------

fresh
must world new home
must conv new --title talk
must send "is it said once?"
must log --json=instructions
said=$out
for format in jsonl json; do
    must export -f $format -o "$dir/there.$format"
    fresh
    must import "$dir/there.$format"
    must log --json=instructions
    t "what goes through $format and back is the same" is "$out" "$said"
done

if [ "$kind" = sqlite ]; then
    own=${store#--data=}/skein.db
    fresh
    must world new here
    s import "$own"
    t 'a store is not a file to import' fails 2 'is a skein store, not a file to import'
fi
printf 'SQLite format 3\0and then nothing' >"$dir/none.db"
s import "$dir/none.db"
t 'a file that only begins as a database is refused' fails 2 'is cut off'
must fsck
finish
