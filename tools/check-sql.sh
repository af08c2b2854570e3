#!/bin/sh
# check-sql.sh: the rules that let one SQL text serve two databases.
#
#   tools/check-sql.sh [TREE]
#
# In a named block the parameters $1, $2, ... first appear in rising order without a gap, since SQLite
# numbers them by appearance and PostgreSQL by name; the block is one statement; an override for
# PostgreSQL takes as many parameters as what it replaces. Migrations take none.
set -eu
cd "${1:-$(dirname "$0")/..}/src/store/sql"

# Twice: first for the parameters of parts, which any file may use.
# shellcheck disable=SC2046  # names of ours, without blanks
set -- $(find . -name '*.sql' | sed 's|^\./||' | sort)
awk '
pass == 1 {
    if (/^--[ \t]*[:=]/)
        part = (sub(/^--[ \t]*=/, "") ? $1 : "")
    for (line = code($0); part != "" && match(line, /\$[0-9]+/); line = substr(line, RSTART + RLENGTH))
        if (substr(line, RSTART + 1, RLENGTH - 1) + 0 > parameters_of[part])
            parameters_of[part] = substr(line, RSTART + 1, RLENGTH - 1) + 0
    next
}

FNR == 1 {
    close_block()
    migration = (FILENAME ~ /^[0-9]+_/)
    override = (FILENAME ~ /\.pg\.sql$/)
}

!migration && /^--[ \t]*=/ {
    close_block()
    next
}

!migration && /^--[ \t]*:/ {
    close_block()
    block = $2
    sub(/^:/, "", block)
    opened = FILENAME ":" FNR
    next
}

{
    line = code($0)
    while (match(line, /\{[a-z0-9_]+\}/)) {
        for (i = 1; i <= parameters_of[substr(line, RSTART + 1, RLENGTH - 2)]; i++)
            parameter("$", i)
        line = substr(line, RSTART + RLENGTH)
    }
    line = code($0)
    while (match(line, /[$?:@][0-9]+/)) {
        parameter(substr(line, RSTART, 1), substr(line, RSTART + 1, RLENGTH - 1) + 0)
        line = substr(line, RSTART + RLENGTH)
    }
    if (migration)
        next
    line = code($0)
    if (ended && line ~ /[^ \t]/)
        say("\"" block "\" goes on after its semicolon; one block is one statement")
    if (sub(/;[ \t]*$/, "", line))
        ended = 1
    if (line ~ /;/)
        say("\"" block "\" has a semicolon inside; one block is one statement")
}

END {
    close_block()
    for (name in pg)
        if ((name in common) && pg[name] != common[name]) {
            print "src/store/sql/" place[name] ": \"" name "\" takes " pg[name] + 0 \
                " parameters here and " common[name] + 0 " on SQLite"
            bad = 1
        }
    exit bad
}

function say(message) {
    print "src/store/sql/" FILENAME ":" FNR ": " message
    bad = 1
}

function parameter(sign, number) {
    if (sign != "$")
        say("write $" number ", not " sign number)
    else if (migration)
        say("a migration takes no parameters, yet here is $" number)
    else if (number > highest + 1)
        say("in \"" block "\" $" number " comes before $" highest + 1)
    else if (number > highest)
        highest = number
}

function close_block() {
    if (block != "") {
        if (override) {
            pg[block] = highest
            place[block] = opened
        } else {
            common[block] = highest
        }
    }
    block = ""
    highest = ended = 0
}

# The line without its comment and without what stands in quotes.
function code(line,    out, i, c, quote) {
    out = quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quote != "") {
            if (c == quote)
                quote = ""
        } else if (c == "\047" || c == "\"") {
            quote = c
        } else if (substr(line, i, 2) == "--") {
            break
        } else {
            out = out c
        }
    }
    return out
}
' pass=1 "$@" pass=2 "$@"
