# count-tests.awk: counts single tests in Meson's logs; prints "PASSED FAILED", and on standard
# error what the failed tests said, which Meson keeps to itself for TAP programs.
#
#   awk -f count-tests.awk testlog.json testlog.junit.xml
#
# The JSON log (one line a program) tells how each program ended, the JUnit log what the TAP
# programs reported inside. Neither suffices alone: JSON does not list the single tests, and JUnit
# forgets time-outs and programs that crash after their last test.

# A quote inside a JSON string is always escaped, so these patterns match only the members.
FILENAME ~ /\.json$/ {
    name = $0
    sub(/^\{"name": "/, "", name)
    sub(/", "stdout": .*/, "", name)
    match($0, /, "result": "[A-Z]+"/)
    program[++programs] = name
    result[programs] = substr($0, RSTART + 13, RLENGTH - 14)
    if (result[programs] != "OK")
        show_failures(name, $0)
    next
}

# The JUnit log is one line; "<" only ever begins a tag.
{
    tags = split($0, tag, "<")
    for (i = 1; i <= tags; i++)
        read_tag(tag[i])
}

END {
    passed = failed = 0
    for (i = 1; i <= programs; i++) {
        name = program[i]
        if (name in cases)
            good = cases[name] - bad[name]
        else
            good = (result[i] == "OK")
        wrong = (name in bad) ? bad[name] : 0
        if (result[i] != "OK" && wrong == 0) {
            wrong = 1
            print name ": not ok, it ended with " result[i] > "/dev/stderr"
        }
        passed += good
        failed += wrong
    }
    print passed, failed
}

# A program with single tests is a suite named PROJECT.PROGRAM; the others share the suite PROJECT.
function read_tag(text) {
    if (text ~ /^testsuite /) {
        suite = attribute(text, "name")
        inner = sub(/^[^.]*\./, "", suite)
    } else if (text ~ /^testcase / && inner) {
        cases[suite]++
        open_case = 1
    } else if (text ~ /^(failure|error|skipped)/ && inner && open_case) {
        bad[suite]++
        open_case = 0
    }
}

function attribute(text, key) {
    if (!match(text, " " key "=\"[^\"]*\""))
        return ""
    return substr(text, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
}

# Each "not ok" line of a TAP program, with the remarks that follow it.
function show_failures(name, text,    line, lines, i, on) {
    sub(/.*", "stdout": "/, "", text)
    sub(/", "result": .*/, "", text)
    gsub(/\\"/, "\"", text)
    lines = split(text, line, /\\n/)
    for (i = 1; i <= lines; i++) {
        if (line[i] ~ /^(not )?ok /)
            on = (line[i] ~ /^not /)
        else if (line[i] !~ /^#/)
            on = 0
        if (on)
            print name ": " line[i] > "/dev/stderr"
    }
}
