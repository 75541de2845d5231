#include "sql_fixture.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "text/demangle.h"
#include "parsers/proto/proto_text.h"
#include "symbols/symbolizer_process.h"
#include "core/store/rows.h"

static uint32_t frame(struct trace *t, uint32_t mapping, const char *name, int64_t rel_pc)
{
    return stack_frame_intern(t, mapping, trace_intern_c(t, name), rel_pc, NULL_STRING);
}

/* main (0) <- run (1) <- art_jni_trampoline (2) <- memcpy in libart (3) <- nterp_op (4) */
static void add_callstack(struct trace *t)
{
    struct stack_mapping app = {.build_id = trace_intern_c(t, ""),
                                .name = trace_intern_c(t, "/data/app/base.odex"),
                                .start = 4096,
                                .end = 8192};
    struct stack_mapping art = app;
    art.name = trace_intern_c(t, "/apex/libart.so");
    art.build_id = trace_intern_c(t, "ab");
    uint32_t app_map = stack_mapping_intern(t, &app), art_map = stack_mapping_intern(t, &art);
    uint32_t frames[] = {
        frame(t, art_map, "main", 1),
        frame(t, app_map, "run", 2),
        frame(t, app_map, "art_jni_trampoline", 3),
        frame(t, art_map, "memcpy", 4),
        frame(t, art_map, "nterp_op", 5),
    };
    uint32_t parent = NULL_U32;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        parent = stack_callsite_intern(t, parent, frames[i]);
    struct stack_symbol symbols[] = {
        {trace_intern_c(t, "inner"), trace_intern_c(t, "a.c"), 3, 1},
        {trace_intern_c(t, "outer"), trace_intern_c(t, "a.c"), 9, 0},
    };
    table_set_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_symbol_set_id, 0,
                  stack_symbols_append(t, symbols, 2));
}

struct event_arg {
    const char *key, *text; /* text NULL: a number */
    int64_t number;
};

struct event {
    const char *name;
    struct event_arg args[8];
};

static const struct event events[] = {
    {"irq_handler_exit", {{"irq", NULL, 42}, {"ret", NULL, 0}}},
    {"softirq_entry", {{"vec", NULL, 9}}},
    {"softirq_exit", {{"vec", NULL, 99}}},
    {"sched_wakeup", {{"comm", "a", 0}, {"pid", NULL, 5}, {"target_cpu", NULL, 7}}},
    {"sched_blocked_reason", {{"pid", NULL, 5}, {"caller", "io_schedule", 0}}},
    {"workqueue_queue_work",
     {{"work", NULL, 255}, {"function", NULL, 4096}, {"workqueue", NULL, 16}, {"cpu", NULL, 1}}},
    {"mm_filemap_add_to_page_cache",
     {{"s_dev", NULL, 265289729}, {"i_ino", NULL, 31}, {"pfn", NULL, 6}, {"index", NULL, 2}}},
    {"tracing_mark_write", {{"trace_begin", NULL, 1}, {"pid", NULL, 5}, {"trace_name", "work", 0}}},
    {"g2d_tracing_mark_write",
     {{"type", NULL, 'C'}, {"pid", NULL, 5}, {"name", "n", 0}, {"value", NULL, 3}}},
    {"cgroup_attach_task", {{"cname", "top-app", 0}, {"pid", NULL, 5}}},
    {"clk_set_rate", {{"name", "gpu", 0}, {"rate", NULL, 100}}},
    {"clock_set_rate", {{"name", "gpu", 0}, {"state", NULL, 100}, {"cpu_id", NULL, 1}}},
    {"of_no_format", {{"a", NULL, -1}, {"b", "text", 0}}},
};

static void add_events(struct trace *t)
{
    uint32_t cpu = trace_ucpu(t, 0, 3);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct arg_list list = {0};
        for (const struct event_arg *a = events[i].args; a->key; a++)
            if (a->text)
                arg_list_str(&list, trace_intern_c(t, a->key), trace_intern_c(t, a->text));
            else
                arg_list_int(&list, trace_intern_c(t, a->key), a->number);
        struct ftrace_event_row row = {.ts = 12345678901 + (int64_t)i,
                                       .name = trace_intern_c(t, events[i].name),
                                       .arg_set_id = args_intern(&t->args, &list),
                                       .ucpu = cpu};
        ftrace_event_append(&t->tables.ftrace_event, &row);
        arg_list_release(&list);
    }
}

static void fill(struct trace *t)
{
    add_callstack(t);
    add_events(t);
}

static int setup(void **state)
{
    return fixture_open(state, fill);
}

#define EXPECT_CASES(state, cases) EXPECT_EXPRESSIONS(session_of(state), cases)

static void test_stacks_are_put_together_leaf_first(void **state)
{
    static const struct query_case cases[] = {
        {"hex(cat_stacks('A', cat_stacks('B', stack_from_stack_profile_callsite(2)), NULL,"
         " stack_from_stack_profile_frame(4)))",
         "0A0218040A0210020A030A01420A030A0141\n"},
        {"hex(stack_from_stack_profile_callsite(4, TRUE))", "0A022004\n"},
        {"hex(stack_from_stack_profile_callsite(4, FALSE))", "0A021004\n"},
        {"stack_from_stack_profile_callsite(NULL), stack_from_stack_profile_frame(NULL)",
         "NULL|NULL\n"},
        {"hex(cat_stacks())", "\n"},
        {"cat_stacks(1)", "error: query:1:1: cat_stacks: each argument is a stack or the name of a "
                          "frame, not a number\n"},
        {"stack_from_stack_profile_callsite(5)",
         "error: query:1:1: stack_from_stack_profile_callsite: callsite_id is no id of "
         "stack_profile_callsite\n"},
        {"stack_from_stack_profile_callsite('x')",
         "error: query:1:1: stack_from_stack_profile_callsite: callsite_id is no id of "
         "stack_profile_callsite\n"},
        {"stack_from_stack_profile_callsite(0, 'x')",
         "error: query:1:1: stack_from_stack_profile_callsite: annotate is TRUE or FALSE\n"},
        {"stack_from_stack_profile_frame(-1)",
         "error: query:1:1: stack_from_stack_profile_frame: frame_id is no id of "
         "stack_profile_frame\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_callstacks_of_apps_are_annotated(void **state)
{
    static const struct query_case cases[] = {
        {"id, depth, parent_id, frame_id, annotation FROM experimental_annotated_callstack(4)",
         "4|4|3|4|common-frame-interp\n"
         "3|3|2|3|NULL\n"
         "2|2|1|2|common-frame\n"
         "1|1|0|1|aot\n"
         "0|0|NULL|0|NULL\n"},
        {"count(*) FROM experimental_annotated_callstack(NULL)", "0\n"},
        {"* FROM experimental_annotated_callstack(9)",
         "error: query:1:1: experimental_annotated_callstack: start_callsite_id is no id of "
         "stack_profile_callsite\n"},
    };
    EXPECT_CASES(state, cases);
}

struct bytes_sink {
    char *bytes;
    size_t size;
};

static bool keep_bytes(void *self, int columns, const struct sql_value *values)
{
    struct bytes_sink *b = self;
    assert_int_equal(columns, 1);
    assert_int_equal(values[0].type, SQL_BLOB);
    b->bytes = alloc_copy(values[0].s.p, values[0].s.n);
    b->size = values[0].s.n;
    return true;
}

/* What a query's one value is, as protobuf text, for free(). */
static char *message_text(struct sql_session *s, const char *query, const char *type)
{
    struct bytes_sink bytes = {0};
    struct sql_sink sink = {.begin = rows_begin,
                            .row = keep_bytes,
                            .end = rows_end,
                            .self = &bytes};
    struct status status = sql_session_run(s, "query", str_from(query), &sink);
    assert_true(status_ok(status));
    struct descriptors d = {0};
    struct text text = {0};
    proto_text_append(&text, &d, descriptors_find(&d, str_from(type)), (uint8_t *)bytes.bytes,
                      bytes.size);
    char *out = alloc_copy(text.v.items, text.v.count);
    vec_release(&text.v);
    descriptors_release(&d);
    free(bytes.bytes);
    return out;
}

static void test_profile_holds_samples_locations_and_names(void **state)
{
    char *got = message_text(
        session_of(state),
        "SELECT experimental_profile(stack, 'space', 'bytes', size, 'n', 'count', 1) FROM (SELECT "
        "cat_stacks('top', stack_from_stack_profile_callsite(1, TRUE)) AS stack, 100 AS size UNION "
        "ALL SELECT cat_stacks('top', stack_from_stack_profile_callsite(1, TRUE)), 20 UNION ALL "
        "SELECT cat_stacks(), 3)",
        "perfetto.third_party.perftools.profiles.Profile");
    assert_string_equal(got,
                        "sample_type {\n  type: 1\n  unit: 2\n}\n"
                        "sample_type {\n  type: 3\n  unit: 4\n}\n"
                        "sample {\n  location_id: 1\n  location_id: 2\n  location_id: 3\n"
                        "  value: 120\n  value: 2\n}\n"
                        "mapping {\n  id: 1\n  memory_start: 4096\n  memory_limit: 8192\n"
                        "  file_offset: 0\n  filename: 11\n  build_id: 0\n"
                        "  has_functions: true\n  has_filenames: false\n"
                        "  has_line_numbers: false\n  has_inline_frames: false\n}\n"
                        "mapping {\n  id: 2\n  memory_start: 4096\n  memory_limit: 8192\n"
                        "  file_offset: 0\n  filename: 12\n  build_id: 13\n"
                        "  has_functions: true\n  has_filenames: true\n"
                        "  has_line_numbers: true\n  has_inline_frames: true\n}\n"
                        "location {\n  id: 1\n  mapping_id: 1\n  address: 4098\n"
                        "  line {\n    function_id: 1\n  }\n}\n"
                        "location {\n  id: 2\n  mapping_id: 2\n  address: 4097\n"
                        "  line {\n    function_id: 2\n    line: 3\n  }\n"
                        "  line {\n    function_id: 3\n    line: 9\n  }\n}\n"
                        "location {\n  id: 3\n  line {\n    function_id: 4\n  }\n}\n"
                        "function {\n  id: 1\n  name: 5\n  system_name: 6\n}\n"
                        "function {\n  id: 2\n  name: 7\n  filename: 8\n}\n"
                        "function {\n  id: 3\n  name: 9\n  filename: 8\n}\n"
                        "function {\n  id: 4\n  name: 10\n}\n"
                        "string_table: \"\"\nstring_table: \"space\"\nstring_table: \"bytes\"\n"
                        "string_table: \"n\"\nstring_table: \"count\"\n"
                        "string_table: \"run [aot]\"\nstring_table: \"run\"\n"
                        "string_table: \"inner\"\nstring_table: \"a.c\"\n"
                        "string_table: \"outer\"\nstring_table: \"top\"\n"
                        "string_table: \"/data/app/base.odex\"\n"
                        "string_table: \"/apex/libart.so\"\nstring_table: \"ab\"");
    free(got);
}

static void test_profile_mistakes_are_named(void **state)
{
    static const struct query_case cases[] = {
        {"experimental_profile(x) FROM (SELECT 1 AS x) WHERE x = 2", "NULL\n"},
        {"experimental_profile(NULL)",
         "error: query:1:1: experimental_profile: the first argument is a stack, as cat_stacks and "
         "stack_from_stack_profile_callsite make it; leave rows without one out\n"},
        {"experimental_profile(x'ff')",
         "error: query:1:1: experimental_profile: the stack is malformed\n"},
        {"experimental_profile(x'0a021063')", "error: query:1:1: experimental_profile: the stack "
                                              "names a callsite 99 that does not exist\n"},
        {"experimental_profile(cat_stacks('A'), 'type', 'unit')",
         "error: query:1:1: experimental_profile takes a stack and any number of 'type', 'unit', "
         "value\n"},
        {"experimental_profile(cat_stacks('A'), 'type', 1, 1)",
         "error: query:1:1: experimental_profile: a value's type and unit are texts\n"},
        {"experimental_profile(cat_stacks('A'), 'type', 'unit', 'x')",
         "error: query:1:1: experimental_profile: a sample's value is an integer\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_names_are_demangled(void **state)
{
    static const struct query_case cases[] = {
        {"demangle('_ZN3foo3barEi')", "foo::bar(int)\n"},
        {"demangle('__ZN3foo3barEv')", "foo::bar()\n"},
        {"demangle('_ZN3foo3barEv.llvm.12')", "foo::bar() (.llvm.12)\n"},
        {"demangle('_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE')",
         "core::fmt::Write::write_fmt\n"},
        {"demangle('_RNvC6_123foo3bar')", "123foo::bar\n"},
        {"demangle('_ZN1vIiN1aIiEEE1fEv')", "v<int, a<int>>::f()\n"},
        {"demangle('_ZlsI1aE1bT_S1_')", "b operator<<<a>(a, b)\n"},
        {"demangle('_Z1fDn')", "f(std::nullptr_t)\n"},
        {"demangle('_ZZ1fvENKUlvE_clEv')", "f()::'lambda'()::operator()() const\n"},
        {"demangle('_ZZ1fvENKUliE0_clEi')", "f()::'lambda0'(int)::operator()(int) const\n"},
        {"demangle('_Z1gIZ1fvEUlT_E1_EvS0_')",
         "void g<f()::'lambda1'(auto)>(f()::'lambda1'(auto))\n"},
        /* each argument twice the one before */
        {"demangle('"
         "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_E"
         "S_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_E"
         "S_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI_SI_ES_ISJ_SJ_E"
         "S_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_ES_ISO_SO_ES_ISP_SP_ES_ISQ_SQ_E"
         "S_ISR_SR_ES_ISS_SS_ES_IST_ST_ES_ISU_SU_ES_ISV_SV_ES_ISW_SW_E"
         "')",
         "NULL\n"},
        {"demangle('_Z1gIZ1fvEUt_EvT_')", "void g<f()::'unnamed'>(f()::'unnamed')\n"},
    };
    static const struct query_case others[] = {
        {"demangle('main'), demangle('_Z'), demangle(''), __intrinsic_demangle(NULL)",
         "NULL|NULL|NULL|NULL\n"},
        {"demangle(1)", "error: query:1:1: demangle: the name must be a text\n"},
    };
    char *known = demangle(STR("_Znwm")); /* NULL where the program was built without libiberty */
    if (known)
        EXPECT_CASES(state, cases);
    free(known);
    EXPECT_CASES(state, others);
}

static void test_ftrace_lines(void **state)
{
    static const struct query_case cases[] = {
        {"to_ftrace(0)", "          <idle>-0     (-----) [003] .... 12.345678: irq_handler_exit: "
                         "irq=42 ret=unhandled\n"},
        {"substr(to_ftrace(id), 54) FROM ftrace_event WHERE id > 0",
         "softirq_entry: vec=9 [action=RCU]\n"
         "softirq_exit: vec=99 [action=UNKNOWN]\n"
         "sched_wakeup: comm=a pid=5 target_cpu=007\n"
         "sched_blocked_reason: pid=5 caller=io_schedule\n"
         "workqueue_queue_work: work struct=ff function=1000 workqueue=101\n"
         "mm_filemap_add_to_page_cache: dev 253:1 ino 1f page=0000000000000000 pfn=6 ofs=8192\n"
         "tracing_mark_write:B|5|work\n"
         "tracing_mark_write:C|5|n|3\n"
         "cgroup_attach_task: cgroup=top-app pid=5\n"
         "clk_set_rate: gpu 100\n"
         "clock_set_rate: gpu state=100 cpu_id=1\n"
         "of_no_format: a=-1 b=text\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_values_are_packed(void **state)
{
    static const struct query_case cases[] = {
        {"hex(substr(__intrinsic_zstd_compress('hello, hello, hello'), 1, 4)), "
         "__intrinsic_zstd_compress(NULL), length(__intrinsic_zstd_compress(x'')) > 4",
         "28B52FFD|NULL|1\n"},
        {"__intrinsic_zstd_compress(1)",
         "error: query:1:1: __intrinsic_zstd_compress: the argument is a text or bytes\n"},
        {"__intrinsic_struct('a', 1, 'b', 'c'), __intrinsic_struct()", "NULL|NULL\n"},
        {"__intrinsic_struct('a')",
         "error: query:1:1: __intrinsic_struct takes pairs of 'key', value\n"},
        {"__intrinsic_struct(1, 1)",
         "error: query:1:1: __intrinsic_struct takes pairs of 'key', value\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_messages_are_built(void **state)
{
    struct sql_session *s = session_of(state);
    char *got = message_text(
        s,
        "SELECT unwrap_metric_proto(TraceConfig('buffers', (SELECT RepeatedField("
        "TraceConfig_BufferConfig('size_kb', column1, 'fill_policy', 'DISCARD')) FROM (VALUES (1), "
        "(2))), 'duration_ms', 7, 'write_into_file', TRUE, 'unique_session_name', 'x', "
        "'flush_period_ms', NULL, 'statsd_metadata', TraceConfig_StatsdMetadata("
        "'triggering_alert_id', -1)), 'TraceConfig')",
        "perfetto.protos.TraceConfig");
    assert_string_equal(got, "buffers {\n  size_kb: 1\n  fill_policy: DISCARD\n}\n"
                             "buffers {\n  size_kb: 2\n  fill_policy: DISCARD\n}\n"
                             "duration_ms: 7\nwrite_into_file: true\nunique_session_name: \"x\"\n"
                             "statsd_metadata {\n  triggering_alert_id: -1\n}");
    free(got);
    static const struct query_case cases[] = {
        {"hex(RepeatedField(column1)) FROM (VALUES (1), (2), (300))", "08011A060A040102AC02\n"},
        {"hex(RepeatedField(column1)) FROM (VALUES (0.5))", "08011A0A1208000000000000E03F\n"},
        {"hex(RepeatedField(column1)) FROM (VALUES ('a'), ('b'))", "08011A061A01611A0162\n"},
        {"hex(RepeatedField(column1)) FROM (VALUES (x'01'), (NULL))", "08011A052201012200\n"},
        {"RepeatedField(column1) FROM (VALUES (1)) WHERE column1 > 1", "NULL\n"},
        {"RepeatedField(column1) FROM (VALUES (1), ('a'))",
         "error: query:1:1: RepeatedField: the values are of different types\n"},
        {"length(TraceConfig()), length(TraceConfig('duration_ms', NULL)), "
         "null_if_empty(TraceConfig()), length(unwrap_metric_proto(TraceConfig(), 'TraceConfig'))",
         "0|0|NULL|0\n"},
        {"TraceConfig('a', 1)", "error: query:1:1: perfetto.protos.TraceConfig has no field a\n"},
        {"TraceConfig(1, 1)", "error: query:1:1: perfetto.protos.TraceConfig has no field 1\n"},
        {"TraceConfig('duration_ms')",
         "error: query:1:1: perfetto.protos.TraceConfig takes pairs of 'field', value\n"},
        {"TraceConfig('duration_ms', 'x')",
         "error: query:1:1: perfetto.protos.TraceConfig: field duration_ms takes an integer\n"},
        {"TraceConfig('unique_session_name', 1)",
         "error: query:1:1: perfetto.protos.TraceConfig: field unique_session_name takes a text\n"},
        {"TraceConfig('buffers', TraceConfig_BufferConfig('size_kb', 1))",
         "error: query:1:1: perfetto.protos.TraceConfig: field buffers is repeated: it takes what "
         "RepeatedField(value) gives\n"},
        {"TraceConfig('statsd_metadata', TraceConfig_BufferConfig('size_kb', 1))",
         "error: query:1:1: perfetto.protos.TraceConfig: field statsd_metadata takes a message of "
         "its own type, made by that message's function\n"},
        {"TraceConfig_BufferConfig('fill_policy', 'NEVER')",
         "error: query:1:1: perfetto.protos.TraceConfig.BufferConfig: field fill_policy is an enum "
         "that has no value of that name\n"},
        {"unwrap_metric_proto(TraceConfig('duration_ms', 1), 'Trace')",
         "error: query:1:1: unwrap_metric_proto: the message is of type "
         "perfetto.protos.TraceConfig\n"},
        {"unwrap_metric_proto(x'01', 'Trace')",
         "error: query:1:1: unwrap_metric_proto: the bytes are no message that a function built\n"},
        {"unwrap_metric_proto(NULL, 'Trace')",
         "error: query:1:1: unwrap_metric_proto takes what a message's function gave, and its "
         "type\n"},
        {"NoSuchMessage(1)", "error: query:1:8: no such function: NoSuchMessage\n"},
    };
    EXPECT_CASES(state, cases);
}

/* Where this program is in memory: its addresses less that are those of its file. */
static int first_module(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

/* Nothing is inlined into it. */
static __attribute__((noinline)) int a_function_with_a_name(int x)
{
    return x * 3;
}

static void test_addresses_are_symbolized(void **state)
{
    static const char columns[] =
        "__intrinsic_table_ptr_bind(c0, 'function_name') AND __intrinsic_table_ptr_bind(c1, "
        "'file_name') AND __intrinsic_table_ptr_bind(c2, 'line_number') AND "
        "__intrinsic_table_ptr_bind(c3, 'mapping_id') AND __intrinsic_table_ptr_bind(c4, "
        "'address')";
    struct sql_session *s = session_of(state);
    char program[512];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(n > 0);
    program[n] = 0;
    uintptr_t base = 0;
    dl_iterate_phdr(first_module, &base);
    struct symbolizer_process *symbolizer = symbolizer_process_start();
    char *query = sqlite3_mprintf(
        "SELECT c0, c1 GLOB '*test_sql_functions.c', c2 > 0, c3, c4 FROM "
        "__intrinsic_table_ptr((SELECT __intrinsic_symbolize(__intrinsic_symbolize_agg(column1, "
        "column2, 7, 9)) FROM (VALUES ('%q', %llu)))) WHERE %s",
        program, (unsigned long long)((uintptr_t)a_function_with_a_name - base), columns);
    expect_rows(s, query, symbolizer ? "a_function_with_a_name|1|1|7|9\n" : "NULL|NULL|NULL|7|9\n");
    sqlite3_free(query);
    symbolizer_process_stop(symbolizer);
    query = sqlite3_mprintf(
        "SELECT c0, c1, c2, c3, c4 FROM __intrinsic_table_ptr((SELECT "
        "__intrinsic_symbolize(__intrinsic_symbolize_agg(column1, column2, 1, column2)) FROM "
        "(VALUES ('/no such file', 5), (NULL, 6), ('\"\n', 7)))) WHERE %s",
        columns);
    expect_rows(s, query, "NULL|NULL|NULL|1|5\nNULL|NULL|NULL|1|6\nNULL|NULL|NULL|1|7\n");
    sqlite3_free(query);
    static const struct query_case cases[] = {
        {"__intrinsic_symbolize_agg(1, 1, 1, NULL)",
         "error: query:1:1: __intrinsic_symbolize_agg takes a file's name and the integers rel_pc, "
         "mapping_id and address\n"},
        {"__intrinsic_symbolize(1)", "error: query:1:1: __intrinsic_symbolize takes what "
                                     "__intrinsic_symbolize_agg gives\n"},
        {"count(*) FROM __intrinsic_table_ptr(__intrinsic_symbolize(NULL))", "0\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_instr_and_replace_are_as_in_sqlite(void **state)
{
    static const struct query_case cases[] = {
        {"instr('a€bc', 'b'), instr('abc', 'x'), instr('', 'x'), instr('abc', ''), instr(1234, 3)",
         "3|0|0|1|3\n"},
        {"instr(x'e282ac62', x'62'), instr(x'e282ac62', 'b'), instr('€', x'82')", "4|2|0\n"},
        {"instr(NULL, 'a'), instr('a', NULL)", "NULL|NULL\n"},
        {"replace('abcabc', 'bc', 'x'), replace('aaa', 'aa', 'b'), replace('abc', 'x', 'y')",
         "axax|ba|abc\n"},
        {"replace('abc', 'b', ''), replace(121, 2, 'x'), typeof(replace(121, '', 'x'))",
         "ac|1x1|integer\n"},
        {"replace('a', '', NULL), replace('a', 'a', NULL), replace(NULL, '', 'a')",
         "a|NULL|NULL\n"},
        {"length(replace(hex(zeroblob(2000000)), '0', 'abc')), "
         "instr(hex(zeroblob(9000000)) || 'x', '0x')",
         "12000000|18000000\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_regular_expressions_of_long_texts(void **state)
{
    static const struct query_case cases[] = {
        {"regexp('0x', hex(zeroblob(50000)) || 'x'), regexp('1', hex(zeroblob(50000)))", "1|0\n"},
        {"regexp_extract('x' || hex(zeroblob(50000)), '^0'), "
         "regexp_extract(hex(zeroblob(50000)) || '12', '(?<=01)2'), "
         "regexp_extract('1' || hex(zeroblob(50000)) || '1', '\\G0')",
         "NULL|2|NULL\n"},
        {"length(regexp_replace_simple(hex(zeroblob(50000)), '000', 'x')), "
         "length(regexp_replace_simple(hex(zeroblob(50000)), 'y*', 'x')), "
         "regexp_replace_simple('aba', 'a*', 'x'), regexp_replace_simple('', '^', 'x')",
         "33334|200001|xxbxx|x\n"},
    };
    EXPECT_CASES(state, cases);
}

static void test_arguments_have_types(void **state)
{
    static const struct query_case cases[] = {
        {"str_split(NULL, 'a', 0), reverse(NULL), unhex(NULL), base64_encode(NULL), ln(NULL), "
         "to_timecode(NULL), abs_time_str(NULL), slice_is_ancestor(NULL, 1)",
         "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL\n"},
        {"value_at_max_ts(NULL, 1), percentile(NULL, 5), median(NULL), "
         "_intrinsic_package_lookup(NULL), extract_metadata(NULL)",
         "NULL|NULL|NULL|NULL|NULL\n"},
        {"str_split(1, 'a', 0)",
         "error: query:1:1: str_split: argument 1 must be STRING, not LONG\n"},
        {"str_split('a', 'b', 'c')",
         "error: query:1:1: str_split: argument 3 must be LONG, not STRING\n"},
        {"reverse(5)", "error: query:1:1: reverse: argument 1 must be STRING, not LONG\n"},
        {"unhex(1.5)", "error: query:1:1: unhex: argument 1 must be STRING, not DOUBLE\n"},
        {"base64_encode(5)",
         "error: query:1:1: base64_encode: argument 1 must be BYTES, not LONG\n"},
        {"base64_decode(x'00')",
         "error: query:1:1: base64_decode: argument 1 must be STRING, not BYTES\n"},
        {"__intrinsic_strip_hex('a', 'b')",
         "error: query:1:1: __intrinsic_strip_hex: argument 2 must be LONG, not STRING\n"},
        {"ln('x'), ln('1'), extract_metadata(1)", "NULL|0.0|NULL\n"}, /* as Trace Processor */
        {"to_realtime('x')",
         "error: query:1:1: to_realtime: argument 1 must be LONG, not STRING\n"},
        {"to_monotonic(1.5)",
         "error: query:1:1: to_monotonic: argument 1 must be LONG, not DOUBLE\n"},
        {"abs_time_str('x')",
         "error: query:1:1: abs_time_str: argument 1 must be LONG, not STRING\n"},
        {"extract_metadata_for_trace('a', 'b')",
         "error: query:1:1: extract_metadata_for_trace: argument 1 must be LONG, not STRING\n"},
        {"_intrinsic_package_lookup('x')",
         "error: query:1:1: _intrinsic_package_lookup: argument 1 must be LONG, not STRING\n"},
        {"slice_is_ancestor('x', 1)",
         "error: query:1:1: slice_is_ancestor: argument 1 must be LONG, not STRING\n"},
        {"value_at_max_ts('x', 1)",
         "error: query:1:1: value_at_max_ts: argument 1 must be LONG, not STRING\n"},
        {"percentile(1, 'x')",
         "error: query:1:1: percentile: argument 2 must be a number, not STRING\n"},
        {"percentile(1, NULL)", "error: query:1:1: percentile: the wanted part is out of range\n"},
        {"internal_layout('x', 1) OVER ()",
         "error: query:1:1: internal_layout: argument 1 must be LONG, not STRING\n"},
    };
    EXPECT_CASES(state, cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_stacks_are_put_together_leaf_first),
        SQL_TEST(test_callstacks_of_apps_are_annotated),
        SQL_TEST(test_profile_holds_samples_locations_and_names),
        SQL_TEST(test_profile_mistakes_are_named),
        SQL_TEST(test_names_are_demangled),
        SQL_TEST(test_ftrace_lines),
        SQL_TEST(test_values_are_packed),
        SQL_TEST(test_messages_are_built),
        SQL_TEST(test_addresses_are_symbolized),
        SQL_TEST(test_instr_and_replace_are_as_in_sqlite),
        SQL_TEST(test_regular_expressions_of_long_texts),
        SQL_TEST(test_arguments_have_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
