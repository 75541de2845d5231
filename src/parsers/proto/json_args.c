#include "parsers/proto/json_args.h"

#include "base/hash.h"
#include "parsers/input/json_scan.h"
#include "parsers/proto/reflect_internal.h"

enum { DEPTH_MAX = 128, NUMBER_MAX = 64 };

/* An object or array that is being read. */
struct json_args_level {
    bool array;
    uint64_t array_key; /* in reflect.array_sizes */
    uint32_t index;
    struct reflect_mark outside; /* the keys outside of the current member or element */
};

struct json_args_reader {
    struct reflect *r;
    struct json_scan scan;
    struct json_args_level levels[DEPTH_MAX];
    int depth;
};

static bool add_number(struct json_args_reader *j, struct json_value v)
{
    int64_t i;
    double d;
    if (str_to_i64(v.text, &i))
        reflect_add_int(j->r, i);
    else if (v.text.n < NUMBER_MAX && str_to_f64(v.text, &d))
        reflect_add_real(j->r, d);
    else
        return false;
    return true;
}

/* A value that is not null: counts it in the array that it is an element of. */
static void count_element(struct json_args_reader *j)
{
    struct json_args_level *l = j->depth ? &j->levels[j->depth - 1] : NULL;
    if (l && l->array)
        map_set(&j->r->array_sizes, l->array_key, ++l->index);
}

static bool open_level(struct json_args_reader *j, bool array)
{
    if (j->depth >= DEPTH_MAX)
        return false;
    count_element(j);
    struct json_args_level *l = &j->levels[j->depth++];
    *l = (struct json_args_level){.array = array, .outside = reflect_mark_here(j->r)};
    if (!array)
        return true;
    l->array_key = hash_bytes(j->r->key.items, j->r->key.count, 0);
    const uint32_t *size = map_find(&j->r->array_sizes, l->array_key);
    l->index = size ? *size : 0;
    return true;
}

static void close_level(struct json_args_reader *j)
{
    reflect_leave(j->r, j->levels[--j->depth].outside);
}

/* Reads up to the next value of the innermost container and puts its name or index behind the key;
 * `*closed` where the container ends instead. */
static bool next_member(struct json_args_reader *j, bool first, bool *closed)
{
    struct json_args_level *l = &j->levels[j->depth - 1];
    reflect_leave(j->r, l->outside);
    bool comma = !first && json_take(&j->scan, ',');
    *closed = json_take(&j->scan, l->array ? ']' : '}');
    if (*closed)
        return true;
    if (!first && !comma)
        return false;
    if (l->array) {
        reflect_enter_array(j->r, l->index);
        return true;
    }
    struct str name;
    if (!json_take(&j->scan, '"') || !json_read_string(&j->scan, &name))
        return false;
    reflect_enter(j->r, name);
    return json_take(&j->scan, ':');
}

/* A scalar, or the start of a container, which `*opened` says. */
static bool read_value(struct json_args_reader *j, bool *opened)
{
    struct json_value v;
    *opened = true;
    if (json_take(&j->scan, '{'))
        return open_level(j, false);
    if (json_take(&j->scan, '['))
        return open_level(j, true);
    *opened = false;
    if (!json_read_value(&j->scan, &v))
        return false;
    switch (v.type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        reflect_add_bool(j->r, v.text.n == 4);
        break;
    case JSON_STRING:
        reflect_add_str(j->r, v.text);
        break;
    default:
        if (!add_number(j, v))
            return false;
    }
    count_element(j);
    return true;
}

static bool read_all(struct json_args_reader *j)
{
    bool first, closed;
    if (!read_value(j, &first))
        return false;
    while (j->depth > 0) {
        if (!next_member(j, first, &closed))
            return false;
        first = false;
        if (closed)
            close_level(j);
        else if (!read_value(j, &first))
            return false;
    }
    json_skip_space(&j->scan);
    return j->scan.p == j->scan.end;
}

void json_add_args(struct reflect *r, struct str text)
{
    struct json_args_reader j = {.r = r, .scan = json_scan_from(text)};
    size_t before = r->out->v.count;
    struct reflect_mark mark = reflect_mark_here(r);
    if (!read_all(&j))
        r->out->v.count = before;
    reflect_leave(r, mark);
    json_scan_release(&j.scan);
}
