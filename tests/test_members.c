/* What a member of an archive takes, for each format that it may have: the smallest trace of the
 * format many times in one zip, loaded by a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/trace_builder.h"
#include "parsers/archive/manifest.h"
#include "parsers/formats.h"
#include "parsers/load.h"
#include "sanitized.h"

/* Members of the two archives, more than have a row for each count that is 0; and how much more the
 * second may take for each that it has more: 1 KB is meant, and a quarter of room, as libraries
 * allocate in different ways. A profile of one sample is a row in each of a dozen tables, whose
 * arrays are so small here that they leave holes when they grow. */
enum { FEW = 1000, MANY = 4000, MEMBER_MOST = 1280, PROFILE_MOST = 1536 };

/* Of a member: a trace, of which there are rows, or one that only begins as the format does. */
#define TRACE(key, text)                                                                           \
    {                                                                                              \
        key, text, sizeof text - 1, MEMBER_MOST, false                                             \
    }
#define PROFILE(key, text)                                                                         \
    {                                                                                              \
        key, text, sizeof text - 1, PROFILE_MOST, false                                            \
    }
#define BARE(key, text)                                                                            \
    {                                                                                              \
        key, text, sizeof text - 1, MEMBER_MOST, true                                              \
    }

static const struct sample {
    const char *key, *bytes;
    size_t n;
    long most; /* bytes that it may take */
    bool is_bare;
} samples[] = {
    TRACE("perf", "PERFILE2\20\0\0\0\0\0\0\0"
                  "\100\0\0\0\0\0\110\0" /* HEADER_ATTR */
                  "\1\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0"
                  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                  "\11\0\0\0\2\0\40\0" /* SAMPLE */
                  "\100\0\0\0\0\0\0\0\7\0\0\0\7\0\0\0\1\0\0\0\0\0\0\0"),
    BARE("simpleperf_proto", "SIMPLEPERF\1\0\10\0\0\0\12\6\10\144\20\7\40\1\0\0\0\0"),
    TRACE("simpleperf_text", "sample:\n  event_type: cpu-cycles:u\n  time: 2000\n"
                             "  event_count: 250000\n  thread_id: 12\n  thread_name: render\n"
                             "  vaddr_in_file: 40\n  file: /lib/a.so\n  symbol: draw\n\n"),
    TRACE("fuchsia", "\20\0\4\106\170\124\26\0"
                     "\144\0\0\0\1\200\1\200" /* an instant event, all of it inline */
                     "\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0"
                     "c\0\0\0\0\0\0\0n\0\0\0\0\0\0\0"),
    BARE("trace_dat", "\27\10\104tracing6\0\0\10\0\20\0\0header_page\0\0\0\0\0\0\0\0\0"
                      "header_event\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                      "\0\0\0\0\0\0\0\0\1\0\0\0options  \0\0\0flyrecord\0"
                      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    TRACE("art_method", "*version\n3\nclock=wall\nelapsed-time-usec=9\n*threads\n1\tmain\n"
                        "*methods\n0x4\ta.B\tc\t()V\tB.java\n*end\n"
                        "SLOW\3\0\40\0\1\0\0\0\0\0\0\0\16\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                        "\1\0\4\0\0\0\1\0\0\0\1\0\0\0\1\0\5\0\0\0\2\0\0\0\2\0\0\0"),
    BARE("art_method_v2", "SLOW\4\0\40\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    TRACE("art_hprof", "JAVA PROFILE 1.0.3\0\0\0\0\4\0\0\1\200\0\0\0\0"
                       "\14\0\0\0\0\0\0\0\17\43\0\0\0\7\0\0\0\0\0\0\0\1\10\0" /* an array */
                       "\54\0\0\0\0\0\0\0\0"),
    TRACE("instruments_xml",
          "<trace-query-result><node><schema name=\"time-sample\"></schema><row>"
          "<sample-time id=\"1\">100</sample-time><thread id=\"2\" fmt=\"a\"><tid id=\"3\">7</tid>"
          "<process id=\"4\" fmt=\"p\"><pid id=\"5\">7</pid></process></thread>"
          "<core id=\"6\">0</core>"
          "<backtrace id=\"8\"><frame id=\"9\" name=\"f\" addr=\"0x1\"/></backtrace></row></node>"
          "</trace-query-result>\n"),
    TRACE("primes", "\11\7\0\0\0\0\0\0\0\22\4demo\42\3\10\350\7"
                    "\72\20\10\1\22\2\20\144\32\10\12\6\12\4root"),
    TRACE("gecko", "{\"meta\":{\"interval\":1,\"startTime\":0,\"version\":27},\"libs\":[],"
                   "\"threads\":[{\"name\":\"m\",\"tid\":1,\"pid\":1,"
                   "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,1]]},"
                   "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
                   "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
                   "\"stringTable\":[\"a\"]}]}"),
    TRACE("speedscope", "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                        "\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{\"type\":"
                        "\"evented\",\"name\":\"p\",\"unit\":\"milliseconds\",\"startValue\":0,"
                        "\"endValue\":1,\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},"
                        "{\"type\":\"C\",\"frame\":0,\"at\":1}]}]}"),
    PROFILE(
        "stackprof",
        "{\"version\":1.2,\"mode\":\"wall\",\"interval\":1000,\"samples\":1,\"gc_samples\":0,"
        "\"missed_samples\":0,\"frames\":{\"7\":{\"name\":\"a\",\"file\":\"a.rb\"}},\"raw\":[1,7,"
        "1],"
        "\"raw_timestamp_deltas\":[1000]}"),
    TRACE("perf_json", "{\"linux-perf-json-version\":1,\"samples\":[{\"timestamp\":5000,\"pid\":10,"
                       "\"tid\":11,\"comm\":\"w\",\"callchain\":[{\"ip\":\"0x10\"}]}]}"),
    TRACE("android_studio_log",
          "{\"metadata\":{},\"logcatMessages\":[{\"header\":{\"logLevel\":\"WARN\",\"pid\":12,"
          "\"tid\":13,\"tag\":\"T\",\"timestamp\":{\"seconds\":20,\"nanos\":5}},"
          "\"message\":\"m\"}]}"),
    PROFILE("cpuprofile",
            "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"a\",\"url\":\"\"}}],"
            "\"startTime\":1,\"endTime\":9,\"samples\":[1],\"timeDeltas\":[1]}"),
    TRACE("heapprofile", "{\"head\":{\"callFrame\":{\"functionName\":\"a\",\"url\":\"\"},"
                         "\"selfSize\":8,\"id\":1,\"children\":[]},\"samples\":[]}"),
    TRACE("heapsnapshot", "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\","
                          "\"self_size\",\"edge_count\"],\"node_types\":[[\"object\"]],"
                          "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
                          "\"edge_types\":[[\"element\"]]},\"node_count\":1,\"edge_count\":0},"
                          "\"nodes\":[0,0,1,8,0],\"edges\":[],\"strings\":[\"a\"]}"),
    TRACE("spans", "[{\"traceId\":\"a\",\"id\":\"1\",\"name\":\"n\",\"timestamp\":1,"
                   "\"duration\":2,\"localEndpoint\":{\"serviceName\":\"s\"}}]"),
    TRACE("dhat", "{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,"
                  "\"tu\":\"instrs\",\"cmd\":\"a\",\"pid\":42,\"te\":9,\"pps\":[{\"tb\":8,"
                  "\"tbk\":1,\"fs\":[1]}],\"ftbl\":[\"[root]\",\"0x1: main (a.c:1)\"]}"),
    TRACE("ghc_profile", "{\"program\":\"a\",\"total_ticks\":8,\"tick_interval\":1000,"
                         "\"cost_centres\":[{\"id\":1,\"label\":\"MAIN\",\"module\":\"M\"}],"
                         "\"profile\":{\"id\":1,\"entries\":0,\"alloc\":6,\"ticks\":1,"
                         "\"children\":[]}}"),
    TRACE("v8_ticks", "{\"code\":[{\"name\":\"a\",\"type\":\"CODE\"}],\"functions\":[],"
                      "\"ticks\":[{\"tm\":6,\"vm\":0,\"s\":[0,16]}]}"),
    TRACE("web_recording",
          "{\"version\":1,\"recording\":{\"displayName\":\"a\",\"startTime\":4,"
          "\"endTime\":6,\"discontinuities\":[],\"instrumentTypes\":[],\"records\":[{\"type\":"
          "\"timeline-record-type-cpu\",\"timestamp\":4.1,\"usage\":2,\"threads\":[]}]}}"),
    TRACE("har", "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"a\"},\"entries\":[{"
                 "\"startedDateTime\":\"2013-10-17T13:42:23.467Z\",\"time\":2,\"request\":{"
                 "\"method\":\"GET\",\"url\":\"a\"},\"response\":{\"status\":200}}]}}"),
    TRACE("json", "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
                  "\"dur\":1}]}"),
    TRACE("systrace_html", "<!DOCTYPE html><html><body><script class=\"trace-data\" "
                           "type=\"application/text\">\n# tracer: nop\n  a-7     [000] ...1  "
                           "1.000000: tracing_mark_write: C|7|c|1\n</script></body></html>\n"),
    TRACE("flamegraph_svg", "<?xml version=\"1.0\"?>\n<svg version=\"1.1\" width=\"9\">\n"
                            "<title>Flame Graph</title>\n<g id=\"frames\">\n<g>\n"
                            "<title>all (7 samples, 100%)</title><rect x=\"1\" y=\"3\" "
                            "width=\"7\" height=\"15.0\" />\n</g>\n</g>\n</svg>\n"),
    TRACE("pprof", "\12\4\10\1\20\2\22\5\12\1\1\22\1\5\42\4\10\1\30\20\62\0\62\7samples"
                   "\62\5count"),
    TRACE("proto", "\12\17\100\350\7\120\1\132\10\110\1\130\5\272\1\1a"),
    TRACE("proto_text", "packet {\n  timestamp: 1000\n  trusted_packet_sequence_id: 1\n"
                        "  track_event {\n    type: TYPE_SLICE_BEGIN\n    track_uuid: 5\n"
                        "    name: \"a\"\n  }\n}\n"),
    TRACE("blkparse", "259,0    0        1     0.001015811    87  Q  WS 4403200 + 256 [fio]\n"
                      "259,0    0        2     0.001016281    87  C  WS 4403200 + 256 [0]\n"),
    TRACE("babeltrace", "[00:00:00.000011843] (+0.000012843) h sched_wakeup: { cpu_id = 0 }, "
                        "{ comm = \"a\", tid = 4522, prio = -10, target_cpu = 0 }\n"),
    TRACE("massif", "desc: (none)\ncmd: ./a\ntime_unit: ms\n#-----------\nsnapshot=0\n"
                    "#-----------\ntime=0\nmem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
                    "heap_tree=empty\n"),
    TRACE("heaptrack", "v 10400 3\nX ./a\nI 1000 40000\ns c /opt/bin/app\ns 4 main\ni 4010 1 2\n"
                       "t 1 0\na 8 1\n+ 0\n"),
    TRACE("v8_log", "v8-version,6,0,287,53,0\nprofiler,\"begin\",1000\n"
                    "code-creation,Stub,3,4225,0x3a8437e04000,374,\"a\"\n"
                    "tick,0x3a8437e04010,5311,0,0x0,0\n"),
    TRACE("papyrus", "Stack_31 log opened (PC)\n50002:START:31\n50002:PUSH:31:3:None:A..B\n"
                     "50021:POP:31:3:None:A..B\nLog closed\n"),
    TRACE("ninja_log", "# ninja log v7\n0\t300\t1700\tgen/a.h\taa11\n"),
    TRACE("perf_stat", "# started on Sun Nov 22 22:36:43 2026\n\n"
                       "#           time             counts unit events\n"
                       "     0.107819302              1,075      page-faults\n"),
    TRACE("perf_report", "# Samples: 15  of event 'cycles:u'\n# Event count (approx.): 1000\n#\n"
                         "# Overhead  Command  Shared Object  Symbol\n"
                         "# ........  .......  .............  ......\n#\n"
                         "    60.00%  sleep    libc.so        [.] a\n"),
    TRACE("uftrace", "# DURATION     TID     FUNCTION\n   2.000 us [  8993] | before();\n"),
    BARE("sched_timehist",
         "           time    cpu  task name                       wait time  sch delay   run time\n"
         "                        [tid/pid]                          (msec)     (msec)     (msec)\n"
         "--------------- ------  ------------------------------  ---------  ---------  ---------\n"
         "   79371.000150 [0000]  gcc[31949]                          0.000      0.000      0.000 "
         "\n"),
    TRACE("perf_trace", "     0.053 ( 0.012 ms): ls/859 brk(brk: 0x1000)                  = 0\n"),
    TRACE("perf_tracepoints", "            a 28645 [000] 14388.142750:     sched:sched_waking: "
                              "comm=b pid=18 prio=0 target_cpu=000\n"),
    TRACE("perf_text", "app 10/12 [001] 5.000100: 1 cycles:\n\t      40 draw+0x10 (/lib/a.so)\n\n"),
    TRACE("android_dumpstate", "========================================================\n"
                               "== dumpstate: 2023-06-24 16:30:00\n"
                               "========================================================\n"),
    TRACE("anr_traces", "----- pid 4242 at 2023-06-24 16:29:50.123456789+0000 -----\n"
                        "Cmd line: a\n\nDALVIK THREADS (1):\n\"main\" prio=5 tid=1 Native\n"
                        "  | sysTid=4242 nice=0\n  at a.b.c(A.java:1)\n\n----- end 4242 -----\n"),
    TRACE("java_threads",
          "2023-12-07 16:45:12\nFull thread dump OpenJDK 64-Bit Server VM (17):\n\n"
          "\"main\" #1 prio=5 os_prio=0 tid=0x00007f8b48012800 nid=0x1093 runnable\n"
          "   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n\n"),
    TRACE("android_logcat", "06-24 16:29:50.123  1000  1001 I Tag: words\n"),
    TRACE("pidstat", "Linux 6.1.0 (demo) \t11/22/26 \t_x86_64_\t(2 CPU)\n\n"
                     "11:59:59 PM   UID       PID    %usr  Command\n"
                     "11:59:59 PM     0       565    5.71  app\n"),
    TRACE("top", "top - 23:59:58 up 4 min,  3 users,  load average: 0.74, 0.48, 0.21\n\n"
                 "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"),
    TRACE("turbostat",
          "turbostat version 2023.11.07 - Len Brown\nCore\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\n"
          "-\t-\t53\t2.13\t2489\t2593\n"),
    TRACE("sysstat", "Linux 6.1.0 (demo) \t11/22/26 \t_x86_64_\t(2 CPU)\n\n"
                     "11:59:58 PM  CPU    %usr   %idle\n11:59:59 PM  all    1.26   98.24\n"),
    TRACE("call_summary", "% time     seconds  usecs/call     calls    errors syscall\n"
                          "------ ----------- ----------- --------- --------- ----------------\n"
                          "100.00    0.001257         209         6         3 wait4\n"
                          "------ ----------- ----------- --------- --------- ----------------\n"
                          "100.00    0.001257          16         6         3 total\n"),
    TRACE("strace", "10 1700000000.000001 read(3, \"\", 8) = 0 <0.000010>\n"),
    TRACE("ftrace", "          <idle>-0     [000] d..3  1.000000: sched_wakeup: comm=a pid=2 "
                    "prio=120 target_cpu=000\n"),
    TRACE("pprof_text", "goroutine profile: total 3\n3 @ 0x43a2c6 0x4067ad\n"
                        "#\t0x6d5c64\tmain.run+0x64\t\t/app/main.go:10\n\n"),
    TRACE("callgrind", "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n\n"
                       "fl=(1) file1.c\nfn=(1) main\n16 20\n"),
    TRACE("call_tree", "Analysis of sampling app (pid 77) every 1 millisecond\n"
                       "Process:         app [77]\n\nCall graph:\n    20 Thread_1\n"
                       "    + 20 start  (in dyld) + 1  [0x7fff7c65f3d5]\n\n"),
    TRACE("stack_counts", "@[\n    a+1\n    b+2\n]: 4\n"),
    TRACE("collapsed_stack", "main;run 12\n"),
};

static const struct sample *sample_of(const struct trace_format *format)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (strcmp(samples[i].key, trace_format_key(format)) == 0)
            return &samples[i];
    return NULL;
}

/* A member that tells of the others is there once, and a table of an export is called after one. */
static bool may_be_many(const struct trace_format *format)
{
    return !format->read_archive && (format->read || format->read_source) &&
           format != &manifest_trace_format && strcmp(trace_format_key(format), "arrow") != 0;
}

static void test_each_format_has_a_sample(void **state)
{
    (void)state;
    for (size_t i = 0; trace_formats[i]; i++) {
        const struct sample *s = sample_of(trace_formats[i]);
        if (!may_be_many(trace_formats[i]))
            continue;
        if (!s)
            print_message("%s has no sample\n", trace_format_key(trace_formats[i]));
        assert_non_null(s);
        const struct trace_format *told =
            trace_format_detect(trace_formats, (struct bytes){(const uint8_t *)s->bytes, s->n});
        if (told != trace_formats[i])
            print_message("%s is taken for %s\n", s->key, told ? told->type : "nothing");
        assert_ptr_equal(told, trace_formats[i]);
    }
}

/* A zip under construction, where no allocation is in the way of those that are measured. */
struct zip {
    uint8_t *bytes;
    size_t n;
};

static void put(struct zip *z, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        z->bytes[z->n++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct zip *z, const char *p, size_t n)
{
    memcpy(z->bytes + z->n, p, n);
    z->n += n;
}

enum { NAME_BYTES = 7, LOCAL_BYTES = 30 + NAME_BYTES };

/* What stands in front of the member and in the table at the end: stored as it is, without a sum.
 */
static void put_member(struct zip *z, const struct sample *s)
{
    put(z, 20, 4);         /* version; no flags */
    put(z, 0, 2);          /* stored */
    put(z, 0x58210000, 4); /* its time */
    put(z, 0, 4);
    put(z, s->n, 4);
    put(z, s->n, 4);
    put(z, NAME_BYTES, 4);
}

static void put_name(struct zip *z, unsigned number)
{
    char name[NAME_BYTES + 1];
    snprintf(name, sizeof name, "m%06u", number);
    put_bytes(z, name, NAME_BYTES);
}

static void make_zip(struct zip *z, const struct sample *s, unsigned members)
{
    z->n = 0;
    for (unsigned i = 0; i < members; i++) {
        put(z, 0x04034b50, 4);
        put_member(z, s);
        put_name(z, i);
        put_bytes(z, s->bytes, s->n);
    }
    size_t table = z->n;
    for (unsigned i = 0; i < members; i++) {
        put(z, 0x02014b50, 4);
        put(z, 3 << 8 | 20, 2);
        put_member(z, s);
        put(z, 0, 6);
        put(z, UINT32_C(0100644) << 16, 4);
        put(z, i * (LOCAL_BYTES + s->n), 4);
        put_name(z, i);
    }
    size_t n = z->n - table;
    put(z, 0x06054b50, 8);
    put(z, members, 2);
    put(z, members, 2);
    put(z, n, 4);
    put(z, table, 4);
    put(z, 0, 2);
}

/* Whether there is a row for each member in a table of what traces tell. */
static bool is_told(struct trace *t, unsigned members)
{
    static const enum table_number of_files[] = {TABLE_trace_file, TABLE_metadata, TABLE_stats};
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        bool is_of_files = false;
        for (size_t k = 0; k < sizeof of_files / sizeof *of_files; k++)
            is_of_files |= of_files[k] == i;
        if (!is_of_files && tables_array(&t->tables)[i].rows >= members)
            return true;
    }
    return false;
}

/* What a load takes at most, in bytes, less the archive. */
static long measure(const struct zip *z, const struct sample *sample, unsigned members)
{
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct trace t;
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* large pages are not used to their ends */
        trace_init(&t);
        struct status s = trace_load_memory(&t, "made", z->bytes, z->n, NULL);
        bool told = sample->is_bare || is_told(&t, members);
        _exit(status_ok(s) && told && t.tables.trace_file.rows == members + 1 ? 0 : 1);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    if (status != 0)
        print_message("%s: members were not read\n", sample->key);
    assert_int_equal(status, 0);
    return usage.ru_maxrss * 1024 - (long)z->n;
}

static void test_members_take_a_kilobyte_each(void **state)
{
    (void)state;
    if (IS_SANITIZED)
        skip(); /* they take their own for each allocation */
    setenv("TZ", "UTC", 1);
#ifdef __GLIBC__ /* as the program has it, and without patterns in what is not used */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_PERTURB, 0);
#endif
    enum { ROOM = 1 << 22 };
    bool good = true;
    struct zip z = {
        .bytes = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    assert_ptr_not_equal(z.bytes, MAP_FAILED);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        make_zip(&z, s, FEW);
        long few = measure(&z, s, FEW);
        make_zip(&z, s, MANY);
        long each = (measure(&z, s, MANY) - few) / (MANY - FEW);
        if (each > s->most || getenv("MEMBERS_SHOWN"))
            print_message("%s: %ld bytes a member\n", s->key, each);
        good &= each <= s->most;
    }
    munmap(z.bytes, ROOM);
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_format_has_a_sample),
        cmocka_unit_test(test_members_take_a_kilobyte_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
