#include "parsers/json/span_rows.h"

#include <stdio.h>

#include "parsers/input/time_sort.h"
#include "parsers/samples/samples.h"

void span_rows_arg(struct span_rows *s, struct str key, string_id value)
{
    enum { KEY_MAX = 256 };
    char name[KEY_MAX];
    struct service_span *span = &vec_last(&s->spans);
    if (key.n == 0)
        return;
    if (span->args == 0)
        span->first_arg = s->args.v.count;
    snprintf(name, sizeof name, "args.%.*s", (int)(key.n < KEY_MAX ? key.n : KEY_MAX), key.p);
    arg_list_str(&s->args, trace_intern_c(s->trace, name), value);
    span->args++;
}

static struct span_lanes *lanes_of(struct span_rows *s, string_id service)
{
    bool inserted;
    uint32_t *index = map_insert(&s->services, service, &inserted);
    if (inserted) {
        *index = (uint32_t)s->lanes.count;
        *vec_push(&s->lanes) = (struct span_lanes){.pid = 0};
    }
    return &s->lanes.items[*index];
}

/* The first lane's thread is the process's main thread. */
static uint32_t new_lane(struct span_rows *s, struct span_lanes *lanes, string_id service)
{
    struct trace *t = s->trace;
    uint32_t utid = samples_new_thread(t, lanes->pid, service);
    if (lanes->pid == 0) {
        uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
        lanes->pid = table_i64(&t->tables.thread, thread_col_tid)[utid];
        process_tracker_set_process_name(t, upid, service, PROCESS_NAME_OTHER);
    }
    uint32_t track = track_thread(t, utid);
    *vec_push(&lanes->tracks) = track;
    return track;
}

/* That of the span which caused it, if there is room, else the first where there is. */
static uint32_t lane_for(struct span_rows *s, const struct service_span *span,
                         const struct service_span *parent)
{
    enum { LANES_TRIED = 256 };
    struct trace *t = s->trace;
    struct span_lanes *lanes = lanes_of(s, span->service);
    if (parent && parent->service == span->service && parent->track != NULL_U32 &&
        slice_fits(t, span->ts, span->dur, parent->track) && /* also ends what is over */
        slice_top(t, parent->track) == parent->slice)
        return parent->track;
    for (size_t i = 0; i < lanes->tracks.count && i < LANES_TRIED; i++) {
        uint32_t track = lanes->tracks.items[i];
        if (slice_fits(t, span->ts, span->dur, track) &&
            (!span->alone || slice_top(t, track) == NULL_U32))
            return track;
    }
    return new_lane(s, lanes, span->service);
}

static uint64_t key_of(string_id trace, string_id id)
{
    return (uint64_t)trace << 32 | id;
}

static struct service_span *parent_of(struct span_rows *s, const struct map *ids,
                                      const struct service_span *span)
{
    if (span->span_plus_one > 0)
        return &s->spans.items[span->span_plus_one - 1];
    const uint32_t *index = span->parent ? map_find(ids, key_of(span->trace, span->parent)) : NULL;
    return index ? &s->spans.items[*index] : NULL;
}

static void apply(struct span_rows *s, const struct map *ids, struct service_span *span)
{
    struct trace *t = s->trace;
    const struct service_span *parent = parent_of(s, ids, span);
    bool event = span->span_plus_one > 0;
    if (!clock_file_time(t, span->ts, &span->ts) || (event && parent->track == NULL_U32))
        return;
    span->track = event ? parent->track : lane_for(s, span, parent);
    span->slice = slice_complete(t, span->ts, span->dur, span->track, NULL_STRING, span->name);
    struct arg_list *args =
        span->slice == NULL_U32 ? NULL : slice_args(t, span->track, span->slice);
    for (size_t i = 0; args && i < span->args; i++)
        arg_list_add(args, s->args.v.items[span->first_arg + i]);
}

void span_rows_apply(struct span_rows *s)
{
    VEC(struct timed) order = {0};
    struct map ids = {0};
    vec_reserve(&order, s->spans.count);
    for (size_t i = 0; i < s->spans.count; i++) {
        const struct service_span *span = &s->spans.items[i];
        bool inserted = false;
        uint32_t *index = span->span_plus_one == 0 && span->id
                              ? map_insert(&ids, key_of(span->trace, span->id), &inserted)
                              : NULL;
        if (inserted)
            *index = (uint32_t)i;
        *vec_push(&order) = (struct timed){.ts = span->ts, .rank = -span->dur, .record = span};
    }
    time_sort(order.items, order.count);
    for (size_t i = 0; i < order.count; i++)
        apply(s, &ids,
              &s->spans.items[(const struct service_span *)order.items[i].record - s->spans.items]);
    for (size_t i = 0; i < s->spans.count; i++) {
        const struct service_span *span = &s->spans.items[i];
        const struct service_span *parent = span->span_plus_one ? NULL : parent_of(s, &ids, span);
        if (parent && span->slice != NULL_U32 && parent->slice != NULL_U32 &&
            parent->track != span->track)
            flow_insert(s->trace, parent->slice, span->slice, NULL_I64);
    }
    map_release(&ids);
    vec_release(&order);
}

void span_rows_release(struct span_rows *s)
{
    for (size_t i = 0; i < s->lanes.count; i++)
        vec_release(&s->lanes.items[i].tracks);
    vec_release(&s->lanes);
    vec_release(&s->spans);
    map_release(&s->services);
    arg_list_release(&s->args);
}
