#!/bin/sh
# completion.sh: what Tab offers in bash, and that the other scripts name the same things.
. "$(dirname "$0")/lib.sh"

must world new launch --description 'The launch'
must world new lab
must agent new lead -w launch
must agent new ada -w launch
must conv new --title 'Launch plan' -w launch
chat=$(printf '%s' "$out" | grep -o 'c_[A-Za-z0-9_-]*' | head -n 1)
must send -w launch hello there
must send -w launch second thought
must amend -w launch @ -m 'better thought'
must tag new careful -w launch
must log -w launch --json
id=$(first messageId)

s completion bash
printf '%s\n' "$out" >"$dir/script"
cat >"$dir/tab" <<'END'
. "$1"
shift
PATH=$(dirname "$SKEIN"):$PATH
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_skein
printf '%s\n' "${COMPREPLY[@]}"
END
# tab WORD…: what the last word could become; the store is named in between.
tab() {
    out=$(bash "$dir/tab" "$dir/script" "$SKEIN" "${store%%=*}" "${store#*=}" "$@" | tr '\n' ' ' | sed 's/ $//')
}

tab he
t 'commands' is "$out" help
tab world sh
t 'verbs' is "$out" show
tab log --one
t 'options of a command' is "$out" --oneline
tab log --quie
t 'and those of all' is "$out" --quiet
tab log -w la
t 'worlds' is "$out" 'launch lab'
tab chat lau
t 'worlds as arguments' is "$out" launch
tab world show lau
t 'and after verbs' is "$out" launch
tab -w launch send --to a
t 'agents' is "$out" ada
tab -w launch stop l
t 'agents as arguments' is "$out" lead
tab -w launch log -c c_
t 'conversations' is "$out" "$chat"
tab -w launch conv use c_
t 'conversations as arguments' is "$out" "$chat"
tab -w launch switch v
t 'versions' is "$out" 'v2 v1'
tab -w launch log -v v
t 'versions behind a letter' is "$out" 'v2 v1'
tab -w launch show "$(printf %.7s "$id")"
t 'messages' sh -c 'printf "%s\n" $1 | grep -q -x -e "$2"' - "$out" "$id"
tab -w launch branch v1
t 'versions or messages' is "$out" v1
tab -w launch tag on c
t 'tags' is "$out" careful
tab -w launch log --lane m
t 'lanes' is "$out" main
tab export -f m
t 'formats' is "$out" 'md mermaid'
tab completion z
t 'shells' is "$out" zsh

s completion words worlds
t 'words come with what they are' is "$out" "$(printf 'launch\tThe launch\nlab\t')"
s completion words messages -w launch
t 'messages with their first words' prints "$(printf '%s\thuman: hello there' "$id")"
s completion words colours
t 'a kind that is none is told' fails 2 '"colours" is not a kind of word'
fresh
s completion words worlds
t 'without a store there is nothing to offer' fails 3 'there is no store'
s status
t 'and none is made' prints 'nothing is there yet'

s completion fish
t 'fish completes worlds' prints "-l world -s w -x -a '(skein completion words worlds 2>/dev/null)'"
t 'and versions' prints "'__fish_seen_subcommand_from switch' -a '(skein completion words points 2>/dev/null)'"
s completion zsh
t 'zsh uses the words of bash' prints 'bashcompinit'
t 'and asks for the same' prints 'completion words "$kind"'
s completion tcsh
t 'other shells have none' fails 2 'there is completion for bash, zsh and fish'

finish
