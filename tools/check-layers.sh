#!/bin/sh
# check-layers.sh: includes point only along the table below.
#
#   tools/check-layers.sh [TREE]
#
# A folder of src/ may include its own headers, those of its rooms too, and the door FOLDER/FOLDER.h of the
# folders named for it; base, config and cli are open. A library's header has one home file. Public headers and examples see
# <skein/...> and the standard library only.
set -eu
cd "${1:-$(dirname "$0")/..}"

find src include examples -name '*.[ch]' | sort | xargs awk '
BEGIN {
    may["base"] = ""
    may["store"] = "base"
    may["engine"] = "base store"
    may["exchange"] = "base store engine"
    may["net"] = "base"
    may["provider"] = "base net"
    may["mcp"] = "base net"
    may["runtime"] = "base engine exchange net provider mcp"
    may["api"] = "base engine exchange"
    may["http"] = "base engine api"
    may["config"] = "base engine provider"
    may["cli"] = "base engine exchange runtime api config"
    may["serve"] = "base engine provider mcp runtime http config cli"
    may["terminal"] = "base config cli"
    may["bench"] = "base engine exchange http cli"

    # Folders whose headers are all open to those who may include the folder.
    open = " base config cli "
    # Headers besides the door that others may include, and who may.
    also["api/call.h"] = "http cli"
    also["engine/core.h"] = also["engine/feed.h"] = also["engine/tree/span.h"] = "exchange"
    also["store/message.def"] = "engine"
    # Headers that the build makes; they belong to the folder whose door is named.
    made["queries.h"] = "store"
    made["shape_fields.h"] = "engine"

    home["sqlite3.h"] = "src/store/db_sqlite.h"
    home["libpq-fe.h"] = "src/store/db_pg.c"
    home["event2/event.h"] = home["event2/thread.h"] = "src/base/loop.c"
    home["event2/http.h"] = home["event2/buffer.h"] = "src/http/bare.c"
    home["yaml.h"] = "src/base/yaml.c"
    home["histedit.h"] = "src/terminal/line_edit.c"
    home["md4c.h"] = "src/exchange/markup.c"
    home["curl/curl.h"] = "src/net/curl_calls.h"
    home["linux/inet_diag.h"] = home["linux/netlink.h"] = home["linux/sock_diag.h"] = "src/http/peer.c"

    words("c", "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp " \
        "signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string " \
        "tgmath threads time uchar wchar wctype")
    words("posix", "dirent dlfcn fcntl fnmatch glob grp langinfo malloc poll pthread pwd regex sched " \
        "semaphore strings termios unistd sys/file sys/ioctl sys/mman sys/prctl sys/random sys/resource " \
        "netdb netinet/in netinet/tcp arpa/inet sys/select sys/socket sys/stat sys/statvfs sys/time sys/types sys/uio sys/un sys/utsname sys/wait")
    # What the layer below all others needs of the public headers: codes, errors, text.
    public_base = " skein/codes.def skein/error.h skein/text.h "
}

FNR == 1 {
    split(FILENAME, part, "/")
    area = part[1]
    folder = (area == "src") ? part[2] : area
    if (area == "src" && !(folder in may))
        say("\"" folder "\" is not in the table of tools/check-layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    header = $0
    sub(/^[^<]*</, "", header)
    sub(/>.*/, "", header)
    check_angle(header)
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    header = $0
    sub(/^[^"]*"/, "", header)
    sub(/".*/, "", header)
    check_quoted(header)
}

END { exit bad }

function words(kind, list,    word, n, i) {
    n = split(list, word, " ")
    for (i = 1; i <= n; i++)
        system_header[word[i] ".h"] = kind
}

function say(message) {
    print FILENAME ":" FNR ": " message
    bad = 1
}

function check_angle(header) {
    if (header ~ /^skein\//) {
        if (folder == "base" && !index(public_base, " " header " "))
            say("base may not include <" header ">, only" public_base)
    } else if (header in home) {
        if (FILENAME != home[header])
            say("<" header "> belongs in " home[header] " only")
    } else if (!(header in system_header)) {
        say("<" header "> is a library nobody has given a home in tools/check-layers.sh")
    } else if (area == "include" && system_header[header] != "c") {
        say("a public header may not include <" header ">, only the C standard library")
    }
}

function check_quoted(header,    target) {
    if (area != "src") {
        say("\"" header "\" is internal; outside of src/ include <skein/...>")
        return
    }
    if (header in made) {
        if (folder != made[header])
            say("\"" header "\" is made for " made[header] " only")
        return
    }
    if (split(header, part, "/") < 2) {
        say("write \"" header "\" with its folder, as \"" folder "/" header "\"")
        return
    }
    target = part[1]
    if (target == folder)
        return
    if (!(target in may))
        say("\"" header "\" is in no folder of the table")
    else if (!index(" " may[folder] " ", " " target " "))
        say(folder " may not include " target " (\"" header "\")")
    else if (!index(open, " " target " ") && header != target "/" target ".h" && !(header in also && index(" " also[header] " ", " " folder " ")))
        say("\"" header "\" is behind the door; include \"" target "/" target ".h\"")
}
'
