#include "parsers/perfetto/ftrace/ftrace_felt.h"

#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"

static const uint32_t THREAD_TRACKS = UINT32_MAX; /* no event's number */

uint64_t felt_field_hash(const struct ftrace_event *e, uint32_t field)
{
    struct pb_field f;
    if (!payload_find(e->p, e->n, field, &f) || f.value == 0)
        return 0;
    return f.data ? hash_bytes(f.data, (size_t)f.value, 0) : hash_u64(f.value);
}

uint64_t felt_name(const struct ftrace_event *e, uint32_t field)
{
    return hash_mix(felt_field_hash(e, field), 1) | 1;
}

uint64_t felt_text_name(struct str text)
{
    return text.p ? hash_mix(text.n ? hash_bytes(text.p, text.n, 0) : 0, 1) | 1 : 0;
}

uint64_t felt_key(const struct ftrace_event *e, uint32_t track)
{
    return hash_mix(track, e->cpu->machine);
}

uint64_t felt_key_by(uint64_t key, const struct ftrace_event *e, uint32_t field)
{
    return hash_mix(key, felt_field_hash(e, field));
}

uint64_t felt_key_of_thread(const struct ftrace_event *e, uint32_t track)
{
    return hash_mix(felt_key(e, track), e->pid);
}

uint64_t felt_thread_track(const struct ftrace_event *e, uint32_t pid)
{
    return hash_mix(felt_key(e, THREAD_TRACKS), pid);
}

void thread_owners_release(struct thread_owners *o)
{
    map_release(&o->by_thread);
    map_release(&o->named);
    vec_release(&o->v);
}

/* What was said last before the window holds; else what is said first from then on, unless the
 * number has changed its meaning since. Times are nearly in order. */
static void set_owner(struct felt_sink *out, uint32_t machine, uint32_t tid, int64_t tgid)
{
    bool inserted;
    struct thread_owners *o = out->owners;
    uint32_t *at = map_insert(&o->by_thread, (uint64_t)machine << 32 | tid, &inserted);
    struct thread_owner owner = {out->raw_machine, machine, tid, tgid, out->item.ts};
    if (inserted) {
        *at = (uint32_t)o->v.count;
        *vec_push(&o->v) = owner;
        o->told = *at + 1;
        return;
    }
    o->told = *at + 1;
    struct thread_owner *had = &o->v.items[*at];
    if (out->selection ? owner.ts >= had->ts : had->tgid == 0 && had->ts < out->from)
        *had = owner;
}

void felt_process(struct felt_sink *out, uint32_t machine, uint32_t tid, int64_t tgid)
{
    set_owner(out, machine, tid, tgid);
}

void felt_named(struct felt_sink *out, uint32_t machine, uint32_t tid)
{
    if (out->selection)
        map_set(&out->owners->named, (uint64_t)machine << 32 | tid, 1);
}

void felt_last(struct felt_sink *out, uint64_t key)
{
    if (out->selection)
        selection_last_item(out->selection, key, &out->item);
}

void felt_first(struct felt_sink *out, uint64_t key)
{
    if (out->selection)
        selection_first(out->selection, hash_u64(key), &out->item);
}

void felt_mark(struct felt_sink *out, enum mark_kind kind, uint64_t key,
               enum felt_category category, uint64_t name)
{
    struct window_mark m = {.ts = out->item.ts,
                            .key = key,
                            .other = name,
                            .number = out->item.number,
                            .category = category,
                            .kind = (uint8_t)kind,
                            .stays = out->item.stays,
                            .lane = (uint16_t)out->item.lane};
    if (out->selection)
        selection_mark(out->selection, &m);
}

void felt_last_of_mark(struct felt_sink *out, uint64_t key)
{
    felt_mark(out, MARK_LAST, key, FELT_ANY, 0);
}

void felt_stay(struct felt_sink *out, enum mark_kind kind, uint64_t key)
{
    out->item.stays = true;
    felt_mark(out, kind, key, FELT_ANY, 0);
    out->item.stays = false;
}

void felt_renewed(const struct ftrace_event *e, uint32_t pid, struct felt_sink *out)
{
    felt_mark(out, MARK_RENEW, felt_thread_track(e, pid), FELT_ANY, 0);
    set_owner(out, e->cpu->machine, pid, 0);
    if (out->selection)
        selection_keep_item(out->selection, &out->item);
}

static uint64_t key_of(const struct felt *felt, const struct ftrace_event *e)
{
    uint64_t key = felt_key(e, felt->track ? felt->track : e->id);
    switch (felt->owner) {
    case FELT_OF_ALL:
        break;
    case FELT_OF_CPU:
        key = hash_mix(key, e->cpu->cpu);
        break;
    case FELT_OF_THREAD:
        key = hash_mix(key, e->pid);
        break;
    case FELT_ON_THREAD:
        return felt_thread_track(e, e->pid);
    }
    for (int i = 0; i < FELT_KEYS && felt->key[i]; i++)
        key = felt_key_by(key, e, felt->key[i]);
    return key;
}

static uint64_t name_of(const struct felt *felt, const struct ftrace_event *e)
{
    return felt->name ? felt_name(e, felt->name) : 0;
}

static void add_mark(const struct felt *felt, const struct ftrace_event *e, enum mark_kind kind,
                     struct felt_sink *out)
{
    uint64_t name = name_of(felt, e);
    if (kind == MARK_BEGIN && !felt->name)
        name = e->id; /* which no end asks for */
    felt_mark(out, kind, key_of(felt, e), felt->category, name);
}

void ftrace_felt_add(const struct felt *felt, const struct ftrace_event *e, struct felt_sink *out)
{
    switch (felt->kind) {
    case FELT_UNSAID:
    case FELT_MOMENT:
        return;
    case FELT_LAST:
        felt_last(out, key_of(felt, e));
        if (felt->first_too)
            felt_first(out, key_of(felt, e));
        return;
    case FELT_SUM:
        out->item.sum = event_uint(e, felt->value);
        selection_sum(out->selection, key_of(felt, e), &out->item);
        out->item.sum = 0;
        return;
    case FELT_BEGIN:
        add_mark(felt, e, MARK_BEGIN, out);
        return;
    case FELT_END:
        add_mark(felt, e, MARK_END, out);
        return;
    case FELT_SWITCH:
        add_mark(felt, e, event_int(e, felt->value) ? MARK_BEGIN : MARK_END, out);
        return;
    case FELT_NOTE:
        add_mark(felt, e, MARK_NOTE, out);
        return;
    case FELT_ALWAYS:
        selection_keep_item(out->selection, &out->item);
        return;
    case FELT_OTHERWISE:
        felt->say(e, out);
        return;
    }
}
