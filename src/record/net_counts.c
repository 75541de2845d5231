/* Packets of each network interface, counted from /proc/net/dev. */
#include <fcntl.h>
#include <stdlib.h>

#include "pb_fields.h"
#include "record/source.h"
#include "record/tracefs.h"

enum { SEQUENCE = FIRST_SOURCE_SEQUENCE + 1, NAME_BYTES = 32, POLL_MS = 100, WAYS = 2 };

struct interface {
    char name[NAME_BYTES];
    uint64_t bytes[WAYS], packets[WAYS]; /* received, sent */
};

struct net_counts {
    VEC(struct interface) known;
    struct byte_list text;
    struct pb_bytes bundle, context;
    uint64_t last; /* when they were read */
};

static struct interface *interface_of(struct net_counts *n, struct str name, bool *is_new)
{
    for (size_t i = 0; i < n->known.count; i++)
        if (str_eq(str_from(n->known.items[i].name), name))
            return &n->known.items[i];
    struct interface *added = vec_push(&n->known);
    *added = (struct interface){.name = ""};
    str_copy(name, added->name, sizeof added->name);
    *is_new = true;
    return added;
}

static void put_bundle(struct recorder *r, struct net_counts *n, const struct interface *i,
                       uint64_t direction, uint64_t packets, uint64_t bytes, uint64_t now)
{
    n->context.v.count = n->bundle.v.count = 0;
    pb_put_uint(&n->context, PB_NetworkPacketEvent_direction, direction);
    pb_put_str(&n->context, PB_NetworkPacketEvent_network_interface, str_from(i->name));
    pb_put_message(&n->bundle, PB_NetworkPacketBundle_ctx, &n->context);
    pb_put_uint(&n->bundle, PB_NetworkPacketBundle_total_packets, packets);
    pb_put_uint(&n->bundle, PB_NetworkPacketBundle_total_duration, now - n->last);
    pb_put_uint(&n->bundle, PB_NetworkPacketBundle_total_length, bytes);
    record_put(r, &(struct record_packet){.sequence = SEQUENCE,
                                          .field = PB_TracePacket_network_packet_bundle,
                                          .ts = n->last,
                                          .message = &n->bundle});
}

/* "  eth0: 1234 12 0 0 0 0 0 0 567 8 0 ...": received, then sent: bytes, packets, six others. */
static void read_line(struct recorder *r, struct net_counts *n, struct str line, uint64_t now)
{
    enum { OTHERS = 6 };
    static const uint64_t directions[WAYS] = {PB_TrafficDirection_DIR_INGRESS,
                                              PB_TrafficDirection_DIR_EGRESS};
    size_t colon = str_find(line, ':');
    if (colon == line.n)
        return;
    bool is_new = false;
    struct interface *i = interface_of(n, str_trim(str_from_to(line, 0, colon)), &is_new);
    struct str rest = str_skip(line, colon + 1);
    for (size_t way = 0; way < WAYS; way++) {
        uint64_t bytes = 0, packets = 0;
        str_to_u64(str_take_word(&rest), 10, &bytes);
        str_to_u64(str_take_word(&rest), 10, &packets);
        for (int k = 0; k < OTHERS; k++)
            str_take_word(&rest);
        if (!is_new && packets > i->packets[way])
            put_bundle(r, n, i, directions[way], packets - i->packets[way], bytes - i->bytes[way],
                       now);
        i->bytes[way] = bytes;
        i->packets[way] = packets;
    }
}

static void poll_counts(struct recorder *r, void *state)
{
    struct net_counts *n = state;
    uint64_t now = record_now();
    n->text.v.count = 0;
    if (!read_file_at(AT_FDCWD, "/proc/net/dev", &n->text))
        return;
    struct str text = {(const char *)n->text.v.items, n->text.v.count}, line;
    while (str_next_line(&text, &line))
        read_line(r, n, line, now);
    n->last = now;
}

static struct status begin(struct recorder *r, void **state)
{
    (void)r;
    *state = alloc_array(1, sizeof(struct net_counts));
    return status_ok_value();
}

static void end(struct recorder *r, void *state)
{
    struct net_counts *n = state;
    poll_counts(r, n);
    vec_release(&n->known);
    vec_release(&n->text.v);
    pb_bytes_release(&n->bundle);
    pb_bytes_release(&n->context);
    free(n);
}

const struct record_source record_net = {
    .name = "net",
    .about = "packets of each interface, ten times a second; TCP's events (want root)",
    .needs = "nothing",
    .events = "net:net_dev_xmit net:netif_receive_skb tcp:tcp_retransmit_skb "
              "sock:inet_sock_set_state",
    .begin = begin,
    .poll = poll_counts,
    .end = end,
    .poll_ms = POLL_MS,
};
