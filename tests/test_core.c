/* The store and the trackers, through the functions that parsers call. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "core/loss.h"
#include "core/counter.h"
#include "core/metadata.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

static int setup(void **state)
{
    static struct trace trace;
    trace_init(&trace);
    trace_machine(&trace, HOST_RAW_ID);
    *state = &trace;
    return 0;
}

static int teardown(void **state)
{
    trace_release(*state);
    return 0;
}

static int64_t dur(struct trace *t, uint32_t slice)
{
    return table_i64(&t->tables.slice, slice_col_dur)[slice];
}

static uint32_t depth(struct trace *t, uint32_t slice)
{
    return table_u32(&t->tables.slice, slice_col_depth)[slice];
}

static string_id name(struct trace *t, const char *s)
{
    return trace_intern_c(t, s);
}

static void test_equal_strings_share_an_id(void **state)
{
    struct trace *t = *state;
    string_id a = name(t, "a"), empty = name(t, "");
    assert_int_equal(a, name(t, "a"));
    assert_int_not_equal(empty, NULL_STRING);
    for (int i = 0; i < 50000; i++) {
        char text[16];
        int n = snprintf(text, sizeof text, "s%d", i);
        string_pool_intern(&t->strings, (struct str){text, (size_t)n});
    }
    assert_int_equal(a, string_pool_lookup(&t->strings, STR("a")));
    assert_string_equal(string_pool_get(&t->strings, name(t, "s49999")).p, "s49999");
    assert_int_equal(string_pool_lookup(&t->strings, STR("absent")), NULL_STRING);
}

static void test_nulls_are_kept_apart_from_values(void **state)
{
    struct trace *t = *state;
    struct thread_row row = thread_row_null();
    uint32_t first = t->tables.thread.rows;
    for (int i = 0; i < 200; i++) {
        row.tid = i;
        row.start_ts = i % 2 ? i : NULL_I64;
        thread_append(&t->tables.thread, &row);
    }
    const struct column *start = &t->tables.thread.columns[thread_col_start_ts];
    const struct column *upid = &t->tables.thread.columns[thread_col_upid];
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(column_is_null(start, first + i), i % 2 == 0);
        assert_true(column_is_null(upid, first + i));
    }
    table_set_i64(&t->tables.thread, thread_col_start_ts, first, 0);
    assert_false(column_is_null(start, first));
}

/* A thousand rows of small numbers, of which some are too large for the bytes that those before
 * them took. */
static void test_small_numbers_may_become_large(void **state)
{
    static const uint32_t large[] = {0, 254, 255, 256, 65534, 65535, 65536, UINT32_MAX - 1};
    enum { LARGE = sizeof large / sizeof *large, ROWS = 1000 };
    struct trace *t = *state;
    struct table *table = &t->tables.thread_state;
    const struct column *c = &table->columns[thread_state_col_io_wait];
    for (uint32_t i = 0; i < ROWS; i++) {
        struct thread_state_row row = thread_state_row_null();
        row.io_wait = i % 3 == 0 ? NULL_U32 : i % 100 == 50 ? large[i / 100 % LARGE] : i % 7;
        thread_state_append(table, &row);
        assert_int_equal(c->width, i < 250 ? 1 : i < 550 ? 2 : 4);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(column_is_null(c, i), i % 3 == 0);
        if (i % 3)
            assert_int_equal(column_int(c, i), i % 100 == 50 ? large[i / 100 % LARGE] : i % 7);
    }
    table_set_small(table, thread_state_col_io_wait, 3, 100000);
    assert_int_equal(column_int(c, 3), 100000);
}

static void test_a_column_can_have_its_first_value_late(void **state)
{
    struct trace *t = *state;
    struct slice_row row = slice_row_null();
    for (int64_t i = 0; i < 200; i++) {
        row.thread_ts = i == 130 || i == 150 ? i : NULL_I64;
        slice_append(&t->tables.slice, &row);
    }
    table_set_i64(&t->tables.slice, slice_col_thread_dur, 70, 7);
    const struct column *ts = &t->tables.slice.columns[slice_col_thread_ts];
    const struct column *dur = &t->tables.slice.columns[slice_col_thread_dur];
    const struct column *count = &t->tables.slice.columns[slice_col_thread_instruction_count];
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(column_is_null(ts, i), i != 130 && i != 150);
        assert_int_equal(column_is_null(dur, i), i != 70);
        assert_true(column_is_null(count, i));
    }
    assert_int_equal(column_int(ts, 150), 150);
    assert_int_equal(column_int(dur, 70), 7);
}

static void test_sortedness_is_measured(void **state)
{
    struct trace *t = *state;
    for (int64_t ts = 0; ts < 10; ts++)
        counter_push(t, ts, 0, 1.0);
    assert_false(t->tables.counter.columns[counter_col_ts].unsorted);
    counter_push(t, 5, 0, 1.0);
    assert_true(t->tables.counter.columns[counter_col_ts].unsorted);
}

static void test_equal_args_share_a_set(void **state)
{
    struct trace *t = *state;
    struct arg_list list = {0};
    arg_list_int(&list, name(t, "a"), 1);
    arg_list_str(&list, name(t, "b"), name(t, "x"));
    uint32_t first = args_intern(&t->args, &list);
    assert_int_equal(first, args_intern(&t->args, &list));
    arg_list_bool(&list, name(t, "c"), true);
    uint32_t second = args_intern(&t->args, &list);
    assert_int_not_equal(first, second);
    assert_int_equal(args_row_count(&t->args), 5);
    assert_int_equal(args_row_start(&t->args, second), 2);
    arg_list_clear(&list);
    assert_int_equal(args_intern(&t->args, &list), NULL_U32);
    args_read(&t->args, second, &list);
    assert_int_equal(list.v.count, 3);
    assert_int_equal(list.v.items[2].type, ARG_BOOL);
    arg_list_release(&list);
}

static void decode_length(void *self, uint32_t context, const uint8_t *p, size_t n,
                          struct arg_list *out)
{
    (void)p;
    arg_list_int(out, *(string_id *)self, (int64_t)n + context);
}

static void test_a_value_set_again_replaces_the_one_before(void **state)
{
    struct trace *t = *state;
    struct arg_list list = {0};
    for (int i = 0; i < 100; i++) {
        char key[8];
        snprintf(key, sizeof key, "k%d", i % 40);
        arg_list_int(&list, trace_intern_c(t, key), i);
        if (i == 3)
            arg_list_int(&list, trace_intern_c(t, "k1"), 1000);
    }
    struct arg_list few = {0};
    for (size_t i = 0; i < 5; i++)
        arg_list_add(&few, list.v.items[i]);
    uint32_t few_id = args_intern(&t->args, &few), id = args_intern(&t->args, &list);
    arg_list_clear(&few);
    args_read(&t->args, few_id, &few);
    assert_int_equal(few.v.count, 4);
    assert_int_equal(few.v.items[1].i, 1000); /* in its place */
    arg_list_clear(&list);
    args_read(&t->args, id, &list);
    assert_int_equal(list.v.count, 40);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(list.v.items[i].i, i < 20 ? 80 + i : 40 + i);
    arg_list_release(&few);
    arg_list_release(&list);
}

static void test_payloads_are_decoded_on_demand(void **state)
{
    struct trace *t = *state;
    string_id key = name(t, "n");
    uint32_t d =
        args_add_decoder(&t->args, (struct args_decoder){.decode = decode_length, .self = &key});
    uint32_t kind = args_kind(&t->args, d, 100), other = args_kind(&t->args, d, 101);
    assert_int_equal(kind, args_kind(&t->args, d, 100));
    uint32_t a = args_intern_payload(&t->args, kind, (const uint8_t *)"xyz", 3);
    assert_int_equal(a, args_intern_payload(&t->args, kind, (const uint8_t *)"xyz", 3));
    assert_int_not_equal(a, args_intern_payload(&t->args, other, (const uint8_t *)"xyz", 3));
    struct arg_list list = {0};
    args_read(&t->args, a, &list);
    assert_int_equal(list.v.items[0].i, 103);
    arg_list_release(&list);
}

static uint32_t intern_number(struct trace *t, uint32_t kind, uint64_t number)
{
    return args_intern_payload(&t->args, kind, (const uint8_t *)&number, sizeof number);
}

static void decode_number(void *self, uint32_t context, const uint8_t *p, size_t n,
                          struct arg_list *out)
{
    (void)context;
    int64_t number = 0;
    assert_int_equal(n, sizeof number);
    memcpy(&number, p, sizeof number);
    arg_list_int(out, *(string_id *)self, number);
}

static void test_payloads_that_are_seldom_equal_are_not_looked_up(void **state)
{
    struct trace *t = *state;
    enum { MANY = 10000 };
    string_id key = name(t, "n");
    uint32_t d =
        args_add_decoder(&t->args, (struct args_decoder){.decode = decode_number, .self = &key});
    uint32_t often = args_kind(&t->args, d, 0), seldom = args_kind(&t->args, d, 1), last = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        intern_number(t, often, i % 1000);
        last = intern_number(t, seldom, i);
    }
    assert_int_equal(args_count(&t->args), 1000 + MANY);
    assert_int_equal(intern_number(t, often, 7), intern_number(t, often, 7));
    assert_int_not_equal(intern_number(t, seldom, 7), intern_number(t, seldom, 7));
    struct arg_list list = {0};
    args_read(&t->args, last, &list);
    assert_int_equal(list.v.count, 1);
    assert_int_equal(list.v.items[0].i, MANY - 1);
    arg_list_release(&list);
}

static void test_a_set_can_be_on_top_of_the_payload_of_another(void **state)
{
    struct trace *t = *state;
    string_id key = name(t, "n");
    uint32_t payloads =
        args_add_decoder(&t->args, (struct args_decoder){.decode = decode_length, .self = &key});
    uint32_t numbers =
        args_add_decoder(&t->args, (struct args_decoder){.decode = decode_number, .self = &key});
    struct args_base base = {.set = intern_number(t, args_kind(&t->args, payloads, 0), 42),
                             .kind = args_kind(&t->args, numbers, 0)};
    struct arg_list list = {0};
    uint32_t alone = args_intern_on(&t->args, base, &list);
    arg_list_int(&list, name(t, "ret"), -1);
    uint32_t more = args_intern_on(&t->args, base, &list);
    assert_int_equal(more, args_intern_on(&t->args, base, &list));
    arg_list_clear(&list);
    args_read(&t->args, alone, &list);
    args_read(&t->args, more, &list);
    assert_int_equal(list.v.count, 3);
    assert_int_equal(list.v.items[0].i, 42);
    assert_int_equal(list.v.items[1].i, 42);
    assert_int_equal(list.v.items[2].i, -1);
    assert_int_equal(args_row_count(&t->args), 4);
    arg_list_release(&list);
}

static void test_sets_are_found_beyond_what_a_place_can_say(void **state)
{
    struct trace *t = *state;
    t->args.place_bits = 6;
    string_id key = name(t, "n");
    uint32_t d =
        args_add_decoder(&t->args, (struct args_decoder){.decode = decode_length, .self = &key});
    uint32_t kind = args_kind(&t->args, d, 0), ids[40];
    static const uint8_t payload[400];
    for (size_t i = 0; i < 40; i++)
        ids[i] = args_intern_payload(&t->args, kind, payload, i * 10);
    struct arg_list list = {0};
    for (size_t i = 0; i < 40; i++)
        args_read(&t->args, ids[i], &list);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(list.v.items[i].i, i * 10);
    arg_list_release(&list);
}

static void test_tracks_are_known_by_type_and_dimensions(void **state)
{
    struct trace *t = *state;
    uint32_t a = track_cpu_counter(t, "cpu_frequency", "cpufreq", NULL, 0, 1);
    assert_int_equal(a, track_cpu_counter(t, "cpu_frequency", "cpufreq", NULL, 0, 1));
    assert_int_not_equal(a, track_cpu_counter(t, "cpu_frequency", "cpufreq", NULL, 0, 2));
    assert_int_not_equal(a, track_cpu_counter(t, "cpu_idle", "cpuidle", NULL, 0, 1));
    assert_int_equal(table_u32(&t->tables.track, track_col_utid)[a], NULL_U32);
}

static void test_slices_nest(void **state)
{
    struct trace *t = *state;
    uint32_t track = track_thread(t, process_tracker_thread(t, 0, 7));
    uint32_t outer = slice_begin(t, 10, track, NULL_STRING, name(t, "outer"));
    uint32_t inner = slice_begin(t, 20, track, NULL_STRING, name(t, "inner"));
    assert_int_equal(slice_end(t, 30, track, NULL_STRING, NULL_STRING), inner);
    assert_int_equal(slice_end(t, 50, track, NULL_STRING, NULL_STRING), outer);
    assert_int_equal(slice_end(t, 60, track, NULL_STRING, NULL_STRING), NULL_U32);
    assert_int_equal(dur(t, inner), 10);
    assert_int_equal(dur(t, outer), 40);
    assert_int_equal(depth(t, inner), 1);
    assert_int_equal(table_u32(&t->tables.slice, slice_col_parent_id)[inner], outer);
}

static void test_complete_slices_leave_the_stack_at_their_end(void **state)
{
    struct trace *t = *state;
    slice_complete(t, 0, 10, 0, NULL_STRING, name(t, "a"));
    uint32_t inside = slice_complete(t, 5, 5, 0, NULL_STRING, name(t, "b"));
    uint32_t after = slice_complete(t, 10, 5, 0, NULL_STRING, name(t, "c"));
    assert_int_equal(depth(t, inside), 1);
    assert_int_equal(depth(t, after), 0);
}

static void test_overlapping_slices_are_cut_and_counted(void **state)
{
    struct trace *t = *state;
    slice_complete(t, 0, 10, 0, NULL_STRING, name(t, "complete"));
    uint32_t open = slice_begin(t, 5, 0, NULL_STRING, name(t, "open"));
    uint32_t next = slice_begin(t, 20, 0, NULL_STRING, name(t, "next"));
    assert_int_equal(dur(t, open), 5);
    assert_int_equal(depth(t, next), 0);
    assert_int_equal(stats_get(t, STAT_misplaced_end_event, STAT_SINGLE), 1);
}

static bool says(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

/* A count at one end of the recording; the difference of both is what is lost. */
static bool is_of_one_end(const char *name)
{
    size_t n = strlen(name);
    return (n > 6 && strcmp(name + n - 6, "_begin") == 0) ||
           (n > 4 && strcmp(name + n - 4, "_end") == 0);
}

static void test_each_fault_that_is_counted_says_what_it_means_and_what_to_do(void **state)
{
    static const char *const words[] = {"skipped",    "dropped",   "Dropped",  "lost",
                                        "left out",   "cannot be", "not read", "iscarded",
                                        "verwritten", "too large", "missing",  "not known"};
    (void)state;
    for (enum stat_key key = 0; key < STAT_COUNT; key++) {
        const struct stat_def *def = &stat_defs[key];
        bool is_fault = strcmp(def->severity, "info") != 0;
        bool is_loss =
            strcmp(def->severity, "error") == 0 || strcmp(def->severity, "data_loss") == 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            is_fault |= says(def->description, words[i]) && !is_of_one_end(def->name);
        if (is_fault && def->loss == STAT_LOSS_figure)
            fail_msg("%s: a fault that means nothing", def->name);
        if (is_loss && def->loss == STAT_LOSS_aside)
            fail_msg("%s: of severity %s, but aside", def->name, def->severity);
        if ((def->loss == STAT_LOSS_figure) != !def->remedy[0])
            fail_msg("%s: it has a remedy, or is a figure", def->name);
    }
}

static const char *loss_text(const struct trace *t, uint32_t column, uint32_t row)
{
    return string_pool_get(&t->strings, column_str(&t->tables.loss.columns[column], row)).p;
}

static void test_losses_are_a_share_of_all_events(void **state)
{
    struct trace *t = *state;
    for (int i = 0; i < 1500; i++)
        slice_complete(t, i, 1, 0, NULL_STRING, name(t, "read"));
    stats_add(t, STAT_perf_cpu_lost_records, 0, 1000);
    stats_add(t, STAT_perf_cpu_lost_records, 1, 499);
    stats_add(t, STAT_flow_duplicate_id, STAT_SINGLE, 1);
    stats_add(t, STAT_misplaced_end_event, STAT_SINGLE, 2);
    stats_set(t, STAT_perf_guardrail_stop_ts, 7, 1234567890);
    stats_set(t, STAT_ftrace_cpu_overrun_begin, 7, 12);
    trace_finish(t);
    struct loss_total total = loss_total(t);
    assert_int_equal(total.events, 1500);
    assert_int_equal(total.doubtful, 2);
    assert_true(total.more);
    assert_true(total.matters);
    assert_int_equal(t->tables.loss.rows, 4);
    assert_string_equal(
        loss_text(t, loss_col_summary, 0),
        "1499 events (50 % of all) are missing: The kernel lost samples of this cpu.");
    assert_string_equal(loss_text(t, loss_col_summary, 1),
                        "events are missing in 1 place: The profiler used too much and stopped.");
    assert_string_equal(loss_text(t, loss_col_name, 2), "flow_duplicate_id");
    assert_int_equal(table_u32(&t->tables.loss, loss_col_matters)[2], 0);
    assert_string_equal(loss_text(t, loss_col_effect, 3), "doubt");
    char text[512];
    loss_print(t, text, sizeof text);
    assert_non_null(strstr(text, "1499 events (50 % of all) are missing"));
    assert_non_null(strstr(text, "Sample less often"));
}

static void test_what_is_only_doubtful_or_aside_is_not_missing(void **state)
{
    struct trace *t = *state;
    stats_add(t, STAT_misplaced_end_event, STAT_SINGLE, 2);
    stats_add(t, STAT_traced_buf_chunks_overwritten, 0, 9);
    stats_count(t, STAT_clock_sync_failure_undeferrable_packet_loss);
    trace_finish(t);
    struct loss_total total = loss_total(t);
    char text[512];
    loss_print(t, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(total.events, 0);
    assert_int_equal(total.doubtful, 2);
    assert_false(total.more || total.matters);
    assert_int_equal(t->tables.loss.rows, 3);
}

static void test_an_end_finds_the_slice_of_its_name(void **state)
{
    struct trace *t = *state;
    uint32_t a = slice_begin(t, 0, 0, NULL_STRING, name(t, "a"));
    uint32_t b = slice_begin(t, 1, 0, NULL_STRING, name(t, "b"));
    assert_int_equal(slice_end(t, 5, 0, NULL_STRING, name(t, "a")), a);
    assert_int_equal(dur(t, a), 5);
    assert_int_equal(dur(t, b), -1);
}

static void test_args_of_open_slices_are_written_when_they_end(void **state)
{
    struct trace *t = *state;
    uint32_t s = slice_begin(t, 0, 0, NULL_STRING, name(t, "a"));
    arg_list_int(slice_args(t, 0, s), name(t, "at begin"), 1);
    assert_int_equal(slice_find_end(t, 5, 0, NULL_STRING, NULL_STRING), s);
    arg_list_int(slice_args(t, 0, s), name(t, "at end"), 2);
    slice_end(t, 5, 0, NULL_STRING, NULL_STRING);
    struct arg_list list = {0};
    args_read(&t->args, table_u32(&t->tables.slice, slice_col_arg_set_id)[s], &list);
    assert_int_equal(list.v.count, 2);
    arg_list_release(&list);
}

static void test_nesting_is_limited(void **state)
{
    struct trace *t = *state;
    for (int i = 0; i < 600; i++)
        slice_begin(t, i, 0, NULL_STRING, NULL_STRING);
    assert_int_equal(t->tables.slice.rows, 512);
    assert_int_equal(stats_get(t, STAT_slice_max_depth_exceeded, STAT_SINGLE), 88);
}

static void test_a_reused_tid_is_a_new_thread(void **state)
{
    struct trace *t = *state;
    uint32_t first = process_tracker_thread(t, 0, 5);
    assert_int_equal(process_tracker_thread(t, 0, 5), first);
    process_tracker_end_thread(t, 0, 100, 5);
    assert_int_equal(process_tracker_find_thread(t, 0, 5), NULL_U32);
    uint32_t second = process_tracker_start_thread(t, 0, 200, 5);
    assert_int_not_equal(first, second);
    assert_int_equal(process_tracker_thread(t, 0, 5), second);
    assert_int_not_equal(process_tracker_thread(t, 1, 5), second);
}

static void test_threads_of_a_replaced_process_are_dead(void **state)
{
    struct trace *t = *state;
    uint32_t worker = process_tracker_update_thread(t, 0, 11, 10);
    uint32_t old = process_tracker_find_process(t, 0, 10);
    uint32_t new =
        process_tracker_start_process(t, 0, 50, NULL_U32, 10, name(t, "new"), THREAD_NAME_KERNEL);
    assert_int_not_equal(old, new);
    assert_int_equal(process_tracker_find_thread(t, 0, 11), NULL_U32);
    assert_int_not_equal(process_tracker_update_thread(t, 0, 11, 10), worker);
}

static void test_linked_threads_share_the_process_once_known(void **state)
{
    struct trace *t = *state;
    uint32_t a = process_tracker_thread(t, 0, 21), b = process_tracker_thread(t, 0, 22);
    uint32_t c = process_tracker_thread(t, 0, 23);
    process_tracker_link_threads(t, a, b);
    process_tracker_link_threads(t, b, c);
    process_tracker_update_thread(t, 0, 23, 20);
    uint32_t upid = process_tracker_find_process(t, 0, 20);
    assert_int_equal(table_u32(&t->tables.thread, thread_col_upid)[a], upid);
    assert_int_equal(table_u32(&t->tables.thread, thread_col_upid)[b], upid);
}

static void test_better_names_win(void **state)
{
    struct trace *t = *state;
    uint32_t utid = process_tracker_thread(t, 0, 5);
    const struct column *names = &t->tables.thread.columns[thread_col_name];
    process_tracker_set_thread_name(t, utid, name(t, "tree"), THREAD_NAME_PROCESS_TREE);
    process_tracker_set_thread_name(t, utid, name(t, "comm"), THREAD_NAME_KERNEL);
    assert_int_equal(column_str(names, utid), name(t, "tree"));
    process_tracker_set_thread_name(t, utid, name(t, "track"), THREAD_NAME_TRACK_DESCRIPTOR);
    assert_int_equal(column_str(names, utid), name(t, "track"));
}

static void test_flows_go_from_slice_to_slice(void **state)
{
    struct trace *t = *state;
    flow_begin(t, 1, 42);
    flow_step(t, 2, 42, 42);
    flow_end(t, 3, 42, true, 42);
    flow_step(t, 4, 42, 42);
    assert_int_equal(t->tables.flow.rows, 2);
    assert_int_equal(table_u32(&t->tables.flow, flow_col_slice_out)[1], 2);
    assert_int_equal(stats_get(t, STAT_flow_step_without_start, STAT_SINGLE), 1);
}

static void test_bounds_span_the_events(void **state)
{
    struct trace *t = *state;
    counter_push(t, 100, 0, 1);
    slice_complete(t, 150, 75, 0, NULL_STRING, NULL_STRING);
    trace_finish(t);
    assert_int_equal(t->start_ts, 100);
    assert_int_equal(t->end_ts, 225);
}

static void test_added_metadata_is_another_row(void **state)
{
    (void)state;
    struct trace t;
    trace_init(&t);
    trace_machine(&t, HOST_RAW_ID);
    uint32_t rows = t.tables.metadata.rows;
    metadata_set_int(&t, "name", 1);
    metadata_set_int(&t, "name", 2);
    assert_int_equal(t.tables.metadata.rows, rows + 1);
    metadata_add_int(&t, "name", 2);
    metadata_add_int(&t, "name", 3);
    assert_int_equal(t.tables.metadata.rows, rows + 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(table_i64(&t.tables.metadata, metadata_col_int_value)[rows + i],
                         i < 2 ? 2 : 3);
    trace_release(&t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_equal_strings_share_an_id),
        TEST(test_nulls_are_kept_apart_from_values),
        cmocka_unit_test(test_added_metadata_is_another_row),
        TEST(test_small_numbers_may_become_large),
        TEST(test_a_column_can_have_its_first_value_late),
        TEST(test_sortedness_is_measured),
        TEST(test_equal_args_share_a_set),
        TEST(test_a_value_set_again_replaces_the_one_before),
        TEST(test_payloads_are_decoded_on_demand),
        TEST(test_payloads_that_are_seldom_equal_are_not_looked_up),
        TEST(test_a_set_can_be_on_top_of_the_payload_of_another),
        TEST(test_sets_are_found_beyond_what_a_place_can_say),
        TEST(test_tracks_are_known_by_type_and_dimensions),
        TEST(test_slices_nest),
        TEST(test_complete_slices_leave_the_stack_at_their_end),
        TEST(test_overlapping_slices_are_cut_and_counted),
        TEST(test_each_fault_that_is_counted_says_what_it_means_and_what_to_do),
        TEST(test_losses_are_a_share_of_all_events),
        TEST(test_what_is_only_doubtful_or_aside_is_not_missing),
        TEST(test_an_end_finds_the_slice_of_its_name),
        TEST(test_args_of_open_slices_are_written_when_they_end),
        TEST(test_nesting_is_limited),
        TEST(test_a_reused_tid_is_a_new_thread),
        TEST(test_threads_of_a_replaced_process_are_dead),
        TEST(test_linked_threads_share_the_process_once_known),
        TEST(test_better_names_win),
        TEST(test_flows_go_from_slice_to_slice),
        TEST(test_bounds_span_the_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
