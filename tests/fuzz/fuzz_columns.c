/* A file of columns with some of its bytes changed and all its sums right: the input is a list of
 * places and values. Whatever of it is taken for sound is read. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/trace/stored_parts.h"
#include "core/trace_builder.h"
#include "fuzz.h"
#include "parsers/cache.h"

static const char text[] =
    "# tracer: nop\n"
    "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
    "           app-100   (  100) [001] .... 10.000001: tracing_mark_write: B|100|outer\n"
    "           app-100   (  100) [001] .... 10.000002: tracing_mark_write: B|100|inner\n"
    "           app-100   (  100) [001] .... 10.000003: sys_enter: NR 1 (3, 4, 5, 0, 0, 0)\n"
    "           app-100   (  100) [001] .... 10.000004: sys_exit: NR 1 = 4\n"
    "           app-100   (  100) [001] .... 10.000005: unknown_event: key=value number=3\n"
    "           app-100   (  100) [001] d..3 10.000006: sched_switch: prev_comm=app prev_pid=100 "
    "prev_prio=120 prev_state=S ==> next_comm=other next_pid=200 next_prio=100\n"
    "         other-200   (  200) [001] d..3 10.000007: sched_waking: comm=app pid=100 prio=120 "
    "target_cpu=001\n"
    "         other-200   (  200) [001] .... 10.000008: cpu_frequency: state=1000 cpu_id=1\n"
    "           app-100   (  100) [001] .... 10.000009: tracing_mark_write: E|100\n"
    "           app-100   (  100) [001] .... 10.000010: tracing_mark_write: E|100\n";

static struct {
    uint8_t *bytes;
    size_t size;
} base;

static void make_base(void)
{
    struct trace t;
    struct stored_source source = {.file.size = 1};
    trace_init(&t);
    struct status s = trace_load_memory(&t, "base", (const uint8_t *)text, sizeof text - 1, NULL);
    int fd = memfd_create("base", 0);
    if (status_ok(s))
        s = stored_columns_write(&t, &source, fd, NULL);
    if (!status_ok(s) || t.tables.slice.rows == 0)
        abort();
    base.size = (size_t)lseek(fd, 0, SEEK_END);
    base.bytes = malloc(base.size);
    if (!base.bytes || pread(fd, base.bytes, base.size, 0) != (ssize_t)base.size)
        abort();
    close(fd);
    trace_release(&t);
}

/* So that what is behind the sums is reached. */
static void mend_sums(uint8_t *bytes, size_t size)
{
    struct stored_head *h = (struct stored_head *)(void *)bytes;
    struct stored_place *places = (struct stored_place *)(void *)(bytes + sizeof *h);
    uint64_t room = (size - sizeof *h) / sizeof *places;
    for (uint64_t i = 0; i < h->part_count && h->part_count <= room; i++)
        if (places[i].offset <= size && places[i].size <= size - places[i].offset)
            places[i].sum = stored_sum(bytes + places[i].offset, places[i].size);
    if (h->part_count <= room)
        h->head_sum = stored_head_sum(h, places);
}

static uint64_t read_column(const struct trace *t, const struct table *table, uint32_t number)
{
    const struct column *c = &table->columns[number];
    uint64_t sum = 0;
    for (uint32_t row = 0; row < table->rows; row++) {
        if (column_is_null(c, row))
            continue;
        if (c->def->type == COLUMN_TYPE_STR)
            sum += string_pool_get(&t->strings, column_str(c, row)).n;
        else if (c->def->type == COLUMN_TYPE_F64)
            sum += column_f64(c, row) > 0;
        else
            sum += (uint64_t)column_int(c, row);
    }
    return sum;
}

static uint64_t read_trace(struct trace *t)
{
    struct arg_list list = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TABLE_COUNT; i++) {
        const struct table *table = &tables_array(&t->tables)[i];
        if (!stored_table_ready(t, table))
            continue;
        for (uint32_t c = 0; c < table->def->column_count; c++)
            sum += read_column(t, table, c);
    }
    for (uint32_t id = 1; id <= args_count(&t->args); id++)
        args_read(&t->args, id, &list);
    for (size_t i = 0; i < list.v.count; i++) {
        const struct arg *a = &list.v.items[i];
        sum += string_pool_get(&t->strings, a->key).n + string_pool_get(&t->strings, a->flat_key).n;
        if (a->type == ARG_STRING || a->type == ARG_JSON)
            sum += string_pool_get(&t->strings, a->s).n;
    }
    arg_list_release(&list);
    return sum;
}

/* What was read: nobody looks at it, but it has to be read for this. */
volatile uint64_t columns_sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RECORD = 8 };
    if (!base.bytes)
        make_base();
    uint8_t *bytes = malloc(base.size);
    if (!bytes)
        abort();
    memcpy(bytes, base.bytes, base.size);
    for (; size >= RECORD; data += RECORD, size -= RECORD) {
        uint32_t place, value;
        memcpy(&place, data, 4);
        memcpy(&value, data + 4, 4);
        memcpy(bytes + place % (base.size - 3), &value, 4);
    }
    mend_sums(bytes, base.size);
    int fd = memfd_create("changed", 0);
    if (write(fd, bytes, base.size) != (ssize_t)base.size)
        abort();
    free(bytes);
    struct trace t;
    trace_init(&t);
    struct status s = stored_columns_read(&t, NULL, fd, cache_restorers);
    if (status_ok(s)) {
        trace_finish_stored(&t);
        columns_sum += read_trace(&t);
    }
    status_release(&s);
    close(fd);
    trace_release(&t);
    return 0;
}
