#include "parsers/samples/v8_profile.h"

#include "base/hash.h"

void v8_chunk_clear(struct v8_chunk *c)
{
    c->has_start = c->has_end = c->has_tree = c->is_absolute = false;
    c->nodes.count = c->children.count = c->samples.count = c->deltas.count = 0;
}

void v8_chunk_release(struct v8_chunk *c)
{
    vec_release(&c->nodes);
    vec_release(&c->children);
    vec_release(&c->samples);
    vec_release(&c->deltas);
}

static bool to_u32(struct json_value v, uint32_t *out)
{
    int64_t number;
    if (v.type != JSON_NUMBER || !json_to_i64(v, &number) || number < 0 || number >= UINT32_MAX)
        return false;
    *out = (uint32_t)number;
    return true;
}

static string_id name_id(struct trace *t, struct str name)
{
    return t ? trace_intern(t, name) : NULL_STRING;
}

/* A member that says which function a node is. */
static void set_function(struct trace *t, struct v8_node *node, struct str key, struct json_value v)
{
    int64_t line;
    if (str_eq(key, STR("functionName")) && v.type == JSON_STRING)
        node->function = name_id(t, v.text);
    else if (str_eq(key, STR("url")) && v.type == JSON_STRING && v.text.n)
        node->url = name_id(t, v.text);
    else if (str_eq(key, STR("lineNumber")) && json_to_i64(v, &line) && line >= 0 &&
             line < INT32_MAX)
        node->line = (uint32_t)line + 1;
}

/* Members are told apart by a copy of their key, as the next string takes its place. */
enum { KEY_MAX = 16 };

static struct str keep_key(char room[KEY_MAX], struct str key)
{
    if (key.n > KEY_MAX)
        return STR("");
    memcpy(room, key.p, key.n);
    return (struct str){room, key.n};
}

static bool read_function(struct trace *t, struct json_scan *j, struct v8_node *node)
{
    struct str key;
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        char room[KEY_MAX];
        key = keep_key(room, key);
        if (!json_read_value(j, &v))
            return false;
        set_function(t, node, key, v);
    }
    return closed;
}

static bool read_children(struct v8_chunk *c, struct json_scan *j, struct v8_node *node)
{
    struct json_value v;
    bool closed;
    uint32_t child;
    node->first_child = c->children.count;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        if (to_u32(v, &child))
            *vec_push(&c->children) = child;
    }
    node->child_count = c->children.count - node->first_child;
    return closed;
}

static struct v8_node new_node(struct trace *t)
{
    string_id none = name_id(t, STR(""));
    return (struct v8_node){.id = NULL_U32, .parent = NULL_U32, .function = none, .line = NULL_U32};
}

/* A member of a node other than its callees. */
static bool read_node_member(struct trace *t, struct json_scan *j, struct v8_node *node,
                             struct str key)
{
    struct json_value v;
    char room[KEY_MAX];
    if (str_eq(key, STR("callFrame")) && json_take(j, '{'))
        return read_function(t, j, node);
    key = keep_key(room, key);
    if (!json_read_value(j, &v))
        return false;
    if (str_eq(key, STR("id")))
        to_u32(v, &node->id);
    else if (str_eq(key, STR("parent")))
        to_u32(v, &node->parent);
    else if (str_eq(key, STR("selfSize")) || str_eq(key, STR("hitCount")))
        json_to_i64(v, &node->self);
    else
        set_function(t, node, key, v);
    return true;
}

static bool read_node(struct trace *t, struct v8_chunk *c, struct json_scan *j)
{
    struct v8_node node = new_node(t);
    struct str key;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool callees = str_eq(key, STR("children")) && json_take(j, '[');
        if (callees ? !read_children(c, j, &node) : !read_node_member(t, j, &node, key))
            return false;
    }
    if (node.id == NULL_U32)
        node.id = 0;
    *vec_push(&c->nodes) = node;
    return closed;
}

static bool read_nodes(struct trace *t, struct v8_chunk *c, struct json_scan *j)
{
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false)
        if (json_take(j, '{') ? !read_node(t, c, j) : !json_skip_value(j))
            return false;
    return closed;
}

static bool read_samples(struct v8_chunk *c, struct json_scan *j)
{
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        uint32_t *sample = vec_push(&c->samples);
        if (!to_u32(v, sample))
            *sample = NULL_U32;
    }
    return closed;
}

static bool read_deltas(struct v8_chunk *c, struct json_scan *j)
{
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        int64_t *delta = vec_push(&c->deltas);
        if (!json_to_i64(v, delta))
            *delta = 0;
    }
    return closed;
}

/* A node of a tree whose end was not read yet. */
struct open_node {
    size_t node;
    bool in_children, first;
};

struct open_nodes {
    VEC(struct open_node) items;
};

static void open_node(struct trace *t, struct v8_chunk *c, struct open_nodes *open)
{
    *vec_push(&open->items) = (struct open_node){.node = c->nodes.count, .first = true};
    *vec_push(&c->nodes) = new_node(t);
}

/* Reads on in the innermost node: up to its end, or the beginning or end of a callee. */
static bool read_open_node(struct trace *t, struct v8_chunk *c, struct json_scan *j,
                           struct open_nodes *open)
{
    struct open_node *inner = &vec_last(&open->items);
    struct str key;
    bool closed, first = inner->first;
    inner->first = false;
    if (inner->in_children) {
        if (!json_next_element(j, first, &closed)) {
            inner->in_children = false;
            return closed;
        }
        if (!json_take(j, '{'))
            return json_skip_value(j);
        open_node(t, c, open);
        return true;
    }
    if (!json_next_key(j, first, &key, &closed)) {
        open->items.count--;
        return closed;
    }
    if (!str_eq(key, STR("children")) || !json_take(j, '['))
        return read_node_member(t, j, &c->nodes.items[inner->node], key);
    inner->in_children = inner->first = true;
    return true;
}

/* The caller's id may come behind its callees; heap profiles used to have none. */
static void name_callers(struct v8_chunk *c, const uint32_t *callers, size_t from)
{
    for (size_t i = from; i < c->nodes.count; i++)
        if (c->nodes.items[i].id == NULL_U32)
            c->nodes.items[i].id = (uint32_t)(NULL_U32 - 1 - i);
    for (size_t i = from; i < c->nodes.count; i++)
        if (callers[i - from] != NULL_U32)
            c->nodes.items[i].parent = c->nodes.items[callers[i - from]].id;
}

/* Behind the first bracket of the outermost node. */
static bool read_tree(struct trace *t, struct v8_chunk *c, struct json_scan *j)
{
    struct open_nodes open = {0};
    VEC(uint32_t) callers = {0};
    size_t from = c->nodes.count;
    bool good = true;
    open_node(t, c, &open);
    while (good && open.items.count > 0) {
        size_t known = c->nodes.count, caller = vec_last(&open.items).node;
        while (callers.count < known - from)
            *vec_push(&callers) = NULL_U32;
        good = c->nodes.count < NULL_U32 && read_open_node(t, c, j, &open);
        if (c->nodes.count > known)
            *vec_push(&callers) = (uint32_t)caller;
    }
    while (callers.count < c->nodes.count - from)
        *vec_push(&callers) = NULL_U32;
    name_callers(c, callers.items, from);
    vec_release(&open.items);
    vec_release(&callers);
    return good;
}

enum v8_member v8_member_of(struct str key)
{
    static const struct {
        const char *key;
        enum v8_member member;
    } members[] = {
        {"nodes", V8_NODES},       {"head", V8_TREE},          {"samples", V8_SAMPLES},
        {"timeDeltas", V8_DELTAS}, {"timestamps", V8_TIMES},   {"startTime", V8_START},
        {"endTime", V8_END},       {"cpuProfile", V8_PROFILE}, {"profile", V8_PROFILE},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (str_eq(key, str_from(members[i].key)))
            return members[i].member;
    return V8_OTHER;
}

static bool read_member(struct trace *t, struct v8_chunk *c, struct json_scan *j,
                        enum v8_member member)
{
    struct json_value v;
    if (member == V8_NODES && json_take(j, '['))
        return read_nodes(t, c, j);
    if (member == V8_SAMPLES && json_take(j, '['))
        return read_samples(c, j);
    if (member == V8_TREE && json_take(j, '{')) {
        c->has_tree = true;
        return read_tree(t, c, j);
    }
    if ((member == V8_DELTAS || member == V8_TIMES) && json_take(j, '[')) {
        c->is_absolute |= member == V8_TIMES;
        return read_deltas(c, j);
    }
    if (!json_read_value(j, &v))
        return false;
    if (member == V8_START)
        c->has_start = v.type == JSON_NUMBER && json_to_i64(v, &c->start);
    if (member == V8_END)
        c->has_end = v.type == JSON_NUMBER && json_to_i64(v, &c->end);
    return true;
}

/* The members of what holds the profile. */
static bool read_inner(struct trace *t, struct v8_chunk *c, struct json_scan *j)
{
    struct str key;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false)
        if (!read_member(t, c, j, v8_member_of(key)))
            return false;
    return closed;
}

bool v8_chunk_read(struct trace *t, struct v8_chunk *c, struct json_scan *j)
{
    struct str key;
    bool closed;
    if (!json_take(j, '{'))
        return false;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        enum v8_member member = v8_member_of(key);
        bool inner = member == V8_PROFILE && json_take(j, '{');
        if (inner ? !read_inner(t, c, j) : !read_member(t, c, j, member))
            return false;
    }
    return closed;
}

struct v8_profile v8_profile_begin(struct trace *t)
{
    return (struct v8_profile){.mapping = stack_mapping_append_source(t, STR(""))};
}

void v8_profile_release(struct v8_profile *p)
{
    map_release(&p->callsites);
    map_release(&p->parents);
}

/* Notes whose callees the chunk's nodes are. Returns how many were another node's before. */
static size_t note_callees(struct v8_profile *p, const struct v8_chunk *c)
{
    size_t faults = 0;
    for (size_t i = 0; i < c->nodes.count; i++) {
        const struct v8_node *node = &c->nodes.items[i];
        bool inserted = true;
        for (size_t k = 0; k < node->child_count && inserted; k++) {
            uint32_t child = c->children.items[node->first_child + k];
            uint32_t *parent = map_insert(&p->parents, child, &inserted);
            if (inserted)
                *parent = node->id;
            faults += !inserted;
        }
    }
    return faults;
}

/* Its caller must be known. */
static bool add_node(struct v8_profile *p, struct trace *t, const struct v8_node *node)
{
    const uint32_t *inferred = map_find(&p->parents, node->id);
    uint32_t parent = node->parent, caller = NULL_U32;
    if (map_find(&p->callsites, node->id))
        return false;
    if (parent == NULL_U32 && inferred)
        parent = *inferred;
    if (parent != NULL_U32) {
        const uint32_t *callsite = map_find(&p->callsites, parent);
        if (!callsite)
            return false;
        caller = *callsite;
    }
    string_id name = node->function;
    if (p->detailed && name == trace_intern(t, STR("")))
        name = trace_intern(t, STR("(anonymous)"));
    uint32_t frame = stack_frame_intern_source(t, p->mapping, name, node->url,
                                               p->detailed ? node->line : NULL_U32);
    map_set(&p->callsites, node->id, stack_callsite_intern(t, caller, frame));
    return true;
}

/* Nodes of a chunk in an order in which callers come before their callees. */
struct node_order {
    const struct v8_chunk *chunk;
    struct map index_of_id;
    VEC(bool) taken;
    VEC(size_t) waiting; /* for their callers, the innermost first */
};

/* The node and the callers above it that were not taken yet. */
static void take_with_callers(struct node_order *o, const struct v8_profile *p, size_t node)
{
    o->waiting.count = 0;
    while (!o->taken.items[node]) {
        o->taken.items[node] = true;
        *vec_push(&o->waiting) = node;
        if (o->chunk->nodes.items[node].parent != NULL_U32)
            return;
        const uint32_t *parent = map_find(&p->parents, o->chunk->nodes.items[node].id);
        const uint32_t *index = parent ? map_find(&o->index_of_id, *parent) : NULL;
        if (!index)
            return;
        node = *index;
    }
}

size_t v8_profile_add(struct v8_profile *p, struct trace *t, const struct v8_chunk *c)
{
    struct node_order order = {.chunk = c};
    size_t faults = note_callees(p, c);
    for (size_t i = 0; i < c->nodes.count && i < NULL_U32; i++) {
        map_set(&order.index_of_id, c->nodes.items[i].id, (uint32_t)i);
        *vec_push(&order.taken) = false;
    }
    for (size_t i = 0; i < order.taken.count; i++) {
        take_with_callers(&order, p, i);
        while (order.waiting.count > 0)
            faults += !add_node(p, t, &c->nodes.items[order.waiting.items[--order.waiting.count]]);
    }
    map_release(&order.index_of_id);
    vec_release(&order.taken);
    vec_release(&order.waiting);
    return faults;
}

bool v8_profile_advance(struct v8_profile *p, int64_t delta)
{
    int64_t ns, ts;
    if (__builtin_mul_overflow(delta, 1000, &ns) || __builtin_add_overflow(p->ts, ns, &ts))
        return false;
    p->ts = ts;
    return true;
}

uint32_t v8_profile_callsite(const struct v8_profile *p, uint32_t node)
{
    const uint32_t *callsite = map_find(&p->callsites, node);
    return callsite ? *callsite : NULL_U32;
}

void v8_profiles_release(struct v8_profiles *p)
{
    for (size_t i = 0; i < p->items.count; i++)
        v8_profile_release(&p->items.items[i]);
    vec_release(&p->items);
    map_release(&p->by_id);
    v8_chunk_release(&p->chunk);
}

void v8_profiles_start(struct v8_profiles *p, struct trace *t, uint64_t id, int64_t pid, int64_t ts)
{
    bool inserted;
    uint32_t *at = map_insert(&p->by_id, hash_mix(id, (uint64_t)pid), &inserted);
    if (inserted) {
        *at = (uint32_t)p->items.count;
        struct v8_profile profile = v8_profile_begin(t);
        *vec_push(&p->items) = profile;
    }
    p->items.items[*at].ts = ts;
}

bool v8_profiles_add(struct v8_profiles *p, struct trace *t, uint64_t id, int64_t pid,
                     uint32_t *profile)
{
    const struct v8_chunk *c = &p->chunk;
    const uint32_t *at = map_find(&p->by_id, hash_mix(id, (uint64_t)pid));
    size_t faults = at ? v8_profile_add(&p->items.items[*at], t, c) : c->nodes.count;
    stats_add(t, STAT_legacy_v8_cpu_profile_invalid_callsite, STAT_SINGLE, (int64_t)faults);
    bool good = c->samples.count == c->deltas.count && (at || c->samples.count == 0);
    *profile = good && at && c->samples.count > 0 ? *at : NULL_U32;
    return good;
}
