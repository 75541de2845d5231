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
    struct map generations; /* InternedData generation -> number here */
    struct map symbols;     /* number, iid -> string id */
    string_id switch_keys[7], waking_keys[4];
};

static uint64_t symbol_key(uint32_t symbols, uint64_t iid)
{
    return hash_mix(iid, symbols + UINT64_C(1));
}

static void decode_switch(const struct ftrace_decoder *d, const uint8_t *payload, size_t n,
                          struct arg_list *out)
{
    struct ftrace_switch_args s;
    if (n != sizeof s)
        return;
    memcpy(&s, payload, sizeof s);
    const string_id *keys = d->switch_keys;
    arg_list_str(out, keys[0], s.prev_comm);
    arg_list_int(out, keys[1], s.prev_pid);
    arg_list_int(out, keys[2], s.prev_prio);
    arg_list_int(out, keys[3], s.prev_state);
    arg_list_str(out, keys[4], s.next_comm);
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
    arg_list_str(out, d->waking_keys[0], w.comm);
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
    else if (kind >= FIRST_DESCRIBED)
        decode_described(d, ftrace_decoder_schema(d, kind), payload, n, out);
    else
        ftrace_args_decode(d->builtin, kind, payload, n, &symbols, out);
}

static void decoder_free(void *self)
{
    struct ftrace_decoder *d = self;
    ftrace_args_free(d->builtin);
    vec_release(&d->described);
    map_release(&d->generations);
    map_release(&d->symbols);
    arena_release(&d->arena);
    free(d);
}

struct ftrace_decoder *ftrace_decoder_new(struct trace *t, uint32_t *number)
{
    static const char *const switch_keys[] = {"prev_comm", "prev_pid", "prev_prio", "prev_state",
                                              "next_comm", "next_pid", "next_prio"};
    static const char *const waking_keys[] = {"comm", "pid", "prio", "target_cpu"};
    struct ftrace_decoder *d = alloc_array(1, sizeof *d);
    d->trace = t;
    d->builtin = ftrace_args_new(&t->strings);
    arena_init(&d->arena);
    for (int i = 0; i < 7; i++)
        d->switch_keys[i] = trace_intern_c(t, switch_keys[i]);
    for (int i = 0; i < 4; i++)
        d->waking_keys[i] = trace_intern_c(t, waking_keys[i]);
    *number =
        args_add_decoder(&t->args,
                         (struct args_decoder){.decode = decode, .free = decoder_free, .self = d});
    return d;
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

uint32_t ftrace_decoder_symbols(struct ftrace_decoder *d, uint32_t generation)
{
    bool inserted;
    uint32_t *symbols = map_insert(&d->generations, generation, &inserted);
    if (inserted)
        *symbols = d->generations.count > SYMBOLS_MAX ? 0 : (uint32_t)d->generations.count;
    return *symbols;
}

bool ftrace_decoder_has_symbol(const struct ftrace_decoder *d, uint32_t symbols, uint64_t iid)
{
    return map_find(&d->symbols, symbol_key(symbols, iid)) != NULL;
}

void ftrace_decoder_set_symbol(struct ftrace_decoder *d, uint32_t symbols, uint64_t iid,
                               string_id name)
{
    if (symbols)
        map_set(&d->symbols, symbol_key(symbols, iid), name);
}
