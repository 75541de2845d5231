/* Cpu time of each uid on each cluster of cpus. The first value of a uid since the sequence's state
 * was cleared is its total, the others are what was added since. Uids that come and go, isolated
 * ones and those of shared groups, are one line per user. */
#include "base/map.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/packet.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/system/counters.h"
#include "pb_fields.h"
#include "core/store/rows.h"

enum {
    UIDS_PER_USER = 100000,
    UIDS_PER_GROUP = 10000,
    FIRST_APP = 10000,
    GROUP_SHARED = 50000,
    GROUP_ISOLATED = 90000
};
enum uid_kind { UID_SYSTEM, UID_APP, UID_KINDS };

static const char *const kind_names[] = {[UID_SYSTEM] = "System", [UID_APP] = "Apps"};

/* Milliseconds of a uid on a cluster. */
struct uid_time {
    uint32_t uid, cluster;
    uint64_t ms;
    uint32_t track;
};

struct uid_times {
    struct map by_key;
    VEC(struct uid_time) list;
};

/* Since the state was cleared: `entries` are those of another generation afterwards. */
struct uid_sequence {
    const struct interned_entries *entries;
    uint32_t clusters;
    struct uid_times values;
};

struct uid_machine {
    uint32_t machine;
    struct uid_times seen;              /* the last values, whoever told them */
    struct uid_times grown, groups;     /* what was added while recording: by uid, by group */
    struct uid_times totals[UID_KINDS]; /* uid is 0 */
};

struct uid_state {
    struct map by_sequence; /* machine << 32 | id -> index in `sequences` */
    VEC(struct uid_sequence) sequences;
    VEC(struct uid_machine) machines;
};

static void times_release(struct uid_times *t)
{
    map_release(&t->by_key);
    vec_release(&t->list);
}

static void uid_state_release(void *state)
{
    struct uid_state *s = state;
    for (size_t i = 0; i < s->sequences.count; i++)
        times_release(&s->sequences.items[i].values);
    for (size_t i = 0; i < s->machines.count; i++) {
        times_release(&s->machines.items[i].seen);
        times_release(&s->machines.items[i].grown);
        times_release(&s->machines.items[i].groups);
        for (enum uid_kind kind = 0; kind < UID_KINDS; kind++)
            times_release(&s->machines.items[i].totals[kind]);
    }
    map_release(&s->by_sequence);
    vec_release(&s->sequences);
    vec_release(&s->machines);
}

static struct uid_time *intern_time(struct uid_times *t, uint32_t uid, uint32_t cluster,
                                    bool *is_new)
{
    uint32_t *at = map_insert(&t->by_key, (uint64_t)uid << 32 | cluster, is_new);
    if (*is_new) {
        *at = (uint32_t)t->list.count;
        *vec_push(&t->list) = (struct uid_time){.uid = uid, .cluster = cluster, .track = NULL_U32};
    }
    return &t->list.items[*at];
}

static struct uid_machine *machine_of(struct uid_state *s, uint32_t machine)
{
    for (size_t i = 0; i < s->machines.count; i++)
        if (s->machines.items[i].machine == machine)
            return &s->machines.items[i];
    struct uid_machine *m = vec_push(&s->machines);
    *m = (struct uid_machine){.machine = machine};
    return m;
}

static struct uid_sequence *sequence_of(struct uid_state *s, const struct packet *p)
{
    uint32_t id = p->sequence ? p->sequence->id : 0;
    const struct interned_entries *entries = p->generation->entries;
    bool is_new;
    uint32_t *at = map_insert(&s->by_sequence, (uint64_t)p->machine << 32 | id, &is_new);
    if (is_new) {
        *at = (uint32_t)s->sequences.count;
        *vec_push(&s->sequences) = (struct uid_sequence){.entries = entries};
    }
    struct uid_sequence *q = &s->sequences.items[*at];
    if (q->entries != entries) {
        times_release(&q->values);
        *q = (struct uid_sequence){.entries = entries};
    }
    return q;
}

static bool is_grouped(uint32_t uid)
{
    uint32_t group = uid % UIDS_PER_USER / UIDS_PER_GROUP * UIDS_PER_GROUP;
    return group == GROUP_SHARED || group == GROUP_ISOLATED;
}

static uint32_t uid_track(struct import *im, uint32_t machine, struct uid_time *u)
{
    if (u->track != NULL_U32)
        return u->track;
    char name[64];
    snprintf(name, sizeof name, "CPU for UID %u CL%u", u->uid, u->cluster);
    struct track_spec spec = {
        .type = "android_cpu_per_uid",
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .dimension_count = 2,
        .dimensions = {{.key = "uid", .type = ARG_INT, .i = u->uid},
                       {.key = "cluster", .type = ARG_INT, .i = u->cluster}},
        .name = trace_intern_c(im->trace, name),
        .unit = trace_intern(im->trace, STR("ms")),
    };
    return u->track = track_intern(im->trace, &spec);
}

static uint32_t total_track(struct import *im, uint32_t machine, enum uid_kind kind,
                            struct uid_time *u)
{
    if (u->track != NULL_U32)
        return u->track;
    char name[64];
    snprintf(name, sizeof name, "CPU for %s CL%u", kind_names[kind], u->cluster);
    struct track_spec spec = {
        .type = "android_cpu_per_uid_totals",
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .dimension_count = 2,
        .dimensions = {{.key = "type",
                        .type = ARG_STRING,
                        .s = trace_intern_c(im->trace, kind_names[kind])},
                       {.key = "cluster", .type = ARG_INT, .i = u->cluster}},
        .name = trace_intern_c(im->trace, name),
        .unit = trace_intern(im->trace, STR("ms")),
    };
    return u->track = track_intern(im->trace, &spec);
}

/* Adds what was told of a uid; what it has grown by goes to the totals. */
static void add_time(struct uid_sequence *q, struct uid_machine *m, uint32_t uid, uint32_t cluster,
                     uint64_t ms)
{
    bool is_new;
    struct uid_time *value = intern_time(&q->values, uid, cluster, &is_new);
    value->ms += ms;
    struct uid_time *seen = intern_time(&m->seen, uid, cluster, &is_new);
    uint64_t growth = !is_new && value->ms > seen->ms ? value->ms - seen->ms : 0;
    seen->ms = value->ms;
    bool grouped = is_grouped(uid);
    uint32_t group = grouped ? uid - uid % UIDS_PER_GROUP : uid;
    enum uid_kind kind = group % UIDS_PER_USER < FIRST_APP ? UID_SYSTEM : UID_APP;
    intern_time(grouped ? &m->groups : &m->grown, group, cluster, &is_new)->ms += growth;
    intern_time(&m->totals[kind], 0, cluster, &is_new)->ms += growth;
}

static void push_time(struct import *im, const struct packet *p, struct uid_time *u)
{
    counter_push_sparse(im, p->ts, uid_track(im, p->machine, u), (double)u->ms);
}

static int compare_tracks(const void *a, const void *b)
{
    uint32_t x = ((const struct uid_time *)a)->track, y = ((const struct uid_time *)b)->track;
    return (x > y) - (x < y);
}

static void uid_state_finish(struct import *im, void *state)
{
    struct uid_state *s = state;
    struct table *table = &im->trace->tables.android_cpu_per_uid_track;
    VEC(struct uid_time) all = {0};
    for (size_t i = 0; i < s->machines.count; i++) {
        struct uid_machine *m = &s->machines.items[i];
        struct uid_times *lists[] = {&m->grown, &m->groups};
        for (size_t n = 0; n < sizeof lists / sizeof *lists; n++)
            for (size_t k = 0; k < lists[n]->list.count; k++) {
                uid_track(im, m->machine, &lists[n]->list.items[k]);
                *vec_push(&all) = lists[n]->list.items[k];
            }
    }
    if (all.count > 1)
        qsort(all.items, all.count, sizeof *all.items, compare_tracks);
    for (size_t i = 0; i < all.count; i++) {
        const struct uid_time *u = &all.items[i];
        struct android_cpu_per_uid_track_row row = {.track_id = u->track,
                                                    .uid = u->uid,
                                                    .cluster = u->cluster,
                                                    .total_cpu_millis = (int64_t)u->ms};
        android_cpu_per_uid_track_append(table, &row);
    }
    vec_release(&all);
}

static const struct import_state_kind uid_kind = {
    .size = sizeof(struct uid_state),
    .finish = uid_state_finish,
    .release = uid_state_release,
};

static bool cpu_per_uid_tokenize(struct import *im, struct packet *p)
{
    struct uid_state *s = import_state(im, &uid_kind);
    struct uid_sequence *q = sequence_of(s, p);
    struct uid_machine *m = machine_of(s, p->machine);
    const CpuPerUidData *d = unpack_packet(im, &cpu_per_uid_data__descriptor, p);
    if (d->has_cluster_count)
        q->clusters = d->cluster_count;
    /* The last uid may lack times; times without a uid are nobody's. */
    size_t uid = 0;
    uint32_t cluster = 0;
    for (size_t i = 0; i < d->n_total_time_ms && uid < d->n_uid; i++) {
        add_time(q, m, d->uid[uid], cluster, d->total_time_ms[i]);
        if (++cluster >= q->clusters) {
            cluster = 0;
            uid++;
        }
    }
    for (enum uid_kind kind = 0; kind < UID_KINDS; kind++)
        for (size_t i = 0; i < m->totals[kind].list.count; i++) {
            struct uid_time *u = &m->totals[kind].list.items[i];
            counter_push_sparse(im, p->ts, total_track(im, p->machine, kind, u), (double)u->ms);
        }
    for (size_t i = 0; i < m->groups.list.count; i++)
        push_time(im, p, &m->groups.list.items[i]);
    for (size_t i = 0; i < q->values.list.count; i++)
        if (!is_grouped(q->values.list.items[i].uid))
            push_time(im, p, &q->values.list.items[i]);
    return true;
}

const struct packet_module cpu_per_uid_packets[] = {
    {PB_TracePacket_cpu_per_uid_data, .tokenize = cpu_per_uid_tokenize, .felt = PACKET_EACH,
     .looks_back = true},
    {0},
};
