/* What comes through a pipe, while it comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parsers/input/piped_file.h"

enum { READING, WRITING };

struct piped {
    int ends[2];
    struct piped_file *file;
    struct load_progress progress;
};

static struct piped start(void)
{
    struct piped p = {0};
    assert_int_equal(pipe(p.ends), 0);
    p.file = piped_file_start(p.ends[READING]);
    assert_non_null(p.file);
    close(p.ends[READING]);
    return p;
}

static void put(const struct piped *p, const char *text)
{
    assert_int_equal(write(p->ends[WRITING], text, strlen(text)), strlen(text));
}

static void expect_kept(struct piped *p, bool all, const char *text)
{
    char back[64] = "";
    int fd;
    assert_true(status_ok(piped_file_open(p->file, all, &fd)));
    assert_int_equal(pread(fd, back, sizeof back - 1, 0), strlen(text));
    assert_string_equal(back, text);
    close(fd);
}

static void test_what_has_come_is_read_before_the_end_and_again_with_it(void **state)
{
    (void)state;
    struct piped p = start();
    bool all;
    put(&p, "abc");
    assert_int_equal(piped_file_wait(p.file, (struct piped_wish){.want = 3, .least = 3},
                                     &p.progress, &all),
                     3);
    assert_false(all);
    expect_kept(&p, false, "abc");
    /* As much as is wanted does not come, but as much as will do. */
    struct piped_wish patient = {.want = 100, .least = 2, .patience_ms = 20};
    assert_int_equal(piped_file_wait(p.file, patient, &p.progress, &all), 3);
    assert_false(all);
    put(&p, "de");
    close(p.ends[WRITING]);
    struct piped_wish whole = {.want = UINT64_MAX, .least = UINT64_MAX};
    assert_int_equal(piped_file_wait(p.file, whole, &p.progress, &all), 5);
    assert_true(all);
    expect_kept(&p, true, "abcde");
    piped_file_end(p.file);
}

static void test_what_is_no_longer_wanted_is_not_all(void **state)
{
    (void)state;
    struct piped p = start();
    bool all;
    int fd;
    put(&p, "abc");
    piped_file_wait(p.file, (struct piped_wish){.want = 3, .least = 3}, &p.progress, &all);
    piped_file_stop(p.file);
    struct piped_wish whole = {.want = UINT64_MAX, .least = UINT64_MAX};
    assert_int_equal(piped_file_wait(p.file, whole, &p.progress, &all), 3);
    expect_kept(&p, false, "abc");
    struct status s = piped_file_open(p.file, true, &fd);
    assert_int_equal(s.code, STATUS_IO);
    status_release(&s);
    close(p.ends[WRITING]);
    piped_file_end(p.file);
}

/* Nobody closes the other end. */
static void test_waiting_and_reading_can_be_ended(void **state)
{
    (void)state;
    struct piped p = start();
    bool all;
    put(&p, "abc");
    atomic_store(&p.progress.cancel, true);
    struct piped_wish whole = {.want = UINT64_MAX, .least = UINT64_MAX};
    piped_file_wait(p.file, whole, &p.progress, &all);
    assert_false(all);
    piped_file_end(p.file);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(write(p.ends[WRITING], "d", 1), -1); /* who writes is told */
    close(p.ends[WRITING]);
}

static void put_much(const struct piped *p, size_t n)
{
    char piece[4096];
    memset(piece, 'x', sizeof piece);
    for (; n >= sizeof piece; n -= sizeof piece)
        if (write(p->ends[WRITING], piece, sizeof piece) < 0)
            return;
}

/* In a process of its own, whose files have a limit, and memory like a file, too. */
static int without_room(void)
{
    const struct rlimit limit = {4096, 4096};
    bool all;
    int fd;
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    struct piped p = start();
    put_much(&p, 1 << 20);
    close(p.ends[WRITING]);
    struct piped_wish whole = {.want = UINT64_MAX, .least = UINT64_MAX};
    piped_file_wait(p.file, whole, &p.progress, &all);
    struct status part = piped_file_open(p.file, false, &fd);
    struct status s = piped_file_open(p.file, true, &fd);
    return all && status_ok(part) && s.code == STATUS_IO ? 0 : 1;
}

/* Where the disk is full memory goes on. */
static int with_a_full_disk(void)
{
    enum { MUCH = 1 << 20, SKIPPED = 77 };
    char last;
    bool all;
    int fd;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/mnt", "tmpfs", 0, "size=64k") != 0)
        return SKIPPED;
    setenv("SQLITE_TMPDIR", "/mnt", 1);
    struct piped p = start();
    put_much(&p, MUCH);
    close(p.ends[WRITING]);
    struct piped_wish whole = {.want = UINT64_MAX, .least = UINT64_MAX};
    bool kept = piped_file_wait(p.file, whole, &p.progress, &all) == MUCH && all &&
                status_ok(piped_file_open(p.file, true, &fd)) &&
                pread(fd, &last, 1, MUCH - 1) == 1 && last == 'x';
    piped_file_end(p.file);
    return kept ? 0 : 1;
}

static int in_child(int (*run)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_what_cannot_be_kept_is_not_called_all(void **state)
{
    (void)state;
    assert_int_equal(in_child(without_room), 0);
}

static void test_memory_takes_what_the_disk_has_no_room_for(void **state)
{
    (void)state;
    int exit_status = in_child(with_a_full_disk);
    if (exit_status != 0 && exit_status != 1)
        skip(); /* no file system can be mounted */
    assert_int_equal(exit_status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_has_come_is_read_before_the_end_and_again_with_it),
        cmocka_unit_test(test_what_is_no_longer_wanted_is_not_all),
        cmocka_unit_test(test_waiting_and_reading_can_be_ended),
        cmocka_unit_test(test_what_cannot_be_kept_is_not_called_all),
        cmocka_unit_test(test_memory_takes_what_the_disk_has_no_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
