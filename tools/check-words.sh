#!/bin/sh
# check-words.sh: refuses functions that invite mistakes, and loose ends in src/.
#
#   tools/check-words.sh [TREE]
#
# Comments and texts may name the functions; code may not. The list is rule 14 of docs/style.md
# with the near relatives of what it names.
set -eu
cd "${1:-$(dirname "$0")/..}"

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
'
