#include "parsers/archive/archive.h"

#include "core/trace_builder.h"
#include "parsers/archive/members.h"
#include "parsers/input/decompress.h"
#include "parsers/input/json_scan.h"
#include "parsers/json/metadata.h"

/* Of a member's first window: to see what it is, and to read it. */
enum { HEAD_BYTES = 64 << 10, WINDOW_BYTES = 1 << 20 };

enum { ARCHIVE_FILE = 0 }; /* its row of trace_file: archives are not opened in archives */

/* What a manifest says about a file. */
struct manifest_file {
    string_id path;
    uint32_t machine; /* NULL_U32: not said */
    int64_t offset;
};

struct named_machine {
    string_id name;
    uint32_t row;
};

/* Which machine a number means in the packets of a file. */
struct manifest_machine {
    string_id path;
    uint32_t machine;
    int64_t raw_id;
};

struct archive_import {
    struct trace *trace;
    struct load_progress *progress;
    const struct trace_format *const *formats; /* of members */
    struct bytes file;
    /* What the members are, in order; NULL: nothing that can be read, or a manifest. */
    VEC(const struct trace_format *) members;
    VEC(struct manifest_file) files;
    VEC(struct manifest_machine) embedded_machines;
    VEC(struct named_machine) machines;
    size_t streamed; /* members */
};

static void release(struct archive_import *a)
{
    vec_release(&a->members);
    vec_release(&a->files);
    vec_release(&a->embedded_machines);
    vec_release(&a->machines);
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

static string_id member_text(struct archive_import *a, struct str object, struct str name)
{
    struct json_value v;
    return find_member(object, name, &v) && v.type == JSON_STRING ? trace_intern(a->trace, v.text)
                                                                  : NULL_STRING;
}

/* Calls `add` with each object of an array. */
static void each_object(struct archive_import *a, struct str array, string_id path,
                        void (*add)(struct archive_import *a, struct str object, string_id path))
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

/* Numbers of recorded machines have 32 bits. */
#define FIRST_NAMED_RAW_ID (INT64_C(1) << 32)

static uint32_t machine_named(struct archive_import *a, string_id name)
{
    for (size_t i = 0; i < a->machines.count; i++)
        if (a->machines.items[i].name == name)
            return a->machines.items[i].row;
    uint32_t row = trace_machine(a->trace, FIRST_NAMED_RAW_ID + (int64_t)a->machines.count);
    table_set_str(&a->trace->tables.machine, machine_col_name, row, name);
    *vec_push(&a->machines) = (struct named_machine){name, row};
    return row;
}

static void add_embedded_machine(struct archive_import *a, struct str object, string_id path)
{
    struct manifest_machine m = {.path = path};
    string_id name = member_text(a, object, STR("name"));
    struct json_value id;
    if (!name || !find_member(object, STR("id"), &id) || !json_to_i64(id, &m.raw_id))
        return;
    m.machine = machine_named(a, name);
    *vec_push(&a->embedded_machines) = m;
}

static void add_file(struct archive_import *a, struct str object, string_id unused)
{
    (void)unused;
    struct manifest_file f = {.path = member_text(a, object, STR("path")), .machine = NULL_U32};
    struct json_value v, offset;
    string_id name = NULL_STRING;
    if (find_member(object, STR("machine"), &v))
        name = member_text(a, v.text, STR("name"));
    if (name)
        f.machine = machine_named(a, name);
    if (find_member(object, STR("clocks"), &v) && find_member(v.text, STR("offset_ns"), &offset))
        json_to_i64(offset, &f.offset);
    if (f.path && find_member(object, STR("machines"), &v) && v.type == JSON_ARRAY)
        each_object(a, v.text, f.path, add_embedded_machine);
    if (f.path)
        *vec_push(&a->files) = f;
}

static void read_manifest(struct archive_import *a, struct str manifest)
{
    struct json_value v;
    if (find_member(manifest, STR("attributes"), &v) && v.type == JSON_OBJECT)
        json_metadata(a->trace, "manifest_attribute.", v.text);
    if (find_member(manifest, STR("files"), &v) && v.type == JSON_ARRAY)
        each_object(a, v.text, NULL_STRING, add_file);
}

/* Known by what it holds (take_manifest), not by its first bytes. */
static const struct trace_format manifest_format = {.name = "manifest",
                                                    .type = "perfetto_manifest"};

/* Whether the member is a manifest, which then is read. */
static bool take_manifest(struct archive_import *a, struct str name, struct byte_source *s)
{
    struct str text = {(const char *)s->window.p, s->window.n};
    struct json_value v;
    if (!text.n || *text.p != '{' || !memmem(text.p, text.n, "perfetto_manifest", 17))
        return false;
    read_whole(s);
    text = (struct str){(const char *)s->window.p, s->window.n};
    bool is = find_member(text, STR("perfetto_manifest"), &v) && v.type == JSON_OBJECT;
    if (!is)
        return false;
    struct trace_file file = {name, (int64_t)text.n, ARCHIVE_FILE, NULL_U32};
    trace_format_begin(&manifest_format, a->trace, &file);
    read_manifest(a, v.text);
    return true;
}

static const struct manifest_file *find_file(struct archive_import *a, struct str path)
{
    string_id id = string_pool_lookup(&a->trace->strings, path);
    for (size_t i = 0; id && i < a->files.count; i++)
        if (a->files.items[i].path == id)
            return &a->files.items[i];
    return NULL;
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

/* What a manifest says of the member's machines holds from here on. */
static void begin_member(struct archive_import *a, const struct archive_members *m,
                         const struct trace_format *format)
{
    const struct manifest_file *f = find_file(a, m->name);
    struct trace_file file = {m->name, m->size, ARCHIVE_FILE, f ? f->machine : NULL_U32};
    string_id path = string_pool_lookup(&a->trace->strings, m->name);
    trace_format_begin(format, a->trace, &file);
    for (size_t i = 0; i < a->embedded_machines.count; i++)
        if (a->embedded_machines.items[i].path == path)
            trace_set_machine_alias(a->trace, a->embedded_machines.items[i].raw_id,
                                    a->embedded_machines.items[i].machine);
}

static struct status import_whole(struct archive_import *a, const struct trace_format *format,
                                  const char *name, struct byte_source *s)
{
    read_whole(s);
    return format->read(a->trace, name, s->window, a->progress);
}

static struct status import_source(struct archive_import *a, const struct trace_format *format,
                                   const char *name, struct byte_source *s)
{
    const struct manifest_file *f = find_file(a, str_from(name));
    s->clock_shift = f ? f->offset : 0;
    if (strcmp(format->type, "systrace") == 0)
        s->clock_shift += monotonic_shift(a->trace);
    s->own_tracks = a->streamed > 0;
    a->streamed++;
    return format->read_source(a->trace, name, s);
}

static struct status import_member(struct archive_import *a, struct archive_members *m,
                                   const struct trace_format *format)
{
    begin_member(a, m, format);
    struct byte_source s = members_source(m, WINDOW_BYTES);
    struct status status = format->read ? import_whole(a, format, m->name.p, &s)
                                        : import_source(a, format, m->name.p, &s);
    if (s.cut)
        stats_count(a->trace, STAT_decompression_errors);
    byte_source_release(&s);
    return status;
}

/* Finds out what the members are, and what a manifest says of them, wherever it stands. */
static struct status survey(struct archive_import *a, const char *name)
{
    struct archive_members m;
    size_t readable = 0;
    for (members_open(&m, a->file, a->progress); members_next(&m);) {
        struct byte_source s = members_source(&m, HEAD_BYTES);
        bool manifest = take_manifest(a, m.name, &s);
        const struct trace_format *format =
            s.window.n && !manifest ? trace_format_detect(a->formats, s.window) : NULL;
        bool known = format && (format->read_source || format->read);
        *vec_push(&a->members) = known ? format : NULL;
        readable += known;
        byte_source_release(&s);
    }
    struct status status = status_ok_value();
    if (m.cancelled)
        status = progress_cancelled(name);
    else if (a->members.count == 0)
        status = status_error(STATUS_FORMAT, "%s: the archive cannot be read: %s", name,
                              members_error(&m));
    else if (readable == 0)
        status =
            status_error(STATUS_FORMAT, "%s: expected traces in the archive, found none", name);
    else if (m.damaged)
        stats_count(a->trace, STAT_decompression_errors);
    members_close(&m);
    return status;
}

/* Traces that know clocks come first. Archives inside are not opened. */
static struct status import_members(struct archive_import *a, const char *name, bool with_clocks)
{
    size_t left = 0;
    for (size_t i = 0; i < a->members.count; i++)
        left += a->members.items[i] && a->members.items[i]->has_clocks == with_clocks;
    struct archive_members m;
    struct status status = status_ok_value();
    members_open(&m, a->file, a->progress);
    for (size_t i = 0; left > 0 && i < a->members.count && members_next(&m); i++) {
        const struct trace_format *format = a->members.items[i];
        if (!format || format->has_clocks != with_clocks)
            continue;
        status_release(&status); /* one bad member leaves the others */
        status = import_member(a, &m, format);
        left--;
        if (status.code == STATUS_CANCELLED)
            break;
    }
    if (status.code != STATUS_CANCELLED) {
        status_release(&status);
        status = m.cancelled ? progress_cancelled(name) : status_ok_value();
    }
    members_close(&m);
    return status;
}

static struct status archive_read(struct trace *t, const char *name, struct bytes data,
                                  const struct trace_format *const *formats,
                                  struct load_progress *progress)
{
    struct archive_import a = {.trace = t, .progress = progress, .formats = formats, .file = data};
    struct status s = survey(&a, name);
    if (status_ok(s))
        s = import_members(&a, name, true);
    if (status_ok(s))
        s = import_members(&a, name, false);
    release(&a);
    return s;
}

static bool zip_sniff(struct bytes data)
{
    return str_starts(trace_format_head(data), STR("PK\3\4"));
}

static bool tar_sniff(struct bytes data)
{
    enum { MAGIC_AT = 257 };
    return data.n > MAGIC_AT &&
           str_starts(str_skip(trace_format_head(data), MAGIC_AT), STR("ustar"));
}

const struct trace_format zip_trace_format = {
    .name = "zip",
    .type = "zip",
    .sniff = zip_sniff,
    .read_archive = archive_read,
};

const struct trace_format tar_trace_format = {
    .name = "tar",
    .type = "tar",
    .sniff = tar_sniff,
    .read_archive = archive_read,
};

const struct trace_format xz_trace_format = {
    .name = "xz",
    .type = "xz",
    .sniff = xz_sniff,
    .read_archive = archive_read,
};
