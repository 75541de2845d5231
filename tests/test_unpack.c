#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/proto/unpack.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"
#include "unpacked.pb-c.h"

static const CpuInfo *unpack_cpus(const struct pb_bytes *b, struct arena *a)
{
    return unpack(&cpu_info__descriptor, b->v.items, b->v.count, a);
}

static void put_cpu(struct pb_bytes *info, const char *processor, uint32_t capacity)
{
    struct pb_bytes cpu = {0};
    pb_put_str(&cpu, PB_CpuInfo_Cpu_processor, str_from(processor));
    pb_put_uint(&cpu, PB_CpuInfo_Cpu_frequencies, 300);
    pb_put_uint(&cpu, PB_CpuInfo_Cpu_frequencies, 70000);
    pb_put_uint(&cpu, PB_CpuInfo_Cpu_capacity, capacity);
    pb_put_message(info, PB_CpuInfo_cpus, &cpu);
    pb_bytes_release(&cpu);
}

static void assert_text(struct str text, const char *expected)
{
    assert_non_null(text.p);
    assert_true(str_eq(text, str_from(expected)));
}

static void test_fields_are_read(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0};
    put_cpu(&b, "AArch64", 1024);
    put_cpu(&b, "", 0);
    const CpuInfo *info = unpack_cpus(&b, &a);
    assert_int_equal(info->n_cpus, 2);
    assert_text(UNPACKED_TEXT(info->cpus[0], processor), "AArch64");
    assert_int_equal(info->cpus[0]->n_frequencies, 2);
    assert_int_equal(info->cpus[0]->frequencies[1], 70000);
    assert_int_equal(info->cpus[0]->capacity, 1024);
    assert_null(info->cpus[0]->arm_identifier);
    assert_text(UNPACKED_TEXT(info->cpus[1], processor), "");
    pb_bytes_release(&b);
    arena_release(&a);
}

static void test_absent_fields_are_told(void **state)
{
    (void)state;
    struct arena a = {0};
    const SystemInfo *info = unpack(&system_info__descriptor, NULL, 0, &a);
    assert_null(UNPACKED_TEXT(info, machine_name).p);
    assert_null(info->utsname);
    assert_false(info->has_num_cpus);
    arena_release(&a);
}

static void test_text_with_nul_is_whole(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0};
    pb_put_str(&b, PB_SystemInfo_machine_name, (struct str){"a\0b", 3});
    const SystemInfo *info = unpack(&system_info__descriptor, b.v.items, b.v.count, &a);
    assert_int_equal(UNPACKED_TEXT(info, machine_name).n, 3);
    pb_bytes_release(&b);
    arena_release(&a);
}

/* Of a message that is cut off anywhere, all fields that are whole. */
static void test_what_stands_before_the_end_is_kept(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0};
    put_cpu(&b, "first", 1);
    size_t first = b.v.count;
    put_cpu(&b, "second", 2);
    for (size_t n = 0; n <= b.v.count; n++) {
        const CpuInfo *info = unpack(&cpu_info__descriptor, b.v.items, n, &a);
        assert_int_equal(info->n_cpus, (n >= first) + (n == b.v.count));
        arena_reset(&a);
    }
    pb_bytes_release(&b);
    arena_release(&a);
}

/* The length of the inner message is right, what is in it is not. */
static void test_rest_after_a_broken_inner_message_is_kept(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0}, cpu = {0};
    pb_put_str(&cpu, PB_CpuInfo_Cpu_processor, STR("broken"));
    pb_put_raw(&cpu, "\x12\x7f", 2);
    pb_put_message(&b, PB_CpuInfo_cpus, &cpu);
    put_cpu(&b, "good", 7);
    const CpuInfo *info = unpack_cpus(&b, &a);
    assert_int_equal(info->n_cpus, 2);
    assert_text(UNPACKED_TEXT(info->cpus[0], processor), "broken");
    assert_text(UNPACKED_TEXT(info->cpus[1], processor), "good");
    assert_int_equal(info->cpus[1]->capacity, 7);
    pb_bytes_release(&b);
    pb_bytes_release(&cpu);
    arena_release(&a);
}

static void test_fields_of_another_wire_type_are_left_out(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0};
    pb_put_fixed64(&b, PB_SystemInfo_num_cpus, 8);
    pb_put_uint(&b, PB_SystemInfo_utsname, 3);
    pb_put_uint(&b, 1000, 3);
    pb_put_uint(&b, PB_SystemInfo_page_size, 4096);
    const SystemInfo *info = unpack(&system_info__descriptor, b.v.items, b.v.count, &a);
    assert_false(info->has_num_cpus);
    assert_null(info->utsname);
    assert_int_equal(info->page_size, 4096);
    pb_bytes_release(&b);
    arena_release(&a);
}

static void test_whole_elements_of_a_cut_packed_field_are_kept(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0}, cpu = {0};
    pb_put_str(&cpu, PB_CpuInfo_Cpu_frequencies, STR("\x05\x06\xff"));
    pb_put_uint(&cpu, PB_CpuInfo_Cpu_capacity, 9);
    pb_put_message(&b, PB_CpuInfo_cpus, &cpu);
    const CpuInfo *info = unpack_cpus(&b, &a);
    assert_int_equal(info->n_cpus, 1);
    assert_int_equal(info->cpus[0]->n_frequencies, 2);
    assert_int_equal(info->cpus[0]->frequencies[1], 6);
    assert_int_equal(info->cpus[0]->capacity, 9);
    pb_bytes_release(&b);
    pb_bytes_release(&cpu);
    arena_release(&a);
}

/* Numbers may be written with more bytes than they need; of a length protobuf-c takes five. */
static void test_long_lengths_are_read(void **state)
{
    (void)state;
    struct arena a = {0};
    const uint8_t bytes[] = {(PB_SystemInfo_machine_name << 3 & 0x7f) | PB_WIRE_LEN | 0x80,
                             PB_SystemInfo_machine_name << 3 >> 7,
                             0x81,
                             0x80,
                             0x80,
                             0x80,
                             0x80,
                             0x00,
                             'x',
                             PB_SystemInfo_page_size << 3,
                             5};
    const SystemInfo *info = unpack(&system_info__descriptor, bytes, sizeof bytes, &a);
    assert_text(UNPACKED_TEXT(info, machine_name), "x");
    assert_int_equal(info->page_size, 5);
    arena_release(&a);
}

/* The smallest message takes two bytes, its struct many more. */
static void test_room_is_bounded(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0};
    const size_t count = 100000;
    for (size_t i = 0; i < count; i++)
        pb_put_raw(&b, (const uint8_t[]){PB_CpuInfo_cpus << 3 | PB_WIRE_LEN, 0}, 2);
    const CpuInfo *info = unpack_cpus(&b, &a);
    assert_int_equal(info->n_cpus, count);
    assert_true(a.total < 600 * b.v.count);
    arena_reset(&a);
    assert_true(a.total <= 2 << 20);
    pb_bytes_release(&b);
    arena_release(&a);
}

/* protobuf-c merges occurrences of one message: each time it copies what was merged before. */
static void test_merging_without_end_is_given_up(void **state)
{
    (void)state;
    struct arena a = {0};
    struct pb_bytes b = {0}, descriptor = {0}, consumer = {0};
    pb_put_message(&descriptor, PB_AndroidEnergyConsumerDescriptor_energy_consumers, &consumer);
    for (int i = 0; i < 100000; i++)
        pb_put_message(&b, PB_AndroidEnergyEstimationBreakdown_energy_consumer_descriptor,
                       &descriptor);
    const AndroidEnergyEstimationBreakdown *m =
        unpack(&android_energy_estimation_breakdown__descriptor, b.v.items, b.v.count, &a);
    assert_null(m->energy_consumer_descriptor);
    assert_true(a.total < 600 * b.v.count);
    pb_bytes_release(&b);
    pb_bytes_release(&descriptor);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_are_read),
        cmocka_unit_test(test_absent_fields_are_told),
        cmocka_unit_test(test_text_with_nul_is_whole),
        cmocka_unit_test(test_what_stands_before_the_end_is_kept),
        cmocka_unit_test(test_rest_after_a_broken_inner_message_is_kept),
        cmocka_unit_test(test_fields_of_another_wire_type_are_left_out),
        cmocka_unit_test(test_whole_elements_of_a_cut_packed_field_are_kept),
        cmocka_unit_test(test_long_lengths_are_read),
        cmocka_unit_test(test_room_is_bounded),
        cmocka_unit_test(test_merging_without_end_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
