#!/bin/sh
# man3.sh: makes the manual of the library out of its headers.
#
#   tools/man3.sh OUTDIR PAGE HEADER...
#
# Each public function has a page: the comment above it, the types that its prototype names, and what is the same for all.
# libskein(3) is the way in: what each header says of itself, its functions, and every code. PAGE is another page of the
# manual, for the date.
set -eu
out=${1:?usage: tools/man3.sh OUTDIR PAGE HEADER...}
shift
rm -rf "$out"
mkdir -p "$out"
awk -v out="$out" '
FNR == 1 { file = FILENAME; sub(/.*\//, "", file); comment = ""; kind = "" }
FILENAME !~ /\.(h|def)$/ { if (/^\.Dd /) date = $0; next }
/^SKEIN_CODE\(/ { split($0, code, /[(",) ]+/); codes = codes ".It Dv SKEIN_" code[2] "\n" code[3] ", HTTP status " code[4] "\n"; next }
file == "codes.def" { next }

# A comment stays until something else than what it is about comes.
kind == "" && /^\/\*/ { kind = "comment"; comment = "" }
kind == "comment" {
    line = $0
    sub(/^( \*|\/\*) ?/, "", line)
    ends = sub(/ *\*\/.*/, "", line)
    if (line !~ /^---/)
        comment = comment (line == "" && !ends ? "\n.Pp\n" : (comment == "" || comment ~ /\n$/ ? "" : " ") line)
    if (ends) {
        kind = ""
        if (!(file in about))
            take_about()
    }
    next
}
kind == "" && /^SKEIN_API/ { kind = "function"; text = "" }
kind == "" && /^typedef/ { kind = "type"; text = "" }
kind != "" { text = text $0 "\n" }
kind == "function" && /;/ { take_function(); kind = comment = "" }
kind == "type" && (/^}/ || /;/ && text !~ /{/ || /^typedef .*}/) { take_type(); kind = comment = "" }
kind == "" { if (!/^#define/) comment = "" }

END {
    write_overview()
    for (i = 1; i <= count; i++)
        write_page(names[i])
    exit bad
}

function take_about() {
    sub(/^[a-z.]*: /, "", comment)
    about[file] = comment
    files[++file_count] = file
    comment = ""
}

function take_function(    name) {
    gsub(/[ \n]+/, " ", text)
    sub(/^SKEIN_API /, "", text)
    sub(/; *$/, "", text)
    name = text
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (comment == "") {
        print "man3.sh: " file ": " name " has no comment" > "/dev/stderr"
        bad = 1
    }
    names[++count] = name
    home[name] = file
    says[name] = comment
    prototype[name] = text
}

function take_type(    name) {
    name = text
    sub(/[ (]*[{(;].*/, "", name)
    sub(/.* /, "", name)
    if (text ~ /^typedef struct [^{]*;/)
        return # what is in it is not told
    type_text[name] = text
    type_says[name] = comment
}

# A sentence begins a line; what stands in grave accents is an argument or a field.
function roff(s,    done) {
    gsub(/\\/, "\\e", s)
    gsub(/[.] /, ".\n", s)
    while (match(s, /`[A-Za-z_]+`[.,;:)]*/)) {
        done = done substr(s, 1, RSTART - 1) "\n.Fa " mark(substr(s, RSTART + 1, RLENGTH - 1)) "\n"
        s = substr(s, RSTART + RLENGTH)
        sub(/^ /, "", s)
    }
    s = done s
    gsub(/ +\n/, "\n", s)
    gsub(/\n\n+/, "\n", s)
    sub(/^\n/, "", s)
    sub(/\n$/, "", s)
    return s "\n"
}

function mark(s,    marks) {
    marks = s
    sub(/`.*/, "", s)
    sub(/.*`/, "", marks)
    gsub(/./, " &", marks)
    return s marks
}

# The first sentence, for the head of the page.
function short(s) {
    gsub(/\n\.Pp\n/, " ", s)
    gsub(/[`\\]/, "", s)
    gsub(/ \([^)]*\)/, "", s)
    if (match(s, /[.:;] /))
        s = substr(s, 1, RSTART - 1)
    sub(/\.$/, "", s)
    return (s ~ /^[A-Z][a-z]/ ? tolower(substr(s, 1, 1)) substr(s, 2) : s)
}

function synopsis(name,    s, returned, n, part, i, page) {
    s = prototype[name]
    n = index(s, name "(")
    returned = substr(s, 1, n - 1)
    sub(/ +$/, "", returned)
    s = substr(s, n + length(name) + 1)
    sub(/\)$/, "", s)
    page = ".In skein/" home[name] "\n.Ft \"" returned "\"\n.Fo " name "\n"
    n = arguments(s, part)
    for (i = 1; i <= n; i++)
        page = page ".Fa \"" part[i] "\"\n"
    return page ".Fc\n"
}

# Apart at the commas that are not in brackets.
function arguments(s, part,    i, c, depth, n) {
    n = 1
    part[1] = ""
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && depth == 0) {
            part[++n] = ""
            if (substr(s, i + 1, 1) == " ")
                i++
        } else
            part[n] = part[n] c
    }
    return n
}

# The types that a text names, each once and before those that it names in turn as what a list holds.
function types(s, seen,    word, n, i, page, element) {
    n = split(s, word, /[^a-z_0-9]+/)
    for (i = 1; i <= n; i++)
        if ((word[i] in type_text) && !(word[i] in common) && !(word[i] in seen)) {
            seen[word[i]]
            page = page (type_says[word[i]] == "" ? "" : (page == "" ? "" : ".Pp\n") roff(type_says[word[i]])) ".Bd -literal\n" \
                literal(type_text[word[i]]) ".Ed\n"
            if (match(type_text[word[i]], /skein_[a-z_]+ *\*at;/)) {
                element = substr(type_text[word[i]], RSTART, RLENGTH - 4)
                gsub(/[ *]/, "", element)
                page = page types(element, seen)
            }
        }
    return page
}

function literal(s) {
    gsub(/\\/, "\\e", s)
    return s
}

function head(name, title) {
    return date "\n.Dt " toupper(name) " 3\n.Os\n.Sh NAME\n.Nm " name "\n.Nd " title "\n"
}

function write_page(name,    page, seen, list) {
    page = head(name, short(says[name])) ".Sh SYNOPSIS\n" synopsis(name) ".Sh DESCRIPTION\n" roff(says[name])
    if (prototype[name] ~ /skein_mem \*mem/ && name !~ /^skein_mem_/)
        page = page ".Pp\nWhat it returns lives in\n.Fa mem\nuntil that is reset or freed.\n"
    list = types(prototype[name], seen)
    if (list != "")
        page = page ".Sh TYPES\n" list
    if (prototype[name] ~ /^skein_rc /)
        page = page ".Sh RETURN VALUES\n.Dv SKEIN_OK ,\nor a code that says why it failed;\n.Fa err ,\nunless it is\n.Dv NULL ," \
            "\nthen has one line for a person and a hint.\nA call that failed has changed nothing, unless the description says otherwise.\n"
    printf "%s.Sh SEE ALSO\n.Xr libskein 3%s\n", page, named(name) > (out "/" name ".3")
    close(out "/" name ".3")
}

# Other functions that its comment names, sorted.
function named(name,    word, n, i, j, s, list) {
    n = split(says[name], word, /[^a-z_0-9]+/)
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && word[j] < word[j - 1]; j--) {
            s = word[j]
            word[j] = word[j - 1]
            word[j - 1] = s
        }
    for (i = 1; i <= n; i++)
        if ((word[i] in home) && word[i] != name && word[i] != word[i - 1])
            list = list " ,\n.Xr " word[i] " 3"
    return list
}

function write_overview(    page, i, j, list) {
    split("skein_str skein_error skein_rc skein_world_id skein_agent_id skein_conversation_id skein_lane_id " \
        "skein_thread_id skein_message_id", basic, " ")
    page = head("libskein", "conversations of people and agents, every version of them") \
        ".Sh SYNOPSIS\n.In skein/skein.h\n.Pp\n.Dl cc host.c $(pkg-config --cflags --libs skein)\n.Sh DESCRIPTION\n" \
        "The library under\n.Xr skein 1 .\nThese types are in many calls:\n"
    for (i = 1; i in basic; i++)
        common[basic[i]]
    for (i = 1; i <= 2; i++)
        page = page ".Bd -literal\n" literal(type_text[basic[i]]) ".Ed\n"
    for (i = 1; i <= file_count; i++) {
        page = page ".Ss skein/" files[i] "\n" roff(about[files[i]])
        list = ""
        for (j = 1; j <= count; j++)
            if (home[names[j]] == files[i])
                list = list ".It Xr " names[j] " 3\n" roff(short(says[names[j]]))
        page = page (list == "" ? "" : ".Bl -tag -width Ds\n" list ".El\n")
    }
    printf "%s.Sh ERRORS\n.Bl -tag -width Ds\n%s.El\n.Sh SEE ALSO\n.Xr skein 1 ,\n.Xr skein-api 7\n", page, codes > (out "/libskein.3")
}
' "$@"
