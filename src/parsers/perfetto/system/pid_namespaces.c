#include "parsers/perfetto/system/pid_namespaces.h"

#include "base/hash.h"
#include "pb_fields.h"

struct pid_namespaces {
    struct map depths; /* machine, pid -> number of namespaces */
    struct map outer;  /* machine, pid, inner pid or tid -> outer one */
};

static void namespaces_release(void *state)
{
    struct pid_namespaces *s = state;
    map_release(&s->depths);
    map_release(&s->outer);
}

static const struct import_state_kind namespaces_kind = {.size = sizeof(struct pid_namespaces),
                                                         .release = namespaces_release};

static uint64_t process_key(uint32_t machine, int64_t pid)
{
    return (uint64_t)machine << 32 | (uint32_t)pid;
}

static uint64_t inner_key(uint32_t machine, int64_t pid, int64_t inner)
{
    return hash_mix(process_key(machine, pid), (uint64_t)inner);
}

void pid_namespaces_add_process(struct import *im, uint32_t machine, int64_t pid, int64_t inner,
                                uint32_t depth)
{
    struct pid_namespaces *s = import_state(im, &namespaces_kind);
    map_set(&s->depths, process_key(machine, pid), depth);
    map_set(&s->outer, inner_key(machine, pid, inner), (uint32_t)pid);
}

bool pid_namespaces_add_thread(struct import *im, uint32_t machine, int64_t tgid, int64_t tid,
                               struct pb_reader thread)
{
    struct pid_namespaces *s = import_state(im, &namespaces_kind);
    const uint32_t *depth = map_find(&s->depths, process_key(machine, tgid));
    uint32_t seen = 0;
    struct pb_field f;
    uint64_t v;
    while (pb_next(&thread, &f)) {
        if (f.number != PB_ProcessTree_Thread_nstid)
            continue;
        if (!depth)
            return false;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &v))
            if (++seen == *depth)
                map_set(&s->outer, inner_key(machine, tgid, (int32_t)(uint32_t)v), (uint32_t)tid);
    }
    return true;
}

bool pid_namespaces_resolve(struct import *im, uint32_t machine, int64_t writer, int64_t *id)
{
    struct pid_namespaces *s = import_state(im, &namespaces_kind);
    const uint32_t *outer = map_find(&s->outer, inner_key(machine, writer, *id));
    if (outer)
        *id = *outer;
    return outer;
}
