/* Transactions: what apps ask SurfaceFlinger to change. */
#define PB_READS_LITTLE
#include "core/stats.h"
#include "core/store/rows.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/winscope/winscope.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* Which bits of `what` were met so far, for layers and for displays: each combination has a number
 * and a row for each of its bits. */
struct transactions {
    struct map layer_flags, display_flags;
    uint32_t flag_sets;
};

static void transactions_release(void *state)
{
    struct transactions *s = state;
    map_release(&s->layer_flags);
    map_release(&s->display_flags);
}

static const struct import_state_kind transactions_kind = {.size = sizeof(struct transactions),
                                                           .release = transactions_release};

static void add_flags(struct import *im, const char *type, uint32_t bits, uint32_t set)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t names = descriptors_find(d, str_from(type));
    for (int bit = 0; bit < 32; bit++) {
        struct str name = {NULL, 0};
        if (bits >> bit & 1 && names != DESCRIPTOR_NONE)
            name = descriptors_enum_name(d, names, (int32_t)(UINT32_C(1) << bit));
        if (!name.p)
            continue;
        struct surfaceflinger_transaction_flag_row row = {.flags_id = set,
                                                          .flag = trace_intern(im->trace, name)};
        surfaceflinger_transaction_flag_append(&im->trace->tables.surfaceflinger_transaction_flag,
                                               &row);
    }
}

static uint32_t layer_flags(struct import *im, uint64_t what)
{
    struct transactions *s = import_state(im, &transactions_kind);
    bool is_new;
    uint32_t *set = map_insert(&s->layer_flags, what, &is_new);
    if (!is_new)
        return *set;
    *set = s->flag_sets++;
    add_flags(im, "com.android.internal.LayerState.ChangesLsb", (uint32_t)what, *set);
    add_flags(im, "com.android.internal.LayerState.ChangesMsb", (uint32_t)(what >> 32), *set);
    return *set;
}

static uint32_t display_flags(struct import *im, uint32_t what)
{
    struct transactions *s = import_state(im, &transactions_kind);
    bool is_new;
    uint32_t *set = map_insert(&s->display_flags, what, &is_new);
    if (is_new) {
        *set = s->flag_sets++;
        add_flags(im, "com.android.internal.DisplayState.Changes", what, *set);
    }
    return *set;
}

static void append(struct import *im, const struct surfaceflinger_transaction_row *row)
{
    surfaceflinger_transaction_append(&im->trace->tables.surfaceflinger_transaction, row);
}

static struct surfaceflinger_transaction_row row_of(struct import *im, uint32_t snapshot,
                                                    const char *type)
{
    struct surfaceflinger_transaction_row row = surfaceflinger_transaction_row_null();
    row.snapshot_id = snapshot;
    row.transaction_type = trace_intern_c(im->trace, type);
    return row;
}

static void set_args(struct import *im, struct surfaceflinger_transaction_row *row,
                     const char *type, struct bytes state, const struct arg_list *more)
{
    row->arg_set_id = message_args_and(im, type, state, more);
    row->base64_proto_id = more->v.count ? message_kept(im, type, state) : row->arg_set_id;
}

static void add_layer_state(struct import *im, struct surfaceflinger_transaction_row row,
                            struct bytes state, const struct arg_list *more)
{
    struct pb_reader r = bytes_reader(state);
    struct pb_field f;
    row.layer_id = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_LayerState_layer_id)
            row.layer_id = pb_u32(&f);
        else if (f.number == PB_LayerState_what)
            row.flags_id = layer_flags(im, pb_u64(&f));
    }
    set_args(im, &row, "com.android.internal.LayerState", state, more);
    append(im, &row);
}

static void add_display_state(struct import *im, struct surfaceflinger_transaction_row row,
                              struct bytes state, const struct arg_list *more)
{
    struct pb_reader r = bytes_reader(state);
    struct pb_field f;
    row.display_id = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_DisplayState_id)
            row.display_id = pb_u32(&f);
        else if (f.number == PB_DisplayState_what)
            row.flags_id = display_flags(im, pb_u32(&f));
    }
    set_args(im, &row, "com.android.internal.DisplayState", state, more);
    append(im, &row);
}

/* How many args the changes of a transaction may have in common, all changes together: each change
 * has its own copy. */
enum { SHARED_ARGS_MAX = 1 << 16 };

/* The changes of a transaction carry who applied it and what it waits for among their args. */
static void add_transaction(struct import *im, struct bytes message, uint32_t snapshot)
{
    struct reflect_options options = {.allowed = UINT64_C(1) << PB_TransactionState_apply_token |
                                                 UINT64_C(1)
                                                     << PB_TransactionState_transaction_barriers};
    struct surfaceflinger_transaction_row row = row_of(im, snapshot, "NOOP");
    struct arg_list more = {0};
    struct pb_reader r = bytes_reader(message), again = r;
    struct pb_field f;
    size_t changes = 0;
    row.transaction_id = row.pid = row.uid = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TransactionState_transaction_id)
            row.transaction_id = pb_i64(&f);
        else if (f.number == PB_TransactionState_pid)
            row.pid = pb_u32(&f);
        else if (f.number == PB_TransactionState_uid)
            row.uid = pb_u32(&f);
        changes += f.number == PB_TransactionState_layer_changes ||
                   f.number == PB_TransactionState_display_changes;
    }
    if (changes == 0) {
        append(im, &row);
        return;
    }
    message_reflect(im, "com.android.internal.TransactionState", message, &options, &more);
    if (more.v.count > SHARED_ARGS_MAX / changes) {
        more.v.count = 0;
        stats_count(im->trace, STAT_winscope_sf_transactions_parse_errors);
    }
    row.transaction_type = trace_intern_c(im->trace, "LAYER_CHANGED");
    while (pb_next(&again, &f))
        if (f.number == PB_TransactionState_layer_changes)
            add_layer_state(im, row, field_bytes(&f), &more);
    row.transaction_type = trace_intern_c(im->trace, "DISPLAY_CHANGED");
    again = bytes_reader(message);
    while (pb_next(&again, &f))
        if (f.number == PB_TransactionState_display_changes)
            add_display_state(im, row, field_bytes(&f), &more);
    arg_list_release(&more);
}

static void add_created(struct import *im, struct bytes args, uint32_t snapshot)
{
    struct surfaceflinger_transaction_row row = row_of(im, snapshot, "LAYER_ADDED");
    struct pb_reader r = bytes_reader(args);
    struct pb_field f;
    row.layer_id = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_LayerCreationArgs_layer_id)
            row.layer_id = pb_u32(&f);
    row.arg_set_id = message_args(im, "com.android.internal.LayerCreationArgs", args);
    row.base64_proto_id = row.arg_set_id;
    append(im, &row);
}

/* Layers and displays that are named by their number only. */
static void add_gone(struct import *im, const struct pb_field *f, uint32_t snapshot)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t v;
    while (pb_packed_next(&it, &v)) {
        struct surfaceflinger_transaction_row row;
        if (f->number == PB_TransactionTraceEntry_removed_displays) {
            row = row_of(im, snapshot, "DISPLAY_REMOVED");
            row.display_id = (uint32_t)v;
        } else {
            bool handle = f->number == PB_TransactionTraceEntry_destroyed_layer_handles;
            row = row_of(im, snapshot, handle ? "LAYER_HANDLE_DESTROYED" : "LAYER_DESTROYED");
            row.layer_id = (uint32_t)v;
        }
        append(im, &row);
    }
}

static void add_member(struct import *im, const struct pb_field *f, uint32_t snapshot)
{
    static const struct arg_list none;
    switch (f->number) {
    case PB_TransactionTraceEntry_transactions:
        add_transaction(im, field_bytes(f), snapshot);
        break;
    case PB_TransactionTraceEntry_added_layers:
        add_created(im, field_bytes(f), snapshot);
        break;
    case PB_TransactionTraceEntry_added_displays:
        add_display_state(im, row_of(im, snapshot, "DISPLAY_ADDED"), field_bytes(f), &none);
        break;
    default:
        add_gone(im, f, snapshot);
        break;
    }
}

static void surfaceflinger_transactions_parse(struct import *im, const struct packet *p)
{
    static const uint32_t order[] = {PB_TransactionTraceEntry_transactions,
                                     PB_TransactionTraceEntry_added_layers,
                                     PB_TransactionTraceEntry_destroyed_layers,
                                     PB_TransactionTraceEntry_added_displays,
                                     PB_TransactionTraceEntry_removed_displays,
                                     PB_TransactionTraceEntry_destroyed_layer_handles};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct surfaceflinger_transactions_row row = {
        .ts = p->ts,
        .vsync_id = 0,
        .arg_set_id = message_args(im, "com.android.internal.TransactionTraceEntry", p->field)};
    row.base64_proto_id = row.arg_set_id;
    while (pb_next(&r, &f))
        if (f.number == PB_TransactionTraceEntry_vsync_id)
            row.vsync_id = pb_i64(&f);
    uint32_t snapshot =
        surfaceflinger_transactions_append(&im->trace->tables.surfaceflinger_transactions, &row);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        r = bytes_reader(p->field);
        while (pb_next(&r, &f))
            if (f.number == order[i])
                add_member(im, &f, snapshot);
    }
}

const struct packet_module winscope_transactions_packets[] = {
    {PB_TracePacket_surfaceflinger_transactions, .parse = surfaceflinger_transactions_parse,
     .felt = PACKET_MOMENT},
    {0},
};
