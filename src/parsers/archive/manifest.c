#include "parsers/archive/manifest.h"

#include <string.h>

#include "core/trace_builder.h"
#include "parsers/input/json_scan.h"
#include "parsers/json/metadata.h"

enum { ARCHIVE_FILE = 0 }; /* its row of trace_file: archives are not opened in archives */

/* Numbers of recorded machines have 32 bits. */
#define FIRST_NAMED_RAW_ID (INT64_C(1) << 32)

static const struct trace_format manifest_format = {.name = "manifest",
                                                    .type = "perfetto_manifest"};

void manifest_release(struct manifest *m)
{
    vec_release(&m->files);
    vec_release(&m->file_machines);
    vec_release(&m->machines);
}

bool manifest_sniff(struct bytes head)
{
    static const char key[] = "perfetto_manifest";
    return head.n > 0 && *head.p == '{' && memmem(head.p, head.n, key, sizeof key - 1);
}

/* A member of an object in text. */
static bool find_member(struct str object, struct str name, struct json_value *out)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    bool closed, found = false;
    if (!json_take(&j, '{'))
        return false;
    for (bool first = true; !found && json_next_key(&j, first, &key, &closed); first = false) {
        found = str_eq(key, name);
        if (!json_read_value(&j, out))
            found = false;
        if (j.ran_out)
            break;
    }
    /* A text with escapes would go with the scan: names that need them are not known. */
    found = found && j.text.count == 0;
    json_scan_release(&j);
    return found;
}

static bool find_object(struct str object, struct str name, struct str *out)
{
    struct json_value v;
    if (!find_member(object, name, &v) || v.type != JSON_OBJECT)
        return false;
    *out = v.text;
    return true;
}

static string_id member_text(const struct manifest *m, struct str object, struct str name)
{
    struct json_value v;
    return find_member(object, name, &v) && v.type == JSON_STRING ? trace_intern(m->trace, v.text)
                                                                  : NULL_STRING;
}

/* Calls `add` with each object of an array. */
static void each_object(struct manifest *m, struct str array, string_id path,
                        void (*add)(struct manifest *m, struct str object, string_id path))
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    json_take(&j, '[');
    while (!json_take(&j, ']') && json_read_value(&j, &v)) {
        if (v.type == JSON_OBJECT)
            add(m, v.text, path);
        json_take(&j, ',');
    }
    json_scan_release(&j);
}

static uint32_t machine_named(struct manifest *m, string_id name)
{
    for (size_t i = 0; i < m->machines.count; i++)
        if (m->machines.items[i].name == name)
            return m->machines.items[i].row;
    uint32_t row = trace_machine(m->trace, FIRST_NAMED_RAW_ID + (int64_t)m->machines.count);
    table_set_str(&m->trace->tables.machine, machine_col_name, row, name);
    *vec_push(&m->machines) = (struct named_machine){name, row};
    return row;
}

static void add_file_machine(struct manifest *m, struct str object, string_id path)
{
    struct file_machine f = {.path = path};
    string_id name = member_text(m, object, STR("name"));
    struct json_value id;
    if (!name || !find_member(object, STR("id"), &id) || !json_to_i64(id, &f.raw_id))
        return;
    f.machine = machine_named(m, name);
    *vec_push(&m->file_machines) = f;
}

static uint32_t clock_number(struct str name)
{
    static const char *const names[] = {
        "",         "REALTIME", "REALTIME_COARSE", "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW",
        "BOOTTIME",
    };
    for (uint32_t i = 1; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(name, str_from(names[i])))
            return i;
    return 0;
}

static struct manifest_clock read_clock(const struct manifest *m, struct str object)
{
    struct json_value v;
    struct manifest_clock c = {.file = member_text(m, object, STR("file")),
                               .machine = member_text(m, object, STR("machine"))};
    if (find_member(object, STR("clock"), &v) && v.type == JSON_STRING)
        c.number = clock_number(v.text);
    return c;
}

static void add_file(struct manifest *m, struct str object, string_id unused)
{
    (void)unused;
    struct manifest_file f = {.path = member_text(m, object, STR("path")), .machine = NULL_U32};
    struct str part, sync;
    struct json_value v;
    string_id name = NULL_STRING;
    if (find_object(object, STR("machine"), &part))
        name = member_text(m, part, STR("name"));
    if (name)
        f.machine = machine_named(m, name);
    f.has_clocks = find_object(object, STR("clocks"), &part);
    if (f.has_clocks) {
        f.clock = read_clock(m, part);
        f.is_synced = find_object(part, STR("sync_to"), &sync);
        if (f.is_synced)
            f.sync_to = read_clock(m, sync);
        if (find_member(part, STR("offset_ns"), &v))
            json_to_i64(v, &f.offset);
    }
    if (f.path && find_member(object, STR("machines"), &v) && v.type == JSON_ARRAY)
        each_object(m, v.text, f.path, add_file_machine);
    if (f.path)
        *vec_push(&m->files) = f;
}

static const struct manifest_file *find_file(const struct manifest *m, string_id path)
{
    for (size_t i = 0; path && i < m->files.count; i++)
        if (m->files.items[i].path == path)
            return &m->files.items[i];
    return NULL;
}

/* The machine of a file: that of its packets from the host, where it names several. */
static uint32_t machine_of_file(struct manifest *m, string_id path)
{
    const struct manifest_file *f = find_file(m, path);
    if (f && f->machine != NULL_U32)
        return f->machine;
    for (size_t i = 0; i < m->file_machines.count; i++)
        if (m->file_machines.items[i].path == path &&
            m->file_machines.items[i].raw_id == HOST_RAW_ID)
            return m->file_machines.items[i].machine;
    return trace_machine(m->trace, HOST_RAW_ID);
}

static struct clock_id clock_id_of(struct manifest *m, const struct manifest_clock *c)
{
    uint32_t machine = c->machine ? machine_named(m, c->machine) : machine_of_file(m, c->file);
    return (struct clock_id){.number = c->number, .machine = machine};
}

/* `file` is where the clock is, NULL_STRING for the trace as a whole: then it is that of the first
 * machine. */
static void decide_trace_clock(struct manifest *m, struct str object)
{
    struct manifest_clock c = read_clock(m, object);
    if (c.number == 0)
        return;
    if (c.file || c.machine)
        clock_decide(m->trace, clock_id_of(m, &c));
    else
        clock_decide(m->trace, (struct clock_id){.number = c.number});
}

/* Clocks that have names. What files mean by their own is known when they are read. */
static void relate_clocks(struct manifest *m)
{
    for (size_t i = 0; i < m->files.count; i++) {
        struct manifest_file *f = &m->files.items[i];
        f->clock.file = f->path;
        if (f->is_synced && f->clock.number && f->sync_to.number)
            clock_relate(m->trace, clock_id_of(m, &f->clock), 0, clock_id_of(m, &f->sync_to),
                         f->offset, true);
    }
}

bool manifest_read(struct manifest *m, struct trace *t, struct str name, struct bytes text)
{
    struct str manifest, part;
    struct json_value v;
    if (!find_object((struct str){(const char *)text.p, text.n}, STR("perfetto_manifest"),
                     &manifest))
        return false;
    m->trace = t;
    struct trace_file file = {.name = name,
                              .size = (int64_t)text.n,
                              .parent = ARCHIVE_FILE,
                              .machine = NULL_U32};
    trace_format_begin(&manifest_format, t, &file);
    if (find_object(manifest, STR("attributes"), &part))
        json_metadata(t, "manifest_attribute.", part);
    if (find_member(manifest, STR("files"), &v) && v.type == JSON_ARRAY)
        each_object(m, v.text, NULL_STRING, add_file);
    if (find_object(manifest, STR("trace_time"), &part))
        decide_trace_clock(m, part);
    relate_clocks(m);
    return true;
}

void manifest_begin_file(struct manifest *m, struct trace *t, const struct trace_format *format,
                         struct str name, int64_t size)
{
    string_id path = string_pool_lookup(&t->strings, name);
    const struct manifest_file *f = find_file(m, path);
    struct trace_file file = {.name = name,
                              .size = size,
                              .parent = ARCHIVE_FILE,
                              .machine = f ? f->machine : NULL_U32};
    bool own = f && f->has_clocks && f->clock.number == 0;
    file.has_own_clock = own;
    file.clock_offset = own && !f->is_synced ? f->offset : 0;
    trace_format_begin(format, t, &file);
    for (size_t i = 0; i < m->file_machines.count; i++)
        if (m->file_machines.items[i].path == path)
            trace_set_machine_alias(t, m->file_machines.items[i].raw_id,
                                    m->file_machines.items[i].machine);
    if (own && f->is_synced && f->sync_to.number && stats_scope(t)->machine != NULL_U32)
        clock_relate(t, clock_of_machine(t, stats_scope(t)->machine, CLOCK_TRACE_FILE_NUMBER, 0), 0,
                     clock_id_of(m, &f->sync_to), f->offset, false);
}
