/* Manifests in archives: what is refused, and by which key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/trace/trace.h"
#include "parsers/load.h"
#include "archive_writer.h"

enum { ROOM = 1 << 16 };

/* A Perfetto trace of one packet, from machine 7 where that is said, with a snapshot of BOOTTIME
 * where that is. */
#define PACKET      "\x0a\x0a\x40\x05\x50\x01\xf2\x02\x03\x0a\x01t"
#define PACKET_OF_7 "\x0a\x0d\x40\x05\x50\x01\xf2\x02\x03\x0a\x01t\x90\x06\x07"
#define SNAPSHOT    "\x0a\x08\x32\x06\x0a\x04\x08\x06\x10\x05"
#define JSON                                                                                       \
    "{\"traceEvents\": [{\"pid\": 1, \"tid\": 1, \"ts\": 2, \"dur\": 5, \"ph\": \"X\", \"name\": " \
    "\"s\"}]}"

struct member {
    const char *name, *text;
};

/* An archive of a.pb, one that has packets of machine 7, one with snapshots, a trace without a
 * clock, and what is given. */
static struct status load(struct trace *t, const struct member *more, size_t n)
{
    const struct member members[] = {
        {"a.pb", PACKET},
        {"multi.pb", PACKET PACKET_OF_7},
        {"snapshots.pb", SNAPSHOT PACKET},
        {"app.json", JSON},
    };
    static uint8_t bytes[ROOM];
    size_t used = 0;
    struct archive *w = archive_write_new();
    archive_write_set_format_ustar(w);
    archive_write_set_bytes_in_last_block(w, 1);
    archive_write_open_memory(w, bytes, sizeof bytes, &used);
    for (size_t i = 0; i < 4 + n; i++) {
        const struct member *m = i < 4 ? &members[i] : &more[i - 4];
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, m->name);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_size(e, (la_int64_t)strlen(m->text));
        assert_int_equal(archive_write_header(w, e), ARCHIVE_OK);
        archive_write_data(w, m->text, strlen(m->text));
        archive_entry_free(e);
    }
    archive_write_close(w);
    archive_write_free(w);
    trace_init(t);
    return trace_load_memory(t, "made", bytes, used, NULL);
}

#define M(text)      "{\"perfetto_manifest\": " text "}"
#define FILES(text)  M("{\"version\": 1, \"files\": [" text "]}")
#define CLOCKS(text) FILES("{\"path\": \"a.pb\", \"clocks\": " text "}, {\"path\": \"app.json\"}")
#define MULTI                                                                                      \
    "{\"path\": \"multi.pb\", \"machines\": [{\"id\": 0, \"name\": \"phone\"}, {\"id\": 7, "       \
    "\"name\": \"vm\"}]"

static const struct {
    const char *manifest, *error;
} refused[] = {
    {M("{}"), "perfetto_manifest: missing required field: version"},
    {M("{\"version\": 99}"), "perfetto_manifest: unsupported version: 99"},
    {M("{\"version\": 1.5}"), "perfetto_manifest: version must be an integer"},
    {M("{\"version\": \"1\"}"), "perfetto_manifest: version must be an integer"},
    {M("[1]"), "expected a JSON object with a top-level perfetto_manifest key"},
    {M("{\"version\": 1, \"files\": ["), "perfetto_manifest: "},
    {M("{\"version\": 1, \"trace_time\": 6}"), "trace_time must be an object"},
    {M("{\"version\": 1, \"trace_time\": {}}"), "trace_time needs a clock"},
    {M("{\"version\": 1, \"trace_time\": {\"clock\": 6}}"), "clock name must be a string"},
    {M("{\"version\": 1, \"trace_time\": {\"clock\": \"BOOTIME\"}}"),
     "perfetto_manifest: unknown clock name: BOOTIME"},
    {M("{\"version\": 1, \"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": 1}}"),
     "trace_time: file must be a string"},
    {M("{\"version\": 1, \"trace_time\": {\"clock\": \"BOOTTIME\", \"machine\": 1}}"),
     "trace_time: machine must be a string"},
    {M("{\"version\": 1, \"trace_time\": {\"clock\": \"BOOTTIME\", \"machine\": \"vm\"}}"),
     "trace_time: machine 'vm' needs trace_time: file too"},
    {M("{\"version\": 1, \"trace_time\": {\"clock\": \"BOOTTIME\", \"file\": \"ghost.pb\"}}"),
     "perfetto_manifest: trace_time: file names unknown file 'ghost.pb'"},
    {M("{\"version\": 1, \"files\": {}}"), "files must be an array"},
    {FILES("{}"), "files entries must be objects with a string path"},
    {FILES("3"), "files entries must be objects with a string path"},
    {FILES("{\"path\": \"a.pb\", \"machine\": \"phone\"}"),
     "machine must be an object with a string name"},
    {FILES("{\"path\": \"a.pb\", \"machine\": {\"name\": \"\"}}"),
     "perfetto_manifest: machine: name must be non-empty"},
    {FILES("{\"path\": \"a.pb\", \"machine\": {\"name\": \"x\"}, \"machines\": []}"),
     "perfetto_manifest: machine and machines are mutually exclusive"},
    {FILES("{\"path\": \"a.pb\", \"machines\": {}}"), "machines must be an array"},
    {FILES("{\"path\": \"a.pb\", \"machines\": [{\"name\": \"x\"}]}"),
     "machines entries need an integer id and a string name"},
    {FILES("{\"path\": \"a.pb\", \"machines\": [{\"id\": 4294967296, \"name\": \"x\"}]}"),
     "perfetto_manifest: machines: id must be in [0, 4294967295]"},
    {FILES("{\"path\": \"a.pb\", \"machines\": [{\"id\": 1, \"name\": \"\"}]}"),
     "machines: name must be non-empty"},
    {CLOCKS("3"), "clocks must be an object"},
    {CLOCKS("{\"offset_ns\": 1}"), "perfetto_manifest: clocks: a sync_to block is required"},
    {CLOCKS("{\"sync_to\": 1}"), "clocks: sync_to must be an object"},
    {CLOCKS("{\"sync_to\": {\"machine\": \"phone\", \"clock\": \"BOOTTIME\"}}"),
     "perfetto_manifest: clocks: sync_to.file is required"},
    {CLOCKS("{\"sync_to\": {\"file\": \"ghost.pb\"}}"),
     "perfetto_manifest: clocks: sync_to.file names unknown file 'ghost.pb'"},
    {CLOCKS("{\"sync_to\": {\"file\": \"app.json\", \"machine\": 1}}"),
     "clocks: sync_to.machine must be a string"},
    {CLOCKS("{\"sync_to\": {\"file\": \"app.json\", \"clock\": \"UTC\"}}"),
     "unknown clock name: UTC"},
    {CLOCKS("{\"machine\": 1, \"sync_to\": {\"file\": \"app.json\"}}"),
     "clocks: machine must be a string"},
    {CLOCKS("{\"machine\": \"ghost\", \"sync_to\": {\"file\": \"app.json\"}}"),
     "perfetto_manifest: clocks: machine 'ghost' is not a machine declared by file 'a.pb'."},
    {CLOCKS("{\"offset_ns\": 1.5, \"sync_to\": {\"file\": \"app.json\"}}"),
     "clocks: offset_ns must be an integer"},
    {CLOCKS("{\"offset_ns\": -9223372036854775808, \"sync_to\": {\"file\": \"app.json\"}}"),
     "clocks: offset_ns is out of range"},
    {FILES(MULTI "}, {\"path\": \"a.pb\", \"clocks\": {\"sync_to\": {\"file\": \"multi.pb\", "
                 "\"clock\": \"BOOTTIME\"}}}"),
     "perfetto_manifest: clocks: sync_to.file 'multi.pb' is a multi-machine trace; also name the "
     "machine with clocks: sync_to.machine"},
    {FILES(MULTI "}, {\"path\": \"a.pb\", \"clocks\": {\"sync_to\": {\"file\": \"multi.pb\", "
                 "\"machine\": \"ghost\"}}}"),
     "perfetto_manifest: clocks: sync_to.machine 'ghost' is not a machine declared by file "
     "'multi.pb'"},
    {FILES(MULTI ", \"clocks\": {\"clock\": \"BOOTTIME\", \"sync_to\": {\"file\": \"a.pb\"}}}, "
                 "{\"path\": \"a.pb\"}"),
     "perfetto_manifest: clocks: file 'multi.pb' is a multi-machine trace; name which machine the "
     "clock is on with clocks: machine."},
    {FILES("{\"path\": \"multi.pb\", \"machines\": [{\"id\": 0, \"name\": \"phone\"}]}"),
     "perfetto_manifest: machines: trace has a packet from undeclared machine id 7"},
    {FILES("{\"path\": \"multi.pb\", \"machine\": {\"name\": \"vm\"}}"),
     "Replace `machine` with a `machines` block"},
    {FILES("{\"path\": \"multi.pb\", \"clocks\": {\"sync_to\": {\"file\": \"app.json\"}}}, "
           "{\"path\": \"app.json\"}"),
     "a `clocks` override applies only to a single-machine file"},
    {FILES("{\"path\": \"snapshots.pb\", \"clocks\": {\"sync_to\": {\"file\": \"app.json\"}}}, "
           "{\"path\": \"app.json\"}"),
     "clock overrides require the trace to use a single clock"},
    {FILES("{\"path\": \"meta.json\", \"machine\": {\"name\": \"x\"}}"),
     "overrides are not supported for trace files which are themselves archives or "
     "perfetto_manifest files: meta.json"},
    {M("{\"version\": 1, \"attributes\": [1]}"),
     "attributes must be an object of string or integer values"},
    {M("{\"version\": 1, \"attributes\": {\"x\": 1.5}}"),
     "attributes: 'x' must be a string or an integer"},
    {M("{\"version\": 1, \"attributes\": {\"\": 1}}"), "attributes: keys must be non-empty"},
};

static void assert_refused(struct status s, const char *error)
{
    if (status_ok(s) || !strstr(s.message, error))
        print_message("want \"%s\"\ngot  \"%s\"\n", error, s.message ? s.message : "no error");
    assert_false(status_ok(s));
    assert_non_null(strstr(s.message, error));
    assert_null(strchr(s.message, '\n'));
    status_release(&s);
}

static void test_a_malformed_manifest_is_refused_by_its_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct trace t;
        struct member m = {"meta.json", refused[i].manifest};
        assert_refused(load(&t, &m, 1), refused[i].error);
        trace_release(&t);
    }
}

static void test_there_is_one_manifest(void **state)
{
    (void)state;
    struct trace t;
    struct member two[] = {{"1.json", M("{\"version\": 1}")}, {"2.json", M("{\"version\": 1}")}};
    assert_refused(load(&t, two, 2), "multiple perfetto_manifest files in archive");
    trace_release(&t);
}

static void test_unknown_keys_and_hidden_files_do_not_matter(void **state)
{
    (void)state;
    struct trace t;
    struct member two[] = {
        {"1.json",
         " { \"perfetto_manifest\": {\"later\": [1], \"version\": 1, \"files\": [{\"path\": "
         "\"app.json\", \"machine\": {\"name\": \"\\u0070hone\", \"x\": {}}}]}}"},
        {"d/.2.json", M("{\"version\": 1}")}};
    struct status s = load(&t, two, 2);
    assert_true(status_ok(s));
    assert_int_equal(t.tables.trace_file.rows, 6);
    string_id name = column_str(&t.tables.machine.columns[machine_col_name], 0);
    assert_string_equal(string_pool_get(&t.strings, name).p, "phone");
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_malformed_manifest_is_refused_by_its_key),
        cmocka_unit_test(test_there_is_one_manifest),
        cmocka_unit_test(test_unknown_keys_and_hidden_files_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
