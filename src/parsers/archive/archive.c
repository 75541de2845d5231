#include "parsers/archive/archive.h"

#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/json/metadata.h"
#include "parsers/input/json_scan.h"
#include "parsers/archive/tar.h"
#include "parsers/archive/zip.h"

/* What a manifest says about a file. */
struct manifest_file {
    string_id path, machine;
    int64_t offset;
};

struct named_machine {
    string_id name;
    uint32_t row;
};

/* A name for a machine id that a file's own packets carry. */
struct manifest_machine {
    string_id path, name;
    int64_t raw_id;
};

struct archive {
    struct trace *trace;
    struct load_progress *progress;
    const struct trace_format *const *formats; /* of members */
    VEC(struct archive_member) members;
    VEC(struct manifest_file) files;
    VEC(struct manifest_machine) embedded_machines;
    VEC(struct named_machine) machines;
    VEC(char) text;
    size_t imported, streamed; /* members */
};

static void release(struct archive *a)
{
    vec_release(&a->members);
    vec_release(&a->files);
    vec_release(&a->embedded_machines);
    vec_release(&a->machines);
    vec_release(&a->text);
}

static struct byte_source open_member(const struct archive *a, const struct archive_member *m)
{
    return m->deflated ? byte_source_compressed(COMPRESSION_DEFLATE, m->data, a->progress)
                       : byte_source_memory(m->data, false, a->progress);
}

/* All of it, for those who need it in one piece. */
static void read_whole(struct byte_source *s)
{
    while (byte_source_more(s, 0))
        continue;
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

static string_id member_text(struct archive *a, struct str object, struct str name)
{
    struct json_value v;
    return find_member(object, name, &v) && v.type == JSON_STRING ? trace_intern(a->trace, v.text)
                                                                  : NULL_STRING;
}

/* Calls `add` with each object of an array. */
static void each_object(struct archive *a, struct str array, string_id path,
                        void (*add)(struct archive *a, struct str object, string_id path))
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    json_take(&j, '[');
    while (!json_take(&j, ']') && json_read_value(&j, &v)) {
        if (v.type == JSON_OBJECT)
            add(a, v.text, path);
        json_take(&j, ',');
    }
    json_scan_release(&j);
}

static void add_embedded_machine(struct archive *a, struct str object, string_id path)
{
    struct manifest_machine m = {.path = path, .name = member_text(a, object, STR("name"))};
    struct json_value id;
    if (m.name && find_member(object, STR("id"), &id) && json_to_i64(id, &m.raw_id))
        *vec_push(&a->embedded_machines) = m;
}

static void add_file(struct archive *a, struct str object, string_id unused)
{
    (void)unused;
    struct manifest_file f = {.path = member_text(a, object, STR("path"))};
    struct json_value v, offset;
    if (find_member(object, STR("machine"), &v))
        f.machine = member_text(a, v.text, STR("name"));
    if (find_member(object, STR("clocks"), &v) && find_member(v.text, STR("offset_ns"), &offset))
        json_to_i64(offset, &f.offset);
    if (f.path && find_member(object, STR("machines"), &v) && v.type == JSON_ARRAY)
        each_object(a, v.text, f.path, add_embedded_machine);
    if (f.path)
        *vec_push(&a->files) = f;
}

static void read_manifest(struct archive *a, struct str manifest)
{
    struct json_value v;
    if (find_member(manifest, STR("attributes"), &v) && v.type == JSON_OBJECT)
        json_metadata(a->trace, "manifest_attribute.", v.text);
    if (find_member(manifest, STR("files"), &v) && v.type == JSON_ARRAY)
        each_object(a, v.text, NULL_STRING, add_file);
}

/* Whether the member is a manifest, which then is read. */
static bool take_manifest(struct archive *a, const struct archive_member *m)
{
    struct byte_source s = open_member(a, m);
    struct str text = {(const char *)s.window.p, s.window.n};
    struct json_value v;
    bool is = false;
    if (text.n && *text.p == '{' && memmem(text.p, text.n, "perfetto_manifest", 17)) {
        read_whole(&s);
        text = (struct str){(const char *)s.window.p, s.window.n};
        is = find_member(text, STR("perfetto_manifest"), &v) && v.type == JSON_OBJECT;
        if (is)
            read_manifest(a, v.text);
    }
    byte_source_release(&s);
    return is;
}

static const struct manifest_file *find_file(struct archive *a, struct str path)
{
    string_id id = string_pool_lookup(&a->trace->strings, path);
    for (size_t i = 0; id && i < a->files.count; i++)
        if (a->files.items[i].path == id)
            return &a->files.items[i];
    return NULL;
}

static uint32_t machine_named(struct archive *a, string_id name)
{
    if (!name)
        return 0;
    for (size_t i = 0; i < a->machines.count; i++)
        if (a->machines.items[i].name == name)
            return a->machines.items[i].row;
    struct machine_row row = machine_row_null();
    row.raw_id = (int64_t)a->trace->tables.machine.rows;
    row.name = name;
    uint32_t id = machine_append(&a->trace->tables.machine, &row);
    *vec_push(&a->machines) = (struct named_machine){name, id};
    return id;
}

/* Names the machines that a file brought with it, so that other files can be said to be theirs. */
static void name_embedded_machines(struct archive *a, string_id path)
{
    struct table *machines = &a->trace->tables.machine;
    for (size_t i = 0; i < a->embedded_machines.count; i++) {
        const struct manifest_machine *m = &a->embedded_machines.items[i];
        for (uint32_t row = 1; m->path == path && row < machines->rows; row++) {
            if (table_i64(machines, machine_col_raw_id)[row] != m->raw_id)
                continue;
            table_set_str(machines, machine_col_name, row, m->name);
            *vec_push(&a->machines) = (struct named_machine){m->name, row};
        }
    }
}

/* Ftrace as text is on the monotonic clock: what that lacks to be the trace's, where another member
 * had a snapshot of it. */
static int64_t monotonic_shift(const struct trace *t)
{
    enum { CLOCK_OF_FTRACE_TEXT = 3 };
    const struct table *snapshots = &t->tables.clock_snapshot;
    const int64_t *clocks = table_i64(snapshots, clock_snapshot_col_clock_id);
    for (size_t i = 0; i < snapshots->rows; i++)
        if (clocks[i] == CLOCK_OF_FTRACE_TEXT)
            return table_i64(snapshots, clock_snapshot_col_ts)[i] -
                   table_i64(snapshots, clock_snapshot_col_clock_value)[i];
    return 0;
}

static void describe_member(struct archive *a, const struct archive_member *m, const char *type)
{
    struct trace *t = a->trace;
    struct trace_file_row row = trace_file_row_null();
    row.name = trace_intern(t, m->name);
    row.size = (int64_t)m->data.n;
    row.trace_type = trace_intern_c(t, type);
    row.processing_order = t->tables.trace_file.rows;
    row.parent_id = 0;
    trace_file_append(&t->tables.trace_file, &row);
    const struct manifest_file *f = find_file(a, m->name);
    stats_enter(t, f ? machine_named(a, f->machine) : 0, t->tables.trace_file.rows - 1);
}

static struct status import_member(struct archive *a, const struct archive_member *m,
                                   const struct trace_format *format, struct byte_source *s)
{
    struct trace *t = a->trace;
    describe_member(a, m, format->type);
    vec_reserve(&a->text, m->name.n + 1);
    memcpy(a->text.items, m->name.p, m->name.n);
    a->text.items[m->name.n] = '\0';
    a->imported++;
    if (format->read) {
        read_whole(s);
        struct status status = format->read(t, a->text.items, s->window, a->progress);
        name_embedded_machines(a, trace_intern(t, m->name));
        return status;
    }
    const struct manifest_file *f = find_file(a, m->name);
    s->machine = f ? machine_named(a, f->machine) : 0;
    s->clock_shift = f ? f->offset : 0;
    if (strcmp(format->type, "systrace") == 0)
        s->clock_shift += monotonic_shift(t);
    s->own_tracks = a->streamed > 0;
    a->streamed++;
    return format->read_source(t, a->text.items, s);
}

/* Traces that know clocks come first. Archives inside are not opened. */
static struct status import_members(struct archive *a, bool with_clocks)
{
    for (size_t i = 0; i < a->members.count; i++) {
        const struct archive_member *m = &a->members.items[i];
        struct byte_source s = open_member(a, m);
        const struct trace_format *format =
            s.window.n ? trace_format_detect(a->formats, s.window) : NULL;
        bool readable = format && (format->read_source || format->read);
        struct status status = status_ok_value();
        if (readable && format->has_clocks == with_clocks)
            status = import_member(a, m, format, &s);
        byte_source_release(&s);
        if (status.code == STATUS_CANCELLED)
            return status;
        status_release(&status); /* one bad member leaves the others */
    }
    return status_ok_value();
}

static void add_member(struct archive *a, const struct archive_member *m)
{
    if (!take_manifest(a, m))
        *vec_push(&a->members) = *m;
}

static struct status import_all(struct archive *a, const char *name)
{
    struct status s = import_members(a, true);
    if (status_ok(s))
        s = import_members(a, false);
    if (status_ok(s) && a->imported == 0)
        s = status_error(STATUS_FORMAT, "%s: expected traces in the archive, found none", name);
    release(a);
    return s;
}

static struct status zip_import(struct trace *t, const char *name, struct bytes data,
                                const struct trace_format *const *formats,
                                struct load_progress *progress)
{
    struct archive a = {.trace = t, .progress = progress, .formats = formats};
    struct zip z;
    struct archive_member m;
    if (!zip_open(&z, data))
        return status_error(STATUS_FORMAT, "%s: expected a directory at the end of the zip archive",
                            name);
    while (zip_next(&z, &m))
        add_member(&a, &m);
    return import_all(&a, name);
}

static struct status tar_import(struct trace *t, const char *name, struct bytes data,
                                const struct trace_format *const *formats,
                                struct load_progress *progress)
{
    struct archive a = {.trace = t, .progress = progress, .formats = formats};
    struct tar tar = {.file = data};
    struct archive_member m;
    while (tar_next(&tar, &m))
        add_member(&a, &m);
    return import_all(&a, name);
}

const struct trace_format zip_trace_format = {
    .name = "zip",
    .type = "zip",
    .sniff = zip_sniff,
    .read_archive = zip_import,
};

const struct trace_format tar_trace_format = {
    .name = "tar",
    .type = "tar",
    .sniff = tar_sniff,
    .read_archive = tar_import,
};
