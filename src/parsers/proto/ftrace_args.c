#include "parsers/proto/ftrace_args.h"

#include "base/alloc.h"
#include "parsers/proto/ftrace_kinds.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct ftrace_args {
    struct string_pool *strings;
    string_id **keys; /* by event: the ids of its field names, NULL until the first is decoded */
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
    f->keys = alloc_array(ftrace_event_kind_count, sizeof *f->keys);
    return f;
}

void ftrace_args_free(struct ftrace_args *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < ftrace_event_kind_count; i++)
        free(f->keys[i]);
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
    if (f->keys[event])
        return f->keys[event];
    const struct ftrace_event_kind *kind = &ftrace_event_kinds[event];
    f->keys[event] = alloc_array(kind->field_count ? kind->field_count : 1, sizeof **f->keys);
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

static struct arg field_value(struct ftrace_args *f, uint8_t type, string_id key,
                              const struct pb_field *v)
{
    struct arg arg = {.flat_key = key, .key = key, .type = ARG_INT};
    switch (type) {
    case PB_FieldDescriptorProto_Type_TYPE_UINT32:
    case PB_FieldDescriptorProto_Type_TYPE_UINT64:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED32:
    case PB_FieldDescriptorProto_Type_TYPE_FIXED64:
        arg.type = ARG_UINT;
        arg.i = pb_i64(v);
        return arg;
    case PB_FieldDescriptorProto_Type_TYPE_SINT32:
    case PB_FieldDescriptorProto_Type_TYPE_SINT64:
        arg.i = pb_sint(v);
        return arg;
    case PB_FieldDescriptorProto_Type_TYPE_STRING:
    case PB_FieldDescriptorProto_Type_TYPE_BYTES:
        arg.type = ARG_STRING;
        arg.s = string_pool_intern(f->strings, pb_str(v));
        return arg;
    case PB_FieldDescriptorProto_Type_TYPE_DOUBLE:
    case PB_FieldDescriptorProto_Type_TYPE_FLOAT:
        arg.type = ARG_REAL;
        arg.d = pb_real(v);
        return arg;
    default:
        arg.i = pb_i64(v);
        return arg;
    }
}

/* Of a repeated field the last value is shown. */
static void put(struct arg_list *out, size_t first, struct arg arg)
{
    for (size_t i = first; i < out->v.count; i++)
        if (out->v.items[i].key == arg.key) {
            out->v.items[i] = arg;
            return;
        }
    arg_list_add(out, arg);
}

void ftrace_args_field(struct ftrace_args *f, uint8_t type, string_id key, const struct pb_field *v,
                       size_t first, struct arg_list *out)
{
    put(out, first, field_value(f, type, key, v));
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
        struct arg arg = {.flat_key = keys[index],
                          .key = keys[index],
                          .type = ARG_STRING,
                          .s = symbol};
        if (symbol == NULL_STRING)
            arg = field_value(f, kind->fields[index].type, keys[index], &field);
        put(out, first, arg);
    }
}
