#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/proto/ftrace_args.h"
#include "pb_fields.h"

struct fixture {
    struct string_pool strings;
    struct ftrace_args *args;
    struct arg_list out;
};

static int setup(void **state)
{
    struct fixture *x = alloc_array(1, sizeof *x);
    string_pool_init(&x->strings);
    x->args = ftrace_args_new(&x->strings);
    *state = x;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *x = *state;
    ftrace_args_free(x->args);
    arg_list_release(&x->out);
    string_pool_release(&x->strings);
    free(x);
    return 0;
}

static struct arg only_arg(struct fixture *x, const char *key)
{
    string_id id = string_pool_lookup(&x->strings, str_from(key));
    struct arg found = {.type = ARG_NULL};
    for (size_t i = 0; i < x->out.v.count; i++)
        if (x->out.v.items[i].key == id && x->out.v.items[i].flat_key == id)
            found = x->out.v.items[i];
    return found;
}

static const char *text_of(struct fixture *x, struct arg a)
{
    assert_int_equal(a.type, ARG_STRING);
    return string_pool_get(&x->strings, a.s).p;
}

#define DECODE(x, event, bytes, symbols)                                                           \
    ftrace_args_decode((x)->args, event, (const uint8_t *)(bytes), sizeof(bytes) - 1, symbols,     \
                       &(x)->out)

static void test_fields_are_args_by_name_and_type(void **state)
{
    struct fixture *x = *state;
    assert_string_equal(ftrace_event_name(PB_FtraceEvent_sched_switch), "sched_switch");
    /* prev_comm "a", prev_pid -1, prev_state 2, next_prio 120, an unknown field 15 */
    DECODE(x, PB_FtraceEvent_sched_switch,
           "\x0a\x01"
           "a\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x02\x38\x78\x78\x01",
           NULL);
    assert_int_equal(x->out.v.count, 4);
    assert_string_equal(text_of(x, only_arg(x, "prev_comm")), "a");
    assert_int_equal(only_arg(x, "prev_pid").i, -1);
    assert_int_equal(only_arg(x, "prev_state").type, ARG_INT);
    assert_int_equal(only_arg(x, "next_prio").i, 120);
    arg_list_clear(&x->out);
    DECODE(x, PB_FtraceEvent_cpu_idle, "\x08\xff\xff\xff\xff\x0f", NULL);
    assert_int_equal(only_arg(x, "state").type, ARG_UINT);
    assert_int_equal(only_arg(x, "state").i, UINT32_MAX);
}

static string_id find_symbol(void *self, uint64_t iid)
{
    struct fixture *x = self;
    return iid == 3 ? string_pool_intern(&x->strings, STR("do_wait")) : NULL_STRING;
}

static void test_kernel_functions_are_shown_by_name_where_known(void **state)
{
    struct fixture *x = *state;
    const struct ftrace_symbols symbols = {find_symbol, x};
    assert_int_equal(ftrace_event_symbol_field(PB_FtraceEvent_sched_blocked_reason),
                     PB_SchedBlockedReasonFtraceEvent_caller);
    assert_int_equal(ftrace_event_symbol_field(PB_FtraceEvent_sched_switch), 0);
    DECODE(x, PB_FtraceEvent_sched_blocked_reason, "\x10\x03", &symbols);
    assert_string_equal(text_of(x, only_arg(x, "caller")), "do_wait");
    arg_list_clear(&x->out);
    DECODE(x, PB_FtraceEvent_sched_blocked_reason, "\x10\x04", &symbols);
    assert_int_equal(only_arg(x, "caller").i, 4);
}

static void test_generic_events_name_their_fields(void **state)
{
    struct fixture *x = *state;
    DECODE(x, PB_FtraceEvent_generic,
           "\x0a\x01"
           "e\x12\x06\x0a\x01k\x1a\x01v\x12\x05\x0a\x01n\x28\x07\x12\x03\x0a\x01z",
           NULL);
    assert_int_equal(x->out.v.count, 2);
    assert_string_equal(text_of(x, only_arg(x, "k")), "v");
    assert_int_equal(only_arg(x, "n").i, 7);
}

static void test_events_that_do_not_exist_have_no_args(void **state)
{
    struct fixture *x = *state;
    assert_null(ftrace_event_name(0));
    assert_null(ftrace_event_name(UINT32_MAX));
    DECODE(x, 9999999, "\x08\x01", NULL);
    DECODE(x, PB_FtraceEvent_timestamp, "\x08\x01", NULL);
    assert_int_equal(x->out.v.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fields_are_args_by_name_and_type, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kernel_functions_are_shown_by_name_where_known, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_generic_events_name_their_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(test_events_that_do_not_exist_have_no_args, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
