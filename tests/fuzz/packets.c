#include "core/trace/ftrace_rows.h"
#include "core/trace_builder.h"
#include "core/store/rows.h"
#include "packets.h"
#include "settle.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/input/bytes.h"
#include "parsers/perfetto/perfetto.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* The linker sends the library's calls to __wrap_NAME; __real_NAME is the library's own. */
void __real_descriptors_init_on(struct descriptors *d, struct descriptors *base);
void __wrap_descriptors_init_on(struct descriptors *d, struct descriptors *base);
void __real_string_pool_init(struct string_pool *pool);
void __wrap_string_pool_init(struct string_pool *pool);
void __real_string_pool_release(struct string_pool *pool);
void __wrap_string_pool_release(struct string_pool *pool);
void __wrap_stats_finish(struct trace *t);

/* Shared by all runs, which would spend their time with reading them. */
void __wrap_descriptors_init_on(struct descriptors *d, struct descriptors *base)
{
    static struct descriptors built_in;
    (void)base;
    descriptors_find(&built_in, STR("")); /* the first look-up reads them */
    __real_descriptors_init_on(d, &built_in);
}

static void *copy_of(const void *p, size_t n)
{
    return n ? memcpy(alloc_bytes(n), p, n) : NULL;
}

/* The blocks of an empty pool; its bytes are allocated anew for each run. */
static struct string_pool spare;

void __wrap_string_pool_init(struct string_pool *pool)
{
    if (!spare.chunks) {
        __real_string_pool_init(pool);
        return;
    }
    *pool = spare;
    spare = (struct string_pool){0};
    pthread_mutex_init(&pool->lock, NULL);
}

void __wrap_string_pool_release(struct string_pool *pool)
{
    if (spare.chunks || pool->chunks[1]) {
        __real_string_pool_release(pool);
        return;
    }
    arena_release(&pool->bytes);
    pthread_mutex_destroy(&pool->lock);
    memset(pool->slots, 0, pool->cap * sizeof *pool->slots);
    spare = (struct string_pool){.chunks = pool->chunks,
                                 .slots = pool->slots,
                                 .cap = pool->cap,
                                 .count = 1};
}

/* Two hundred rows that no packet is read for. */
void __wrap_stats_finish(struct trace *t)
{
    (void)t;
}

static bool belongs_to_any_packet(uint32_t field)
{
    return field == PB_TracePacket_interned_data || field == PB_TracePacket_trace_packet_defaults;
}

static uint32_t payload_for(const struct packet_target *target, uint32_t field)
{
    for (size_t i = 0; i < target->payload_count; i++)
        if (target->payloads[i] == field)
            return field;
    return target->payloads[field % target->payload_count];
}

struct output {
    uint8_t *p;
    size_t n;
};

static void put_varint(struct output *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        out->p[out->n++] = (uint8_t)v | 0x80;
    out->p[out->n++] = (uint8_t)v;
}

static void put_bytes(struct output *out, const uint8_t *p, size_t n)
{
    if (n)
        memcpy(out->p + out->n, p, n);
    out->n += n;
}

static void put_packet(const struct packet_target *target, struct output *out,
                       struct pb_reader packet)
{
    const uint8_t *start = packet.p;
    struct pb_field f;
    while (pb_next(&packet, &f)) {
        if (!f.data || belongs_to_any_packet(f.number)) {
            put_bytes(out, start, (size_t)(packet.p - start));
        } else {
            put_varint(out, (uint64_t)payload_for(target, f.number) << 3 | PB_WIRE_LEN);
            put_varint(out, f.value);
            put_bytes(out, f.data, f.value);
        }
        start = packet.p;
    }
}

/* The trace with no other payloads than the target's. */
static struct output narrow(const struct packet_target *target, const uint8_t *data, size_t size)
{
    enum { TAG_MAX = 5, HEADER_MAX = 11 };
    struct output out = {alloc_bytes(size * TAG_MAX), 0};
    struct output packet = {alloc_bytes(size * TAG_MAX), 0};
    struct pb_reader r = pb_reader_from(data, size);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        packet.n = 0;
        put_packet(target, &packet, pb_message(&f));
        put_varint(&out, PB_Trace_packet << 3 | PB_WIRE_LEN);
        put_varint(&out, packet.n);
        put_bytes(&out, packet.p, packet.n);
    }
    free(packet.p);
    out.p = realloc_array(out.p, out.n, 1); /* a sanitizer sees what lies behind it */
    return out;
}

enum { NO_JOIN = -1, COLUMNS_MAX = 64 };

/* By column of a table: the number of the table whose ids it holds. */
struct joins {
    int to[COLUMNS_MAX];
};

/* Of "track.id" the table's number, where that column holds ids. */
static int find_joined(const char *joins)
{
    for (int i = 0; joins && i < TABLE_COUNT; i++) {
        const struct table_def *def = &table_defs[i];
        size_t n = strlen(def->key);
        if (strncmp(joins, def->key, n) != 0 || joins[n] != '.')
            continue;
        for (uint32_t c = 0; c < def->column_count; c++)
            if (strcmp(def->columns[c].name, joins + n + 1) == 0)
                return def->columns[c].type <= COLUMN_TYPE_ALIAS ? i : NO_JOIN;
    }
    CHECK(!joins); /* a column of the schema that does not exist */
    return NO_JOIN;
}

/* Of all tables. */
static const struct joins *find_joins(struct tables *s)
{
    static struct joins joins[TABLE_COUNT];
    static bool found;
    struct table *tables = tables_array(s);
    for (int i = 0; !found && i < TABLE_COUNT; i++) {
        const struct table_def *def = tables[i].def;
        CHECK(def->column_count <= COLUMNS_MAX);
        for (uint32_t c = 0; c < def->column_count; c++) {
            joins[i].to[c] = find_joined(def->columns[c].joins);
        }
    }
    found = true;
    return joins;
}

static void check_ids(const struct table *t, uint32_t column, const struct table *target)
{
    const struct column *c = &t->columns[column];
    bool small = c->def->type == COLUMN_TYPE_SMALL;
    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t id = small ? column_small(c, i) : table_u32(t, column)[i];
        CHECK(id == NULL_U32 || id < target->rows);
    }
}

/* Ids refer to rows that exist. */
static void check_joins(struct tables *s)
{
    const struct joins *joins = find_joins(s);
    const struct table *tables = tables_array(s);
    for (int i = 0; i < TABLE_COUNT; i++)
        for (uint32_t c = 0; tables[i].rows > 0 && c < tables[i].def->column_count; c++)
            if (joins[i].to[c] != NO_JOIN)
                check_ids(&tables[i], c, &tables[joins[i].to[c]]);
}

static void check_arg_sets(const struct trace *t)
{
    const struct table *tables = tables_array_const(&t->tables);
    for (int i = 0; i < TABLE_COUNT; i++)
        for (uint32_t c = 0; c < tables[i].def->column_count; c++)
            for (uint32_t row = 0;
                 tables[i].def->columns[c].flags & COLUMN_DEFERRED && row < tables[i].rows; row++) {
                uint32_t set = table_u32(&tables[i], c)[row];
                CHECK(set == NULL_U32 || (set > 0 && set <= args_count(&t->args)));
            }
}

int packet_target_run(const struct packet_target *target, const uint8_t *data, size_t size)
{
    struct output input = target->payload_count ? narrow(target, data, size)
                                                : (struct output){copy_of(data, size), size};
    if (input.n == 0) { /* is no trace to start with */
        free(input.p);
        return 0;
    }
    struct trace *t = alloc_bytes(sizeof *t);
    trace_init(t);
    struct trace_file_row file = trace_file_row_null();
    trace_file_append(&t->tables.trace_file, &file);
    bool defers = size & 1;
    if (defers)
        args_defer(&t->args, input.p, input.n);
    struct status s = perfetto_trace_format.read(t, "fuzz", (struct bytes){input.p, input.n}, NULL);
    if (!defers)
        free(input.p); /* nothing may point to it */
    CHECK(status_ok(s));
    trace_finish(t);
    if (defers)
        settle(t, input.p, input.n);
    ftrace_rows_ready(t);
    check_arg_sets(t);
    args_row_count(&t->args); /* decodes all of them */
    check_joins(&t->tables);
    if (target->check)
        target->check(&t->tables);
    trace_release(t);
    free(t);
    return 0;
}
