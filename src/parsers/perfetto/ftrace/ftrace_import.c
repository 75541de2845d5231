#include "parsers/perfetto/ftrace/ftrace_import.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "parsers/perfetto/ftrace/ftrace_generic.h"
#include "parsers/perfetto/ftrace/ftrace_retime.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/perfetto/packets/sequence.h"
#include "pb_fields.h"

struct ftrace_import *ftrace_import_make(struct import *im)
{
    struct ftrace_import *f = alloc_array(1, sizeof *f);
    f->im = im;
    f->one_generation = true;
    f->last_clock_snapshot = INT64_MIN;
    f->decoder = ftrace_decoder_of(im->trace, &f->decoder_number);
    f->switch_name = trace_intern(im->trace, STR("sched_switch"));
    f->waking_name = trace_intern(im->trace, STR("sched_waking"));
    f->switch_args = args_kind(&im->trace->args, f->decoder_number, FTRACE_KIND_SWITCH);
    f->waking_args = args_kind(&im->trace->args, f->decoder_number, FTRACE_KIND_WAKING);
    ftrace_handlers_init(f);
    im->ftrace = f;
    return f;
}

void ftrace_import_release(struct import *im)
{
    struct ftrace_import *f = im->ftrace;
    if (!f)
        return;
    map_release(&f->symbols_of);
    vec_release(&f->cpus);
    vec_release(&f->compact_events);
    map_release(&f->compact_numbers);
    map_release(&f->failed_sequences);
    vec_release(&f->machines);
    vec_release(&f->bundles);
    vec_release(&f->kinds);
    ftrace_retimed_free(f->retimed);
    ftrace_generic_free(f->generic);
    ftrace_handlers_release(f);
    free(f);
    im->ftrace = NULL;
}

struct ftrace_machine *ftrace_machine_of(struct ftrace_import *f, uint32_t machine)
{
    while (f->machines.count <= machine)
        *vec_push(&f->machines) = (struct ftrace_machine){.valid_from = INT64_MIN};
    return &f->machines.items[machine];
}

kernel_version ftrace_kernel_version(struct ftrace_import *f, uint32_t machine)
{
    struct ftrace_machine *m = ftrace_machine_of(f, machine);
    const struct table *machines = &f->im->trace->tables.machine;
    if (machine >= machines->rows)
        return 0;
    string_id release = column_str(&machines->columns[machine_col_release], machine);
    if (release != m->release) {
        m->release = release;
        m->version = kernel_version_parse(string_pool_get(&f->im->trace->strings, release));
    }
    return m->version;
}

struct ftrace_cpu *ftrace_cpu_of(struct ftrace_import *f, uint32_t queue)
{
    while (f->cpus.count <= queue)
        *vec_push(&f->cpus) = (struct ftrace_cpu){0};
    return &f->cpus.items[queue];
}

static int compare_bundles(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct ftrace_bundle *)a)->start;
    uintptr_t y = (uintptr_t)((const struct ftrace_bundle *)b)->start;
    return x < y ? -1 : x > y;
}

const struct interned_generation *ftrace_generation(struct ftrace_import *f, const uint8_t *p)
{
    size_t count = f->bundles.count;
    if (count == 0)
        return NULL;
    if (f->one_generation)
        return f->bundles.items[0].generation;
    if (!f->bundles_sorted) {
        qsort(f->bundles.items, count, sizeof *f->bundles.items, compare_bundles);
        f->bundles_sorted = true;
    }
    size_t behind = BISECT(i, 1, count, (uintptr_t)f->bundles.items[i].start <= (uintptr_t)p);
    return f->bundles.items[behind - 1].generation;
}

string_id ftrace_symbol(const struct ftrace_event *e, uint64_t iid)
{
    if (e->f->symbols_are_strings)
        return (string_id)iid;
    const struct interned_generation *g = ftrace_generation(e->f, e->p);
    return g ? interned_string(e->f->im, g, PB_InternedData_kernel_symbols, iid) : NULL_STRING;
}

string_id ftrace_symbol_or_number(const struct ftrace_event *e, uint64_t iid)
{
    string_id name = ftrace_symbol(e, iid);
    return name ? name : event_format(e, "%#llx", (unsigned long long)iid);
}
