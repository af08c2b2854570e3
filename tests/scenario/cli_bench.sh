#!/bin/sh
# cli_bench.sh: "skein bench" prints every row it promises. Never looks at how fast anything was.
. "$(dirname "$0")/lib.sh"

TMPDIR=$dir/tmp
export TMPDIR
mkdir "$TMPDIR"
# b WORD…: runs the measurement, small and once; on PostgreSQL in the scenario's own schema.
b() {
    if [ "$kind" = sqlite ]; then
        rc=0
        "$SKEIN" bench --quick "$@" >"$dir/out" 2>"$dir/err" || rc=$?
        read_told
    else
        fresh
        s bench --quick "$@"
    fi
}
# names: what every row is about, one a line.
names() { printf '%s\n' "$out" | grep -o '"what":"[^"]*"' | cut -d '"' -f 4; }
has_row() { names | grep -q -e "$1"; }
every_row_has() { [ "$(printf '%s\n' "$out" | grep -c -e "\"$1\":")" = "$(names | grep -c .)" ]; }

b --json
t 'a quick run gives no verdict and succeeds' gave 0
t 'all rows are there' is "$(names | grep -c .)" 43
for row in 'append, one client' 'append, 16 threads' '10 writers at once' 'last 50 messages of 2,000' \
    'context after a summary' 'amend of the first of 2,000' 'remove-from the middle of' 'undo of that' \
    'branch in' '20 amends in 2,001' 'growth of the store' 'the last 5 of these amends' \
    'timeline: one more record after 2,000' 'timeline of a chat: one more after' 'both ends of 2,0' \
    'remove-from, 5 agents' 'edit, 10 agents' 'edit, 50 agents' 'edit, 100 agents' \
    'reply thread found' 'export of a reply thread of 100 levels' 'memory to check 200 replies' \
    'server: from start to first answer' 'server: memory at rest' 'memory for a byte of a body' 'GET /version' 'POST messages, 1 client' \
    'POST messages, 64 clients' '20 streams: lost or out of order' '20 streams: delivery' \
    '20 streams: memory of one' 'GET 50 messages of 2,000' 'DELETE a message, 5 agents, 20 messages' \
    '5 turns that stream: not whole' '5 turns that stream: processor' '5 turns that stream: memory in all' \
    '5 turns: shared with the request' 'a turn, without its model' '20 queued tasks over 5 agents' '20 queued tasks: not done once' \
    'delegations below each other, 10' '^timeline of 10 delegations' 'GET timeline of 10 delegations'; do
    t "there is a row: $row" has_row "$row"
done
for member in figure unit reference against ratio target ok rounds; do
    t "every row has a $member" every_row_has "$member"
done
t 'a row without a verdict has none in JSON' prints '"ok":null'
t 'what ten writers sent at once is all stored' \
    prints '"what":"10 writers at once, messages stored","figure":80,"unit":"","reference":80'
t 'every event reached every stream once' prints 'lost or out of order","figure":0,'
t 'every agent had the whole answer of its model' prints 'turns that stream: not whole","figure":0,'
shares() { printf '%s\n' "$out" | grep -Eq 'shared with the request before","figure":(100|9[5-9]\.)'; }
t 'a question begins with the one before it' shares
t 'every task was done once' prints 'queued tasks: not done once","figure":0,'
t 'every level of delegations was reached' \
    prints '"what":"delegations below each other, 10","figure":10,"unit":"","reference":10'
t 'the folder it made is gone' is "$(ls "$TMPDIR")" ''

b --json=what,ok
t 'fields can be picked' prints '{"what":"durable append, one client","ok":null}'
b --messages 600 --agents 3
t 'sizes can be chosen' prints 'remove-from, 3 agents'
t 'also how long the large conversation is' prints 'last 50 messages of 600 '
t 'a person sees the target' prints 'at least 0.5 x'
t 'and where it was measured' prints "$([ "$kind" = sqlite ] && echo "SQLite in $TMPDIR" || echo postgresql)"

b --part server --json=what
t 'a part of it can be measured alone' is "$(names | grep -c .)" 11
b --part agents
t 'also that of the agents' prints 'at least 300 /s'
b --part other
t 'but only one that there is' fails 2 'engine, server, agents'

b --messages 10
t 'a conversation too short to compare is refused' fails 2 'from 500 to'
b words
t 'it takes no words' fails 2 '"bench" takes no "words"'
fresh
must world new used
s bench --quick --db "$(if [ "$kind" = sqlite ]; then echo "sqlite:$dir/data$stores/skein.db"; else echo "${store#--db=}"; fi)"
t 'a store that is in use is left alone' fails 5 'is in use'
s world ls --json=name
t 'and nothing came into it' is "$out" '[{"name":"used"}]'
tree=$(dirname "$0")/../.. missing=
sed -n 's/^ROW([A-Z_0-9]*, "\([^"]*\)".*/\1/p' "$tree/src/bench/bench_rows.def" | sed 's/{[a-z]*}/[0-9,]*/g' >"$dir/rows"
while read -r row; do
    grep -q "^| $row |" "$tree/docs/performance.md" || missing="$missing $row;"
done <"$dir/rows"
t 'docs/performance.md has every row' is "$missing" ''
t 'and no other' is "$(grep -c '^| .* | at least \|^| .* | at most \|^| .* | under ' "$tree/docs/performance.md")" "$(grep -c . "$dir/rows")"
b --part server --clients 7 --json
t 'so many clients watch as are asked for' has_row '7 streams: delivery'

finish
