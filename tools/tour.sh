#!/bin/sh
# tour.sh: a short walk through the command line, played for real.
#
#   tools/tour.sh [PROGRAM]
#
# Works in the program's own data directory, in a world named "tour". Each run adds a conversation
# to that world and touches nothing else, so it can be run again.
set -eu

program=$(cd "$(dirname "${1:-build/skein}")" && pwd)/$(basename "${1:-build/skein}")
SKEIN_WORLD=tour
PAGER=cat
export SKEIN_WORLD PAGER
# The printed commands say "skein", and this is what it means here.
skein() { "$program" "$@"; }

say() { printf '\n%s\n' "$*"; }

# Prints a command as one would type it, then runs it.
run() {
    printf '\n$ skein'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_.,:=@~^/-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    skein "$@"
}

# The same with standard input shown as what it is: a here-document.
run_with_input() {
    lines=$(cat)
    printf "\n\$ skein %s <<'END'\n%s\nEND\n" "$*" "$lines"
    printf '%s\n' "$lines" | skein "$@"
}

say 'A tour of skein: every version of every conversation. Where does it keep them?'
run status

say 'A world holds agents and conversations. (Those of an earlier tour are used again.)'
printf '\n$ export SKEIN_WORLD=tour\n'
skein world show tour >/dev/null 2>&1 || run world new tour
skein agent show lead >/dev/null 2>&1 || run agent new lead --prompt 'You plan, and hand out the work.'
skein agent show ada >/dev/null 2>&1 || run agent new ada --lead lead --prompt 'You check dates.'
run agent ls

say 'A conversation, filled with what was said elsewhere: a question, a tool at work, an answer.'
run conv new --title 'Plan the launch'
id=t$(date +%s)
run_with_input append <<END
{"messageId":"$id-1","role":"user","sender":"human","content":"Plan the launch for next Friday."}
{"messageId":"$id-2","role":"assistant","sender":"lead","content":"I will split this. Ada, please check the dates.","replyToMessageId":"$id-1"}
{"messageId":"$id-3","role":"assistant","sender":"ada","content":"I will look at the calendar.","replyToMessageId":"$id-2","toolCalls":[{"toolCallId":"call-1","toolName":"calendar","args":{"week":47}}]}
{"messageId":"$id-4","role":"tool","sender":"calendar","content":"code freeze until Friday noon","toolCallId":"call-1"}
{"messageId":"$id-5","role":"assistant","sender":"ada","content":"The freeze lasts until Friday noon.","replyToMessageId":"$id-2"}
END

say 'Reading it: in order, and as who answered whom.'
run log
run tree

say 'The first message was wrong. Amending makes a new version; the old one stays.'
run amend "$id-1" -m 'Plan the launch for Friday afternoon.'
run history
run diff v1..v2

say 'Nothing is ever lost: back, and forth again.'
run undo
run log -n 2
run redo

say 'Search looks into all versions and says which of them hold the hit.'
run search next

say 'What happened, with each tool call beside its result; and what a model would be sent.'
run timeline
run context --agent ada

say 'Out as Markdown, and a check that the store keeps all its promises.'
run export -f md
run fsck

printf '\n%s\n' 'What to try next:'
printf '  %s\n' \
    "${1:-build/skein} help                     every command; \"help history\" explains one" \
    "${1:-build/skein} -w tour branch v1        go on from the first version as if nothing had happened" \
    "${1:-build/skein} -w tour log --json       the same as JSON, for programs"
