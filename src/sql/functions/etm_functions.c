/* What chunks of Arm's instruction trace say (parsers/perf/etm.h): their elements, where the
 * program was built with OpenCSD, else nothing. Ranges of instructions need the code that ran,
 * which no trace brings along: where others would have such, there is an element ADDR_NACC with the
 * address. */
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_function.h"
#include "parsers/perf/etm_decoder.h"

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

static void put_row(struct chunk_rows *r, const struct etm_element *e, uint32_t number)
{
    bool is_time = e->kind == ETM_TIMESTAMP;
    table_builder_row(r->out, cell_int((int64_t)e->index), cell_int(number), cell_chars(e->type),
                      cell_int_if(e->has_timestamp, (int64_t)e->timestamp),
                      cell_int_if(e->has_cycle_count, e->cycle_count),
                      cell_int_if(r->has_last && !is_time, r->last),
                      cell_int_if(r->has_cycles && !is_time, r->cycles),
                      cell_int_if(e->has_exception_level, e->exception_level),
                      cell_int_if(e->has_context_id, e->context_id), cell_chars(e->isa),
                      cell_int((int64_t)e->start), cell_int((int64_t)e->end), CELL_NULL, CELL_NULL);
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
     .columns = "chunk_index LONG, element_index LONG, element_type STRING, timestamp LONG, "
                "cycle_count LONG, last_seen_timestamp LONG, cumulative_cycles LONG, "
                "exception_level LONG, context_id LONG, isa STRING, start_address LONG, "
                "end_address LONG, mapping_id LONG, instruction_range ANY",
     .parameters = "chunk_id",
     .fill = fill_chunk},
    {.name = "__intrinsic_etm_iterate_instruction_range",
     .columns = "instruction_index LONG, address LONG, opcode LONG, type STRING, "
                "branch_address LONG, is_conditional LONG, is_link LONG, sub_type STRING",
     .parameters = "instruction_range"},
    {0},
};

const struct sql_family etm_functions_family = {.table_functions = table_functions};
