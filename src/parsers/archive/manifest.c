#include "parsers/archive/manifest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/input/json_scan.h"
#include "parsers/json/metadata.h"

/* Reading goes on behind a mistake; what is said of it is the first one. */
struct manifest_reader {
    struct manifest *manifest;
    struct trace *trace;
    struct status status;
};

static const char *const clock_names[] = {
    "", "REALTIME", "REALTIME_COARSE", "MONOTONIC", "MONOTONIC_COARSE", "MONOTONIC_RAW", "BOOTTIME",
};

void manifest_release(struct manifest *m)
{
    vec_release(&m->files);
    vec_release(&m->embedded);
    map_release(&m->file_of);
    map_release(&m->declared);
    map_release(&m->machines);
    map_release(&m->rows);
}

__attribute__((format(printf, 2, 3))) static void refuse(struct manifest_reader *r,
                                                         const char *format, ...)
{
    va_list args;
    if (!status_ok(r->status))
        return;
    va_start(args, format);
    r->status = status_prefix(status_verror(STATUS_FORMAT, format, args), "perfetto_manifest");
    va_end(args);
}

/* Text in a message. */
#define SHOWN(s) ((s).n < 200 ? (int)(s).n : 200), (s).p

/* Each member of an object, strings without escapes. False where it is malformed. */
static bool each_member(struct manifest_reader *r, struct str object, void *self,
                        void (*take)(struct manifest_reader *r, void *self, struct str key,
                                     struct json_value v))
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    bool closed = false, good = json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        string_id id = trace_intern(r->trace, key);
        good = json_read_value(&j, &v);
        if (good)
            take(r, self, string_pool_get(&r->trace->strings, id), v);
    }
    json_scan_release(&j);
    if (!good || !closed)
        refuse(r, "malformed JSON: expected a whole object, found \"%.*s\"", SHOWN(object));
    return good && closed;
}

struct wanted {
    struct str key;
    bool found;
    struct json_value value;
};

static void take_wanted(struct manifest_reader *r, void *self, struct str key, struct json_value v)
{
    struct wanted *w = self;
    if (!str_eq(key, w->key))
        return;
    /* The text of a string goes with the scan. */
    if (v.type == JSON_STRING)
        v.text = string_pool_get(&r->trace->strings, trace_intern(r->trace, v.text));
    w->found = true;
    w->value = v;
}

/* A member of an object; of several with that name the last. */
static bool find(struct manifest_reader *r, struct str object, const char *key,
                 struct json_value *out)
{
    struct wanted w = {.key = str_from(key)};
    each_member(r, object, &w, take_wanted);
    *out = w.value;
    return w.found;
}

/* A member that must be a string where it is there; NULL_STRING where not. `label` is how messages
 * call it. */
static string_id find_text(struct manifest_reader *r, struct str object, const char *key,
                           const char *label)
{
    struct json_value v;
    if (!find(r, object, key, &v))
        return NULL_STRING;
    if (v.type != JSON_STRING)
        refuse(r, "%s must be a string", label);
    return trace_intern(r->trace, v.text);
}

static bool is_integer(struct json_value v, int64_t *out)
{
    return v.type == JSON_NUMBER && str_to_i64(v.text, out);
}

/* The clock that an object names as "clock"; 0 where it names none. */
static uint32_t find_clock(struct manifest_reader *r, struct str object)
{
    struct json_value v;
    if (!find(r, object, "clock", &v))
        return 0;
    if (v.type != JSON_STRING) {
        refuse(r, "clock name must be a string");
        return 0;
    }
    for (uint32_t i = 1; i < sizeof clock_names / sizeof clock_names[0]; i++)
        if (str_eq(v.text, str_from(clock_names[i])))
            return i;
    refuse(r,
           "unknown clock name: %.*s. Use one of REALTIME, REALTIME_COARSE, MONOTONIC, "
           "MONOTONIC_COARSE, MONOTONIC_RAW, BOOTTIME.",
           SHOWN(v.text));
    return 0;
}

static void read_version(struct manifest_reader *r, struct str manifest)
{
    struct json_value v;
    int64_t version;
    if (!find(r, manifest, "version", &v))
        refuse(r, "missing required field: version");
    else if (!is_integer(v, &version))
        refuse(r, "version must be an integer");
    else if (version != 1)
        refuse(r, "unsupported version: %lld. Only version 1 is supported; set \"version\": 1.",
               (long long)version);
}

static void read_trace_time(struct manifest_reader *r, struct str manifest)
{
    struct json_value v;
    struct manifest_clock *c = &r->manifest->trace_time;
    if (!find(r, manifest, "trace_time", &v))
        return;
    if (v.type != JSON_OBJECT) {
        refuse(r, "trace_time must be an object");
        return;
    }
    c->number = find_clock(r, v.text);
    if (c->number == 0)
        refuse(r, "trace_time needs a clock");
    c->file = find_text(r, v.text, "file", "trace_time: file");
    c->machine = find_text(r, v.text, "machine", "trace_time: machine");
}

static void read_sync_to(struct manifest_reader *r, struct str clocks, struct manifest_file *f)
{
    struct json_value v;
    if (!find(r, clocks, "sync_to", &v)) {
        refuse(r, "clocks: a sync_to block is required: it names the file, and its clock, to which "
                  "this one is related, e.g. \"sync_to\": {\"file\": \"other.pb\"}.");
        return;
    }
    if (v.type != JSON_OBJECT) {
        refuse(r, "clocks: sync_to must be an object");
        return;
    }
    struct json_value file;
    if (!find(r, v.text, "file", &file) || file.type != JSON_STRING)
        refuse(r, "clocks: sync_to.file is required and must be a string");
    f->sync_to.file = find_text(r, v.text, "file", "clocks: sync_to.file");
    f->sync_to.machine = find_text(r, v.text, "machine", "clocks: sync_to.machine");
    f->sync_to.number = find_clock(r, v.text);
}

static void read_clocks(struct manifest_reader *r, struct str file, struct manifest_file *f)
{
    struct json_value v, offset;
    if (!find(r, file, "clocks", &v))
        return;
    if (v.type != JSON_OBJECT) {
        refuse(r, "clocks must be an object");
        return;
    }
    f->has_clocks = true;
    f->clock.file = f->path;
    f->clock.machine = find_text(r, v.text, "machine", "clocks: machine");
    f->clock.number = find_clock(r, v.text);
    read_sync_to(r, v.text, f);
    if (!find(r, v.text, "offset_ns", &offset))
        return;
    if (!is_integer(offset, &f->offset_ns))
        refuse(r, "clocks: offset_ns must be an integer");
    else if (f->offset_ns == INT64_MIN)
        refuse(r, "clocks: offset_ns is out of range");
}

static void read_machine(struct manifest_reader *r, struct str file, struct manifest_file *f)
{
    struct json_value v, name;
    if (!find(r, file, "machine", &v))
        return;
    if (v.type != JSON_OBJECT || !find(r, v.text, "name", &name) || name.type != JSON_STRING)
        refuse(r, "machine must be an object with a string name, e.g. \"machine\": {\"name\": "
                  "\"phone\"}.");
    else if (name.text.n == 0)
        refuse(r, "machine: name must be non-empty");
    else
        f->machine = trace_intern(r->trace, name.text);
}

/* Calls `take` with each value of an array. */
static void each_value(struct manifest_reader *r, struct str array, struct manifest_file *f,
                       void (*take)(struct manifest_reader *r, struct json_value v,
                                    struct manifest_file *f))
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    bool closed = false, good = json_take(&j, '[');
    while (good && !(closed = json_take(&j, ']'))) {
        good = json_read_value(&j, &v);
        if (good)
            take(r, v, f);
        if (!json_take(&j, ',')) {
            closed = json_take(&j, ']');
            break;
        }
    }
    json_scan_release(&j);
    if (!good || !closed)
        refuse(r, "malformed JSON: expected a whole array, found \"%.*s\"", SHOWN(array));
}

static void read_embedded(struct manifest_reader *r, struct json_value v, struct manifest_file *f)
{
    struct json_value id, name;
    struct embedded_machine e = {.raw_id = -1};
    if (v.type != JSON_OBJECT || !find(r, v.text, "id", &id) || id.type != JSON_NUMBER ||
        !find(r, v.text, "name", &name) || name.type != JSON_STRING) {
        refuse(r, "machines entries need an integer id and a string name, e.g. \"machines\": "
                  "[{\"id\": 0, \"name\": \"phone\"}].");
        return;
    }
    if (!is_integer(id, &e.raw_id) || e.raw_id < 0 || e.raw_id > UINT32_MAX)
        refuse(r, "machines: id must be in [0, 4294967295]");
    if (name.text.n == 0)
        refuse(r, "machines: name must be non-empty");
    e.name = trace_intern(r->trace, name.text);
    *vec_push(&r->manifest->embedded) = e;
    f->machine_n++;
}

static void read_file(struct manifest_reader *r, struct json_value file, struct manifest_file *f)
{
    struct json_value v, path;
    if (file.type != JSON_OBJECT || !find(r, file.text, "path", &path) ||
        path.type != JSON_STRING) {
        refuse(r, "files entries must be objects with a string path");
        return;
    }
    *f = (struct manifest_file){.path = trace_intern(r->trace, path.text),
                                .machines = r->manifest->embedded.count};
    read_clocks(r, file.text, f);
    bool several = find(r, file.text, "machines", &v);
    struct json_value one;
    if (several && find(r, file.text, "machine", &one))
        refuse(r, "machine and machines are mutually exclusive. Use `machine` for a file of one "
                  "machine, or `machines` to name those that the packets of a file tell apart.");
    read_machine(r, file.text, f);
    if (several && v.type != JSON_ARRAY)
        refuse(r, "machines must be an array");
    else if (several)
        each_value(r, v.text, f, read_embedded);
    manifest_add_file(r->manifest, f);
}

static void check_attribute(struct manifest_reader *r, void *self, struct str key,
                            struct json_value v)
{
    int64_t i;
    (void)self;
    if (key.n == 0)
        refuse(r, "attributes: keys must be non-empty");
    else if (v.type != JSON_STRING && !is_integer(v, &i))
        refuse(r, "attributes: '%.*s' must be a string or an integer", SHOWN(key));
}

static void read_attributes(struct manifest_reader *r, struct str manifest)
{
    struct json_value v;
    if (!find(r, manifest, "attributes", &v))
        return;
    if (v.type != JSON_OBJECT)
        refuse(r, "attributes must be an object of string or integer values");
    else
        each_member(r, v.text, NULL, check_attribute);
    if (status_ok(r->status))
        json_metadata(r->trace, "manifest_attribute.", v.text);
}

struct status manifest_read(struct manifest *m, struct trace *t, struct bytes text)
{
    struct manifest_reader r = {.manifest = m, .trace = t};
    struct json_value manifest, files;
    m->present = true;
    struct str root = trace_format_skip_space((struct str){(const char *)text.p, text.n});
    if (!find(&r, root, "perfetto_manifest", &manifest) || manifest.type != JSON_OBJECT) {
        refuse(&r, "expected a JSON object with a top-level perfetto_manifest key");
        return r.status;
    }
    read_version(&r, manifest.text);
    read_trace_time(&r, manifest.text);
    struct manifest_file file;
    if (find(&r, manifest.text, "files", &files) && files.type != JSON_ARRAY)
        refuse(&r, "files must be an array");
    else if (files.type == JSON_ARRAY)
        each_value(&r, files.text, &file, read_file);
    read_attributes(&r, manifest.text);
    return r.status;
}

/* The first thing in it is the key, whatever the spaces. */
static bool manifest_sniff(struct bytes data)
{
    struct str s = trace_format_skip_space(trace_format_head(data));
    if (!str_starts(s, STR("{")))
        return false;
    return str_starts(trace_format_skip_space(str_skip(s, 1)), STR("\"perfetto_manifest\""));
}

/* By itself it configures nothing but the trace's clock. */
static struct status manifest_alone(struct trace *t, const char *name, struct bytes data,
                                    struct load_progress *progress)
{
    struct manifest m = {0};
    (void)progress;
    struct status s = manifest_read(&m, t, data);
    if (status_ok(s))
        s = manifest_apply(&m, t);
    manifest_release(&m);
    return status_prefix(s, "%s", name);
}

const struct trace_format manifest_trace_format = {
    .name = "trace manifest",
    .type = "perfetto_manifest",
    .about = "says how the files next to it belong together: a JSON object with perfetto_manifest",
    .sniff = manifest_sniff,
    .has_machines = true,
    .read = manifest_alone,
};
