#!/bin/sh
# options.sh: which messages are squashed by what they say, and numbers for each agent, day and thread.
. "$(dirname "$0")/lib.sh"

must world new launch
must agent new ada
must agent new bo
must conv new
must append <<'END'
{"messageId":"m000000001","sender":"human","content":"the freeze, when is it?","createdAt":"2026-11-14T10:00:00Z"}
{"messageId":"m000000002","role":"assistant","sender":"ada","content":"The freeze ends at noon.","replyToMessageId":"m000000001","createdAt":"2026-11-14T10:00:04Z"}
{"messageId":"m000000003","role":"assistant","sender":"bo","content":"On Friday.","replyToMessageId":"m000000002","createdAt":"2026-11-14T10:00:10Z"}
{"messageId":"m000000004","sender":"human","content":"and lunch?","createdAt":"2026-11-15T12:00:00Z"}
END

# --- Numbers ----------------------------------------------------------------------------------

s stats --by agent
t 'numbers for each agent' is "$(printf '%s\n' "$out" | tr -s ' ')" "$(printf '%s\n' \
    'messages replies unanswered depth first reply agent' ' 2 0 1 1 4.0 s you' ' 1 1 0 2 6.0 s ada' ' 1 1 0 3 - bo')"
s tree --unanswered --json=messageId
t 'unanswered is what a person said and nobody answered' is "$(every messageId)" m000000004
s stats --by day --json
t 'for each day, in order' is "$(every group)" '2026-11-14 2026-11-15'
t 'with times' prints '"firstReplyMs":5000,"firstAt":"2026-11-14T10:00:00.000Z","lastAt":"2026-11-14T10:00:10.000Z"'
s stats --by thread
t 'for each thread' lines 3
t 'which is known by its first message' prints 'm000000004 you    and lunch?'
s stats m000000002 --by agent --json
t 'of a part' is "$(every group)" 'ada bo'
s stats --by agent --json=group,messages
t 'with chosen fields' prints '{"group":"human","messages":2}'
s stats --by week
t 'not for anything else' fails 2 '"--by" is agent, day or thread, not "week"'

# --- Squashing --------------------------------------------------------------------------------

s squash
t 'a squash needs messages' fails 2 'needs either messages or --select QUERY'
s squash m000000001 m000000002 --join --by-hand -m other
t 'a squash that joins takes no other text' fails 2 '--join makes the text'
s squash m000000001 --select freeze --join
t 'named or selected' fails 2 'needs either messages or --select QUERY'
s squash --select lunch --join
t 'two of them' fails 3 'selects one message, and a squash needs two'
s squash --select nothing --join
t 'that are there' fails 3 'selects no message'
s squash --select freeze --join -n
t 'what would be squashed is said' prints 'Would squash 2 messages into one'
s squash --select freeze --by-hand -m "until noon" --json
t 'what has the word is squashed' prints '"sourceMessageIds":["m000000001","m000000002"]'
s squash --select freeze --join
t 'what another version holds is not selected' gave 3
s undo
s rm m000000001
s squash --select freeze --join
t 'nor what was removed' fails 3 'selects one message'
finish
