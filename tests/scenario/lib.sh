# lib.sh: what the scenario tests of the program share. Sourced; prints TAP.
#
#   SKEIN=build/skein sh tests/scenario/cli_basics.sh sqlite|pg
#
# SKEIN_TEST_PG is a libpq address with a query part; the pg kind needs it.
kind=${1:-${SKEIN_TEST_DB:-sqlite}}
: "${SKEIN:?is the path of the program}"
case $SKEIN in /*) ;; *) SKEIN=$(pwd)/$SKEIN ;; esac

unset SKEIN_WORLD SKEIN_DATA XDG_DATA_HOME NO_COLOR FORCE_COLOR VISUAL EDITOR
# What else runs on this computer, and whose keys are there, is nothing to a test.
export SKEIN_DETECT_LOCAL=false
unset OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY OPENROUTER_API_KEY MISTRAL_API_KEY XAI_API_KEY GROQ_API_KEY OLLAMA_HOST
dir=$(mktemp -d)
HOME=$dir/home PAGER=cat LC_ALL=C.UTF-8
export HOME PAGER LC_ALL
mkdir "$HOME"
trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

case $kind in
sqlite) ;;
pg)
    if [ -z "${SKEIN_TEST_PG:-}" ]; then
        echo 'Bail out! there is no PostgreSQL: run this under tools/pg.sh'
        exit 1
    fi
    ;;
*) echo "Bail out! the kind is sqlite or pg, not $kind"; exit 1 ;;
esac

stores=0
# fresh: the commands below speak to a store that nobody has used.
fresh() {
    stores=$((stores + 1))
    if [ "$kind" = sqlite ]; then
        store=--data=$dir/data$stores
    else
        store="--db=$SKEIN_TEST_PG&skein_schema=cli_$$_$stores"
    fi
    quoted=$(printf '%s' "$store" | sed "s|--db=\(.*\)|--db='\1'|; s|[&.*[]|\\\\&|g")
}
fresh

# s WORD…: runs the program; leaves $out, $err and $rc.
s() {
    rc=0
    "$SKEIN" "$store" "$@" >"$dir/out" 2>"$dir/err" || rc=$?
    read_told
}

# told FILE: what is in it, but for the store or server of this test in commands that are told (cli_changes.sh pastes them).
told() { sed "s|skein $quoted |skein |g; s|skein --server=[^ ]* |skein |g" "$1"; }
read_told() { out=$(told "$dir/out") err=$(told "$dir/err"); }

# must WORD…: the same for steps that only prepare; a failure ends the test.
must() {
    s "$@"
    [ "$rc" = 0 ] && return
    echo "Bail out! skein $* gave $rc: $err"
    exit 1
}

# first FIELD: the first value of a text member in $out.
first() {
    printf '%s\n' "$out" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

# every FIELD: all its values, in a line.
every() {
    printf '%s\n' "$out" | grep -o "\"$1\":\"[^\"]*\"" | cut -d '"' -f 4 | tr '\n' ' ' | sed 's/ $//'
}

tests=0 failed=0
# t SENTENCE COMMAND…: one test; the command's status decides.
t() {
    sentence=$1
    shift
    tests=$((tests + 1))
    if "$@"; then
        echo "ok $tests - $sentence"
    else
        failed=$((failed + 1))
        echo "not ok $tests - $sentence"
        printf '%s\n' "checked: $*" "exit: $rc" "stdout: $out" "stderr: $err" | sed 's/^/# /'
    fi
}

is() { [ "$1" = "$2" ]; }
gave() { [ "$rc" = "$1" ]; }
prints() { case $out in *"$1"*) ;; *) return 1 ;; esac; }
lacks() { case $out in *"$1"*) return 1 ;; esac; }
complains() { case $err in *"$1"*) ;; *) return 1 ;; esac; }
# fails STATUS TEXT: the exit status, the words on standard error, nothing on standard output.
fails() { gave "$1" && complains "$2" && [ -z "$out" ]; }
lines() { [ "$(printf '%s\n' "$out" | grep -c .)" = "$1" ]; }

finish() {
    echo "1..$tests"
    [ "$failed" = 0 ]
}
