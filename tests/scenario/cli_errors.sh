#!/bin/sh
# cli_errors.sh: every mistake gets one clear line, a stable exit status, and changes nothing.
. "$(dirname "$0")/lib.sh"

# --- Words ------------------------------------------------------------------------------------

s hist
t 'an unknown command says which one may be meant' fails 2 'skein: "hist" is not a command. Did you mean "history"?'
s inbox nonsense
t 'nor is a verb that there is not' fails 2 '"inbox nonsense" is not a command'
s wrold ls
t 'a mistyped noun says so too' fails 2 'Did you mean "world"?'
s world
t 'a noun alone lists its verbs' fails 2 'needs one of: ls, new, use, show, set, tools, rename, rm, restore'
s log --onelin
t 'an unknown option says which one may be meant' fails 2 'Did you mean "--oneline"?'
s log -n
t 'an option without its value is refused' fails 2 '"-n" needs N'
s show
t 'a missing argument is named' fails 2 '"skein show" needs ID'
s undo 1 2
t 'an argument too many is named' fails 2 'does not take "2"'
s log --json=messageid
t 'an unknown field lists the known ones' fails 2 'messageId,chatId'
s log --json=messageid
t 'with --json the failure is one object' complains '"code":"USAGE"'
for words in 'log --bogus --json' 'log --bogus --json=id' 'nonsense --json' 'log -x --json' 'world nonsense --json' '--nonsense log --json'; do
    s $words
    t "also behind the mistake: $words" fails 2 '"code":"USAGE"'
done
s log --bogus -- --json
t 'but not where it is a word' fails 2 'skein: "--bogus" is not an option'
s rm --json=id
t 'where there are no fields that is said' fails 2 '"hint":"Write --json alone"'
for words in 'status --config /dev/zero' 'config check /dev/zero'; do
    rc=0
    "$SKEIN" $words >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
    t "a file without an end is refused: $words" gave 2
    t 'and what is wrong with it is told' sh -c 'cat "$1" "$2" | grep -q -F "/dev/zero: cannot be read: it is over 1 MB"' - "$dir/out" "$dir/err"
done
s serve --token-file /dev/zero
t 'a device is not a token' fails 2 'skein: "/dev/zero" is a device, no file'
t 'a pipe with an end is read' is "$(printf 'log:\n  level: warn\n' | "$SKEIN" config get log.level --config /dev/stdin)" warn
for option in data db server config; do
    s log --$option=
    t "an empty --$option is refused" fails 2 "skein: \"--$option\" is empty"
done
"$SKEIN" --data "$dir/$(printf 'x\377y')" log --json >"$dir/out" 2>"$dir/err"
t 'bytes that are no text do not stand in JSON' sh -c 'iconv -f UTF-8 -t UTF-8 <"$1" | grep -q "/x?y.* world new"' - "$dir/err"
deep=$dir/$(printf '%0200d' 0)
rc=0
"$SKEIN" --data "$deep" log >"$dir/out" 2>"$dir/err" || rc=$?
out=$(cat "$dir/out") err=$(cat "$dir/err")
t 'a store with a long name stands in what is told' fails 3 "Begin one with \"skein --data=$deep world new NAME\""
s export --world --format json
t 'a world is named' fails 2 '"--world" needs a name, not "--format"'
t 'all of one is something else' complains 'Use --whole-world for all of a world'
s --color=blue help
t 'a colour that is none is refused' fails 2 'auto, always or never'
s log
t 'reading makes no store' gave 3
if [ "$kind" = sqlite ]; then
    t 'reading says how to begin' complains 'skein world new'
    t 'no folder was made' test ! -e "$dir/data1"
fi

# --- Names ------------------------------------------------------------------------------------

must world new launch
if [ "$kind" = sqlite ]; then
    t 'the data folder is for its owner only' is "$(stat -c %a "$dir/data1")" 700
fi
s world new launch
t 'a taken name is a conflict' gave 5
s world new 'a b'
t 'a bad name is refused' gave 2
for n in 0 5000; do
    s world new limits --turn-limit "$n"
    t "a turn limit of $n is refused" fails 2 "\"$n\" is not a whole number from 1 to 1000 for"
    s world set turnLimit "$n" -w launch
    t 'also later' fails 2 "\"$n\" is not a whole number from 1 to 1000"
done
s log -n many
t 'a number must be one' fails 2 'is not a whole number'
s log --since yesterday
t 'a time must be one' fails 2 'is not a time'
s -w nowhere conv ls
t 'an unknown world is not found' gave 3
s conv restore nowhere
t 'nor was one removed that there never was' fails 3 '"skein conv ls --archived" lists those that were'
s conv use nowhere
t 'an unknown conversation is not found' gave 3
s log
t 'a world without conversations says how to make one' complains 'Begin one: skein conv new'
s world set mcpServers nowhere
t 'a setting that is an object says so' fails 2 'mcpServers takes a JSON object, the name of a file with one, or null'
t 'with an example' complains "skein world set mcpServers '{\"NAME\":"
s world set approvals 5
t 'and so does another' complains "skein world set approvals '{\"TOOL\":\"ask\"}'"
s world set monthlyTokens many
t 'a setting is named as it was typed' complains 'error: monthlyTokens must be a whole number'
s world set approvals.look maybe
t 'inside another, too' complains 'error: approvals/look must be "always", "ask" or "never"'
s task show nowhere
t 'a task that is not there says where they are' fails 3 '"skein task ls" lists them'
must agent new ada
s agent new bo --lead nobody
t 'an unknown lead is not found' gave 3
must conv new --title one
s send hello --to nobody
t 'an unknown agent is not found' gave 3
s send hello --tag nothing
t 'an unknown tag is not found' fails 3 'skein tag new'
must world new second
must world new third
must world rm third
s conv ls
t 'with several worlds and no default one must be chosen' fails 2 'there are several worlds: launch, second'
t 'and it is said how' complains '"skein world use launch"'
must world rm second

# --- Messages ---------------------------------------------------------------------------------

must send first --no-wait
s conv show --json
one=$(first id)
s log --json
id=$(first messageId)
must conv new --title two
must send other --no-wait

s show zzzz9999
t 'an unknown message is not found' gave 3
s -c "$one" rm @~9
t 'a place before the first is not found' gave 3
s amend "$id" -m x
t 'a message of another conversation is refused' gave 3
s show v9
t 'an unknown version is not found' gave 3
for words in 'switch v0' 'show v0' 'log --at v0' 'diff v0..v1'; do
    s $words
    t "$words names no version" fails 3 'has no version v0'
done
s switch nine
t 'what is neither a version nor a message is refused' fails 3 'has no message "nine"'
s -c "$one" undo
t 'nothing to undo is an ordinary answer' gave 5
s -c "$one" redo
t 'nothing to redo too' gave 5
s -c "$one" amend @
t 'a change without a text says how to give it' fails 2 '-m TEXT'
s -c "$one" amend @ -m ''
t 'an empty text is refused' gave 2
s send ''
t 'nothing is nothing to say' gave 2
s -c "$one" squash @ --by-hand -m x
t 'a squash of one is refused' gave 2
s -c "$one" squash @ @ -m shorter
t 'nor can one stand for two' fails 2 'named twice'
must -c "$one" send "and another"
s -c "$one" squash @ @~1 -m shorter
t 'a squash by a model needs a server' fails 3 'needs a running server'
s -c "$one" move @
t 'a move needs its place' fails 2 '--before ID or --end'
s -c "$one" rm
t 'a removal needs messages' fails 2 'either messages or --from'
s purge
t 'an erasure needs messages' fails 2 'either messages or --unreachable'
s -c "$one" rm @ --expect v1
t 'a condition needs a length' fails 2 'States look like'
must append <<'END'
{"role":"assistant","sender":"ada","content":"mine"}
END
s edit @ -m x
t 'only what a person wrote is sent again' fails 2 'error: '
s edit @ -m x --json
t 'that has a code of its own' complains '"code":"INVALID_MESSAGE_TYPE"'
s conv use none -n
t 'that the conversation would be left is said' prints 'Would leave'
must conv use none
s -c two edit @~1 -m x
t 'without a session nothing is sent again' gave 5
s conv use none
t 'which conversation commands take then is said' prints 'commands take the newest'
s status
t 'and so it is' prints ', conversation two'
must conv use two

# --- Models -----------------------------------------------------------------------------------

s model use nowhere/none
t 'a provider must be there, also where no server runs' fails 3 'there is no provider "nowhere"'
t 'those there are, are listed' complains 'There are: demo'
s agent new zoe --model nowhere/none
t 'also for a new agent' fails 3 'there is no provider "nowhere"'
must model use ollama/some
must model use auto

# --- Lines ------------------------------------------------------------------------------------

count() {
    s log --json=messageId
    printf '%s\n' "$out" | grep -c messageId
}
before=$(count)
# refused SENTENCE WORDS: what stands in $dir/in is refused with these words, and leaves nothing.
refused() {
    s append <"$dir/in"
    t "$1" fails 2 "$2"
}

printf '{"content":"a\377b"}\n' >"$dir/in"
refused 'bytes that are not UTF-8 are refused' 'line 1'
printf '{"content":"a\\u0000b"}\n' >"$dir/in"
refused 'U+0000 is refused' 'line 1'
printf '{"content":"\\ud800"}\n' >"$dir/in"
refused 'a lone surrogate is refused' 'line 1'
printf '{"content":""}\n' >"$dir/in"
refused 'an empty text is refused' 'line 1'
printf '{"content":"fine"}\n{"content":7}\n' >"$dir/in"
refused 'a wrong type is named with its line' 'line 2: "content" must be a text'
printf '{"content":"fine"}\n{"role":"king","content":"x"}\n' >"$dir/in"
refused 'an unknown role is named with its line' 'line 2: "role" is "king"'
printf '{"content":"fine"}\n{"content":' >"$dir/in"
refused 'a line that is cut is refused' 'line 2'
printf '[]\n' >"$dir/in"
refused 'a line that is not an object is refused' 'line 1: a message is a JSON object'
printf '{"content":"x","createdAt":"yesterday"}\n' >"$dir/in"
refused 'a time that is none is refused' 'not an RFC 3339 time'
printf '{"content":"fine"}\n{"content":"x","messageId":"not ok!"}\n' >"$dir/in"
refused 'a bad id is named with its line' 'line 2: '
for id in v1 v1.2 main main.1 t_x sq_x; do
    printf '{"content":"fine"}\n{"content":"x","messageId":"%s"}\n' "$id" >"$dir/in"
    refused "an id that means something else is refused ($id)" "line 2: \"$id\" is the name of "
done
{ printf '{"content":"'; head -c 16777217 /dev/zero | tr '\0' x; printf '"}\n'; } >"$dir/in"
refused 'a text over 16 MiB is refused' 'line 1: '
printf '{"content":"fine"}\n{"role":"tool","sender":"x","content":"x","toolCallId":"none"}\n' >"$dir/in"
s append --strict <"$dir/in"
t 'a result without a call is a conflict' fails 5 'line 2: '
printf '{"content":"fine"}\n{"content":"x","seenByAgents":["nobody"]}\n' >"$dir/in"
s append <"$dir/in"
t 'an unknown hearer is not found' fails 3 'line 2: '
printf '{"content":"x"}\n' >"$dir/in"
s append --lane main.7 <"$dir/in"
t 'a delegation that is not the next one is named' fails 3 'main.1'
s append --lane main.1 --call none <"$dir/in"
t 'an unknown call is not found' fails 3 'there is no call "none"'
t 'nothing of all that was stored' is "$(count)" "$before"

# A batch has 1,000 lines: what came before the batch with the bad line stays.
{
    i=0
    while [ $i -lt 1000 ]; do
        echo '{"content":"line"}'
        i=$((i + 1))
    done
    echo '{"content":"fine"}'
    echo '{"content":7}'
} >"$dir/in"
s append -q <"$dir/in"
t 'a bad line in the second batch is named' complains 'line 1002'
t 'the first batch stays, nothing of the second' is "$(count)" $((before + 1000))

printf '{"messageId":"same-1","content":"x"}\n' >"$dir/in"
must append <"$dir/in"
printf '{"messageId":"same-1","content":"y"}\n' >"$dir/in"
s append <"$dir/in"
t 'an id with other content is a conflict' fails 5 'same-1'
printf '{"messageId":"self-1","content":"x","replyToMessageId":"self-1"}\n' >"$dir/in"
s append --json <"$dir/in"
t 'a reply to itself is stored without the link' prints '"replyToMessageId":null'
t 'and with a warning' lacks '"warnings":[]'
printf '{"content":"x","replyToMessageId":"nowhere"}\n' >"$dir/in"
s append --json <"$dir/in"
t 'a reply to nobody keeps its link' prints '"replyToMessageId":"nowhere"'
t 'and has a warning too' lacks '"warnings":[]'

# --- Control characters -----------------------------------------------------------------------

printf '{"content":"red \\u001b[31m alert\\u0007 \\u202e"}\n' >"$dir/in"
must append <"$dir/in"
esc=$(printf '\033')
s log -n 1
t 'no escape sequence reaches the terminal' lacks "$esc"
t 'it is shown instead' prints '␛[31m'
s show @ --raw
t 'the raw text has every byte' prints "$esc[31m"
s show "$(printf 'x\033[31m')"
t 'errors are clean too' lacks "$esc"

# --- Files ------------------------------------------------------------------------------------

s import "$dir/nowhere"
t 'a file that is not there is not found' gave 3
must export -f skein -o "$dir/all.skein"
head -c $(($(wc -c <"$dir/all.skein") / 2)) "$dir/all.skein" >"$dir/half.skein"
s import "$dir/half.skein" --as half
t 'an archive that is cut is refused' gave 2
s world ls --json=name
t 'nothing of it is there' is "$out" '[{"name":"launch"}]'
s export -f pdf
t 'an unknown format lists the known ones' fails 2 'md, json, jsonl, mermaid, html and skein'
s export -o "$dir/no/where"
t 'a file that cannot be written is named' fails 1 'no/where'
s timeline --events "$dir/nowhere"
t 'events that are not there are not found' gave 3
printf '{"id":"e1"\n' >"$dir/in"
s timeline --events "$dir/in"
t 'a bad event line is refused' fails 2 'line 1'

# --- A limit on the size of files ---------------------------------------------------------------

# PostgreSQL's files are not ours to limit.
if [ "$kind" = sqlite ]; then
    head -c 3000000 /dev/zero | tr '\0' x >"$dir/long"
    rc=0
    (ulimit -f 2000 && "$SKEIN" "$store" insert --end -F "$dir/long") >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
    t 'a file that may not grow is a failure' fails 1 'file too large'
    s fsck
    t 'and nothing half is left of it' gave 0
fi

# --- Output -----------------------------------------------------------------------------------

rc=0
"$SKEIN" "$store" log >/dev/full 2>"$dir/err" || rc=$?
err=$(cat "$dir/err") out=
t 'a full disk under the output is a failure' fails 1 'writing the output failed'
rc=0
"$SKEIN" "$store" log >&- 2>"$dir/err" || rc=$?
err=$(cat "$dir/err")
t 'a closed output is a failure' fails 1 'writing the output failed'
s fsck
t 'and does not end up in the store' gave 0

# A pipe that nobody reads any more, as after "skein log | head -1": the program ends as others do, by SIGPIPE.
mkfifo "$dir/left"
exec 4<>"$dir/left" 5>"$dir/left" 4>&-
loud=
for words in log 'log --json' 'log --oneline' tree history stats timeline 'search first' context 'show @' 'export -f md' \
    'export -f skein' inbox 'world ls' 'agent ls' 'conv ls --json' 'config list' status doctor help version 'completion bash' \
    'send again --no-wait' 'send again --no-wait --json' 'world show'; do
    rc=0
    # shellcheck disable=SC2086  # several words
    "$SKEIN" "$store" -q $words >&5 2>"$dir/err" || rc=$?
    [ "$rc" = 141 ] && [ ! -s "$dir/err" ] || loud="$loud$words: $rc $(cat "$dir/err"); "
done
t 'a reader who leaves early ends every command silently' is "$loud" ''
exec 5>&-

# --- Stores -----------------------------------------------------------------------------------

s --db=mysql://x log
t 'an unknown kind of store is refused' gave 2
if [ "$kind" = sqlite ]; then
    head -c 8192 /dev/urandom >"$dir/noise.db"
    s "--db=sqlite:$dir/noise.db" world ls
    t 'a file that is not a database is refused' fails 1 'error: '
    s "--db=sqlite:$dir/noise.db" world new x --json
    t 'that has a code of its own' complains '"code":"NOT_A_STORE"'
    t 'and its bytes stay' is "$(wc -c <"$dir/noise.db")" 8192
    if [ "$(id -u)" != 0 ]; then
        cp "$dir/data1/skein.db" "$dir/ro.db"
        chmod 400 "$dir/ro.db"
        s "--db=sqlite:$dir/ro.db" world ls
        t 'a file that may only be read can be read' gave 0
        s "--db=sqlite:$dir/ro.db" world new x
        t 'but not written' gave 1
    fi
    # What is in a folder that is shut nobody can know, and nobody says that nothing is.
    mkdir -p "$dir/shut/data"
    cp "$dir/data1/skein.db" "$dir/shut/data/skein.db"
    chmod 000 "$dir/shut"
    shut() {
        rc=0
        if [ "$(id -u)" = 0 ]; then
            chmod 711 "$dir"
            HOME=/ setpriv --reuid=65534 --regid=65534 --clear-groups "$SKEIN" "--data=$dir/shut/data" "$@" >"$dir/out" 2>"$dir/err" || rc=$?
            chmod 700 "$dir"
        else
            "$SKEIN" "--data=$dir/shut/data" "$@" >"$dir/out" 2>"$dir/err" || rc=$?
        fi
        read_told
    }
    for words in log status 'world ls' migrate fsck 'world new x'; do
        shut $words
        t "a store in a folder that is shut is not said to be missing ($words)" fails 1 'permission denied'
    done
    shut doctor
    t 'the doctor says so, too' prints 'permission denied'
    t 'and no number of a process that it does not know' lacks 'pid -1'
    t 'nor that none runs' lacks 'none runs'
    # No file may grow: what was stored stays whole.
    { i=0; while [ $i -lt 400 ]; do head -c 4000 /dev/zero | tr '\0' y | sed 's/.*/{"content":"&"}/'; echo; i=$((i + 1)); done; } >"$dir/in"
    had=$(count)
    rc=0
    (trap '' XFSZ; ulimit -f 400; exec "$SKEIN" "$store" append -q) <"$dir/in" >"$dir/out" 2>"$dir/err" || rc=$?
    out= err=$(cat "$dir/err")
    t 'a store that cannot grow says so' fails 1 'error: '
    t 'and has kept what it had' is "$(count)" "$had"
    s fsck
    t 'and is sound' gave 0
else
    s --db=postgresql://127.0.0.1:1/none?connect_timeout=2 world ls
    t 'a database that does not answer has its own status' gave 6
fi

rc=0
"$SKEIN" --server http://127.0.0.1:99999 log >"$dir/out" 2>"$dir/err" || rc=$?
t 'a port that cannot be one is no other port' grep -q 'it is not an address' "$dir/err"
s --config "$dir/nowhere.yaml" log
t 'a configuration file that was named must be there' fails 2 'cannot be read'
rc=0
"$SKEIN" --server http://127.0.0.1:1 log >"$dir/out" 2>"$dir/err" || rc=$?
read_told
t 'a server that does not answer has its own status' gave 6
t 'and how to look is about that server' grep -qF 'skein --server=http://127.0.0.1:1 status' "$dir/err"

fresh
must world new plans
must conv new --title plan

# An empty word, as of a variable that is not set, is nobody: not everybody, and not the current one.
for words in "stop ''" "conv use ''" "world use ''" "show ''" "agent show ''" "send -c '' hi" "log -w ''" "log --agent ''" "tree ''" \
    "stop -c ''" "world rm '' -n" "agent rm '' -n" "move @ --before ''" "send --reply-to '' hi"; do
    eval "s $words"
    t "$words is refused" fails 2 'is empty'
done
must tag new '$(id)'
s completion words tags
t 'what a shell would obey is not a word to complete' lacks '$(id)'
must tag rm '$(id)' -y

# Words of others stand in commands as one word, and what can be no name is not offered as one.
s -w 'x; touch PWN' log
t 'a name that can be none is not offered' eval "gave 3 && ! complains 'world new'"
s -w nosuch log
t 'one that can be is' complains 'world new nosuch'
s edit --retry-failed 'q; id' -m x
t 'what can be no message is not offered for an edit' fails 2 'error: "q; id" does not name a message'
if [ "$kind" = pg ]; then
    for key in password pass%77ord; do
        "$SKEIN" "$store&$key=secret" world new "named${#key}" >"$dir/out" 2>"$dir/err"
        t "a command names the database without the value of $key" eval "grep -q 'db=' '$dir/out' && ! grep -q secret '$dir/out'"
    done
fi
# What would harm who reads it on a terminal is an escape in JSON.
harm=$(printf 'a\302\233b\342\200\256c')
must send --no-wait "$harm"
for how in 'log --json' 'timeline --json' 'export -f json' 'export -f jsonl'; do
    s $how
    t "$how has no control characters" eval 'lacks "$(printf "\302\233")" && lacks "$(printf "\342\200\256")" && prints "a\u009bb\u202ec"'
done
# Small ones.
s search ''
t 'a search for nothing says what is missing' fails 2 'say what to search for'
s lane finish main
t 'the main lane is not finished' fails 2 'main is the conversation itself'
must conv rm plan -y
must conv restore plan
t 'an archived conversation is named by its title' prints 'is back'
mkfifo "$dir/fifo"
[ "$kind" = sqlite ] && { s import "$dir/fifo"; t 'what is not a file is not imported' fails 2 'is neither a file nor a folder'; }

# The default world goes.
fresh
must world new gone
must world use gone
must world rm gone
s log
t 'that the default world was removed is said' fails 3 'there is no world: the default world was removed'
t 'and how it comes back' complains 'world restore '

finish
