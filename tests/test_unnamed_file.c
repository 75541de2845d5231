/* Temporary files without a name, and where they go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unnamed_file.h"

static void expect_kept(int fd)
{
    char back[6] = "";
    struct stat s;
    assert_true(fd >= 0);
    assert_true(unnamed_file_write(fd, STR("abc")) && unnamed_file_write(fd, STR("de")));
    assert_int_equal(pread(fd, back, sizeof back, 0), 5);
    assert_string_equal(back, "abcde");
    assert_int_equal(fstat(fd, &s), 0);
    assert_int_equal(s.st_nlink, 0);
    close(fd);
}

static void test_a_file_has_no_name_and_keeps_what_is_written(void **state)
{
    (void)state;
    expect_kept(unnamed_file_open());
    expect_kept(unnamed_file_open_or_memory());
}

static dev_t device_of_file(void)
{
    struct stat s;
    int fd = unnamed_file_open();
    assert_int_equal(fstat(fd, &s), 0);
    close(fd);
    return s.st_dev;
}

/* A file system of its own tells where it went. */
static void test_the_users_folder_comes_first_if_it_is_there(void **state)
{
    (void)state;
    struct stat shm;
    unsetenv("TMPDIR");
    setenv("SQLITE_TMPDIR", "/nonexistent/folder", 1);
    dev_t usual = device_of_file();
    if (stat("/dev/shm", &shm) != 0 || shm.st_dev == usual || access("/dev/shm", W_OK) != 0)
        skip();
    setenv("TMPDIR", "/dev/shm", 1);
    assert_true(device_of_file() == shm.st_dev);
    setenv("SQLITE_TMPDIR", "/var/tmp", 1);
    assert_true(device_of_file() == usual);
}

static void test_what_cannot_be_written_is_told(void **state)
{
    (void)state;
    assert_false(unnamed_file_write(-1, STR("abc")));
    assert_true(unnamed_file_write(-1, STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_has_no_name_and_keeps_what_is_written),
        cmocka_unit_test(test_the_users_folder_comes_first_if_it_is_there),
        cmocka_unit_test(test_what_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
