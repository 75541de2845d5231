/* What a manifest says, done. */
#include <stdio.h>

#include "core/trace_builder.h"
#include "parsers/archive/manifest.h"

/* Numbers of recorded machines have 32 bits. */
#define FIRST_NAMED_RAW_ID (INT64_C(1) << 32)

static const char *text(const struct trace *t, string_id id)
{
    return string_pool_get(&t->strings, id).p;
}

/* A machine that a file declares, for `declared`. */
static uint64_t declaration(uint32_t file, string_id name)
{
    return (uint64_t)file << 32 | name;
}

void manifest_add_file(struct manifest *m, const struct manifest_file *file)
{
    uint32_t at = (uint32_t)m->files.count;
    bool is_first;
    uint32_t *first = map_insert(&m->file_of, file->path, &is_first);
    if (is_first)
        *first = at;
    *vec_push(&m->files) = *file;
    map_set(&m->declared, declaration(at, file->machine), 1);
    for (size_t i = 0; i < file->machine_n; i++)
        map_set(&m->declared, declaration(at, m->embedded.items[file->machines + i].name), 1);
}

const struct manifest_file *manifest_find(const struct manifest *m, string_id path)
{
    const uint32_t *at = path ? map_find(&m->file_of, path) : NULL;
    return at ? &m->files.items[*at] : NULL;
}

/* The machine of that name, made where there is none yet. */
static uint32_t machine_named(struct manifest *m, struct trace *t, string_id name)
{
    bool is_new;
    uint32_t *row = map_insert(&m->machines, name, &is_new);
    if (!is_new)
        return *row;
    *row = trace_machine(t, FIRST_NAMED_RAW_ID + m->machine_count++);
    table_set_str(&t->tables.machine, machine_col_name, *row, name);
    return *row;
}

static void name_machines(struct manifest *m, struct trace *t)
{
    for (size_t i = 0; i < m->files.count; i++) {
        const struct manifest_file *f = &m->files.items[i];
        if (f->machine)
            machine_named(m, t, f->machine);
        for (size_t k = 0; k < f->machine_n; k++)
            machine_named(m, t, m->embedded.items[f->machines + k].name);
    }
}

static bool file_declares(const struct manifest *m, const struct manifest_file *f, string_id name)
{
    return map_find(&m->declared, declaration((uint32_t)(f - m->files.items), name));
}

/* A machine, or why it is not known which one. */
struct resolved {
    struct status status;
    uint32_t machine;
};

/* The machine that a clock is on: one that its file declares. `file_label` and `machine_label` are
 * the keys that name them. */
static struct resolved resolve(struct manifest *m, struct trace *t, const struct manifest_clock *c,
                               const char *file_label, const char *machine_label)
{
    struct resolved r = {.status = status_ok_value()};
    const struct manifest_file *f = manifest_find(m, c->file);
    if (!c->file)
        r.status = status_error(STATUS_FORMAT,
                                "perfetto_manifest: %s '%s' needs %s too: a machine name alone is "
                                "ambiguous because machine ids are those of a file.",
                                machine_label, text(t, c->machine), file_label);
    else if (!f)
        r.status = status_error(STATUS_FORMAT,
                                "perfetto_manifest: %s names unknown file '%s'. It must match the "
                                "`path` of an entry in the `files` array.",
                                file_label, text(t, c->file));
    else if (!c->machine && f->machine_n > 0)
        r.status = status_error(STATUS_FORMAT,
                                "perfetto_manifest: %s '%s' is a multi-machine trace; also name "
                                "the machine with %s.",
                                file_label, text(t, c->file), machine_label);
    else if (c->machine && !file_declares(m, f, c->machine))
        r.status =
            status_error(STATUS_FORMAT,
                         "perfetto_manifest: %s '%s' is not a machine declared by file '%s'.",
                         machine_label, text(t, c->machine), text(t, c->file));
    else if (c->machine || f->machine)
        r.machine = machine_named(m, t, c->machine ? c->machine : f->machine);
    else
        r.machine = trace_machine(t, HOST_RAW_ID);
    return r;
}

/* The same for the clock of the file that is told of. */
static struct resolved resolve_own(struct manifest *m, struct trace *t,
                                   const struct manifest_file *f)
{
    if (!f->clock.machine && f->machine_n > 0)
        return (struct resolved){
            .status = status_error(STATUS_FORMAT,
                                   "perfetto_manifest: clocks: file '%s' is a multi-machine trace; "
                                   "name which machine the clock is on with clocks: machine.",
                                   text(t, f->path))};
    return resolve(m, t, &f->clock, "clocks: file", "clocks: machine");
}

static struct status decide_trace_time(struct manifest *m, struct trace *t)
{
    const struct manifest_clock *c = &m->trace_time;
    struct resolved r = {.status = status_ok_value()};
    if (c->number == 0)
        return r.status;
    if (c->file || c->machine)
        r = resolve(m, t, c, "trace_time: file", "trace_time: machine");
    if (status_ok(r.status))
        clock_decide(t, (struct clock_id){.number = c->number, .machine = r.machine});
    return r.status;
}

static void note_rows(struct manifest *m, const struct trace *t)
{
    const struct table *files = &t->tables.trace_file;
    bool is_first;
    for (uint32_t i = 1; i < files->rows; i++) {
        string_id name = column_str(&files->columns[trace_file_col_name], i);
        uint32_t *row = map_insert(&m->rows, name, &is_first);
        if (is_first)
            *row = i;
    }
}

/* The row of trace_file of a member, or 0: that of the archive. */
static uint32_t file_row(const struct manifest *m, string_id path)
{
    const uint32_t *row = map_find(&m->rows, path);
    return row ? *row : 0;
}

static struct clock_id clock_id_of(const struct manifest *m, const struct manifest_clock *c,
                                   uint32_t machine)
{
    if (c->number)
        return (struct clock_id){.number = c->number, .machine = machine};
    return (struct clock_id){.number = CLOCK_TRACE_FILE_NUMBER,
                             .machine = machine,
                             .file = file_row(m, c->file)};
}

/* No time may be negative: an offset back is that of the other clock. */
static struct status relate_file(struct manifest *m, struct trace *t, const struct manifest_file *f)
{
    struct resolved own = resolve_own(m, t, f);
    if (!status_ok(own.status))
        return own.status;
    struct resolved other =
        resolve(m, t, &f->sync_to, "clocks: sync_to.file", "clocks: sync_to.machine");
    if (status_ok(other.status))
        clock_relate(t, clock_id_of(m, &f->clock, own.machine),
                     f->offset_ns < 0 ? -f->offset_ns : 0,
                     clock_id_of(m, &f->sync_to, other.machine),
                     f->offset_ns > 0 ? f->offset_ns : 0, true);
    clock_keep_files(t);
    return other.status;
}

struct status manifest_apply(struct manifest *m, struct trace *t)
{
    name_machines(m, t);
    note_rows(m, t);
    struct status s = decide_trace_time(m, t);
    for (size_t i = 0; status_ok(s) && i < m->files.count; i++)
        if (m->files.items[i].has_clocks)
            s = relate_file(m, t, &m->files.items[i]);
    return s;
}

void manifest_begin_file(struct manifest *m, struct trace *t, const struct trace_format *format,
                         struct trace_file *file)
{
    const struct manifest_file *f = manifest_find(m, string_pool_lookup(&t->strings, file->name));
    file->machine = f && f->machine ? machine_named(m, t, f->machine) : NULL_U32;
    for (size_t i = 0; f && i < f->machine_n; i++)
        if (m->embedded.items[f->machines + i].raw_id == HOST_RAW_ID)
            file->machine = machine_named(m, t, m->embedded.items[f->machines + i].name);
    file->has_own_clock = f && f->has_clocks && f->clock.number == 0;
    t->builder->foreign_machine = 0;
    trace_format_begin(format, t, file);
    for (size_t i = 0; f && i < f->machine_n; i++) {
        const struct embedded_machine *e = &m->embedded.items[f->machines + i];
        trace_set_machine_alias(t, e->raw_id, machine_named(m, t, e->name));
    }
}

struct status manifest_check_file(const struct manifest *m, struct trace *t,
                                  const struct trace_format *format, struct str name)
{
    const struct manifest_file *f = manifest_find(m, string_pool_lookup(&t->strings, name));
    int64_t foreign = t->builder->foreign_machine;
    if (!f)
        return status_ok_value();
    bool pinned = f->has_clocks && f->clock.number == 0;
    if (foreign && pinned)
        return status_error(STATUS_FORMAT,
                            "perfetto_manifest: '%s': a `clocks` override applies only to a "
                            "single-machine file, found a packet of machine %lld",
                            text(t, f->path), (long long)foreign);
    if (foreign && f->machine)
        return status_error(STATUS_FORMAT,
                            "perfetto_manifest: machine: '%s' has packets of several machines "
                            "(machine %lld). Replace `machine` with a `machines` block.",
                            text(t, f->path), (long long)foreign);
    if (foreign && f->machine_n > 0)
        return status_error(STATUS_FORMAT,
                            "perfetto_manifest: machines: trace has a packet from undeclared "
                            "machine id %lld ('%s')",
                            (long long)foreign, text(t, f->path));
    uint32_t machine = stats_scope(t)->machine;
    if (pinned && format->has_clocks && machine != NULL_U32 && clock_default(t, machine))
        return status_error(STATUS_FORMAT,
                            "perfetto_manifest: a `clocks` override without a source clock pins a "
                            "clockless file, but '%s' emits clock snapshots: name its clock, e.g. "
                            "\"clock\": \"BOOTTIME\" (clock overrides require the trace to use a "
                            "single clock)",
                            text(t, f->path));
    return status_ok_value();
}
