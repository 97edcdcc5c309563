/* The usual way: the kernel's driver and a raw CAN socket for each channel. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/netlink.h>
#include <linux/can/raw.h>
#include <linux/rtnetlink.h>

#include "lab.h"

#define TRIES        200
#define TRY_US       10000
#define QUEUE_FRAMES 512 /* of an interface; the usual 10 refuses what a writer gives at once */

static const uint32_t bitrate[LAB_CHANNELS] = {500000, 250000, 500000, 500000, 500000};
static int sockets[LAB_CHANNELS], router;

struct request {
    struct nlmsghdr head;
    struct ifinfomsg info;
    char rest[256];
};

static struct rtattr *append(struct request *request, unsigned short type, const void *data,
                             size_t size)
{
    struct rtattr *made =
        (struct rtattr *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));

    made->rta_type = type;
    made->rta_len = (unsigned short)RTA_LENGTH(size);
    if (size)
        memcpy(RTA_DATA(made), data, size);
    request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + (uint32_t)RTA_SPACE(size);
    return made;
}

static void close_nest(const struct request *request, struct rtattr *nest)
{
    nest->rta_len = (unsigned short)((const char *)request + request->head.nlmsg_len -
                                     (const char *)nest);
}

static void ask(struct request *request)
{
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[512];
    } answer;

    if (send(router, request, request->head.nlmsg_len, 0) < 0)
        fail("netlink");
    if (recv(router, &answer, sizeof answer, 0) < 0)
        fail("netlink");
    errno = -answer.error.error;
    if (errno)
        fail("CAN interface");
}

static struct request about(unsigned channel)
{
    char name[] = {'c', 'a', 'n', (char)('0' + channel), 0};
    struct request request = {
        .head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                 .nlmsg_type = RTM_NEWLINK,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .info = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(name)},
    };
    return request;
}

static void timed(unsigned channel)
{
    struct can_bittiming timing = {.bitrate = bitrate[channel]};
    uint32_t length = QUEUE_FRAMES;
    struct request request = about(channel);

    append(&request, IFLA_TXQLEN, &length, sizeof length);
    struct rtattr *link = append(&request, IFLA_LINKINFO, NULL, 0);
    append(&request, IFLA_INFO_KIND, "can", 3);
    struct rtattr *data = append(&request, IFLA_INFO_DATA, NULL, 0);
    append(&request, IFLA_CAN_BITTIMING, &timing, sizeof timing);
    close_nest(&request, data);
    close_nest(&request, link);
    ask(&request);
}

static void raised(unsigned channel, bool up)
{
    struct request request = about(channel);

    request.info.ifi_flags = up ? IFF_UP : 0;
    request.info.ifi_change = IFF_UP;
    ask(&request);
}

static bool used(unsigned channel)
{
    return ((settings.readers | settings.writers) >> channel & 1) != 0;
}

static int bound(unsigned channel)
{
    char name[] = {'c', 'a', 'n', (char)('0' + channel), 0};
    struct sockaddr_can address = {.can_family = AF_CAN};
    int made = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW);

    for (int tries = 0; tries < TRIES && !address.can_ifindex; tries++) {
        address.can_ifindex = (int)if_nametoindex(name);
        if (!address.can_ifindex)
            usleep(TRY_US);
    }
    if (made < 0 || bind(made, (struct sockaddr *)&address, sizeof address) != 0)
        fail(name);
    return made;
}

static void open_all(void)
{
    router = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (router < 0)
        fail("netlink");
    for (unsigned at = 0; at < LAB_CHANNELS; at++) {
        if (!used(at))
            continue;
        sockets[at] = bound(at);
        timed(at);
    }
    errno = 0;
}

static void start_all(void)
{
    for (unsigned at = 0; at < LAB_CHANNELS; at++)
        if (used(at))
            raised(at, true);
}

static void stop_all(void)
{
    for (unsigned at = 0; at < LAB_CHANNELS; at++)
        if (used(at))
            raised(at, false);
}

/* An interface that is down, before the start and after the end, gives ENETDOWN once. */
static bool receive(unsigned channel, struct can *frame)
{
    struct can_frame got;

    for (;;) {
        ssize_t size = read(sockets[channel], &got, sizeof got);
        if (size < 0 && errno != ENETDOWN && errno != EINTR)
            return false;
        if (size == sizeof got)
            break;
    }
    frame->id = got.can_id;
    frame->length = got.can_dlc;
    memcpy(frame->data, got.data, sizeof frame->data);
    return true;
}

static bool send_one(unsigned channel, const struct can *frame)
{
    struct can_frame given = {.can_id = frame->id, .can_dlc = frame->length};

    memcpy(given.data, frame->data, sizeof frame->data);
    return write(sockets[channel], &given, sizeof given) == sizeof given;
}

const struct way socketcan = {open_all, start_all, stop_all, receive, send_one};
