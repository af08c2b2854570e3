#!/bin/sh
# man.sh: makes a manual page for each command out of docs/skein.1.
#
#   tools/man.sh DOCS OUTDIR
#
# What is said of a command, and its options, is said once, in docs/skein.1; a test holds that against the
# table of commands. Its page adds the examples of docs/man/examples.txt at the head, and ends with the
# sections that are the same for all. Commands with a noun ("world new") share the noun's page.
set -eu
docs=${1:?usage: tools/man.sh DOCS OUTDIR} out=${2:?usage: tools/man.sh DOCS OUTDIR}

mkdir -p "$out"
awk -v out="$out" '
FILENAME ~ /examples.txt$/ {
    if (/^#/)
        next
    if (/^== /) {
        name = $2
        pages[++count] = name
        word[name] = $0
        sub(/^== [^ ]* ?/, "", word[name])
    } else {
        gsub(/\\/, "\\e")
        examples[name] = examples[name] $0 "\n"
    }
    next
}

/^\.Dd / { date = $0 }
/^\.Sh / { section = substr($0, 5) }
section == "COMMANDS" { take_command(); next }
section ~ /^(ENVIRONMENT|FILES|EXIT STATUS)$/ { common[section] = common[section] $0 "\n" }

END {
    for (i = 1; i <= count; i++)
        write_page(pages[i])
    for (name in found)
        if (!(name in examples)) {
            print "man.sh: \"" name "\" has no examples" > "/dev/stderr"
            bad = 1
        }
    exit bad
}

# Lists nest: those of options are inside the one of commands.
function take_command() {
    if (/^\.Bl/ && ++depth == 1)
        return
    if (/^\.El/ && depth-- == 1) {
        full = ""
        return
    }
    if (depth == 1 && /^\.It Ic /)
        begin()
    else if (full != "")
        text[full] = text[full] $0 "\n"
}

function begin(    name, line) {
    line = $0
    sub(/^\.It Ic /, "", line)
    full = line
    sub(/ (Oo|Op|Ar) .*/, "", full)
    synopsis[full] = substr(line, length(full) + 2)
    name = full
    sub(/ .*/, "", name)
    found[name]
    verbs[name, ++verb_count[name]] = full
}

# The first sentence says what it is, and stands in the head of the page then.
function split_text(full,    n) {
    n = index(text[full], "\n")
    first = substr(text[full], 1, n - 1)
    rest = substr(text[full], n + 1)
    if (first ~ /\.$/)
        return
    while (first !~ /\.$/ && rest != "") { # it goes on for several lines
        n = index(rest, "\n")
        first = first " " substr(rest, 1, n - 1)
        rest = substr(rest, n + 1)
    }
}

# Without macros, for a line that takes none.
function plain(s) {
    gsub(/\.(Pa|Cm|Ar|Ic) /, "", s)
    sub(/ ?\.$/, "", s)
    return s
}

# Text, then options, which begin at the first list.
function body(full,    at, prose, options) {
    split_text(full)
    at = match(rest, /(^|\n)\.Bl /)
    prose = at ? substr(rest, 1, RSTART - 1 + (substr(rest, RSTART, 1) == "\n")) : rest
    options = at ? substr(rest, length(prose) + 1) : ""
    return first "\n" prose (options == "" ? "" : ".Pp\nThe options are:\n" options)
}

function arguments(full) {
    return synopsis[full] == "" ? "" : "." synopsis[full] "\n"
}

function verb_list(name,    i, full, list) {
    for (i = 1; i <= verb_count[name]; i++) {
        full = verbs[name, i]
        list = list ".It Ic \"" full "\"" (synopsis[full] == "" ? "" : " " synopsis[full]) "\n" text[full]
    }
    return ".Bl -tag -width Ds\n" list ".El\n"
}

function write_page(name,    i, page) {
    if (!(name in found)) {
        print "man.sh: \"" name "\" is not in docs/skein.1" > "/dev/stderr"
        bad = 1
        return
    }
    split_text(verbs[name, 1])
    first = plain(first)
    page = date "\n.Dt SKEIN-" toupper(name) " 1\n.Os\n.Sh NAME\n.Nm skein-" name "\n.Nd " \
        (word[name] != "" ? word[name] : tolower(substr(first, 1, 1)) substr(first, 2)) "\n.Sh SYNOPSIS\n"
    for (i = 1; i <= verb_count[name]; i++)
        page = page ".Nm \"skein " verbs[name, i] "\"\n" arguments(verbs[name, i])
    page = page ".Sh DESCRIPTION\n.Bd -literal -offset indent\n" examples[name] ".Ed\n"
    page = page (verbs[name, 1] == name ? ".Pp\n" body(name) : verb_list(name))
    page = page ".Pp\nOptions of every command, and how worlds, conversations, versions and messages are named, are in\n" \
        ".Xr skein 1 .\n" common["ENVIRONMENT"] common["FILES"] common["EXIT STATUS"]
    printf "%s.Sh SEE ALSO\n.Xr skein 1 ,\n.Xr skein.yaml 5 ,\n.Xr skein-api 7 ,\n.Xr skein-tutorial 7\n", page \
        > (out "/skein-" name ".1")
}
' "$docs/man/examples.txt" "$docs/skein.1"
