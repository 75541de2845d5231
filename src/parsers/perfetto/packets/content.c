#include "parsers/perfetto/packets/content.h"

#include "core/store/arg_list.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { DEPTH_MAX = 128, CONTENT_KINDS = CONTENT_EVENT + 1 };
static const uint32_t UNKNOWN_FIELDS = UINT32_MAX; /* in the place of a field number */

/* A field of a message in the place where it occurs, or a packet. */
struct content_path {
    uint32_t parent; /* NULL_U32: a packet */
    uint32_t args;
    string_id name, type, text;
    int64_t size, count;
};

struct content {
    VEC(struct content_path) paths;
    struct map roots[CONTENT_KINDS]; /* category << 32 | name -> path */
    struct map fields;               /* path << 32 | field number -> path */
    struct map events;               /* number of what content_note_event remembers */
    VEC(struct bytes) packets;       /* these */
    VEC(char) text;                  /* scratch */
    struct arg_list args;            /* scratch */
};

/* A message that is being read. */
struct content_level {
    struct pb_reader r;
    uint32_t type, path;
    int64_t own, unknown; /* bytes of no field, and of fields without a descriptor */
};

static void content_finish(struct import *im, void *state)
{
    struct content *c = state;
    struct table *paths = &im->trace->tables.experimental_proto_path;
    struct table *contents = &im->trace->tables.experimental_proto_content;
    uint32_t first = paths->rows;
    for (size_t i = 0; i < c->paths.count; i++) {
        const struct content_path *p = &c->paths.items[i];
        struct experimental_proto_path_row path = {
            .parent_id = p->parent == NULL_U32 ? NULL_U32 : first + p->parent,
            .field_type = p->type,
            .field_name = p->name,
            .arg_set_id = p->args,
        };
        experimental_proto_path_append(paths, &path);
        struct experimental_proto_content_row content = {
            .path = p->text,
            .path_id = first + (uint32_t)i,
            .total_size = p->size,
            .size = p->size,
            .count = p->count,
        };
        if (p->count)
            experimental_proto_content_append(contents, &content);
    }
}

static void content_release(void *state)
{
    struct content *c = state;
    for (size_t i = 0; i < CONTENT_KINDS; i++)
        map_release(&c->roots[i]);
    map_release(&c->fields);
    map_release(&c->events);
    vec_release(&c->paths);
    vec_release(&c->packets);
    vec_release(&c->text);
    arg_list_release(&c->args);
}

static const struct import_state_kind content_kind = {.size = sizeof(struct content),
                                                      .finish = content_finish,
                                                      .release = content_release};

/* NULL: not asked for. */
static struct content *content_of(struct import *im)
{
    return im->trace->builder->options.measure_content ? import_state(im, &content_kind) : NULL;
}

static void add_text(struct content *c, struct str text)
{
    vec_append(&c->text, text.p, text.n);
}

static uint32_t add_path(struct import *im, struct content *c, uint32_t parent, struct str field,
                         struct str type)
{
    struct content_path path = {.parent = parent, .args = NULL_U32};
    c->text.count = 0;
    if (parent != NULL_U32) {
        add_text(c, STR("#"));
        add_text(c, field);
        path.name = trace_intern(im->trace, (struct str){c->text.items, c->text.count});
        c->text.count = 0;
        add_text(c, string_pool_get(&im->trace->strings, c->paths.items[parent].text));
        add_text(c, STR(".#"));
        add_text(c, field);
        add_text(c, STR("."));
    }
    add_text(c, type);
    path.type = trace_intern(im->trace, type);
    path.text = trace_intern(im->trace, (struct str){c->text.items, c->text.count});
    *vec_push(&c->paths) = path;
    return (uint32_t)c->paths.count - 1;
}

/* What stands behind the last dot. */
static struct str short_name(struct str name)
{
    size_t at = name.n;
    while (at > 0 && name.p[at - 1] != '.')
        at--;
    return str_skip(name, at);
}

static struct str type_name(const struct descriptors *d, const struct field_descriptor *f,
                            bool is_message)
{
    static const char *const names[] = {"unknown",  "double",   "float",   "int64",  "uint64",
                                        "int32",    "fixed64",  "fixed32", "bool",   "string",
                                        "group",    "message",  "bytes",   "uint32", "enum",
                                        "sfixed32", "sfixed64", "sint32",  "sint64"};
    if (is_message)
        return short_name(descriptors_type(d, f->type_index)->name);
    return str_from(names[f->type < sizeof names / sizeof *names ? f->type : 0]);
}

static uint32_t field_path(struct import *im, struct content *c, uint32_t parent, uint32_t number,
                           const struct field_descriptor *f, bool is_message)
{
    bool is_new;
    uint32_t *at = map_insert(&c->fields, (uint64_t)parent << 32 | number, &is_new);
    if (!is_new)
        return *at;
    *at = add_path(im, c, parent, f ? f->name : STR("unknown"),
                   f ? type_name(im->descriptors, f, is_message) : STR(""));
    return *at;
}

/* Of a number what a writer takes for it, of all else what its length says. */
static int64_t payload_size(const struct pb_field *f)
{
    switch (f->wire_type) {
    case PB_WIRE_I32:
        return 4;
    case PB_WIRE_I64:
        return 8;
    case PB_WIRE_LEN:
        return (int64_t)f->value;
    default: {
        int64_t n = 1;
        for (uint64_t rest = f->value >> 7; rest; rest >>= 7)
            n++;
        return n;
    }
    }
}

static void add_sample(struct content *c, uint32_t path, int64_t size)
{
    c->paths.items[path].size += size;
    c->paths.items[path].count++;
}

/* Returns true where the field is a message to be read next, as `inner`. */
static bool measure_field(struct import *im, struct content *c, struct content_level *l,
                          const struct pb_field *f, bool may_enter, struct content_level *inner)
{
    int64_t size = payload_size(f);
    const struct field_descriptor *d = descriptors_field(im->descriptors, l->type, f->number);
    l->own -= size;
    if (!d) {
        l->unknown += size;
        return false;
    }
    bool is_message = may_enter && f->data && d->type_index != DESCRIPTOR_NONE &&
                      d->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE;
    uint32_t path = field_path(im, c, l->path, f->number, d, is_message);
    if (is_message)
        *inner = (struct content_level){pb_message(f), d->type_index, path, size, 0};
    else
        add_sample(c, path, size);
    return is_message;
}

static void measure(struct import *im, struct content *c, uint32_t root, struct bytes packet)
{
    struct content_level levels[DEPTH_MAX];
    size_t depth = 1;
    struct pb_field f;
    levels[0] = (struct content_level){
        .r = bytes_reader(packet),
        .type = descriptors_find(import_descriptors(im), STR("perfetto.protos.TracePacket")),
        .path = root,
        .own = (int64_t)packet.n,
    };
    while (depth > 0) {
        struct content_level *l = &levels[depth - 1];
        if (pb_next(&l->r, &f)) {
            bool may_enter = depth < DEPTH_MAX;
            depth += measure_field(im, c, l, &f, may_enter, may_enter ? l + 1 : NULL);
            continue;
        }
        if (l->unknown)
            add_sample(c, field_path(im, c, l->path, UNKNOWN_FIELDS, NULL, false), l->unknown);
        add_sample(c, l->path, l->own);
        depth--;
    }
}

static void note(struct import *im, struct content *c, const char *key, string_id value)
{
    arg_list_str(&c->args, trace_intern_c(im->trace, key), value);
}

static uint32_t root_path(struct import *im, struct content *c, enum content_kind kind,
                          string_id category, string_id name)
{
    bool is_new;
    uint32_t *at = map_insert(&c->roots[kind], (uint64_t)category << 32 | name, &is_new);
    if (!is_new)
        return *at;
    *at = add_path(im, c, NULL_U32, STR(""), STR("TracePacket"));
    arg_list_clear(&c->args);
    if (kind == CONTENT_SKIPPED)
        note(im, c, "skipped_packet", trace_intern(im->trace, STR("invalid_incremental_state")));
    if (kind == CONTENT_EVENT) {
        note(im, c, "event.category", category);
        note(im, c, "event.name", name);
    }
    if (c->args.v.count)
        c->paths.items[*at].args = args_intern(&im->trace->args, &c->args);
    return *at;
}

void content_measure(struct import *im, enum content_kind kind, struct bytes packet)
{
    struct content *c = content_of(im);
    if (c)
        measure(im, c, root_path(im, c, kind, NULL_STRING, NULL_STRING), packet);
}

void content_note_event(struct import *im, uint64_t event, struct bytes packet)
{
    struct content *c = content_of(im);
    if (!c)
        return;
    map_set(&c->events, event, (uint32_t)c->packets.count);
    *vec_push(&c->packets) = packet;
}

void content_measure_event(struct import *im, uint64_t event, string_id category, string_id name)
{
    struct content *c = content_of(im);
    const uint32_t *at = c ? map_find(&c->events, event) : NULL;
    if (at)
        measure(im, c, root_path(im, c, CONTENT_EVENT, category, name), c->packets.items[*at]);
}
