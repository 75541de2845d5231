#include "parsers/tracedat/dat_events.h"

#include <stdio.h>

#include "parsers/perf/wire.h"
#include "parsers/proto/ftrace_args.h"
#include "parsers/proto/ftrace_kinds.h"
#include "parsers/tracedat/printk_format.h"
#include "pb_fields.h"

/* What all events begin with. */
enum { TYPE_AT = 0, FLAGS_AT = 2, PID_AT = 4, COMMON_BYTES = 8 };
/* Numbers of described events, and of their fields. */
enum { FIRST_DESCRIBED = 65536, DESCRIBED_FIELDS = 31 };

#define NO_KIND UINT32_MAX

/* "0xffffffff82345678 : \"text\"" */
static void read_printk(struct dat_events *e, struct str text)
{
    for (struct str line; str_next_line(&text, &line);) {
        struct dat_printk s;
        size_t n = str_find(line, ' ');
        struct str rest = str_trim(str_skip(line, n));
        if (!str_to_u64(str_from_to(line, 0, n), 16, &s.address) || s.address == 0)
            continue;
        rest = str_trim(str_skip(rest, rest.n ? 1 : 0));
        size_t quotes = rest.n > 1 && *rest.p == '"' && str_ends(rest, STR("\"")) ? 1 : 0;
        s.text = str_from_to(rest, quotes, rest.n - quotes);
        *vec_push(&e->printk) = s;
    }
}

static uint64_t symbol_id(struct dat_events *e, uint64_t address)
{
    const struct kernel_function *s = kernel_symbols_find(&e->symbols, address);
    bool inserted;
    uint64_t key = s ? s->address : address;
    uint32_t *id = map_insert(&e->symbol_ids, key, &inserted);
    if (!inserted)
        return *id;
    *id = (uint32_t)e->symbol_ids.count;
    char number[24];
    snprintf(number, sizeof number, "0x%llx", (unsigned long long)address);
    struct pb_bytes name = {0};
    pb_put_uint(&name, PB_InternedString_iid, *id);
    pb_put_str(&name, PB_InternedString_str,
               s ? kernel_symbols_name(&e->symbols, s) : str_from(number));
    pb_put_message(&e->interned, PB_InternedData_kernel_symbols, &name);
    pb_bytes_release(&name);
    return *id;
}

static uint32_t find_kind(struct str name)
{
    for (uint32_t i = 0; i < ftrace_event_kind_count; i++)
        if (ftrace_event_kinds[i].name && str_eq(str_from(ftrace_event_kinds[i].name), name))
            return i == PB_FtraceEvent_generic ? 0 : i;
    return 0;
}

static const struct ftrace_field_kind *find_field(const struct ftrace_event_kind *kind,
                                                  struct str name)
{
    for (uint32_t i = 0; i < kind->field_count; i++)
        if (str_eq(str_from(kind->fields[i].name), name))
            return &kind->fields[i];
    return NULL;
}

static bool contains(struct str s, struct str part)
{
    return s.n && memmem(s.p, s.n, part.p, part.n);
}

/* Bytes of an element of an array, by its type where the brackets do not tell. */
static uint32_t element_of(const struct event_field *f)
{
    if (f->place == FIELD_HERE)
        return f->count > 0 ? f->size / f->count : 0;
    if (contains(f->type, STR("64")) || contains(f->type, STR("long")))
        return 8;
    if (contains(f->type, STR("16")) || contains(f->type, STR("short")))
        return 2;
    if (contains(f->type, STR("8")) || contains(f->type, STR("char")) ||
        contains(f->type, STR("bool")))
        return 1;
    return 4;
}

static bool is_text_type(uint8_t type)
{
    return type == PB_FieldDescriptorProto_Type_TYPE_STRING ||
           type == PB_FieldDescriptorProto_Type_TYPE_BYTES;
}

/* How the field goes into a message's field of that type; false: it does not. */
static bool make_field(const struct event_field *f, uint32_t number, uint8_t type,
                       struct dat_field *out)
{
    *out = (struct dat_field){
        .number = number,
        .offset = f->offset,
        .size = f->size,
        .element = f->size,
        .place = f->place,
        .is_signed = f->is_signed,
    };
    if (is_text_type(type)) {
        out->value = f->is_array ? DAT_TEXT : DAT_PRINTK_TEXT;
        return f->is_array || contains(f->type, STR("char"));
    }
    if (f->is_array) {
        out->value = DAT_NUMBERS;
        out->element = element_of(f);
    } else if (contains(f->type, STR("dev_t"))) {
        out->value = DAT_DEVICE;
    }
    uint32_t n = out->element;
    return n == 1 || n == 2 || n == 4 || n == 8;
}

static void add_known(struct dat_events *e, const struct event_format *format, uint32_t number)
{
    const struct ftrace_event_kind *kind = &ftrace_event_kinds[number];
    uint32_t symbol = ftrace_event_symbol_field(number);
    for (size_t i = 0; i < format->fields.count; i++) {
        const struct event_field *f = &format->fields.items[i];
        const struct ftrace_field_kind *known = find_field(kind, f->name);
        struct dat_field field;
        if (!known || !make_field(f, known->number, known->type, &field))
            continue;
        if (known->number == symbol)
            field.value = DAT_SYMBOL;
        *vec_push(&e->fields) = field;
    }
}

/* An event for each system call, as the one for all. */
static uint32_t add_syscall(struct dat_events *e, const struct event_format *format)
{
    bool enter = str_starts(format->name, STR("sys_enter_"));
    if (!enter && !str_starts(format->name, STR("sys_exit_")))
        return 0;
    for (size_t i = 0; i < format->fields.count; i++) {
        const struct event_field *f = &format->fields.items[i];
        uint32_t number = enter ? PB_SysEnterFtraceEvent_args : PB_SysExitFtraceEvent_ret;
        struct dat_field field;
        if (str_eq(f->name, STR("__syscall_nr")))
            number = enter ? PB_SysEnterFtraceEvent_id : PB_SysExitFtraceEvent_id;
        if (!f->is_array && make_field(f, number, PB_FieldDescriptorProto_Type_TYPE_INT64, &field))
            *vec_push(&e->fields) = field;
    }
    return enter ? PB_FtraceEvent_sys_enter : PB_FtraceEvent_sys_exit;
}

/* Addresses of functions in events that nobody knows. */
static bool is_function(const struct dat_events *e, const struct event_field *f)
{
    static const struct str names[] = {{"ip", 2},       {"parent_ip", 9}, {"func", 4},
                                       {"function", 8}, {"caller", 6},    {"call_site", 9}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(f->name, names[i]))
            return e->symbols.functions.count > 0 && f->size == 8 && !f->is_array;
    return false;
}

static void describe_field(struct pb_bytes *descriptor, struct str name, uint32_t number,
                           uint8_t type)
{
    struct pb_bytes field = {0};
    pb_put_str(&field, PB_FieldDescriptorProto_name, name);
    pb_put_uint(&field, PB_FieldDescriptorProto_number, number);
    pb_put_uint(&field, PB_FieldDescriptorProto_type, type);
    pb_put_message(descriptor, PB_DescriptorProto_field, &field);
    pb_bytes_release(&field);
}

/* The values of a trace_printk, whose format another field points to; NULL where they are none. */
static const struct event_field *format_of(const struct event_format *format,
                                           const struct event_field *values)
{
    if (!str_eq(format->name, STR("bprint")) || !str_eq(values->name, STR("buf")))
        return NULL;
    for (size_t i = 0; i < format->fields.count; i++) {
        const struct event_field *f = &format->fields.items[i];
        if (str_eq(f->name, STR("fmt")) && f->size == 8 && !f->is_array)
            return f;
    }
    return NULL;
}

/* A pointer to a text that the file has. */
static bool is_printk_text(const struct event_format *format, const struct event_field *f)
{
    return f->size == 8 && !f->is_array &&
           ((str_eq(format->name, STR("bprint")) && str_eq(f->name, STR("fmt"))) ||
            (str_eq(format->name, STR("bputs")) && str_eq(f->name, STR("str"))));
}

static uint32_t describe(struct dat_events *e, const struct event_format *format)
{
    uint32_t number = FIRST_DESCRIBED + e->described++, next = 1;
    struct pb_bytes entry = {0}, descriptor = {0};
    pb_put_str(&descriptor, PB_DescriptorProto_name, format->name);
    for (size_t i = 0; i < format->fields.count && next <= DESCRIBED_FIELDS; i++) {
        const struct event_field *f = &format->fields.items[i];
        const struct event_field *printk = format_of(format, f);
        bool pointer = is_printk_text(format, f);
        bool text = f->is_text || is_function(e, f) || printk || pointer;
        uint8_t type = text           ? PB_FieldDescriptorProto_Type_TYPE_STRING
                       : f->is_signed ? PB_FieldDescriptorProto_Type_TYPE_INT64
                                      : PB_FieldDescriptorProto_Type_TYPE_UINT64;
        struct dat_field field;
        bool address = is_function(e, f) || pointer;
        if (!make_field(f, next, address ? PB_FieldDescriptorProto_Type_TYPE_UINT64 : type, &field))
            continue;
        if (is_function(e, f))
            field.value = DAT_SYMBOL_TEXT;
        if (pointer)
            field.value = DAT_PRINTK_TEXT;
        if (printk) {
            field.value = DAT_PRINTK;
            field.element = printk->offset;
        }
        *vec_push(&e->fields) = field;
        describe_field(&descriptor, f->name, next++, type);
    }
    pb_put_uint(&entry, PB_FtraceEventBundle_GenericEventDescriptor_field_id, number);
    pb_put_message(&entry, PB_FtraceEventBundle_GenericEventDescriptor_event_descriptor,
                   &descriptor);
    pb_put_message(&e->descriptors, PB_FtraceEventBundle_generic_event_descriptors, &entry);
    pb_bytes_release(&entry);
    pb_bytes_release(&descriptor);
    return number;
}

static bool is_known(const struct dat_events *e, uint64_t id)
{
    return id < e->by_id.count && e->by_id.items[id] != NO_KIND;
}

static void set_kind(struct dat_events *e, uint64_t id, uint32_t kind)
{
    while (e->by_id.count <= id)
        *vec_push(&e->by_id) = NO_KIND;
    e->by_id.items[id] = kind;
}

void dat_events_init(struct dat_events *e, const struct dat_file *file, bool with_flags)
{
    *e = (struct dat_events){.file = file, .with_flags = with_flags};
    kernel_symbols_add(&e->symbols, file->kallsyms);
    kernel_symbols_sort(&e->symbols);
    read_printk(e, file->printk);
    struct event_format format = {0};
    for (size_t i = 0; i < file->formats.count; i++) {
        const struct dat_format *f = &file->formats.items[i];
        if (!event_format_read(f->text, &format) || format.id > UINT16_MAX ||
            is_known(e, format.id))
            continue;
        struct dat_kind kind = {.number = find_kind(format.name), .first_field = e->fields.count};
        if (kind.number)
            add_known(e, &format, kind.number);
        else if (f->is_syscall)
            kind.number = add_syscall(e, &format);
        if (!kind.number)
            kind.number = describe(e, &format);
        kind.field_count = e->fields.count - kind.first_field;
        set_kind(e, format.id, (uint32_t)e->kinds.count);
        *vec_push(&e->kinds) = kind;
    }
    event_format_release(&format);
}

void dat_events_release(struct dat_events *e)
{
    vec_release(&e->by_id);
    map_release(&e->symbol_ids);
    vec_release(&e->kinds);
    vec_release(&e->fields);
    kernel_symbols_release(&e->symbols);
    vec_release(&e->printk);
    pb_bytes_release(&e->interned);
    pb_bytes_release(&e->descriptors);
    vec_release(&e->text.v);
}

void dat_events_forget_interned(struct dat_events *e)
{
    map_release(&e->symbol_ids);
    e->interned.v.count = 0;
}

/* Where the field's data lies; empty where the event is too short. */
static struct bytes data_of_field(const struct dat_events *e, const struct dat_field *f,
                                  struct bytes data)
{
    const struct bytes none = {data.p, 0};
    if (f->offset > data.n)
        return none;
    size_t left = data.n - f->offset;
    if (f->place == FIELD_HERE) /* texts at the end have a size of 0, or less than theirs */
        return (struct bytes){data.p + f->offset, f->size == 0 || f->size > left ? left : f->size};
    if (left < 4)
        return none;
    uint32_t where = perf_load32(data.p + f->offset, e->file->big);
    size_t n = where >> 16, at = where & 0xffff;
    if (f->place == FIELD_LOCATED_BEHIND)
        at += f->offset + 4;
    if (at > data.n || n > data.n - at)
        return none;
    return (struct bytes){data.p + at, n};
}

static int64_t number_in(const uint8_t *p, size_t n, bool is_signed, bool big)
{
    switch (n) {
    case 1:
        return is_signed ? (int8_t)*p : *p;
    case 2:
        return is_signed ? (int16_t)perf_load16(p, big) : perf_load16(p, big);
    case 4:
        return is_signed ? (int32_t)perf_load32(p, big) : (int64_t)perf_load32(p, big);
    default:
        return (int64_t)perf_load64(p, big);
    }
}

/* The kernel has 20 bits for the minor number, userspace 8 and 12 further up. */
static uint64_t device_number(uint64_t kernel)
{
    uint64_t major = kernel >> 20, minor = kernel & 0xfffff;
    return (minor & 0xff) | major << 8 | (minor & ~UINT64_C(0xff)) << 12;
}

static const struct dat_printk *find_printk(const struct dat_events *e, uint64_t address)
{
    for (size_t i = 0; i < e->printk.count; i++)
        if (e->printk.items[i].address == address)
            return &e->printk.items[i];
    return NULL;
}

static void put_printk_text(const struct dat_events *e, const struct dat_field *f, uint64_t address,
                            struct pb_bytes *out)
{
    const struct dat_printk *s = find_printk(e, address);
    if (s)
        pb_put_str(out, f->number, s->text);
}

static void put_printk(struct dat_events *e, const struct dat_field *f, struct bytes data,
                       struct pb_bytes *out)
{
    bool big = e->file->big;
    if (f->element > data.n || data.n - f->element < 8)
        return;
    const struct dat_printk *s = find_printk(e, perf_load64(data.p + f->element, big));
    if (!s)
        return;
    e->text.v.count = 0;
    printk_format(s->text, data_of_field(e, f, data), big, &e->text);
    pb_put_str(out, f->number, (struct str){(const char *)e->text.v.items, e->text.v.count});
}

static void put_symbol_text(const struct dat_events *e, const struct dat_field *f, uint64_t address,
                            struct pb_bytes *out)
{
    char number[24];
    const struct kernel_function *s = kernel_symbols_find(&e->symbols, address);
    snprintf(number, sizeof number, "0x%llx", (unsigned long long)address);
    pb_put_str(out, f->number, s ? kernel_symbols_name(&e->symbols, s) : str_from(number));
}

static void put_field(struct dat_events *e, const struct dat_field *f, struct bytes data,
                      struct pb_bytes *out)
{
    struct bytes b = data_of_field(e, f, data);
    bool big = e->file->big;
    if (f->value == DAT_PRINTK) {
        put_printk(e, f, data, out);
        return;
    }
    if (f->value == DAT_TEXT) {
        pb_put_str(out, f->number, perf_text(b));
        return;
    }
    if (f->value == DAT_NUMBERS) {
        for (; b.n >= f->element; b = (struct bytes){b.p + f->element, b.n - f->element})
            pb_put_uint(out, f->number, (uint64_t)number_in(b.p, f->element, f->is_signed, big));
        return;
    }
    if (b.n < f->size || f->size == 0)
        return;
    uint64_t v = (uint64_t)number_in(b.p, f->size, f->is_signed, big);
    switch (f->value) {
    case DAT_DEVICE:
        pb_put_uint(out, f->number, device_number(v));
        return;
    case DAT_SYMBOL:
        pb_put_uint(out, f->number, symbol_id(e, v));
        return;
    case DAT_SYMBOL_TEXT:
        put_symbol_text(e, f, v, out);
        return;
    case DAT_PRINTK_TEXT:
        put_printk_text(e, f, v, out);
        return;
    default:
        pb_put_uint(out, f->number, v);
    }
}

void dat_events_encode(struct dat_events *e, uint64_t ts, struct bytes data,
                       struct pb_bytes *bundle)
{
    if (data.n < COMMON_BYTES)
        return;
    uint16_t type = perf_load16(data.p + TYPE_AT, e->file->big);
    if (!is_known(e, type)) {
        e->unknown++;
        return;
    }
    const struct dat_kind *kind = &e->kinds.items[e->by_id.items[type]];
    size_t event = pb_begin_message(bundle, PB_FtraceEventBundle_event);
    pb_put_uint(bundle, PB_FtraceEvent_timestamp, ts);
    pb_put_uint(bundle, PB_FtraceEvent_pid, perf_load32(data.p + PID_AT, e->file->big));
    if (e->with_flags && data.p[FLAGS_AT])
        pb_put_uint(bundle, PB_FtraceEvent_common_flags, data.p[FLAGS_AT]);
    size_t payload = pb_begin_message(bundle, kind->number);
    for (size_t i = 0; i < kind->field_count; i++)
        put_field(e, &e->fields.items[kind->first_field + i], data, bundle);
    pb_end_message(bundle, payload);
    pb_end_message(bundle, event);
}
