#!/bin/sh
# check-words.sh: refuses functions that invite mistakes, loose ends in src/, and names that only their author knows.
#
#   tools/check-words.sh [TREE]
#
# Comments and texts may name the functions; code may not. The list is rule 14 of docs/style.md
# with the near relatives of what it names.
#
# Sentences use the common word of the field: the list of phrases below has one for each phrase to avoid.
#
# An invariant has a name (src/store/invariants.def), a case is a test with a name, and a document that is not in
# this tree is not referred to. A seed is a random one, or that of a script.
set -eu
cd "${1:-$(dirname "$0")/..}"
failed=0

edge='(^|[^A-Za-z0-9])'
if grep -rnIE --exclude=check-words.sh --exclude-dir=node_modules --exclude-dir=corpus \
    -e "${edge}I[1-9][0-9]?([^A-Za-z0-9]|\$)" -e '"C[0-9][0-9]?"' -e "${edge}[Cc]ase_[0-9]" -e "${edge}[Cc]ases? [0-9]+ (of|and|to)" \
    -e "[Ss]eed ?0[0-9]|[Ss]eed'?’?s? (document|asks|has|calls?)|the seeds|[Ss]eed['’]s" -e '[Ss]ection [0-9]' \
    src include docs tests web/src tools README.md; then
    echo 'check-words: name what is meant: the invariant, the test, the page of docs/'
    failed=1
fi

# Only what reads the stores and archives of older programs knows the older name of an edit.
if grep -rnIiE --exclude=0021_amend.sql --exclude='archive*' '[^a-z]wish|revise|revising|revision' src include web/src; then
    echo 'check-words: a request or a spec is no wish; an edit is not called a revision'
    failed=1
fi

# Phrases that are read twice, as extended regular expressions, and the words to use instead. Migrations stay as they were.
phrases='anew=again; restart, rebuild or rewrite something
[Ww]hat (came|comes) of=the result, the outcome
in vain=without an answer, without success
(keep|keeps|kept) in mind=knowledge; remember
the usual (model|address|port|one|name)=the default model; the well-known address
[Ww]hat (it is|they are|each is) at=its state, its activity
[Ww]ho there is=list them
how (it|they) fare=their status
before you say so=until you choose, until you allow it
there is to (tell|say)=events; say what they are
(begin|begins|begun) nothing new=start no new work
looks? (now )?what there is to do=look for work
[Oo]f keys in=API keys in the environment are noted by name only
(make|makes|made) a world of=create a world from
(person|people).s word=decision, approval
no matter of=does not concern
in the making=under construction
(go|goes|went) on with=continue with, resume
[Tt]he room=the main lane, the conversation
servers? of tools=tool server
but for=except for, except, without
(comes?|came) into being=is created, exists
for ever=forever, permanently, always
driven? (it |them )?out=remove from the files
put away=dismissed, archived
[Ww]hoever=name them: the caller, the reader, the program that …
(became|become|becomes) of=its state, its outcome
looks? after=handle, watch
looked after=handled, watched
(come|comes|came) to nothing=fail, is rolled back
[Nn]othing (came|comes) of=without a result
(is|are|was|were) told of=learn, see, get an event
words? of (a|the) person=decision, approval
index of words=search index
[Tt]he folder.s door=the public header of this folder
goes? along=is included
just being=in progress
dearest=most expensive'
avoid() {
    grep -rnwIE --exclude='0[0-9][0-9][0-9]_*.sql' --exclude-dir=node_modules -e "$1" \
        src include docs web/src README.md CHANGELOG.md
}
if avoid "$(printf '%s\n' "$phrases" | sed 's/=.*//' | paste -sd '|')"; then
    echo 'check-words: write one of these instead:'
    printf '%s\n' "$phrases" | sed 's/^\(.*\)=\(.*\)/    \1: \2/'
    failed=1
fi

find src include tests examples -name node_modules -prune -o -name '*.[ch]' -print | sort | xargs awk '
BEGIN {
    n = split("strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets strtok atoi atol atoll atof " \
        "gmtime localtime asctime ctime alloca setjmp longjmp sigsetjmp siglongjmp", word, " ")
    for (i = 1; i <= n; i++)
        banned[word[i]]
    edge = "[^A-Za-z0-9_]"
    loose = "(^|" edge ")(TODO|FIXME|XXX)(" edge "|$)"
}

FNR == 1 { in_comment = 0 }

FILENAME ~ /^src\// && match($0, loose) {
    found = substr($0, RSTART, RLENGTH)
    gsub(/[^A-Z]/, "", found)
    say("\"" found "\" is a loose end; finish it or write it down elsewhere")
}

{
    code = strip($0)
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (name in banned)
            say(name " is not used here; see rule 14 of docs/style.md")
    }
}

END { exit bad }

function say(message) {
    print FILENAME ":" FNR ": " message
    bad = 1
}

# The line without comments, texts and the names of included files.
function strip(line,    out, i, c, two, quote) {
    if (!in_comment && line ~ /^[ \t]*#[ \t]*include/)
        return ""
    out = quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                i++
            }
        } else if (quote != "") {
            if (c == "\\")
                i++
            else if (c == quote)
                quote = ""
        } else if (two == "/*") {
            in_comment = 1
            out = out " "
            i++
        } else if (two == "//") {
            break
        } else if (c == "\"" || c == "\047") {
            quote = c
            out = out " "
        } else {
            out = out c
        }
    }
    return out
}
' || failed=1
exit $failed
