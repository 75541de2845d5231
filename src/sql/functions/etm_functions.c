/* What chunks of Arm's instruction trace say (parsers/perf/etm.h): their elements, where the
 * program was built with OpenCSD, else nothing. Ranges of instructions need the code that ran,
 * which no trace brings along: where others would have such, there is an element ADDR_NACC with the
 * address. */
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_function.h"
#include "parsers/perf/etm_decoder.h"
#include "sql/tokens/sql_type.h"

enum {
    COLUMN_CHUNK_INDEX,
    COLUMN_ELEMENT_INDEX,
    COLUMN_ELEMENT_TYPE,
    COLUMN_TIMESTAMP,
    COLUMN_CYCLE_COUNT,
    COLUMN_LAST_SEEN_TIMESTAMP,
    COLUMN_CUMULATIVE_CYCLES,
    COLUMN_EXCEPTION_LEVEL,
    COLUMN_CONTEXT_ID,
    COLUMN_ISA,
    COLUMN_START_ADDRESS,
    COLUMN_END_ADDRESS,
    COLUMN_MAPPING_ID,
    COLUMN_INSTRUCTION_RANGE,
};

static const struct table_function_column decoded_chunk[] = {
    {"chunk_index", DECLARED_LONG},
    {"element_index", DECLARED_LONG},
    {"element_type", DECLARED_STRING},
    {"timestamp", DECLARED_LONG},
    {"cycle_count", DECLARED_LONG},
    {"last_seen_timestamp", DECLARED_LONG},
    {"cumulative_cycles", DECLARED_LONG},
    {"exception_level", DECLARED_LONG},
    {"context_id", DECLARED_LONG},
    {"isa", DECLARED_STRING},
    {"start_address", DECLARED_LONG},
    {"end_address", DECLARED_LONG},
    {"mapping_id", DECLARED_LONG},
    {"instruction_range", DECLARED_ANY},
    {0},
};
static const char *const decoded_chunk_parameters[] = {"chunk_id", NULL};

static const struct table_function_column instructions[] = {
    {"instruction_index", DECLARED_LONG},
    {"address", DECLARED_LONG},
    {"opcode", DECLARED_LONG},
    {"type", DECLARED_STRING},
    {"branch_address", DECLARED_LONG},
    {"is_conditional", DECLARED_LONG},
    {"is_link", DECLARED_LONG},
    {"sub_type", DECLARED_STRING},
    {0},
};
static const char *const instruction_parameters[] = {"instruction_range", NULL};

struct waiting {
    struct etm_element element;
    uint32_t number;
};

/* What elements before one tell about it. Where a marker of a synchronisation comes, the time at
 * which it was set follows; elements in between wait for it. */
struct chunk_rows {
    struct table_builder *out;
    uint32_t count; /* elements so far */
    bool waits, has_last, has_cycles;
    int64_t last, cycles;     /* time that was told last, cycles until now */
    int64_t counted;          /* cycles of elements that count some */
    VEC(struct waiting) rows; /* that wait */
};

static void put_if(struct table_builder *b, int column, bool has, int64_t value)
{
    if (has)
        table_builder_put_int(b, column, value);
    else
        table_builder_put_null(b, column);
}

static void put_row(struct chunk_rows *r, const struct etm_element *e, uint32_t number)
{
    struct table_builder *b = r->out;
    bool is_time = e->kind == ETM_TIMESTAMP;
    table_builder_put_int(b, COLUMN_CHUNK_INDEX, (int64_t)e->index);
    table_builder_put_int(b, COLUMN_ELEMENT_INDEX, number);
    table_builder_put_str(b, COLUMN_ELEMENT_TYPE, str_from(e->type));
    put_if(b, COLUMN_TIMESTAMP, e->has_timestamp, (int64_t)e->timestamp);
    put_if(b, COLUMN_CYCLE_COUNT, e->has_cycle_count, e->cycle_count);
    put_if(b, COLUMN_LAST_SEEN_TIMESTAMP, r->has_last && !is_time, r->last);
    put_if(b, COLUMN_CUMULATIVE_CYCLES, r->has_cycles && !is_time, r->cycles);
    put_if(b, COLUMN_EXCEPTION_LEVEL, e->has_exception_level, e->exception_level);
    put_if(b, COLUMN_CONTEXT_ID, e->has_context_id, e->context_id);
    table_builder_put_str(b, COLUMN_ISA, str_from(e->isa));
    table_builder_put_int(b, COLUMN_START_ADDRESS, (int64_t)e->start);
    table_builder_put_int(b, COLUMN_END_ADDRESS, (int64_t)e->end);
    table_builder_put_null(b, COLUMN_MAPPING_ID);
    table_builder_put_null(b, COLUMN_INSTRUCTION_RANGE);
    table_builder_end_row(b);
}

/* Up to the next marker, which waits for a time of its own. */
static void put_waiting(struct chunk_rows *r, bool all)
{
    size_t n = 0;
    if (r->rows.count == 0)
        return;
    while (n < r->rows.count &&
           (n == 0 || all || r->rows.items[n].element.kind != ETM_SYNC_MARKER)) {
        put_row(r, &r->rows.items[n].element, r->rows.items[n].number);
        n++;
    }
    r->waits = n < r->rows.count;
    memmove(r->rows.items, r->rows.items + n, (r->rows.count - n) * sizeof *r->rows.items);
    r->rows.count -= n;
}

/* The marker takes the time, and the cycles that were counted with it. */
static void set_time(struct chunk_rows *r, const struct etm_element *e)
{
    struct etm_element *marker = &r->rows.items[0].element; /* rows wait from a marker on */
    r->has_last = true;
    r->last = (int64_t)e->timestamp;
    marker->timestamp = e->timestamp;
    marker->has_timestamp = true;
    if (!e->has_cycle_count)
        return;
    marker->cycle_count = e->cycle_count;
    marker->has_cycle_count = r->has_cycles = true;
    r->cycles = r->counted + e->cycle_count;
}

static void add_waiting(struct chunk_rows *r, const struct etm_element *e, uint32_t number)
{
    enum { WAITING_MOST = 100 };
    if (r->waits && e->kind == ETM_TIMESTAMP)
        set_time(r, e);
    *vec_push(&r->rows) = (struct waiting){*e, number};
    bool is_lost = r->rows.count >= WAITING_MOST; /* there is no time for the marker */
    r->has_last &= !is_lost || e->kind == ETM_TIMESTAMP;
    if (r->waits && (is_lost || e->kind == ETM_TIMESTAMP))
        put_waiting(r, false);
}

static void add_element(void *self, const struct etm_element *e)
{
    struct chunk_rows *r = self;
    uint32_t number = r->count++;
    bool begins = !r->waits && number > 0 && e->kind == ETM_SYNC_MARKER;
    if (r->waits) {
        add_waiting(r, e, number);
        return;
    }
    if (begins) {
        *vec_push(&r->rows) = (struct waiting){*e, number};
        r->waits = true;
        return;
    }
    if (number > 0 && e->has_cycle_count && e->kind == ETM_CYCLE_COUNT) {
        r->counted += e->cycle_count;
        r->cycles = r->counted;
        r->has_cycles = true;
    }
    put_row(r, e, number);
}

static struct status fill_chunk(struct sql_session *s, sqlite3_value **argv,
                                struct table_builder *b)
{
    const struct trace *t = s->trace;
    const struct table *chunks = &t->tables.etm_v4_chunk;
    int64_t chunk = sqlite3_value_int64(argv[0]);
    struct chunk_rows r = {.out = b};
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
        return status_error(STATUS_SQL, "__intrinsic_etm_decode_chunk: chunk_id must be LONG");
    if (chunk < 0 || chunk >= chunks->rows)
        return status_ok_value();
    uint32_t session = table_u32(chunks, etm_v4_chunk_col_session_id)[chunk];
    uint32_t unit =
        table_u32(&t->tables.etm_v4_session, etm_v4_session_col_configuration_id)[session];
    string_id registers =
        table_u32(&t->tables.etm_v4_configuration, etm_v4_configuration_col_registers)[unit];
    string_id data = table_u32(chunks, etm_v4_chunk_col_data)[chunk];
    struct status status = etm_decode(string_pool_get(&t->strings, registers),
                                      string_pool_get(&t->strings, data), add_element, &r);
    put_waiting(&r, true);
    vec_release(&r.rows);
    return status;
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_etm_decode_chunk",
     .columns = decoded_chunk,
     .parameters = decoded_chunk_parameters,
     .fill = fill_chunk},
    {.name = "__intrinsic_etm_iterate_instruction_range",
     .columns = instructions,
     .parameters = instruction_parameters},
    {0},
};

const struct sql_family etm_functions_family = {.table_functions = table_functions};
