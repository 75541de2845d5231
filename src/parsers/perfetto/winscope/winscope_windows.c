#define PB_READS_LITTLE
#include "parsers/perfetto/winscope/winscope_windows.h"

#include "core/stats.h"
#include "core/store/rows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/winscope/winscope.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"

/* Fields from one message down to another in it; 0 ends them. */
enum { PATH_MAX_FIELDS = 5 };
typedef uint8_t field_path[PATH_MAX_FIELDS];

/* Where a kind of container, a WindowContainerChildProto of one field, has what all of them have.
 */
struct container_kind {
    const char *type;
    field_path container; /* its WindowContainerProto, and a second place for it */
    field_path container_before;
    field_path token, title, visible; /* those that are not of the WindowContainerProto */
};

#define CHILD(name) PB_WindowContainerChildProto_##name

static const struct container_kind kinds[] = {
    [CHILD(window_container)] = {.type = "WindowContainer", .container = {CHILD(window_container)}},
    [CHILD(display_content)] = {.type = "DisplayContent",
                                .container = {CHILD(display_content),
                                              PB_DisplayContentProto_root_display_area,
                                              PB_DisplayAreaProto_window_container},
                                .title = {CHILD(display_content),
                                          PB_DisplayContentProto_display_info,
                                          PB_DisplayInfoProto_name}},
    [CHILD(display_area)] = {.type = "DisplayArea",
                             .container = {CHILD(display_area),
                                           PB_DisplayAreaProto_window_container},
                             .title = {CHILD(display_area), PB_DisplayAreaProto_name}},
    [CHILD(task)] = {.type = "Task",
                     .container = {CHILD(task), PB_TaskProto_task_fragment,
                                   PB_TaskFragmentProto_window_container},
                     .container_before = {CHILD(task), PB_TaskProto_window_container}},
    [CHILD(activity)] = {.type = "Activity",
                         .container = {CHILD(activity), PB_ActivityRecordProto_window_token,
                                       PB_WindowTokenProto_window_container},
                         .token = {CHILD(activity), PB_ActivityRecordProto_window_token,
                                   PB_WindowTokenProto_hash_code},
                         .title = {CHILD(activity), PB_ActivityRecordProto_name},
                         .visible = {CHILD(activity), PB_ActivityRecordProto_visible}},
    [CHILD(window_token)] = {.type = "WindowToken",
                             .container = {CHILD(window_token),
                                           PB_WindowTokenProto_window_container},
                             .token = {CHILD(window_token), PB_WindowTokenProto_hash_code},
                             .title = {CHILD(window_token), PB_WindowTokenProto_hash_code}},
    [CHILD(window)] = {.type = "WindowState",
                       .container = {CHILD(window), PB_WindowStateProto_window_container},
                       .visible = {CHILD(window), PB_WindowStateProto_is_visible}},
    [CHILD(task_fragment)] = {.type = "TaskFragment",
                              .container = {CHILD(task_fragment),
                                            PB_TaskFragmentProto_window_container}},
};

static const struct container_kind root_kind = {.type = "RootWindowContainer",
                                                .container = {
                                                    PB_RootWindowContainerProto_window_container}};

/* The last field of this path; false where there is none. */
static bool find(struct bytes message, const field_path path, struct pb_field *out)
{
    struct pb_field here = {.data = message.p, .value = message.n};
    for (size_t i = 0; i < PATH_MAX_FIELDS && path[i]; i++) {
        struct pb_reader r = pb_message(&here);
        struct pb_field f;
        bool found = false;
        while (pb_next(&r, &f)) {
            if (f.number != path[i])
                continue;
            here = f;
            found = true;
        }
        if (!found)
            return false;
    }
    *out = here;
    return path[0] != 0;
}

/* The message without the fields at the end of a path. */
static void prune(struct pb_bytes *out, struct pb_reader r, const uint8_t *path)
{
    struct pb_field f;
    for (const uint8_t *from = r.p; pb_next(&r, &f); from = r.p) {
        if (f.number != path[0]) {
            pb_put_raw(out, from, (size_t)(r.p - from));
        } else if (path[1]) {
            struct pb_bytes inner = {0};
            prune(&inner, pb_message(&f), path + 1); /* as deep as the path is long */
            pb_put_message(out, f.number, &inner);
            pb_bytes_release(&inner);
        }
    }
}

static uint32_t pruned_args(struct import *im, const char *type, struct bytes message,
                            const uint8_t *path, const uint8_t *second)
{
    struct pb_bytes once = {0}, twice = {0};
    prune(&once, bytes_reader(message), path);
    if (second[0])
        prune(&twice, pb_reader_from(once.v.items, once.v.count), second);
    const struct pb_bytes *out = second[0] ? &twice : &once;
    uint32_t set = message_args(im, type, (struct bytes){out->v.items, out->v.count});
    pb_bytes_release(&once);
    pb_bytes_release(&twice);
    return set;
}

static void children_path(uint8_t out[PATH_MAX_FIELDS + 2], const field_path container)
{
    size_t n = 0;
    for (; n < PATH_MAX_FIELDS && container[n]; n++)
        out[n] = container[n];
    if (n > 0)
        out[n++] = PB_WindowContainerProto_children;
    out[n] = 0;
}

struct container {
    const struct container_kind *kind;
    struct bytes message, common; /* `common` is its WindowContainerProto */
    int32_t token;
    string_id title;
    bool visible;
};

/* A container whose children are being read. */
struct open_container {
    struct pb_reader children;
    int32_t token;
    uint32_t next_index;
};

struct parent_link {
    int32_t token;
    uint32_t index;
};

struct windows {
    struct import *im;
    uint32_t snapshot;
    uint32_t display, depth; /* of the windows that come next */
    VEC(struct open_container) open;
    struct map parents; /* by token -> index in `links`, where containers are one flat list */
    VEC(struct parent_link) links;
};

static int64_t number_at(struct bytes message, const field_path path, int64_t otherwise)
{
    struct pb_field f;
    return find(message, path, &f) ? pb_i64(&f) : otherwise;
}

static string_id title_of(struct import *im, const struct container *c)
{
    static const field_path own = {PB_WindowContainerProto_identifier, PB_IdentifierProto_title};
    struct pb_field f;
    if (c->kind == &kinds[CHILD(window_token)]) {
        char hex[16];
        int n = snprintf(hex, sizeof hex, "0x%02x", (uint32_t)c->token);
        return trace_intern(im->trace, (struct str){hex, (size_t)n});
    }
    bool found =
        c->kind->title[0] ? find(c->message, c->kind->title, &f) : find(c->common, own, &f);
    return found ? trace_intern(im->trace, pb_str(&f)) : NULL_STRING;
}

/* False where what every container has is not there. */
static bool read_container(struct import *im, struct container *c)
{
    static const field_path own_token = {PB_WindowContainerProto_identifier,
                                         PB_IdentifierProto_hash_code};
    static const field_path own_visible = {PB_WindowContainerProto_visible};
    struct pb_field f;
    if (find(c->message, c->kind->container, &f) || find(c->message, c->kind->container_before, &f))
        c->common = field_bytes(&f);
    bool found =
        c->kind->token[0] ? find(c->message, c->kind->token, &f) : find(c->common, own_token, &f);
    if (!found)
        return false;
    c->token = pb_i32(&f);
    c->title = title_of(im, c);
    c->visible = c->kind->visible[0] ? number_at(c->message, c->kind->visible, 0)
                                     : number_at(c->common, own_visible, 0);
    return c->title != NULL_STRING;
}

/* Windows are not transformed. That this is no identity is how Trace Processor writes it. */
static const struct matrix window_transform = {.dsdx = 1, .dtdy = 1};

/* A display, and what comes behind it is on it. */
static uint32_t add_display_rect(struct windows *w, struct bytes message)
{
    static const field_path width = {CHILD(display_content), PB_DisplayContentProto_display_info,
                                     PB_DisplayInfoProto_logical_width};
    static const field_path height = {CHILD(display_content), PB_DisplayContentProto_display_info,
                                      PB_DisplayInfoProto_logical_height};
    static const field_path id = {CHILD(display_content), PB_DisplayContentProto_id};
    w->display = (uint32_t)number_at(message, id, 0);
    w->depth = 0;
    struct winscope_rect rect = {.box = {.w = (int32_t)number_at(message, width, 0),
                                         .h = (int32_t)number_at(message, height, 0)},
                                 .transform = &window_transform,
                                 .own_box = true,
                                 .group = w->display,
                                 .depth = w->depth++};
    return winscope_trace_rect(w->im, &rect);
}

static uint32_t add_window_rect(struct windows *w, const struct container *c)
{
    static const field_path frame = {CHILD(window), PB_WindowStateProto_window_frames,
                                     PB_WindowFramesProto_frame};
    static const field_path alpha = {CHILD(window), PB_WindowStateProto_attributes,
                                     PB_WindowLayoutParamsProto_alpha};
    struct pb_field f;
    struct winscope_rect rect = {.transform = &window_transform,
                                 .own_box = true,
                                 .group = w->display,
                                 .depth = w->depth++,
                                 .visible = c->visible,
                                 .has_opacity = true};
    if (find(c->message, frame, &f))
        rect.box = box_read(pb_message(&f));
    if (find(c->message, alpha, &f))
        rect.opacity = pb_real(&f);
    return winscope_trace_rect(w->im, &rect);
}

/* Tasks are called by their number and name. */
static string_id task_name(struct import *im, struct bytes message)
{
    static const field_path id = {CHILD(task), PB_TaskProto_id};
    static const field_path name = {CHILD(task), PB_TaskProto_task_name};
    struct pb_field f, n;
    if (!find(message, id, &f))
        return NULL_STRING;
    char text[512];
    int len = snprintf(text, sizeof text, "%d", pb_i32(&f));
    if (find(message, name, &n))
        len = snprintf(text, sizeof text, "%d(%.*s)", pb_i32(&f),
                       (int)(n.value < 400 ? n.value : 400), pb_str(&n).p);
    return trace_intern(im->trace, (struct str){text, (size_t)len});
}

/* Windows that stand in for another are called as that one is. */
static string_id window_name(struct import *im, string_id title)
{
    static const char *const prefixes[] = {"Starting ", "Waiting For Debugger: "};
    struct str name = string_pool_get(&im->trace->strings, title);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t n = strlen(prefixes[i]);
        if (name.n >= n && memcmp(name.p, prefixes[i], n) == 0)
            return trace_intern(im->trace, (struct str){name.p + n, name.n - n});
    }
    return NULL_STRING;
}

static void add_row(struct windows *w, const struct container *c, const struct parent_link *parent)
{
    struct windowmanager_windowcontainer_row row = windowmanager_windowcontainer_row_null();
    uint8_t path[PATH_MAX_FIELDS + 2], before[PATH_MAX_FIELDS + 2];
    children_path(path, c->kind->container);
    children_path(before, c->kind->container_before);
    row.snapshot_id = w->snapshot;
    row.arg_set_id =
        pruned_args(w->im,
                    c->kind == &root_kind ? "com.android.internal.RootWindowContainerProto"
                                          : "com.android.internal.WindowContainerChildProto",
                    c->message, path, before);
    row.base64_proto_id = row.arg_set_id;
    row.title = c->title;
    row.token = c->token;
    row.is_visible = c->visible;
    row.container_type = trace_intern_c(w->im->trace, c->kind->type);
    if (parent) {
        row.parent_token = parent->token;
        row.child_index = parent->index;
    }
    if (c->kind == &kinds[CHILD(display_content)]) {
        row.window_rect_id = add_display_rect(w, c->message);
    } else if (c->kind == &kinds[CHILD(window)]) {
        row.window_rect_id = add_window_rect(w, c);
        row.name_override = window_name(w->im, c->title);
    } else if (c->kind == &kinds[CHILD(task)]) {
        row.name_override = task_name(w->im, c->message);
    }
    windowmanager_windowcontainer_append(&w->im->trace->tables.windowmanager_windowcontainer, &row);
}

/* The kind of a WindowContainerChildProto; NULL where it is of none that is known. */
static const struct container_kind *kind_of(struct bytes message)
{
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number < sizeof kinds / sizeof kinds[0] && kinds[f.number].type)
            return &kinds[f.number];
    return NULL;
}

/* False where the container cannot be read: what is below it is not, either. */
static bool add_container(struct windows *w, struct container *c, const struct parent_link *parent)
{
    if (!c->kind || !read_container(w->im, c)) {
        stats_count(w->im->trace, STAT_winscope_windowmanager_parse_errors);
        return false;
    }
    add_row(w, c, parent);
    return true;
}

static void open_children(struct windows *w, const struct container *c)
{
    *vec_push(&w->open) = (struct open_container){bytes_reader(c->common), c->token, 0};
}

/* Containers with those that are in them, from the outside inwards. */
static void add_nested(struct windows *w, const struct container *root)
{
    open_children(w, root);
    while (w->open.count > 0) {
        struct open_container *top = &vec_last(&w->open);
        struct pb_field f;
        if (!pb_next(&top->children, &f)) {
            w->open.count--;
            continue;
        }
        if (f.number != PB_WindowContainerProto_children)
            continue;
        struct parent_link parent = {top->token, top->next_index++};
        struct container c = {.message = field_bytes(&f), .kind = kind_of(field_bytes(&f))};
        if (add_container(w, &c, &parent))
            open_children(w, &c);
    }
}

/* Who is in a container, where they are told by their tokens. */
static void link_children(struct windows *w, const struct container *c)
{
    struct pb_reader r = bytes_reader(c->common);
    struct pb_field f;
    uint32_t index = 0;
    while (pb_next(&r, &f)) {
        if (f.number != PB_WindowContainerProto_child_tokens)
            continue;
        struct pb_packed tokens = pb_packed_begin(&f, PB_WIRE_VARINT);
        uint64_t token;
        while (pb_packed_next(&tokens, &token)) {
            map_set(&w->parents, (uint32_t)token, (uint32_t)w->links.count);
            *vec_push(&w->links) = (struct parent_link){c->token, index++};
        }
    }
}

static void add_flat(struct windows *w, struct bytes service, const struct container *root)
{
    struct pb_reader r = bytes_reader(service), again = r;
    struct pb_field f;
    link_children(w, root);
    while (pb_next(&r, &f)) {
        if (f.number != PB_WindowManagerServiceDumpProto_window_containers)
            continue;
        struct container c = {.message = field_bytes(&f), .kind = kind_of(field_bytes(&f))};
        if (c.kind && read_container(w->im, &c))
            link_children(w, &c);
    }
    while (pb_next(&again, &f)) {
        if (f.number != PB_WindowManagerServiceDumpProto_window_containers)
            continue;
        struct container c = {.message = field_bytes(&f), .kind = kind_of(field_bytes(&f))};
        const uint32_t *at = NULL;
        if (c.kind && read_container(w->im, &c))
            at = map_find(&w->parents, (uint32_t)c.token);
        add_container(w, &c, at ? &w->links.items[*at] : NULL);
    }
}

static void add_containers(struct windows *w, struct bytes service)
{
    static const field_path root_path = {PB_WindowManagerServiceDumpProto_root_window_container};
    static const field_path flat_path = {PB_WindowManagerServiceDumpProto_window_containers};
    struct pb_field f;
    if (!find(service, root_path, &f))
        return;
    struct container root = {.message = field_bytes(&f), .kind = &root_kind};
    if (!add_container(w, &root, NULL))
        return;
    if (find(service, flat_path, &f))
        add_flat(w, service, &root);
    else
        add_nested(w, &root);
}

void windowmanager_parse(struct import *im, const struct packet *p, struct bytes message)
{
    static const field_path service = {PB_WindowManagerTraceEntry_window_manager_service};
    static const field_path elapsed = {PB_WindowManagerTraceEntry_elapsed_realtime_nanos};
    static const field_path focused = {PB_WindowManagerTraceEntry_window_manager_service,
                                       PB_WindowManagerServiceDumpProto_focused_display_id};
    static const field_path root = {PB_WindowManagerTraceEntry_window_manager_service,
                                    PB_WindowManagerServiceDumpProto_root_window_container};
    static const field_path flat = {PB_WindowManagerTraceEntry_window_manager_service,
                                    PB_WindowManagerServiceDumpProto_window_containers};
    uint32_t set =
        pruned_args(im, "com.android.internal.WindowManagerTraceEntry", message, root, flat);
    struct windowmanager_row row = {.ts = p->ts,
                                    .arg_set_id = set,
                                    .base64_proto_id = set,
                                    .focused_display_id = (uint32_t)number_at(message, focused, 0),
                                    .has_invalid_elapsed_ts = number_at(message, elapsed, 0) == 0};
    struct windows w = {.im = im,
                        .snapshot = windowmanager_append(&im->trace->tables.windowmanager, &row)};
    struct pb_field f;
    if (find(message, service, &f))
        add_containers(&w, field_bytes(&f));
    vec_release(&w.open);
    vec_release(&w.links);
    map_release(&w.parents);
}
