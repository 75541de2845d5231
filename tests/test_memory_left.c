/* How much memory is left is what /proc and the control groups say; a load stops before it is gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory_left.h"
#include "parsers/load.h"

/* Folders and files of a machine, below a folder of their own. */
static void put(const char *root, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int set_up(void **state)
{
    char *root = malloc(64);
    snprintf(root, 64, "/tmp/tptui-memory-XXXXXX");
    *state = root;
    return mkdtemp(root) ? 0 : 1;
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", (char *)*state);
    int status = system(command);
    free(*state);
    return status;
}

#define MEMINFO "MemTotal: 1000000 kB\nMemFree: 5 kB\nMemAvailable: 500000 kB\nSwapFree: 1000 kB\n"

static struct memory_left read_left(const char *root)
{
    struct memory_meter m;
    memory_meter_init(&m, root);
    return memory_meter_read(&m);
}

static void test_of_the_machine(void **state)
{
    const char *root = *state;
    assert_int_equal(read_left(root).left, UINT64_MAX);
    put(root, "/proc/meminfo", MEMINFO);
    put(root, "/proc/self/cgroup", "0::/\n");
    struct memory_left l = read_left(root);
    assert_int_equal(l.left, UINT64_C(501000) * 1024);
    assert_int_equal(l.limit, UINT64_C(1000000) * 1024);
    assert_false(l.of_group);
}

static void test_of_the_second_version(void **state)
{
    const char *root = *state;
    put(root, "/proc/meminfo", MEMINFO);
    put(root, "/proc/self/cgroup", "0::/outer/inner\n");
    put(root, "/sys/fs/cgroup/outer/inner/memory.max", "max\n");
    put(root, "/sys/fs/cgroup/outer/inner/memory.current", "70000000\n");
    put(root, "/sys/fs/cgroup/outer/memory.max", "100000000\n");
    put(root, "/sys/fs/cgroup/outer/memory.current", "90000000\n");
    put(root, "/sys/fs/cgroup/outer/memory.stat",
        "anon 7\ninactive_file 3000000\nactive_file 1000000\n");
    struct memory_left l = read_left(root);
    assert_int_equal(l.left, 14000000);
    assert_int_equal(l.limit, 100000000);
    assert_true(l.of_group);
    put(root, "/sys/fs/cgroup/outer/memory.swap.max", "max\n");
    put(root, "/sys/fs/cgroup/outer/memory.swap.current", "0\n");
    assert_int_equal(read_left(root).left, 14000000 + 1000 * 1024);
}

static void test_of_the_first_version(void **state)
{
    const char *root = *state;
    put(root, "/proc/meminfo", MEMINFO);
    put(root, "/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/job\n0::/\n");
    put(root, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "50000000\n");
    put(root, "/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "60000000\n");
    put(root, "/sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 30000000\n");
    struct memory_left l = read_left(root);
    assert_int_equal(l.left, 20000000);
    assert_true(l.of_group);
}

/* Two megabytes of text, whose load reports how far it is. */
static char *make_text(void)
{
    enum { SIZE = 2 << 20 };
    static const char line[] =
        "  app-100 ( 100) [001] .... 10.000001: tracing_mark_write: I|100|instant\n";
    char *text = malloc(SIZE + sizeof line);
    size_t at = (size_t)snprintf(text, SIZE, "# tracer: nop\n");
    while (at < SIZE) {
        memcpy(text + at, line, sizeof line);
        at += sizeof line - 1;
    }
    return text;
}

static void test_a_load_that_does_not_fit_names_the_ways_out(void **state)
{
    const char *root = *state;
    struct load_progress progress = {.memory_root = root};
    char *text = make_text();
    for (int left = 0; left < 2; left++) {
        struct trace t;
        put(root, "/proc/meminfo", left ? MEMINFO : "MemTotal: 100000 kB\nMemAvailable: 9000 kB\n");
        trace_init(&t);
        struct status s =
            trace_load_memory(&t, "big", (const uint8_t *)text, strlen(text), &progress);
        assert_int_equal(status_ok(s), left);
        if (!left)
            assert_string_equal(s.message,
                                "big: it does not fit into memory (9 MB left of the machine's 102 "
                                "MB): --from TIME --to TIME loads a part of it, `tptui trim` "
                                "writes one as a trace");
        status_release(&s);
        trace_release(&t);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_of_the_machine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_of_the_second_version, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_of_the_first_version, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_load_that_does_not_fit_names_the_ways_out, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
