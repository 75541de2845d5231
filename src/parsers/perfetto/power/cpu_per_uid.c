/* Cpu time of each uid on each cluster of cpus. The first packet of a sequence tells totals, the
 * others what was added since. Isolated uids are one line per user: they come and go. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/system/counters.h"
#include "pb_fields.h"
#include "core/store/rows.h"

enum { UIDS_PER_USER = 100000, FIRST_APP = 10000, FIRST_ISOLATED = 90000, CLUSTERS_MAX = 32 };
enum uid_kind { UID_SYSTEM, UID_APP, UID_KINDS };

struct uid_time {
    uint32_t machine, uid, cluster, track, row;
    int64_t value;
    bool isolated;
};

struct uid_state {
    VEC(struct uid_time) times;
    uint32_t clusters;
    int64_t totals[UID_KINDS][CLUSTERS_MAX];
};

static void uid_state_release(void *state)
{
    struct uid_state *s = state;
    vec_release(&s->times);
}

static const struct import_state_kind uid_kind = {.size = sizeof(struct uid_state),
                                                  .release = uid_state_release};

static struct uid_time *intern_uid(struct import *im, struct uid_state *s, const struct packet *p,
                                   uint32_t uid, uint32_t cluster)
{
    bool isolated = uid % UIDS_PER_USER >= FIRST_ISOLATED;
    if (isolated)
        uid = uid / UIDS_PER_USER * UIDS_PER_USER + FIRST_ISOLATED;
    for (size_t i = 0; i < s->times.count; i++) {
        struct uid_time *u = &s->times.items[i];
        if (u->uid == uid && u->cluster == cluster && u->machine == p->machine)
            return u;
    }
    char name[64];
    snprintf(name, sizeof name, "CPU for UID %u CL%u", uid, cluster);
    struct track_spec spec = {
        .type = "android_cpu_per_uid",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "uid", .type = ARG_INT, .i = uid},
                       {.key = "cluster", .type = ARG_INT, .i = cluster}},
        .name = trace_intern_c(im->trace, name),
        .unit = trace_intern(im->trace, STR("ms")),
    };
    uint32_t track = track_intern(im->trace, &spec);
    struct android_cpu_per_uid_track_row row = {.track_id = track,
                                                .uid = uid,
                                                .cluster = cluster,
                                                .total_cpu_millis = 0};
    struct uid_time *u = vec_push(&s->times);
    *u = (struct uid_time){
        .machine = p->machine,
        .uid = uid,
        .cluster = cluster,
        .track = track,
        .row = android_cpu_per_uid_track_append(&im->trace->tables.android_cpu_per_uid_track, &row),
        .isolated = isolated};
    return u;
}

static enum uid_kind kind_of(uint32_t uid)
{
    return uid % UIDS_PER_USER < FIRST_APP ? UID_SYSTEM : UID_APP;
}

static void add_growth(struct import *im, struct uid_state *s, struct uid_time *u, int64_t ms)
{
    u->value += ms;
    struct table *table = &im->trace->tables.android_cpu_per_uid_track;
    const uint32_t column = android_cpu_per_uid_track_col_total_cpu_millis;
    table_set_i64(table, column, u->row, table_i64(table, column)[u->row] + ms);
    s->totals[kind_of(u->uid)][u->cluster] += ms;
}

static void push_totals(struct import *im, struct uid_state *s, const struct packet *p,
                        enum uid_kind kind)
{
    static const char *const names[] = {[UID_SYSTEM] = "System", [UID_APP] = "Apps"};
    for (uint32_t cluster = 0; cluster < s->clusters; cluster++) {
        char name[64];
        snprintf(name, sizeof name, "CPU for %s CL%u", names[kind], cluster);
        struct track_spec spec = {
            .type = "android_cpu_per_uid_totals",
            .event_type = TRACK_COUNTER,
            .machine = p->machine,
            .dimension_count = 2,
            .dimensions = {{.key = "type",
                            .type = ARG_STRING,
                            .s = trace_intern_c(im->trace, names[kind])},
                           {.key = "cluster", .type = ARG_INT, .i = cluster}},
            .name = trace_intern_c(im->trace, name),
            .unit = trace_intern(im->trace, STR("ms")),
        };
        counter_push_sparse(im, p->ts, track_intern(im->trace, &spec),
                            (double)s->totals[kind][cluster]);
    }
}

static bool cpu_per_uid_tokenize(struct import *im, struct packet *p)
{
    struct uid_state *s = import_state(im, &uid_kind);
    const CpuPerUidData *d = unpack_packet(im, &cpu_per_uid_data__descriptor, p);
    /* Without a number of clusters: what was added since the last packet. */
    bool seen[UID_KINDS] = {false}, first = d->cluster_count != 0;
    if (first)
        s->clusters = d->cluster_count < CLUSTERS_MAX ? d->cluster_count : CLUSTERS_MAX;
    /* The last uid may lack times; times without a uid are nobody's. */
    for (size_t i = 0; s->clusters && i < d->n_total_time_ms && i / s->clusters < d->n_uid; i++) {
        uint32_t uid = d->uid[i / s->clusters];
        seen[kind_of(uid)] = true;
        struct uid_time *u = intern_uid(im, s, p, uid, (uint32_t)(i % s->clusters));
        int64_t ms = (int64_t)d->total_time_ms[i];
        if (!first)
            add_growth(im, s, u, ms);
        else if (!u->isolated)
            u->value = ms;
    }
    for (size_t i = 0; i < s->times.count; i++) {
        const struct uid_time *u = &s->times.items[i];
        seen[UID_APP] |= u->isolated;
        counter_push_sparse(im, p->ts, u->track, (double)u->value);
    }
    for (enum uid_kind kind = 0; kind < UID_KINDS; kind++)
        if (seen[kind])
            push_totals(im, s, p, kind);
    return true;
}

const struct packet_module cpu_per_uid_packets[] = {
    {PB_TracePacket_cpu_per_uid_data, .tokenize = cpu_per_uid_tokenize, .felt = PACKET_EACH,
     .looks_back = true},
    {0},
};
