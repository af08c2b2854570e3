# embed-sql.awk: turns the store's SQL files into C.
#
#   awk -f embed-sql.awk -v mode=header|source FILES...
#
# NNNN_name.sql      a migration. Its text is kept line by line, without comment lines. A name that
#                    ends in ".sqlite" or ".pg" is for that database only; such a number comes once
#                    for each.
# any other *.pg.sql statements that PostgreSQL needs otherwise, by the name of the block
# any other *.sql    named statements: a line "-- :name" opens a block. Comments and needless
#                    blanks are dropped, and so is the semicolon at the end. A line "-- =name" opens
#                    a part instead, which every statement may use as {name}. Where PostgreSQL
#                    has a part of the same name, the statement has another text there.
#
# archive.def        the columns of its tables, for the statements to use as {TABLE_columns}
# message.def        the same of messages, and {messages_written}, {messages_read}, {messages_erased}
#                    and {messages_archived}, which name m and k
#
# VALUES($*) has a parameter for each column that stands before it.
#
# SQLite opens a temporary table for every RETURNING, which costs more than the insert itself. An
# INSERT that ends in "RETURNING id" loses these words there and is marked: the driver knows the id.
#
# Faults are reported as FILE:LINE: and end the build. Works with mawk and gawk.

FNR == 1 {
    file = FILENAME
    sub(/.*\//, "", file)
    block = ""
    is_part = 0
    if (FILENAME ~ /\.def$/) {
        kind = "columns"
    } else if (file ~ /^[0-9]+_/) {
        kind = "migration"
        add_migration(file)
    } else {
        kind = (file ~ /\.pg\.sql$/) ? "pg" : "common"
    }
}

kind == "migration" {
    if ($0 !~ /^[ \t]*(--.*)?$/)
        text[migrations] = text[migrations] literal($0 "\n")
    next
}

kind == "columns" {
    if (match($0, /^[A-Z]+\([A-Z_]+, [a-z_]+/))
        table = word_at(RSTART, RLENGTH)
    if (/^MESSAGE_/)
        add_message_column($0)
    else
        for (line = $0; match(line, /COL\([a-z_]+/); line = substr(line, RSTART + RLENGTH))
            add_to(table "_columns", substr(line, RSTART + 4, RLENGTH - 4))
    next
}

/^--[ \t]*[:=]/ {
    open_block($0)
    next
}

{
    line = squeeze($0)
    if (line == "")
        next
    if (block == "")
        fault("text before the first \"-- :name\"")
    if (is_part)
        part[kind, block] = part[kind, block] (part[kind, block] == "" ? "" : "\n") line
    else
        body[kind, block] = body[kind, block] (body[kind, block] == "" ? "" : "\n") line
}

END {
    if (failed)
        exit 1
    check_queries()
    sort_migrations()
    if (failed)
        exit 1
    if (mode == "header")
        write_header()
    else if (mode == "source")
        write_source()
    else
        fail("embed-sql.awk: mode must be \"header\" or \"source\"")
    exit failed
}

function fail(message) {
    print message > "/dev/stderr"
    failed = 1
}

function fault(message) {
    fail(FILENAME ":" FNR ": " message)
}

function word_at(start, count,    word) {
    word = substr($0, start, count)
    sub(/.*[ (]/, "", word)
    return word
}

function add_to(name, text) {
    name = "{" name "}"
    part["common", name] = part["common", name] (part["common", name] == "" ? "" : ", ") text
}

# A text may not be NULL, so the text of an erased message is empty.
function add_message_column(row,    kind, column, sql) {
    match(row, /^[A-Z_]+\([a-z_]+/)
    column = word_at(RSTART, RLENGTH)
    kind = substr(row, 9, index(row, "(") - 9)
    add_to("messages_columns", column)
    sql = "m." column
    if (kind == "ARCHIVED") {
        match(row, /"[^"]*"/)
        sql = substr(row, RSTART + 1, RLENGTH - 2)
    } else {
        add_to("messages_read", sql)
        if (kind != "SEEN")
            add_to("messages_written", column)
    }
    add_to("messages_archived", sql)
    if (row ~ /ERASED\(/)
        add_to("messages_erased", column " = " (row ~ /ERASED\(TEXT\)/ ? "\047\047" : "NULL"))
}

function add_migration(file,    name) {
    migrations++
    number[migrations] = file + 0
    name = file
    sub(/^[0-9]+_/, "", name)
    sub(/\.sql$/, "", name)
    title[migrations] = name
    path[migrations] = FILENAME
    seen[FILENAME]
}

function open_block(line) {
    is_part = (line ~ /^--[ \t]*=/)
    block = line
    sub(/^--[ \t]*[:=]/, "", block)
    sub(/[ \t]+$/, "", block)
    if (block !~ /^[a-z][a-z0-9_]*$/)
        fault("\"" block "\" is no name of a block; a-z, 0-9 and _ are")
    if (is_part) {
        block = "{" block "}"
        if ((kind, block) in part)
            fault("\"" block "\" is there already")
        part[kind, block] = ""
        return
    }
    if ((kind, block) in place)
        fault("\"" block "\" is there already, at " place[kind, block])
    place[kind, block] = FILENAME ":" FNR
    body[kind, block] = ""
    if (kind == "common")
        query[++queries] = block
    else
        override[++overrides] = block
}

# The line without its comment, with single blanks outside of quotes.
function squeeze(line,    out, i, c, quote, blank) {
    out = quote = ""
    blank = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quote != "") {
            if (c == quote)
                quote = ""
        } else if (c == " " || c == "\t") {
            blank = (out != "")
            continue
        } else if (c == "-" && substr(line, i, 2) == "--") {
            break
        } else if (c == "'" || c == "\"") {
            quote = c
        }
        out = out (blank ? " " : "") c
        blank = 0
    }
    if (quote != "")
        fault("a quote is not closed on its line")
    return out
}

function check_queries(    i, name) {
    if (queries == 0)
        fail("embed-sql.awk: there is no named statement")
    for (i = 1; i <= queries; i++) {
        name = query[i]
        if (!(("pg", name) in place) && fill("pg", body["common", name]) != fill("common", body["common", name])) {
            body["pg", name] = body["common", name]
            place["pg", name] = place["common", name]
            finish("pg", name)
        }
        finish("common", name)
    }
    for (i = 1; i <= overrides; i++) {
        name = override[i]
        finish("pg", name)
        if (!(("common", name) in place))
            fail(place["pg", name] ": there is no \"" name "\" to override")
    }
}

# Puts the parts in; a part has none itself.
function fill(kind, sql,    out, name) {
    out = ""
    while (match(sql, /\{[a-z0-9_]*\}/)) {
        name = substr(sql, RSTART, RLENGTH)
        if (!(("common", name) in part))
            fail("embed-sql.awk: there is no part \"" name "\"")
        out = out substr(sql, 1, RSTART - 1) part[((kind, name) in part) ? kind : "common", name]
        sql = substr(sql, RSTART + RLENGTH)
    }
    return out sql
}

# As many parameters as columns stand in the first brackets.
function with_parameters(sql,    at, list, i, n, column) {
    if (!(at = index(sql, "$*")))
        return sql
    list = substr(sql, index(sql, "(") + 1)
    n = split(substr(list, 1, index(list, ")") - 1), column, ",")
    list = "$1"
    for (i = 2; i <= n; i++)
        list = list ", $" i
    return substr(sql, 1, at - 1) list substr(sql, at + 2)
}

function finish(kind, name) {
    body[kind, name] = with_parameters(fill(kind, body[kind, name]))
    sub(/[ ;\n]+$/, "", body[kind, name])
    if (body[kind, name] == "")
        fail(place[kind, name] ": \"" name "\" is empty")
}

# By number, then by name; the list is short.
function sort_migrations(    i, j, m) {
    for (i = 1; i < ARGC; i++) # a file without a line never came by
        if (ARGV[i] ~ /(^|\/)[0-9]+_[^\/]*\.sql$/ && !(ARGV[i] in seen))
            fail(ARGV[i] ": is empty")
    for (i = 1; i <= migrations; i++) {
        for (j = i; j > 1 && before(i, order[j - 1]); j--)
            order[j] = order[j - 1]
        order[j] = i
    }
    for (i = 1; i <= migrations; i++) {
        m = order[i]
        if (i > 1 && number[m] == number[order[i - 1]])
            check_pair(order[i - 1], m)
        else if (number[m] != last + 1)
            fail(path[m] ": number " number[m] " follows " last + 0)
        last = number[m]
        if (text[m] == "")
            fail(path[m] ": is empty")
    }
}

function before(a, b) {
    return number[a] < number[b] || (number[a] == number[b] && title[a] < title[b])
}

function check_pair(a, b) {
    if (title[a] !~ /\.pg$/ || title[b] !~ /\.sqlite$/)
        fail(path[b] ": number " number[b] " is taken by " path[a])
}

# C literals, one for each line of s.
function literal(s,    out, i, lines, part, end) {
    end = (s ~ /\n$/) ? "\\n" : ""
    sub(/\n$/, "", s)
    gsub(/\\/, "&&", s)
    gsub(/"/, "\\\"", s)
    gsub(/\?/, "\\?", s) # no trigraphs
    gsub(/\t/, "\\t", s)
    lines = split(s, part, "\n")
    out = ""
    for (i = 1; i <= lines; i++)
        out = out "\n     \"" part[i] (i < lines ? " " : end) "\""
    return out
}

function write_header(    i) {
    print "/* queries.h: the store's SQL, made from sql/ by tools/embed-sql.awk. */"
    print "#ifndef SKN_STORE_QUERIES_H"
    print "#define SKN_STORE_QUERIES_H\n"
    print "enum skn_query {"
    for (i = 1; i <= queries; i++)
        print "    SKN_Q_" query[i] ","
    print "    SKN_Q_COUNT"
    print "};\n"
    print "struct skn_query_text {"
    print "    const char *name, *sqlite, *pg;"
    print "    int         gives_id; /* SQLite's driver answers with the id of the new row */"
    print "};\n"
    print "/* A name that ends in \".sqlite\" or \".pg\" is for that database only. */"
    print "struct skn_migration {"
    print "    int         number;"
    print "    const char *name, *text;"
    print "};\n"
    print "extern const struct skn_query_text skn_queries[SKN_Q_COUNT];"
    print "extern const struct skn_migration  skn_migrations[];"
    print "extern const int                   skn_migration_count;\n"
    print "#endif"
}

function gives_id(sql) {
    return sql ~ /^INSERT / && sql ~ /[ \n]RETURNING id$/ ? 1 : 0
}

function without_id(sql) {
    if (gives_id(sql))
        sub(/[ \n]RETURNING id$/, "", sql)
    return sql
}

function write_source(    i, m, name) {
    print "/* queries.c: the store's SQL, made from sql/ by tools/embed-sql.awk. */"
    print "#include \"queries.h\"\n"
    print "/* A schema is longer than the 4095 characters that every C compiler must take. */"
    print "#if defined(__GNUC__)"
    print "#pragma GCC diagnostic ignored \"-Woverlength-strings\""
    print "#endif\n"
    print "const struct skn_query_text skn_queries[SKN_Q_COUNT] = {"
    for (i = 1; i <= queries; i++) {
        name = query[i]
        m = (("pg", name) in place) ? "pg" : "common"
        print "    {\"" name "\"," literal(without_id(body["common", name])) "," \
            literal(body[m, name]) ", " gives_id(body["common", name]) "},"
    }
    print "};\n"
    print "const struct skn_migration skn_migrations[] = {"
    for (i = 1; i <= migrations; i++) {
        m = order[i]
        print "    {" number[m] ", \"" title[m] "\"," text[m] "},"
    }
    if (migrations == 0)
        print "    {0, 0, 0}"
    print "};\n"
    print "const int skn_migration_count = " migrations + 0 ";"
}
