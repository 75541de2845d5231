#include "parsers/perfetto/winscope/winscope_views.h"

#include "core/stats.h"
#include "core/store/rows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/winscope/winscope.h"
#include "pb_fields.h"

struct interned_field {
    uint32_t field, interned; /* of the message, of InternedData */
    const char *key;          /* of the arg without `_iid` */
};

static const struct interned_field snapshot_fields[] = {
    {PB_ViewCapture_package_name_iid, PB_InternedData_viewcapture_package_name, "package_name"},
    {PB_ViewCapture_window_name_iid, PB_InternedData_viewcapture_window_name, "window_name"},
};

static const struct interned_field view_fields[] = {
    {PB_ViewCapture_View_view_id_iid, PB_InternedData_viewcapture_view_id, "view_id"},
    {PB_ViewCapture_View_class_name_iid, PB_InternedData_viewcapture_class_name, "class_name"},
    {PB_ViewCapture_View_content_description_iid, PB_InternedData_viewcapture_content_description,
     "content_description"},
    {PB_ViewCapture_View_text_iid, PB_InternedData_viewcapture_text, "text"},
};

enum { VIEW_FIELDS = sizeof view_fields / sizeof view_fields[0] };

struct named {
    string_id values[VIEW_FIELDS]; /* by entry of the field table */
};

/* Replaces the numbers in `args` by what they stand for; a number that stands for nothing stays
 * next to an error. `proto` identifies the message. */
static struct named name_args(struct import *im, const struct packet *p, struct arg_list *args,
                              const struct interned_field *fields, size_t n, uint32_t proto)
{
    struct trace *t = im->trace;
    struct named named = {{0}};
    size_t count = args->v.count;
    for (size_t k = 0; k < n; k++) {
        char with_iid[40];
        snprintf(with_iid, sizeof with_iid, "%s_iid", fields[k].key);
        string_id iid_key = trace_intern_c(t, with_iid), key = trace_intern_c(t, fields[k].key);
        for (size_t i = 0; i < count; i++) {
            struct arg *a = &args->v.items[i];
            if (a->key != iid_key)
                continue;
            string_id value =
                interned_string(im, p->generation, fields[k].interned, (uint64_t)a->i);
            if (value == NULL_STRING) {
                stats_count(t, STAT_winscope_viewcapture_missing_interned_string_parse_errors);
                arg_list_str(args, key, trace_intern(t, STR("STRING DE-INTERNING ERROR")));
                break;
            }
            struct viewcapture_interned_data_row row = {.base64_proto_id = proto,
                                                        .flat_key = iid_key,
                                                        .iid = a->i,
                                                        .deinterned_value = value};
            viewcapture_interned_data_append(&t->tables.viewcapture_interned_data, &row);
            named.values[k] = value;
            *a = (struct arg){.flat_key = key, .key = key, .type = ARG_STRING, .s = value};
            break;
        }
    }
    return named;
}

/* Depths are drawn four apart. */
enum { DEPTH_STEP = 4 };

struct view {
    struct bytes message;
    int32_t id, parent, hash;
    double left, top, width, height, scroll_x, scroll_y, scale_x, scale_y, alpha;
    uint32_t depth, trace_rect;
    uint32_t last_child, sibling_before; /* indexes, NULL_U32 for none */
    bool shown;                          /* neither it nor a view that it is in is hidden */
    bool settled;
};

struct views {
    VEC(struct view) list;
    struct map by_id; /* -> index in `list` */
    VEC(struct view *) path;
    VEC(uint32_t) stack;
};

static struct view read_view(struct bytes message)
{
    struct view v = {.message = message,
                     .scale_x = 1,
                     .scale_y = 1,
                     .shown = true,
                     .trace_rect = NULL_U32,
                     .last_child = NULL_U32,
                     .sibling_before = NULL_U32};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ViewCapture_View_id:
            v.id = pb_i32(&f);
            break;
        case PB_ViewCapture_View_parent_id:
            v.parent = pb_i32(&f);
            break;
        case PB_ViewCapture_View_hashcode:
            v.hash = pb_i32(&f);
            break;
        case PB_ViewCapture_View_left:
            v.left += pb_i32(&f);
            break;
        case PB_ViewCapture_View_top:
            v.top += pb_i32(&f);
            break;
        case PB_ViewCapture_View_width:
            v.width = pb_i32(&f);
            break;
        case PB_ViewCapture_View_height:
            v.height = pb_i32(&f);
            break;
        case PB_ViewCapture_View_scroll_x:
            v.scroll_x = pb_i32(&f);
            break;
        case PB_ViewCapture_View_scroll_y:
            v.scroll_y = pb_i32(&f);
            break;
        case PB_ViewCapture_View_translation_x:
            v.left += pb_real(&f);
            break;
        case PB_ViewCapture_View_translation_y:
            v.top += pb_real(&f);
            break;
        case PB_ViewCapture_View_scale_x:
            v.scale_x = pb_real(&f);
            break;
        case PB_ViewCapture_View_scale_y:
            v.scale_y = pb_real(&f);
            break;
        case PB_ViewCapture_View_alpha:
            v.alpha = pb_real(&f);
            break;
        case PB_ViewCapture_View_visibility:
            v.shown = pb_i32(&f) == 0;
            break;
        default:
            break;
        }
    }
    return v;
}

static struct view *parent_of(struct views *all, const struct view *v)
{
    const uint32_t *at = v->parent == v->id ? NULL : map_find(&all->by_id, (uint32_t)v->parent);
    return at ? &all->list.items[*at] : NULL;
}

/* A view is scaled around its middle, and what it scrolls moves the other way. Without a parent it
 * is placed on the screen. */
static void place(struct view *v, const struct view *parent)
{
    double scale_x = parent ? parent->scale_x : 1, scale_y = parent ? parent->scale_y : 1;
    double own_x = scale_x * v->scale_x, own_y = scale_y * v->scale_y;
    v->left = v->left * scale_x + v->width * (scale_x - own_x) / 2;
    v->top = v->top * scale_y + v->height * (scale_y - own_y) / 2;
    v->width *= own_x;
    v->height *= own_y;
    v->scale_x = own_x;
    v->scale_y = own_y;
    if (!parent)
        return;
    v->left += parent->left - parent->scroll_x;
    v->top += parent->top - parent->scroll_y;
    v->depth = parent->depth + 1;
    v->shown &= parent->shown;
}

/* Places a view in those above it: climbs to one that is placed, then places those below. Parents
 * that go in a circle end where they are met again. */
static void settle(struct views *all, struct view *v)
{
    all->path.count = 0;
    for (; v && !v->settled; v = parent_of(all, v)) {
        v->settled = true;
        *vec_push(&all->path) = v;
    }
    while (all->path.count > 0) {
        struct view *below = all->path.items[--all->path.count];
        place(below, parent_of(all, below));
    }
}

static bool is_visible(const struct view *v)
{
    struct box box = {v->left, v->top, v->width, v->height};
    return v->shown && !box_is_empty(&box);
}

static void add_rect(struct import *im, struct views *all, struct view *v)
{
    settle(all, v);
    struct winscope_rect rect = {.box = {v->left, v->top, v->width, v->height},
                                 .depth = v->depth * DEPTH_STEP,
                                 .visible = is_visible(v),
                                 .has_opacity = true,
                                 .opacity = v->alpha};
    v->trace_rect = winscope_trace_rect(im, &rect);
}

/* Links each view with those in it. */
static void link_children(struct views *all)
{
    for (uint32_t i = 0; i < all->list.count; i++) {
        struct view *parent = parent_of(all, &all->list.items[i]);
        if (!parent)
            continue;
        all->list.items[i].sibling_before = parent->last_child;
        parent->last_child = i;
    }
}

/* The rectangles of a view and of those in it, from the top. */
static void add_tree(struct import *im, struct views *all, uint32_t root)
{
    *vec_push(&all->stack) = root;
    while (all->stack.count > 0) {
        struct view *v = &all->list.items[all->stack.items[--all->stack.count]];
        add_rect(im, all, v);
        for (uint32_t c = v->last_child; c != NULL_U32; c = all->list.items[c].sibling_before)
            *vec_push(&all->stack) = c;
    }
}

static void add_view(struct import *im, const struct packet *p, const struct view *v,
                     uint32_t snapshot)
{
    const char *type = "com.android.internal.ViewCapture.View";
    struct arg_list args = {0};
    struct viewcapture_view_row row = viewcapture_view_row_null();
    row.snapshot_id = snapshot;
    row.node_id = (uint32_t)v->id;
    row.parent_id = (uint32_t)v->parent;
    row.hashcode = (uint32_t)v->hash;
    row.is_visible = is_visible(v);
    row.trace_rect_id = v->trace_rect;
    row.base64_proto_id = message_kept(im, type, v->message);
    message_reflect(im, type, v->message, NULL, &args);
    struct named named = name_args(im, p, &args, view_fields, VIEW_FIELDS, row.base64_proto_id);
    row.view_id = named.values[0];
    row.class_name = named.values[1];
    row.arg_set_id = args_intern(&im->trace->args, &args);
    viewcapture_view_append(&im->trace->tables.viewcapture_view, &row);
    arg_list_release(&args);
}

static uint32_t add_snapshot(struct import *im, const struct packet *p, struct bytes message)
{
    static const uint32_t hidden[] = {PB_ViewCapture_views};
    const char *type = "com.android.internal.ViewCapture";
    struct reflect_options options = {.hidden = hidden, .hidden_count = 1};
    struct arg_list args = {0};
    struct viewcapture_row row = viewcapture_row_null();
    row.ts = p->ts;
    row.base64_proto_id = message_kept_without(im, type, message, PB_ViewCapture_views);
    message_reflect(im, type, message, &options, &args);
    struct named named =
        name_args(im, p, &args, snapshot_fields, sizeof snapshot_fields / sizeof snapshot_fields[0],
                  row.base64_proto_id);
    row.package_name = named.values[0];
    row.window_name = named.values[1];
    row.arg_set_id = args_intern(&im->trace->args, &args);
    arg_list_release(&args);
    return viewcapture_append(&im->trace->tables.viewcapture, &row);
}

void viewcapture_parse(struct import *im, const struct packet *p, struct bytes message)
{
    struct views all = {0};
    uint32_t snapshot = add_snapshot(im, p, message);
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != PB_ViewCapture_views)
            continue;
        struct view *v = vec_push(&all.list);
        *v = read_view(field_bytes(&f));
        map_set(&all.by_id, (uint32_t)v->id, (uint32_t)all.list.count - 1);
    }
    link_children(&all);
    for (uint32_t i = 0; i < all.list.count; i++)
        if (!parent_of(&all, &all.list.items[i]))
            add_tree(im, &all, i);
    for (size_t i = 0; i < all.list.count; i++) {
        if (all.list.items[i].trace_rect == NULL_U32) /* parents in a circle */
            add_rect(im, &all, &all.list.items[i]);
        add_view(im, p, &all.list.items[i], snapshot);
    }
    vec_release(&all.list);
    vec_release(&all.path);
    vec_release(&all.stack);
    map_release(&all.by_id);
}
