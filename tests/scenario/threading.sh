#!/bin/sh
# threading.sh: docs/threading.md and docs/timelines.md hold: what they say is typed gives what they say is printed. Then the
# same threads again, made by agents that a server runs.
. "$(dirname "$0")/lib.sh"

docs=$(cd "$(dirname "$0")/../../docs" && pwd)
page=$docs/threading.md
XDG_RUNTIME_DIR=$dir/run
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"
pid=
trap 'kill -9 $pid 2>/dev/null; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT

# --- The page ---------------------------------------------------------------------------------

mkdir "$dir/bin"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$SKEIN" "$store" >"$dir/bin/skein"
chmod +x "$dir/bin/skein"

# steps PAGE: each command of its console blocks into N.sh, and what follows it into N.out.
steps() {
    rm -rf "$dir/steps"
    mkdir "$dir/steps"
    awk -v to="$dir/steps" '
        /^```console$/ { inside = 1; next }
        /^```$/ { inside = 0; next }
        !inside { next }
        /^\$ / {
            name = sprintf("%s/%03d", to, ++n)
            print substr($0, 3) > (name ".sh")
            printf "" > (name ".out")
            here = /<<.END.$/
            next
        }
        here { print > (name ".sh"); if ($0 == "END") here = 0; next }
        { print > (name ".out") }
    ' "$1"
}

# step FILE: runs it, and compares.
step() {
    rc=0
    (cd "$dir/steps" && PATH=$dir/bin:$PATH sh "$1") >"$dir/out" 2>&1 || rc=$?
    read_told
    err=
    [ "$rc" = 0 ] && [ "$out" = "$(cat "${1%.sh}.out")" ]
}

# holds PAGE: what it says is typed gives what it says is printed.
holds() {
    steps "$1"
    for file in "$dir"/steps/*.sh; do
        t "$(head -n 1 "$file") [${file##*/}]" step "$file"
    done
}

holds "$page"
t 'all five scenarios are there' is "$(grep -c 'conv new --title' "$page")" 5
t 'and a tree of each' is "$(cat "$dir"/steps/*.sh | grep -c '^skein tree$')" 5
holds "$docs/timelines.md"

# --- Live -------------------------------------------------------------------------------------

cat >"$dir/script.yaml" <<'END'
pace: 0
rules:
  - {when: start, agent: agent-a, from: human, do: '@agent-b Response'}
  - {when: response, agent: agent-b, from: agent-a, do: '@agent-c Follow-up'}
  - {when: follow-up, agent: agent-c, from: agent-b, do: Final}
  - {when: hello, agent: agent-a, do: Hi from A}
  - {when: hello, agent: agent-b, do: Hi from B}
END
fresh
must world new live
for name in agent-a agent-b agent-c; do
    must agent new "$name" --model demo/scripted
done
mkfifo "$dir/pipe"
"$SKEIN" "$store" serve --no-open --listen 127.0.0.1:0 --no-delay --script "$dir/script.yaml" >"$dir/pipe" 2>"$dir/log" &
pid=$!
exec 3<"$dir/pipe"
line=
while IFS= read -r line <&3; do
    case $line in http://*) break ;; esac
done
case $line in
http://*) ;;
*) echo "Bail out! skein serve did not start: $(cat "$dir/log")" && exit 1 ;;
esac

# shape: the tree without ids and times.
shape() {
    must tree
    printf '%s\n' "$out" | sed -e 's/  [A-Za-z0-9_-]* *[0-9-]*T[0-9:.]*Z.*//' -e 's/^you  */you /' -e '$d'
}

must conv new
s send '@agent-a hello'
t 'an answer hangs under its question' is "$(shape)" "$(printf '%s\n' 'you @agent-a hello' '└── agent-a Hi from A')"
must conv new
s send '@agent-a @agent-b hello'
t 'two answers to one question are siblings' is "$(shape | sed 's/^├/└/' | sort)" \
    "$(printf '%s\n' 'you @agent-a @agent-b hello' '└── agent-a Hi from A' '└── agent-b Hi from B' | sort)"
must conv new
s send '@agent-a start'
t 'agents that wake each other make a chain' is "$(shape)" "$(printf '%s\n' 'you @agent-a start' \
    '└── agent-a @agent-b Response' '    └── agent-b @agent-c Follow-up' '        └── agent-c Final')"
s fsck
t 'the store is sound' gave 0
kill "$pid"
wait "$pid" || true
pid=
finish
