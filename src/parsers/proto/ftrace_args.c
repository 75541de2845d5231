#include "parsers/proto/ftrace_args.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "parsers/proto/ftrace_kinds.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct ftrace_args {
    struct string_pool *strings;
    struct arena arena;
    string_id **keys; /* by event: the ids of its field names, NULL until the first is decoded; NULL
                         until the first of any is */
};

/* Fields that hold the interned id of a kernel function. */
static const struct {
    uint32_t event, field;
} symbol_fields[] = {
    {PB_FtraceEvent_sched_blocked_reason, PB_SchedBlockedReasonFtraceEvent_caller},
    {PB_FtraceEvent_workqueue_activate_work, PB_WorkqueueExecuteStartFtraceEvent_function},
    {PB_FtraceEvent_workqueue_execute_start, PB_WorkqueueExecuteStartFtraceEvent_function},
    {PB_FtraceEvent_workqueue_execute_end, PB_WorkqueueExecuteStartFtraceEvent_function},
    {PB_FtraceEvent_workqueue_queue_work, PB_WorkqueueQueueWorkFtraceEvent_function},
    {PB_FtraceEvent_funcgraph_entry, PB_FuncgraphEntryFtraceEvent_func},
    {PB_FtraceEvent_funcgraph_exit, PB_FuncgraphExitFtraceEvent_func},
    {PB_FtraceEvent_mm_shrink_slab_start, PB_MmShrinkSlabStartFtraceEvent_shrink},
    {PB_FtraceEvent_hrtimer_expire_entry, PB_HrtimerExpireEntryFtraceEvent_function},
};

struct ftrace_args *ftrace_args_new(struct string_pool *strings)
{
    struct ftrace_args *f = alloc_array(1, sizeof *f);
    f->strings = strings;
    arena_init(&f->arena);
    return f;
}

void ftrace_args_free(struct ftrace_args *f)
{
    if (!f)
        return;
    arena_release(&f->arena);
    free(f->keys);
    free(f);
}

const char *ftrace_event_name(uint32_t event)
{
    return event < ftrace_event_kind_count ? ftrace_event_kinds[event].name : NULL;
}

uint32_t ftrace_event_symbol_field(uint32_t event)
{
    for (size_t i = 0; i < sizeof symbol_fields / sizeof *symbol_fields; i++)
        if (symbol_fields[i].event == event)
            return symbol_fields[i].field;
    return 0;
}

static const string_id *keys_of(struct ftrace_args *f, uint32_t event)
{
    if (!f->keys)
        f->keys = alloc_array(ftrace_event_kind_count, sizeof *f->keys);
    if (f->keys[event])
        return f->keys[event];
    const struct ftrace_event_kind *kind = &ftrace_event_kinds[event];
    f->keys[event] = arena_alloc(&f->arena, kind->field_count * sizeof **f->keys);
    for (uint32_t i = 0; i < kind->field_count; i++)
        f->keys[event][i] = string_pool_intern(f->strings, str_from(kind->fields[i].name));
    return f->keys[event];
}

/* Fields are numbered without gaps in nearly every event. */
static uint32_t field_index(const struct ftrace_event_kind *kind, uint32_t number)
{
    if (number - 1 < kind->field_count && kind->fields[number - 1].number == number)
        return number - 1;
    uint32_t i = 0;
    while (i < kind->field_count && kind->fields[i].number != number)
        i++;
    return i;
}

/* The arg of that key, empty. Of a repeated field the last value is shown. Values are written into
 * the list and not copied there: a struct that was written in parts is slow to copy at once. */
static struct arg *slot_of(struct arg_list *out, size_t first, string_id key)
{
    size_t i = first;
    while (i < out->v.count && out->v.items[i].key != key)
        i++;
    struct arg *slot = i < out->v.count ? &out->v.items[i] : vec_push(&out->v);
    memset(slot, 0, sizeof *slot);
    slot->flat_key = key;
    slot->key = key;
    return slot;
}

static void set_value(struct ftrace_args *f, uint8_t type, const struct pb_field *v,
                      struct arg *out)
{
    switch (type) {
    case PB_FieldDescriptorProto_Type_TYPE_UINT32:
    case PB_FieldDescriptorProto_Type_TYPE_UINT64:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED32:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED64:
        out->type = ARG_UINT;
        out->i = pb_i64(v);
        break;
    case PB_FieldDescriptorProto_Type_TYPE_SINT32:
    case PB_FieldDescriptorProto_Type_TYPE_SINT64:
        out->type = ARG_INT;
        out->i = pb_sint(v);
        break;
    case PB_FieldDescriptorProto_Type_TYPE_STRING:
    case PB_FieldDescriptorProto_Type_TYPE_BYTES:
        out->type = ARG_STRING;
        out->s = string_pool_intern(f->strings, pb_str(v));
        break;
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        out->type = ARG_REAL;
        out->d = pb_real(v);
        break;
    default:
        out->type = ARG_INT;
        out->i = pb_i64(v);
        break;
    }
}

void ftrace_args_field(struct ftrace_args *f, uint8_t type, string_id key, const struct pb_field *v,
                       size_t first, struct arg_list *out)
{
    set_value(f, type, v, slot_of(out, first, key));
}

static void decode_generic_field(struct ftrace_args *f, struct pb_reader r, struct arg_list *out)
{
    struct pb_field field, value = {0};
    struct str name = {"", 0};
    while (pb_next(&r, &field)) {
        if (field.number == PB_GenericFtraceEvent_Field_name)
            name = pb_str(&field);
        else if (field.number == PB_GenericFtraceEvent_Field_str_value ||
                 field.number == PB_GenericFtraceEvent_Field_int_value ||
                 field.number == PB_GenericFtraceEvent_Field_uint_value)
            value = field;
    }
    if (value.number == 0)
        return;
    string_id key = string_pool_intern(f->strings, name);
    if (value.number == PB_GenericFtraceEvent_Field_str_value)
        arg_list_str(out, key, string_pool_intern(f->strings, pb_str(&value)));
    else
        arg_list_int(out, key, pb_i64(&value));
}

static void decode_generic(struct ftrace_args *f, struct pb_reader r, struct arg_list *out)
{
    struct pb_field field;
    while (pb_next(&r, &field))
        if (field.number == PB_GenericFtraceEvent_field)
            decode_generic_field(f, pb_message(&field), out);
}

void ftrace_args_decode(struct ftrace_args *f, uint32_t event, const uint8_t *message, size_t n,
                        const struct ftrace_symbols *symbols, struct arg_list *out)
{
    struct pb_reader r = pb_reader_from(message, n);
    if (event == PB_FtraceEvent_generic) {
        decode_generic(f, r, out);
        return;
    }
    if (!ftrace_event_name(event))
        return;
    const struct ftrace_event_kind *kind = &ftrace_event_kinds[event];
    const string_id *keys = keys_of(f, event);
    uint32_t with_symbol = symbols ? ftrace_event_symbol_field(event) : 0;
    struct pb_field field;
    size_t first = out->v.count;
    while (pb_next(&r, &field)) {
        uint32_t index = field_index(kind, field.number);
        if (index == kind->field_count)
            continue;
        string_id symbol = NULL_STRING;
        if (field.number == with_symbol)
            symbol = symbols->find(symbols->self, pb_u64(&field));
        struct arg *arg = slot_of(out, first, keys[index]);
        if (symbol == NULL_STRING) {
            set_value(f, kind->fields[index].type, &field, arg);
        } else {
            arg->type = ARG_STRING;
            arg->s = symbol;
        }
    }
}
