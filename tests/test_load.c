/* Opening trace files, good and bad, through the front door: trace_load_file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/trace/ftrace_rows.h"
#include "core/trace/settled_args.h"
#include "core/trace_builder.h"
#include "base/alloc.h"
#include "parsers/input/input_file.h"
#include "parsers/input/read_ahead.h"
#include "parsers/load.h"
#include "sql/session.h"
#include "pb_fields.h"
#include "emulated.h"
#include "sql_rows.h"
#include "test_messages.h"

/* A packet that yields one row of `counter`. */
static void put_screen_state(struct pb_bytes *out, uint64_t ts, uint64_t clock)
{
    struct pb_bytes packet = {0}, state = {0};
    pb_put_uint(&packet, PB_TracePacket_timestamp, ts);
    if (clock)
        pb_put_uint(&packet, PB_TracePacket_timestamp_clock_id, clock);
    pb_put_uint(&state, PB_InitialDisplayState_display_state, 2);
    put_inner(&packet, PB_TracePacket_initial_display_state, &state);
    put_inner(out, PB_Trace_packet, &packet);
}

static struct pb_bytes screen_states(uint64_t n)
{
    struct pb_bytes out = {0};
    for (uint64_t i = 0; i < n; i++)
        put_screen_state(&out, 1000 + i, 0);
    return out;
}

enum { PATH_BYTES = 64 };

struct temporary {
    char path[PATH_BYTES];
};

static struct temporary file_of(const void *p, size_t n)
{
    struct temporary f = {"/tmp/tptui-test-load-XXXXXX"};
    int fd = mkstemp(f.path);
    assert_true(fd >= 0);
    for (size_t done = 0; done < n;) {
        ssize_t written = write(fd, (const uint8_t *)p + done, n - done);
        assert_true(written > 0);
        done += (size_t)written;
    }
    close(fd);
    return f;
}

/* Loads the bytes as a file. */
static struct status load(struct trace *t, const void *p, size_t n)
{
    struct temporary f = file_of(p, n);
    trace_init(t);
    struct status s = trace_load_file(t, f.path, NULL);
    unlink(f.path);
    return s;
}

static void load_ok(struct trace *t, struct pb_bytes *bytes)
{
    struct status s = load(t, bytes->v.items, bytes->v.count);
    if (!status_ok(s))
        fail_msg("%s", s.message);
    vec_release(&bytes->v);
}

static int64_t stat_of(struct trace *t, enum stat_key key)
{
    return stats_total(t, key);
}

static void assert_fails(struct trace *t, struct status s, enum status_code code, const char *words)
{
    assert_int_equal(s.code, code);
    if (!strstr(s.message, words))
        fail_msg("\"%s\" does not say \"%s\"", s.message, words);
    assert_null(strchr(s.message, '\n'));
    status_release(&s);
    trace_release(t);
}

static void test_packets_become_rows(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(3);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 3);
    assert_int_equal(stat_of(&t, STAT_packet_corrupt), 0);
    trace_release(&t);
}

static void test_empty_file_is_an_error(void **state)
{
    (void)state;
    struct trace t;
    struct status s = load(&t, "", 0);
    assert_fails(&t, s, STATUS_FORMAT, "empty file");
}

static void test_directory_is_an_error(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    assert_fails(&t, trace_load_file(&t, "/tmp", NULL), STATUS_IO, "/tmp: expected a trace file");
}

static void test_missing_file_is_an_error(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    assert_fails(&t, trace_load_file(&t, "/tmp/no/such.pftrace", NULL), STATUS_IO,
                 "cannot be opened");
}

static void test_unreadable_file_is_an_error(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    /* Even root cannot read what is not mapped. */
    assert_fails(&t, trace_load_file(&t, "/proc/self/mem", NULL), STATUS_IO, "cannot be read");
}

static void test_text_file_is_an_error(void **state)
{
    (void)state;
    struct trace t;
    const char text[] = "Dear diary,\nnothing was traced today.\n";
    struct status s = load(&t, text, strlen(text));
    assert_fails(&t, s, STATUS_UNKNOWN_FORMAT, "not a trace format known here");
}

static void test_other_json_is_an_error_that_tells_its_members(void **state)
{
    (void)state;
    struct trace t;
    const char text[] = "{\"log\": {\"version\": \"1.2\"}, \"pages\": [1, {}]}";
    struct status s = load(&t, text, strlen(text));
    assert_fails(&t, s, STATUS_UNKNOWN_FORMAT,
                 "a JSON object with log, pages: not a trace format known");
}

static void test_truncated_trace_loads_what_is_there(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(5);
    bytes.v.count -= 3;
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 4);
    assert_true(stat_of(&t, STAT_trace_truncated_bytes) > 0);
    trace_release(&t);
}

static void test_what_a_growing_trace_lacks_is_not_lost(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(5);
    trace_init(&t);
    t.builder->options.growing = true;
    struct status s =
        trace_load_memory(&t, "growing", (const uint8_t *)bytes.v.items, bytes.v.count - 3, NULL);
    pb_bytes_release(&bytes);
    assert_true(status_ok(s));
    assert_int_equal(t.tables.counter.rows, 4);
    assert_int_equal(stat_of(&t, STAT_trace_truncated_bytes), 0);
    trace_release(&t);
}

static void test_the_head_of_a_trace_is_a_trace(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(8);
    trace_init(&t);
    t.builder->options.growing = true;
    t.builder->options.head = bytes.v.count / 2 + 1; /* within a packet */
    struct status s =
        trace_load_memory(&t, "large", (const uint8_t *)bytes.v.items, bytes.v.count, NULL);
    pb_bytes_release(&bytes);
    assert_true(status_ok(s));
    assert_int_equal(t.tables.counter.rows, 4);
    trace_release(&t);
}

static void assert_has_no_head(const char *text)
{
    struct trace t;
    trace_init(&t);
    t.builder->options.head = 16;
    struct status s = trace_load_memory(&t, "large", (const uint8_t *)text, strlen(text), NULL);
    assert_int_equal(s.code, STATUS_USAGE);
    assert_non_null(strstr(s.message, "by its first bytes"));
    status_release(&s);
    trace_release(&t);
}

static void test_the_head_of_what_is_told_at_its_end_is_none(void **state)
{
    (void)state;
    assert_has_no_head("PERFILE2 and nothing else, which is read as such only if it is");
}

/* Which is parsed as a whole. */
static void test_the_head_of_packets_as_text_is_none(void **state)
{
    (void)state;
    assert_has_no_head("packet { timestamp: 1 }\npacket { timestamp: 2 }\n");
}

/* Behind so much else that the head has none of them. */
static void test_the_head_of_json_without_events_is_no_other_format(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = (char *)alloc_bytes(SIZE + 100);
    int n = snprintf(text, SIZE + 100, "{\"notes\": \"%*s\", \"traceEvents\": []}", SIZE, "");
    for (int whole = 0; whole < 2; whole++) {
        struct trace t;
        trace_init(&t);
        t.builder->options.head = whole ? 0 : SIZE / 2;
        struct status s =
            trace_load_memory(&t, "late.json", (const uint8_t *)text, (size_t)n, NULL);
        assert_int_equal(s.code, whole ? STATUS_OK : STATUS_USAGE);
        status_release(&s);
        trace_release(&t);
    }
    free(text);
}

static void test_packet_with_broken_fields_is_skipped(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(2), broken = {0};
    pb_put_raw(&broken, "\xff\xff\xff\xff", 4);
    put_inner(&bytes, PB_Trace_packet, &broken);
    put_screen_state(&bytes, 2000, 0);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 3);
    assert_int_equal(stat_of(&t, STAT_packet_corrupt), 1);
    trace_release(&t);
}

static void test_packet_with_wrong_length_is_skipped(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(2), rest = screen_states(20);
    size_t broken = bytes.v.count;
    put_screen_state(&bytes, 2000, 0);
    bytes.v.items[broken + 1] = 0x7b; /* swallows the packets behind it */
    pb_put_raw(&bytes, rest.v.items, rest.v.count);
    vec_release(&rest.v);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 22);
    assert_int_equal(stat_of(&t, STAT_packet_corrupt), 1);
    trace_release(&t);
}

static void test_garbage_between_packets_is_skipped(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(2), rest = screen_states(4);
    for (int i = 0; i < 1000; i++)
        *vec_push(&bytes.v) = (uint8_t)(i * 37);
    pb_put_raw(&bytes, rest.v.items, rest.v.count);
    vec_release(&rest.v);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 6);
    trace_release(&t);
}

static void test_unknown_clock_is_counted(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(2);
    put_screen_state(&bytes, 5000, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 2);
    assert_int_equal(stat_of(&t, STAT_clock_sync_failure_unknown_source_clock), 1);
    trace_release(&t);
}

static void put_reading(struct pb_bytes *snapshot, uint64_t clock, uint64_t ts)
{
    struct pb_bytes reading = {0};
    pb_put_uint(&reading, PB_ClockSnapshot_Clock_clock_id, clock);
    pb_put_uint(&reading, PB_ClockSnapshot_Clock_timestamp, ts);
    put_inner(snapshot, PB_ClockSnapshot_clocks, &reading);
}

static void test_clock_known_later_is_converted(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = {0}, snapshot = {0}, packet = {0};
    put_screen_state(&bytes, 900, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME);
    put_reading(&snapshot, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME, 1000);
    put_reading(&snapshot, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME, 300);
    put_inner(&packet, PB_TracePacket_clock_snapshot, &snapshot);
    put_inner(&bytes, PB_Trace_packet, &packet);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 1);
    assert_int_equal(table_i64(&t.tables.counter, counter_col_ts)[0], 200);
    /* The first packet found no trace clock: what it then is gets a row, too, and BOOTTIME one. */
    assert_int_equal(t.tables.clock_snapshot.rows, 4);
    trace_release(&t);
}

static struct pb_bytes gzip(const struct pb_bytes *in)
{
    struct pb_bytes out = {0};
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    vec_reserve(&out.v, deflateBound(&z, in->v.count));
    z.next_in = in->v.items;
    z.avail_in = (uInt)in->v.count;
    z.next_out = out.v.items;
    z.avail_out = (uInt)out.v.cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.v.count = z.total_out;
    deflateEnd(&z);
    return out;
}

static void test_gzip_file_is_inflated(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes plain = screen_states(500), packed = gzip(&plain);
    load_ok(&t, &packed);
    assert_int_equal(t.tables.counter.rows, 500);
    vec_release(&plain.v);
    trace_release(&t);
}

static void test_truncated_gzip_file_loads_what_is_there(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes plain = screen_states(5000), packed = gzip(&plain);
    packed.v.count = packed.v.count * 3 / 4;
    load_ok(&t, &packed);
    assert_true(t.tables.counter.rows > 1000 && t.tables.counter.rows < 5000);
    assert_int_equal(stat_of(&t, STAT_decompression_errors), 1);
    vec_release(&plain.v);
    trace_release(&t);
}

static void test_zstd_file_is_inflated(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes plain = screen_states(500), packed = {0};
    vec_reserve(&packed.v, ZSTD_compressBound(plain.v.count));
    packed.v.count = ZSTD_compress(packed.v.items, packed.v.cap, plain.v.items, plain.v.count, 3);
    load_ok(&t, &packed);
    assert_int_equal(t.tables.counter.rows, 500);
    vec_release(&plain.v);
    trace_release(&t);
}

static void test_compressed_packets_are_inflated(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes inner = screen_states(100), bytes = {0}, packet = {0}, packed = {0};
    uLongf n = compressBound((uLong)inner.v.count);
    vec_reserve(&packed.v, n);
    assert_int_equal(compress(packed.v.items, &n, inner.v.items, (uLong)inner.v.count), Z_OK);
    put_bytes(&packet, PB_TracePacket_compressed_packets, packed.v.items, n);
    put_inner(&bytes, PB_Trace_packet, &packet);
    vec_reserve(&packed.v, ZSTD_compressBound(inner.v.count));
    size_t zn = ZSTD_compress(packed.v.items, packed.v.cap, inner.v.items, inner.v.count, 3);
    put_bytes(&packet, PB_TracePacket_zstd_compressed_packets, packed.v.items, zn);
    put_inner(&bytes, PB_Trace_packet, &packet);
    load_ok(&t, &bytes);
    assert_int_equal(t.tables.counter.rows, 200);
    vec_release(&inner.v);
    vec_release(&packed.v);
    trace_release(&t);
}

static void test_cancelled_load_says_so(void **state)
{
    (void)state;
    struct trace t;
    struct pb_bytes bytes = screen_states(20000);
    struct temporary f = file_of(bytes.v.items, bytes.v.count);
    struct load_progress progress = {0};
    atomic_store(&progress.cancel, true);
    trace_init(&t);
    struct status s = trace_load_file(&t, f.path, &progress);
    unlink(f.path);
    vec_release(&bytes.v);
    assert_fails(&t, s, STATUS_CANCELLED, "cancelled");
}

struct cut {
    const char *path;
    struct load_progress *progress;
};

static void *cut_file(void *argument)
{
    const struct cut *c = argument;
    while (atomic_load(&c->progress->done) == 0)
        sched_yield();
    assert_int_equal(truncate(c->path, 8192), 0);
    return NULL;
}

static bool knows_where_bus_errors_are(void)
{
#ifdef __s390x__
    return !is_emulated();
#else
    return true;
#endif
}

static void test_file_cut_short_while_loading_keeps_what_was_read(void **state)
{
    (void)state;
    if (!knows_where_bus_errors_are())
        skip();
    struct trace t;
    struct pb_bytes bytes = screen_states(1000000);
    struct temporary f = file_of(bytes.v.items, bytes.v.count);
    struct load_progress progress = {0};
    struct cut cut = {f.path, &progress};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cut_file, &cut), 0);
    trace_init(&t);
    struct status s = trace_load_file(&t, f.path, &progress);
    pthread_join(thread, NULL);
    unlink(f.path);
    vec_release(&bytes.v);
    assert_true(status_ok(s));
    assert_true(t.tables.counter.rows > 0);
    assert_int_equal(stat_of(&t, STAT_trace_file_cut_while_loading), 1);
    trace_release(&t);
}

/* The bytes of a mapped file, which it cuts short before it reads them. */
struct cutting_stream {
    struct byte_stream stream;
    const char *path;
    struct bytes left;
};

static size_t cut_and_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct cutting_stream *c = (struct cutting_stream *)stream;
    size_t n = c->left.n < room ? c->left.n : room;
    assert_int_equal(truncate(c->path, 1), 0);
    memcpy(out, c->left.p, n);
    c->left = (struct bytes){c->left.p + n, c->left.n - n};
    return n;
}

static void keep_stream(struct byte_stream *stream)
{
    (void)stream;
}

static bool wants_all(struct bytes head)
{
    (void)head;
    return true;
}

static void test_file_cut_short_before_it_is_read_ahead_reads_as_zeros(void **state)
{
    (void)state;
    if (!knows_where_bus_errors_are())
        skip();
    enum { SIZE = 1 << 20 };
    uint8_t *bytes = alloc_bytes(SIZE), *got = alloc_bytes(SIZE);
    memset(bytes, 'x', SIZE);
    struct temporary f = file_of(bytes, SIZE);
    struct input_file in;
    assert_true(status_ok(input_file_open(&in, f.path, wants_all)));
    assert_true(in.mapped);
    struct cutting_stream c = {{.read = cut_and_read, .release = keep_stream}, f.path, in.bytes};
    struct byte_stream *ahead = read_ahead(&c.stream);
    assert_ptr_not_equal(ahead, &c.stream);
    size_t n = 0, more;
    while (n < SIZE && (more = ahead->read(ahead, got + n, SIZE - n)) > 0)
        n += more;
    assert_int_equal(n, SIZE);
    assert_int_equal(got[SIZE - 1], 0);
    assert_int_equal(input_file_change(&in), INPUT_CUT);
    ahead->release(ahead);
    input_file_close(&in);
    unlink(f.path);
    free(bytes);
    free(got);
}

/* Between the look at a file that is followed and its opening anything may come in its place. */
static void test_what_grows_is_a_regular_file(void **state)
{
    (void)state;
    struct temporary f = file_of("x", 1);
    for (int i = 0; i < 2; i++) {
        unlink(f.path);
        assert_int_equal(i == 0 ? mkfifo(f.path, 0600) : symlink("/dev/zero", f.path), 0);
        struct trace t;
        trace_init(&t);
        t.builder->options.growing = true;
        alarm(60); /* an open FIFO would be waited for */
        struct status s = trace_load_file(&t, f.path, NULL);
        alarm(0);
        assert_int_equal(s.code, STATUS_IO);
        assert_non_null(strstr(s.message, "a file that grows"));
        status_release(&s);
        trace_release(&t);
    }
    unlink(f.path);
}

static const char marks[] =
    "# tracer: nop\n"
    "  app-100 ( 100) [001] .... 10.000001: some_event: key=value number=3\n"
    "  app-100 ( 100) [001] .... 10.000002: some_event: key=other number=4\n"
    "  app-100 ( 100) [001] .... 10.000003: some_event: key=value number=3\n";

/* A trace whose args are still to be found in its file. */
static struct temporary load_deferred_text(struct trace *t, const char *text)
{
    struct temporary f = file_of(text, strlen(text));
    trace_init(t);
    struct status s = trace_load_file(t, f.path, NULL);
    assert_true(status_ok(s));
    assert_true(t->tables.ftrace_event.rows >= 3);
    assert_true(ftrace_rows_are_noted(t));
    assert_int_equal(atomic_load(&t->args.deferred.state), ARGS_UNSETTLED);
    return f;
}

static struct temporary load_deferred(struct trace *t)
{
    return load_deferred_text(t, marks);
}

static void test_args_are_found_in_the_file_again(void **state)
{
    (void)state;
    struct trace t;
    struct temporary f = load_deferred(&t);
    unlink(f.path);
    settled_args_start(&t);
    assert_true(settled_args_ready(&t));
    const uint32_t *sets = table_u32(ftrace_rows_ready(&t), ftrace_event_col_arg_set_id);
    struct arg_list list = {0};
    args_read(&t.args, sets[1], &list);
    assert_int_equal(list.v.count, 2);
    assert_int_equal(sets[0], sets[2]);
    assert_int_not_equal(sets[0], sets[1]);
    assert_int_equal(args_count(&t.args), 2);
    arg_list_release(&list);
    trace_release(&t);
}

struct written {
    const char *path;
    const struct load_progress *progress;
};

static void *write_on(void *argument)
{
    const struct written *w = argument;
    while (atomic_load(&w->progress->done) == 0)
        sched_yield();
    FILE *file = fopen(w->path, "a");
    assert_non_null(file);
    fputs(marks, file);
    fclose(file);
    return NULL;
}

/* What is written behind a file that grows is no change of it, and its args are found at once. */
static void test_a_growing_file_is_written_on(void **state)
{
    (void)state;
    enum { TIMES = 100000 };
    char *text = (char *)alloc_bytes(TIMES * (sizeof marks - 1));
    for (size_t i = 0; i < TIMES; i++)
        memcpy(text + i * (sizeof marks - 1), marks, sizeof marks - 1);
    struct trace t;
    struct temporary f = file_of(text, TIMES * (sizeof marks - 1));
    struct load_progress progress = {0};
    struct written w = {f.path, &progress};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_on, &w), 0);
    trace_init(&t);
    t.builder->options.growing = true;
    struct status s = trace_load_file(&t, f.path, &progress);
    pthread_join(thread, NULL);
    assert_true(status_ok(s));
    assert_int_equal(t.tables.ftrace_event.rows, 3 * TIMES);
    assert_int_equal(stat_of(&t, STAT_trace_file_changed_while_loading), 0);
    assert_int_not_equal(atomic_load(&t.args.deferred.state), ARGS_UNSETTLED);
    assert_int_equal(args_count(&t.args), 2);
    trace_release(&t);
    unlink(f.path);
    free(text);
}

/* What reads no set that waits for its id does not wait for all of them. */
static void test_other_sets_settle_nothing(void **state)
{
    (void)state;
    static const char mark[] =
        "  app-100 ( 100) [001] .... 10.000004: tracing_mark_write: B|100|work\n";
    char text[sizeof marks + sizeof mark];
    struct trace t;
    struct status s;
    memcpy(text, marks, sizeof marks - 1);
    memcpy(text + sizeof marks - 1, mark, sizeof mark);
    struct temporary f = load_deferred_text(&t, text);
    struct sql_session *session = sql_session_new(&t, &s);
    assert_true(status_ok(s));
    static const char *const queries[] = {
        "SELECT name, arg_set_id, extract_arg(arg_set_id, 'key') FROM slice",
        "SELECT count(*), max(extract_arg(arg_set_id, 'key')) FROM slice WHERE dur < 0",
        "SELECT name FROM ftrace_event"};
    for (uint32_t rows = 0; rows < 2; rows++) { /* in batches; by SQLite */
        sql_session_batch_from(session, rows == 0 ? 0 : UINT32_MAX);
        for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
            s = sql_session_run(session, "query", str_from(queries[i]), NULL);
            assert_true(status_ok(s));
            assert_int_equal(atomic_load(&t.args.deferred.state), ARGS_UNSETTLED);
        }
    }
    s = sql_session_run(session, "query", STR("SELECT arg_set_id FROM ftrace_event"), NULL);
    assert_true(status_ok(s));
    assert_int_equal(atomic_load(&t.args.deferred.state), ARGS_SETTLED);
    sql_session_free(session);
    trace_release(&t);
    unlink(f.path);
}

static void test_functions_of_rows_settle(void **state)
{
    (void)state;
    static const char text[] = "[{\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":1,\"tid\":"
                               "1,\"args\":{\"k\":[1,2]}},"
                               "{\"name\":\"b\",\"ph\":\"X\",\"ts\":2,\"dur\":5,\"pid\":1,\"tid\":"
                               "1,\"args\":{\"k\":[1,3]}}]";
    struct temporary f = file_of(text, sizeof text - 1);
    struct trace t;
    trace_init(&t);
    struct status s = trace_load_file(&t, f.path, NULL);
    assert_true(status_ok(s));
    assert_int_equal(atomic_load(&t.args.deferred.state), ARGS_UNSETTLED);
    struct sql_session *session = sql_session_new(&t, &s);
    assert_true(status_ok(s));
    expect_rows(session, "SELECT name, arg_set_id < 9 FROM descendant_slice(0)", "b|1\n");
    assert_int_equal(atomic_load(&t.args.deferred.state), ARGS_SETTLED);
    sql_session_free(session);
    trace_release(&t);
    unlink(f.path);
}

static void test_args_of_a_changed_file_are_lost(void **state)
{
    (void)state;
    struct trace t;
    struct temporary f = load_deferred(&t);
    assert_int_equal(truncate(f.path, sizeof marks / 2), 0);
    assert_false(settled_args_ready(&t));
    assert_false(settled_args_ready(&t));
    const struct column *sets = &t.tables.ftrace_event.columns[ftrace_event_col_arg_set_id];
    assert_int_equal(settled_args_of(&t, sets, 0), NULL_U32);
    struct status s;
    struct sql_session *session = sql_session_new(&t, &s);
    assert_true(status_ok(s));
    static const char *const queries[] = {
        "SELECT arg_set_id FROM ftrace_event",
        "SELECT count(DISTINCT arg_set_id) FROM ftrace_event",
        "SELECT count(*) FROM args",
        "SELECT to_ftrace(id) FROM ftrace_event",
        "SELECT count(*) FROM ftrace_event WHERE arg_set_id = 1",
        "SELECT extract_arg(1, 'key')",
        "SELECT max(extract_arg(arg_set_id, 'key')) FROM ftrace_event"};
    sql_session_batch_from(session, 0);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        s = sql_session_run(session, "query", str_from(queries[i]), NULL);
        if (status_ok(s) || !strstr(s.message, "was changed after it was opened"))
            fail_msg("%s: %s", queries[i], status_ok(s) ? "succeeds" : s.message);
        status_release(&s);
    }
    s = sql_session_run(session, "query", STR("SELECT name, utid FROM ftrace_event"), NULL);
    assert_true(status_ok(s));
    sql_session_free(session);
    unlink(f.path);
    trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets_become_rows),
        cmocka_unit_test(test_empty_file_is_an_error),
        cmocka_unit_test(test_directory_is_an_error),
        cmocka_unit_test(test_missing_file_is_an_error),
        cmocka_unit_test(test_unreadable_file_is_an_error),
        cmocka_unit_test(test_text_file_is_an_error),
        cmocka_unit_test(test_other_json_is_an_error_that_tells_its_members),
        cmocka_unit_test(test_truncated_trace_loads_what_is_there),
        cmocka_unit_test(test_what_a_growing_trace_lacks_is_not_lost),
        cmocka_unit_test(test_the_head_of_a_trace_is_a_trace),
        cmocka_unit_test(test_the_head_of_what_is_told_at_its_end_is_none),
        cmocka_unit_test(test_the_head_of_packets_as_text_is_none),
        cmocka_unit_test(test_the_head_of_json_without_events_is_no_other_format),
        cmocka_unit_test(test_packet_with_broken_fields_is_skipped),
        cmocka_unit_test(test_packet_with_wrong_length_is_skipped),
        cmocka_unit_test(test_garbage_between_packets_is_skipped),
        cmocka_unit_test(test_unknown_clock_is_counted),
        cmocka_unit_test(test_clock_known_later_is_converted),
        cmocka_unit_test(test_gzip_file_is_inflated),
        cmocka_unit_test(test_truncated_gzip_file_loads_what_is_there),
        cmocka_unit_test(test_zstd_file_is_inflated),
        cmocka_unit_test(test_compressed_packets_are_inflated),
        cmocka_unit_test(test_cancelled_load_says_so),
        cmocka_unit_test(test_file_cut_short_while_loading_keeps_what_was_read),
        cmocka_unit_test(test_file_cut_short_before_it_is_read_ahead_reads_as_zeros),
        cmocka_unit_test(test_what_grows_is_a_regular_file),
        cmocka_unit_test(test_args_are_found_in_the_file_again),
        cmocka_unit_test(test_a_growing_file_is_written_on),
        cmocka_unit_test(test_other_sets_settle_nothing),
        cmocka_unit_test(test_functions_of_rows_settle),
        cmocka_unit_test(test_args_of_a_changed_file_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
