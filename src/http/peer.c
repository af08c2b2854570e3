/* Which user of this computer is at the other end of a connection. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* struct ucred, struct tcp_info */
#endif
#include "http/inside.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { OVERFLOW_UID = 65534, ANSWER_MOST = 4096 };

/* One request for one socket, and its answer. */
typedef struct question {
    struct nlmsghdr         head;
    struct inet_diag_req_v2 what;
} question;

int skn_peer_ask_open(void)
{
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
}

/* An IPv4 client of an IPv6 socket is asked for as IPv4: that is what its own socket is. */
static int end_of(const struct sockaddr_storage *at, __be32 address[4], __be16 *port)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)at;
    const struct sockaddr_in  *four = (const struct sockaddr_in *)at;

    if (at->ss_family == AF_INET) {
        *port = four->sin_port;
        memcpy(address, &four->sin_addr, 4);
        return AF_INET;
    }
    if (at->ss_family != AF_INET6)
        return AF_UNSPEC;
    *port = six->sin6_port;
    if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
        memcpy(address, &six->sin6_addr.s6_addr[12], 4);
        return AF_INET;
    }
    memcpy(address, &six->sin6_addr, 16);
    return AF_INET6;
}

/* Whether both ends can be on this computer. */
static bool same_host(int family, const struct inet_diag_sockid *id)
{
    static const unsigned char one[16] = {[15] = 1};

    if (!memcmp(id->idiag_src, id->idiag_dst, sizeof id->idiag_src))
        return true;
    return family == AF_INET ? ((const unsigned char *)id->idiag_src)[0] == 127
                             : !memcmp(id->idiag_src, one, sizeof one);
}

/* A closed socket has no owner, for which the kernel says user 0; one that is being opened is another client at the same
 * port. */
static bool is_theirs(const struct inet_diag_msg *m, const struct inet_diag_sockid *id)
{
    bool open = m->idiag_state == TCP_ESTABLISHED || m->idiag_state == TCP_FIN_WAIT1 ||
                m->idiag_state == TCP_FIN_WAIT2;

    return open && m->idiag_inode != 0 && m->id.idiag_sport == id->idiag_sport &&
           m->id.idiag_dport == id->idiag_dport;
}

/* The state of our end of the connection. */
static int state_of(int fd)
{
    struct tcp_info info;
    socklen_t       n = sizeof info;

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 ? info.tcpi_state : TCP_CLOSE;
}

/* The kernel answers before the sending returns. */
static int64_t ask_kernel(int ask, const question *q)
{
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    union {
        struct nlmsghdr head;
        char            bytes[ANSWER_MOST];
    } answer;
    const struct inet_diag_msg *m = NLMSG_DATA(&answer.head);
    ssize_t                     n;

    if (sendto(ask, q, sizeof *q, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return -1;
    do /* what an earlier question left is passed over */
        n = recv(ask, &answer, sizeof answer, MSG_DONTWAIT);
    while (n >= (ssize_t)sizeof answer.head && answer.head.nlmsg_seq != q->head.nlmsg_seq);
    if (n < (ssize_t)NLMSG_LENGTH(sizeof *m) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        !is_theirs(m, &q->what.id))
        return -1;
    return (int64_t)m->idiag_uid;
}

int64_t skn_peer_tcp_uid(int ask, int fd, const struct sockaddr_storage *from,
                         const struct sockaddr_storage *here, bool *gone)
{
    question                 q = {.head = {.nlmsg_len = sizeof q,
                                           .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                           .nlmsg_flags = NLM_F_REQUEST},
                                  .what = {.sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0U}};
    struct inet_diag_sockid *id = &q.what.id;
    int                      family = end_of(from, id->idiag_src, &id->idiag_sport);
    int64_t                  uid;
    int                      state;

    if (ask < 0 || family == AF_UNSPEC ||
        end_of(here, id->idiag_dst, &id->idiag_dport) != family || !same_host(family, id))
        return -1;
    id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    q.what.sdiag_family = (__u8)family;
    q.head.nlmsg_seq = (__u32)id->idiag_sport << 16 | id->idiag_dport;
    uid = ask_kernel(ask, &q);
    /* While our end of the connection stands, the socket that was found is its other end. */
    state = state_of(fd);
    if (state != TCP_ESTABLISHED && state != TCP_CLOSE_WAIT)
        uid = -1;
    *gone = uid < 0 && state != TCP_ESTABLISHED;
    return uid;
}

int64_t skn_peer_unix_uid(int fd)
{
    struct ucred who;
    socklen_t    n = sizeof who;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 ? (int64_t)who.uid : -1;
}

/* In a user namespace all users outside of it have one number, and the server may have the same. */
static bool can_tell(uid_t ours)
{
    char     map[64] = "";
    int      fd;
    ssize_t  n;
    unsigned inside = 1, outside = 1, count = 0;

    if (ours != OVERFLOW_UID)
        return true;
    fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, map, sizeof map - 1);
    if (fd >= 0)
        close(fd);
    return n > 0 && sscanf(map, "%u %u %u", &inside, &outside, &count) == 3 && !inside &&
           !outside && count == ~0U;
}

bool skn_peer_is_owner(int64_t uid)
{
    uid_t ours = geteuid();

    return uid == 0 || (uid == (int64_t)ours && can_tell(ours));
}
