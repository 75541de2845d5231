#include "parsers/perfetto/ftrace/ftrace_decoder.h"

#include "base/hash.h"
#include "parsers/proto/ftrace_args.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { FIRST_DESCRIBED = 0x4000, DESCRIBED_MAX = 0x8000, SYMBOLS_MAX = 0xffff };

struct ftrace_decoder {
    struct trace *trace;
    struct ftrace_args *builtin;
    struct arena arena;
    VEC(struct ftrace_schema) described;
    uint32_t last_symbols; /* the number that was given out last */
    struct map symbols;    /* number, iid -> string id */
    string_id switch_keys[7], waking_keys[4];
};

static uint64_t symbol_key(uint32_t symbols, uint64_t iid)
{
    return hash_mix(iid, symbols + UINT64_C(1));
}

/* Payloads and state may come from a file of columns, which may be damaged. */
static string_id known_string(const struct ftrace_decoder *d, string_id s)
{
    return s < d->trace->strings.count ? s : NULL_STRING;
}

static void decode_switch(const struct ftrace_decoder *d, const uint8_t *payload, size_t n,
                          struct arg_list *out)
{
    struct ftrace_switch_args s;
    if (n != sizeof s)
        return;
    memcpy(&s, payload, sizeof s);
    const string_id *keys = d->switch_keys;
    arg_list_str(out, keys[0], known_string(d, s.prev_comm));
    arg_list_int(out, keys[1], s.prev_pid);
    arg_list_int(out, keys[2], s.prev_prio);
    arg_list_int(out, keys[3], s.prev_state);
    arg_list_str(out, keys[4], known_string(d, s.next_comm));
    arg_list_int(out, keys[5], s.next_pid);
    arg_list_int(out, keys[6], s.next_prio);
}

static void decode_waking(const struct ftrace_decoder *d, const uint8_t *payload, size_t n,
                          struct arg_list *out)
{
    struct ftrace_waking_args w;
    if (n != sizeof w)
        return;
    memcpy(&w, payload, sizeof w);
    arg_list_str(out, d->waking_keys[0], known_string(d, w.comm));
    arg_list_int(out, d->waking_keys[1], w.pid);
    arg_list_int(out, d->waking_keys[2], w.prio);
    arg_list_int(out, d->waking_keys[3], w.target_cpu);
}

static void decode_described(struct ftrace_decoder *d, const struct ftrace_schema *schema,
                             const uint8_t *payload, size_t n, struct arg_list *out)
{
    struct pb_reader r = pb_reader_from(payload, n);
    struct pb_field f;
    size_t first = out->v.count;
    while (pb_next(&r, &f))
        if (f.number < schema->field_count && schema->fields[f.number].name)
            ftrace_args_field(d->builtin, schema->fields[f.number].type,
                              schema->fields[f.number].name, &f, first, out);
}

struct symbol_finder {
    const struct ftrace_decoder *decoder;
    uint32_t symbols;
};

static string_id find_symbol(void *self, uint64_t iid)
{
    const struct symbol_finder *finder = self;
    if (finder->symbols == FTRACE_SYMBOLS_ARE_STRINGS)
        return iid < NULL_U32 ? known_string(finder->decoder, (string_id)iid) : NULL_STRING;
    const uint32_t *name = map_find(&finder->decoder->symbols, symbol_key(finder->symbols, iid));
    return name ? *name : NULL_STRING;
}

static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    struct ftrace_decoder *d = self;
    uint32_t kind = context & 0xffff;
    struct symbol_finder finder = {d, context >> 16};
    struct ftrace_symbols symbols = {find_symbol, &finder};
    if (kind == FTRACE_KIND_SWITCH)
        decode_switch(d, payload, n, out);
    else if (kind == FTRACE_KIND_WAKING)
        decode_waking(d, payload, n, out);
    else if (kind >= FIRST_DESCRIBED && kind - FIRST_DESCRIBED < d->described.count)
        decode_described(d, ftrace_decoder_schema(d, kind), payload, n, out);
    else if (kind < FIRST_DESCRIBED)
        ftrace_args_decode(d->builtin, kind, payload, n, &symbols, out);
}

static void decoder_free(void *self)
{
    struct ftrace_decoder *d = self;
    ftrace_args_free(d->builtin);
    vec_release(&d->described);
    map_release(&d->symbols);
    arena_release(&d->arena);
    free(d);
}

static void save(void *self, struct byte_list *out)
{
    const struct ftrace_decoder *d = self;
    byte_list_u32(out, (uint32_t)d->described.count);
    for (size_t i = 0; i < d->described.count; i++) {
        const struct ftrace_schema *s = &d->described.items[i];
        byte_list_u32(out, s->name);
        byte_list_u32(out, s->field_count);
        for (uint32_t k = 0; k < s->field_count; k++) {
            byte_list_u32(out, s->fields[k].name);
            byte_list_u32(out, s->fields[k].type);
        }
    }
    for (size_t i = 0; i < d->symbols.cap; i++) {
        if (!d->symbols.slots[i].used)
            continue;
        byte_list_u64(out, d->symbols.slots[i].key);
        byte_list_u32(out, d->symbols.slots[i].value);
    }
}

static struct ftrace_decoder *add_decoder(struct trace *t, uint32_t *number)
{
    static const char *const switch_keys[] = {"prev_comm", "prev_pid", "prev_prio", "prev_state",
                                              "next_comm", "next_pid", "next_prio"};
    static const char *const waking_keys[] = {"comm", "pid", "prio", "target_cpu"};
    struct ftrace_decoder *d = alloc_array(1, sizeof *d);
    d->trace = t;
    d->last_symbols = FTRACE_SYMBOLS_ARE_STRINGS;
    d->builtin = ftrace_args_new(&t->strings);
    arena_init(&d->arena);
    for (int i = 0; i < 7; i++)
        d->switch_keys[i] = trace_intern_c(t, switch_keys[i]);
    for (int i = 0; i < 4; i++)
        d->waking_keys[i] = trace_intern_c(t, waking_keys[i]);
    *number = args_add_decoder(&t->args, (struct args_decoder){.decode = decode,
                                                               .free = decoder_free,
                                                               .self = d,
                                                               .name = FTRACE_DECODER_NAME,
                                                               .save = save});
    return d;
}

/* Half of what a decoder may have is always there for the file that is read. */
static bool has_room(const struct ftrace_decoder *d)
{
    return d->described.count < DESCRIBED_MAX / 2 && d->last_symbols < SYMBOLS_MAX / 2;
}

struct ftrace_decoder *ftrace_decoder_of(struct trace *t, uint32_t *number)
{
    *number = args_last_decoder(&t->args, decode);
    struct ftrace_decoder *last = *number == NULL_U32 ? NULL : t->args.decoders.items[*number].self;
    return last && has_room(last) ? last : add_decoder(t, number);
}

static bool restore_schema(struct ftrace_decoder *d, struct byte_reader *r)
{
    struct ftrace_schema schema = {.name = byte_reader_u32(r), .field_count = byte_reader_u32(r)};
    enum { STORED_FIELD = 8 };
    if (r->failed || schema.field_count > r->n / STORED_FIELD)
        return false;
    struct ftrace_field *fields = alloc_array(schema.field_count, sizeof *fields);
    schema.fields = fields;
    for (uint32_t i = 0; i < schema.field_count; i++) {
        fields[i].name = known_string(d, byte_reader_u32(r));
        fields[i].type = (uint8_t)byte_reader_u32(r);
    }
    ftrace_decoder_add(d, &schema);
    free(fields);
    return true;
}

bool ftrace_decoder_restore(struct trace *t, struct byte_reader state)
{
    uint32_t number;
    struct ftrace_decoder *d = add_decoder(t, &number);
    uint32_t schemas = byte_reader_u32(&state);
    for (uint32_t i = 0; i < schemas; i++)
        if (!restore_schema(d, &state))
            return false;
    while (state.n > 0 && !state.failed) {
        uint64_t key = byte_reader_u64(&state);
        map_set(&d->symbols, key, known_string(d, byte_reader_u32(&state)));
    }
    return !state.failed;
}

uint32_t ftrace_decoder_add(struct ftrace_decoder *d, const struct ftrace_schema *schema)
{
    if (d->described.count >= DESCRIBED_MAX)
        return FTRACE_KIND_NONE;
    struct ftrace_schema *s = vec_push(&d->described);
    size_t bytes = schema->field_count * sizeof *schema->fields;
    void *fields = arena_alloc(&d->arena, bytes);
    if (bytes)
        memcpy(fields, schema->fields, bytes);
    *s = *schema;
    s->fields = fields;
    return FIRST_DESCRIBED + (uint32_t)d->described.count - 1;
}

const struct ftrace_schema *ftrace_decoder_schema(const struct ftrace_decoder *d, uint32_t kind)
{
    return &d->described.items[kind - FIRST_DESCRIBED];
}

uint32_t ftrace_decoder_new_symbols(struct ftrace_decoder *d)
{
    return d->last_symbols < SYMBOLS_MAX ? ++d->last_symbols : (uint32_t)FTRACE_SYMBOLS_NONE;
}

const uint32_t *ftrace_decoder_symbol(const struct ftrace_decoder *d, uint32_t symbols,
                                      uint64_t iid)
{
    return map_find(&d->symbols, symbol_key(symbols, iid));
}

void ftrace_decoder_set_symbol(struct ftrace_decoder *d, uint32_t symbols, uint64_t iid,
                               string_id name)
{
    if (symbols)
        map_set(&d->symbols, symbol_key(symbols, iid), name);
}
