/* The shell's transitions between windows. What is known of one comes in several packets. */
#define PB_READS_LITTLE
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/winscope/winscope.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct transition {
    uint32_t row;
    struct arg_list args;
};

struct transitions {
    struct map by_id; /* -> index in `list` */
    VEC(struct transition) list;
};

/* The time in a column; 0 is none. */
static int64_t time_of(const struct table *table, uint32_t column, uint32_t row)
{
    return column_is_null(&table->columns[column], row) ? 0 : table_i64(table, column)[row];
}

/* Where a transition is and what became of it. Its packets hold a few of its times each. What was
   merged into another is never played by itself, and what has been dispatched cannot be aborted
   any more. */
static void set_outcome(struct trace *trace, struct table *table, uint32_t row)
{
    int64_t send = time_of(table, window_manager_shell_transitions_col_send_time_ns, row);
    int64_t dispatch = time_of(table, window_manager_shell_transitions_col_dispatch_time_ns, row);
    int64_t finish = time_of(table, window_manager_shell_transitions_col_finish_time_ns, row);
    const char *status = NULL;
    int64_t dur;
    table_set_i64(table, window_manager_shell_transitions_col_ts, row, send ? send : dispatch);
    if (time_of(table, window_manager_shell_transitions_col_merge_time_ns, row) > 0) {
        status = "merged";
    } else if (dispatch > 0 && finish > 0) {
        status = "played";
        if (!__builtin_sub_overflow(finish, dispatch, &dur))
            table_set_i64(table, window_manager_shell_transitions_col_duration_ns, row, dur);
    } else if (dispatch <= 0 &&
               (time_of(table, window_manager_shell_transitions_col_shell_abort_time_ns, row) > 0 ||
                time_of(table, window_manager_shell_transitions_col_wm_abort_time_ns, row) > 0)) {
        status = "aborted";
    }
    if (status)
        table_set_str(table, window_manager_shell_transitions_col_status, row,
                      trace_intern_c(trace, status));
}

static void transitions_finish(struct import *im, void *state)
{
    struct transitions *s = state;
    struct table *table = &im->trace->tables.window_manager_shell_transitions;
    for (size_t i = 0; i < s->list.count; i++) {
        struct transition *t = &s->list.items[i];
        uint32_t set = args_intern(&im->trace->args, &t->args);
        if (set != NULL_U32)
            table_set_u32(table, window_manager_shell_transitions_col_arg_set_id, t->row, set);
        set_outcome(im->trace, table, t->row);
    }
}

static void transitions_release(void *state)
{
    struct transitions *s = state;
    for (size_t i = 0; i < s->list.count; i++)
        arg_list_release(&s->list.items[i].args);
    vec_release(&s->list);
    map_release(&s->by_id);
}

static const struct import_state_kind transitions_kind = {.size = sizeof(struct transitions),
                                                          .finish = transitions_finish,
                                                          .release = transitions_release};

static struct transition *intern_transition(struct import *im, int32_t id)
{
    struct transitions *s = import_state(im, &transitions_kind);
    bool is_new;
    uint32_t *index = map_insert(&s->by_id, (uint32_t)id, &is_new);
    if (is_new) {
        struct window_manager_shell_transitions_row row =
            window_manager_shell_transitions_row_null();
        row.ts = 0;
        row.transition_id = id;
        *index = (uint32_t)s->list.count;
        *vec_push(&s->list) =
            (struct transition){.row = window_manager_shell_transitions_append(
                                    &im->trace->tables.window_manager_shell_transitions, &row)};
    }
    return &s->list.items[*index];
}

static void add_participant(struct import *im, int32_t transition, struct bytes message)
{
    const ShellTransition__Change *c =
        unpack_bytes(im, &shell_transition__change__descriptor, message);
    struct window_manager_shell_transition_participants_row row =
        window_manager_shell_transition_participants_row_null();
    row.transition_id = transition;
    if (c->has_mode)
        row.mode = (uint32_t)c->mode;
    if (c->has_layer_id)
        row.layer_id = (uint32_t)c->layer_id;
    if (c->has_window_id)
        row.window_id = (uint32_t)c->window_id;
    if (c->has_flags)
        row.flags = (uint32_t)c->flags;
    if (c->has_start_display_id)
        row.start_display_id = (uint32_t)c->start_display_id;
    if (c->has_end_display_id)
        row.end_display_id = (uint32_t)c->end_display_id;
    if (c->has_start_rotation)
        row.start_rotation = (uint32_t)c->start_rotation;
    if (c->has_end_rotation)
        row.end_rotation = (uint32_t)c->end_rotation;
    if (c->has_start_absolute_bounds)
        row.start_abs_bounds_rect_id =
            winscope_rect_of(im, (struct bytes){c->start_absolute_bounds.data,
                                                c->start_absolute_bounds.len});
    if (c->has_end_absolute_bounds)
        row.end_abs_bounds_rect_id =
            winscope_rect_of(im, (struct bytes){c->end_absolute_bounds.data,
                                                c->end_absolute_bounds.len});
    window_manager_shell_transition_participants_append(
        &im->trace->tables.window_manager_shell_transition_participants, &row);
}

/* The times that have a column of their own. */
static const uint8_t time_columns[] = {
    [PB_ShellTransition_create_time_ns] = window_manager_shell_transitions_col_create_time_ns,
    [PB_ShellTransition_send_time_ns] = window_manager_shell_transitions_col_send_time_ns,
    [PB_ShellTransition_dispatch_time_ns] = window_manager_shell_transitions_col_dispatch_time_ns,
    [PB_ShellTransition_merge_time_ns] = window_manager_shell_transitions_col_merge_time_ns,
    [PB_ShellTransition_shell_abort_time_ns] =
        window_manager_shell_transitions_col_shell_abort_time_ns,
    [PB_ShellTransition_wm_abort_time_ns] = window_manager_shell_transitions_col_wm_abort_time_ns,
    [PB_ShellTransition_finish_time_ns] = window_manager_shell_transitions_col_finish_time_ns,
    [PB_ShellTransition_start_transaction_id] =
        window_manager_shell_transitions_col_start_transaction_id,
    [PB_ShellTransition_finish_transaction_id] =
        window_manager_shell_transitions_col_finish_transaction_id,
    [PB_ShellTransition_handler] = window_manager_shell_transitions_col_handler,
};

static void shell_transition_parse(struct import *im, const struct packet *p)
{
    const char *type = "com.android.internal.ShellTransition";
    struct table *table = &im->trace->tables.window_manager_shell_transitions;
    struct pb_reader r = bytes_reader(p->field), again = r;
    struct pb_field f;
    int32_t id = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_ShellTransition_id)
            id = pb_i32(&f);
    struct window_manager_shell_transition_protos_row proto = {
        .transition_id = id, .base64_proto_id = message_kept(im, type, p->field)};
    window_manager_shell_transition_protos_append(
        &im->trace->tables.window_manager_shell_transition_protos, &proto);
    struct transition *t = intern_transition(im, id);
    message_reflect(im, type, p->field, NULL, &t->args);
    while (pb_next(&again, &f)) {
        if (f.number < sizeof time_columns && time_columns[f.number])
            table_set_i64(table, time_columns[f.number], t->row, pb_i64(&f));
        else if (f.number == PB_ShellTransition_type)
            table_set_u32(table, window_manager_shell_transitions_col_transition_type, t->row,
                          pb_u32(&f));
        else if (f.number == PB_ShellTransition_flags)
            table_set_u32(table, window_manager_shell_transitions_col_flags, t->row, pb_u32(&f));
        else if (f.number == PB_ShellTransition_changes)
            add_participant(im, id, field_bytes(&f));
    }
}

static void shell_handler_mappings_parse(struct import *im, const struct packet *p)
{
    const ShellHandlerMappings *m = unpack_packet(im, &shell_handler_mappings__descriptor, p);
    if (m->n_mapping == 0)
        return;
    uint32_t set = message_kept(im, "com.android.internal.ShellHandlerMappings", p->field);
    for (size_t i = 0; i < m->n_mapping; i++) {
        struct window_manager_shell_transition_handlers_row row = {
            .base64_proto_id = set, /* of all of them */
            .handler_id = m->mapping[i]->id,
            .handler_name = intern_unpacked(im, UNPACKED_TEXT(m->mapping[i], name)),
        };
        window_manager_shell_transition_handlers_append(
            &im->trace->tables.window_manager_shell_transition_handlers, &row);
    }
}

const struct packet_module winscope_transitions_packets[] = {
    {PB_TracePacket_shell_transition, .parse = shell_transition_parse, .felt = PACKET_ALWAYS},
    {PB_TracePacket_shell_handler_mappings, .parse = shell_handler_mappings_parse,
     .felt = PACKET_ALWAYS},
    {0},
};
