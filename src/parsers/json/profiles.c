#include "parsers/json/profiles.h"

#include "base/hash.h"

struct json_profiles json_profiles_begin(struct trace *t)
{
    return (struct json_profiles){.trace = t, .samples = samples_begin(t, STR("legacy_v8"))};
}

void json_profiles_release(struct json_profiles *p)
{
    v8_profiles_release(&p->v8);
    samples_release(&p->samples);
    map_release(&p->frame_of_id);
    vec_release(&p->frames);
    vec_release(&p->path);
}

uint64_t json_frame_id(struct str text)
{
    return hash_bytes(text.p, text.n, 0) | 1;
}

bool json_profile_data(struct trace *t, struct v8_chunk *chunk, struct str args)
{
    struct json_scan j = json_scan_from(args);
    struct str key;
    bool closed = false, good = json_take(&j, '{');
    v8_chunk_clear(chunk);
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        json_skip_space(&j);
        bool data = str_eq(key, STR("data")) && j.p < j.end && *j.p == '{';
        good = data ? v8_chunk_read(t, chunk, &j) : json_skip_value(&j);
    }
    json_scan_release(&j);
    return good && closed;
}

bool json_profiles_chunk(struct json_profiles *p, uint64_t id, int64_t pid, struct str args,
                         uint32_t *profile)
{
    int64_t ns;
    *profile = NULL_U32;
    if (!json_profile_data(p->trace, &p->v8.chunk, args))
        return true;
    if (!p->v8.chunk.has_start)
        return v8_profiles_add(&p->v8, p->trace, id, pid, profile);
    if (__builtin_mul_overflow(p->v8.chunk.start, 1000, &ns))
        return false;
    v8_profiles_start(&p->v8, p->trace, id, pid, ns);
    return true;
}

uint32_t json_profiles_whole(struct json_profiles *p, int64_t pid, struct str args)
{
    int64_t ns;
    uint32_t profile;
    uint64_t id = UINT64_MAX - p->v8.items.count; /* nobody else's */
    if (!json_profile_data(p->trace, &p->v8.chunk, args) || !p->v8.chunk.has_start ||
        __builtin_mul_overflow(p->v8.chunk.start, 1000, &ns))
        return NULL_U32;
    v8_profiles_start(&p->v8, p->trace, id, pid, ns);
    return v8_profiles_add(&p->v8, p->trace, id, pid, &profile) ? profile : NULL_U32;
}

static struct json_frame read_frame(struct json_profiles *p, struct str object)
{
    struct json_frame frame = {.callsite = NULL_U32};
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        bool name = str_eq(key, STR("name")), category = str_eq(key, STR("category"));
        bool parent = str_eq(key, STR("parent"));
        if (!json_read_value(&j, &v))
            break;
        bool text = v.type == JSON_STRING;
        if (name && text)
            frame.name = trace_intern(p->trace, v.text);
        else if (category && text)
            frame.category = trace_intern(p->trace, v.text);
        else if (parent && (text || v.type == JSON_NUMBER))
            frame.parent = json_frame_id(v.text);
    }
    json_scan_release(&j);
    return frame;
}

void json_profiles_add_frames(struct json_profiles *p, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        uint64_t id = json_frame_id(key);
        if (!json_read_value(&j, &v))
            break;
        if (v.type != JSON_OBJECT || p->frames.count == NULL_U32)
            continue;
        map_set(&p->frame_of_id, id, (uint32_t)p->frames.count);
        struct json_frame frame = read_frame(p, v.text);
        *vec_push(&p->frames) = frame;
    }
    json_scan_release(&j);
}

/* The frame's position, or NULL_U32. */
static uint32_t frame_at(const struct json_profiles *p, uint64_t id)
{
    const uint32_t *at = id ? map_find(&p->frame_of_id, id) : NULL;
    return at ? *at : NULL_U32;
}

static uint32_t intern_call(struct json_profiles *p, uint32_t caller, string_id category,
                            string_id name)
{
    struct str mapping = string_pool_get(&p->trace->strings, category);
    uint32_t frame = stack_frame_intern_source(p->trace, stack_mapping_of_source(p->trace, mapping),
                                               name, NULL_STRING, NULL_U32);
    return stack_callsite_intern(p->trace, caller, frame);
}

/* From the frame outwards to one whose call site is known, and back. A frame that calls itself has
 * no caller. */
uint32_t json_profiles_callsite(struct json_profiles *p, uint64_t id, string_id name)
{
    uint32_t at = frame_at(p, id), callsite = NULL_U32;
    if (at == NULL_U32)
        return name ? intern_call(p, NULL_U32, NULL_STRING, name) : NULL_U32;
    p->path.count = 0;
    for (; at != NULL_U32 && !p->frames.items[at].reached;
         at = frame_at(p, p->frames.items[at].parent)) {
        p->frames.items[at].reached = true;
        *vec_push(&p->path) = at;
    }
    if (at != NULL_U32)
        callsite = p->frames.items[at].callsite;
    while (p->path.count > 0) {
        struct json_frame *frame = &p->frames.items[p->path.items[--p->path.count]];
        string_id called = frame->name ? frame->name : trace_intern(p->trace, STR("[unknown]"));
        callsite = frame->callsite = intern_call(p, callsite, frame->category, called);
    }
    return callsite;
}
