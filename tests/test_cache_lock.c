/* Several that open a trace at once: one loads it, the others wait for what it keeps. */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "parsers/cache.h"
#include "parsers/cache_folder.h"
#include "parsers/cache_lock.h"

static char folder[] = "/tmp/tptui-test-XXXXXX";
static char path[64], cache[64];

/* As large as those that are waited for, and without events. */
static int make_trace(void **state)
{
    enum { SIZE = 16 << 20 };
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/t.json", folder);
    snprintf(cache, sizeof cache, "%s/kept", folder);
    char *text = alloc_bytes(SIZE);
    memset(text, ' ', SIZE);
    text[0] = '[';
    text[1] = ']';
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ssize_t n = write(fd, text, SIZE);
    free(text);
    return close(fd) == 0 && n == SIZE ? 0 : -1;
}

static int remove_trace(void **state)
{
    char locks[80];
    (void)state;
    snprintf(locks, sizeof locks, "%s/locks", cache);
    return unlink(path) + unlink(locks) + rmdir(cache) + rmdir(folder);
}

static struct stored_source identify(void)
{
    struct stored_source source;
    int fd = open(path, O_RDONLY);
    assert_true(cache_identify(fd, path, NULL, &source));
    close(fd);
    return source;
}

/* The lock of who loads it; -1: another has it. */
static int lock_it(void)
{
    bool busy;
    struct stored_source source = identify();
    free(cache_folder(cache, true));
    int lock = cache_lock_trace(cache, cache_key(&source), &busy);
    assert_int_equal(lock < 0, busy);
    return lock;
}

struct opening {
    struct cache_options options;
    struct load_progress progress;
    struct cache_outcome outcome;
    enum status_code code;
    pthread_t thread;
};

static void *run_open(void *self)
{
    struct opening *o = self;
    struct trace t;
    trace_init(&t);
    struct status s = trace_open(&t, path, NULL, &o->options, &o->progress, &o->outcome);
    o->code = s.code;
    status_release(&s);
    assert_null(o->outcome.writer);
    assert_null(o->outcome.note);
    free(o->outcome.beside);
    trace_release(&t);
    return NULL;
}

static void open_it(struct opening *o)
{
    assert_int_equal(pthread_create(&o->thread, NULL, run_open, o), 0);
}

/* Whether it goes on opening for a while. */
static bool still_opens(struct opening *o)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return pthread_timedjoin_np(o->thread, NULL, &until) != 0;
}

static char *keep(void)
{
    struct trace t;
    struct stored_source source = identify();
    char *name = cache_path(cache, &source, true);
    trace_init(&t);
    struct status s = trace_load_memory(&t, "t.json", (const uint8_t *)"[]", 2, NULL);
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    assert_true(status_ok(s) && fd >= 0);
    assert_true(status_ok(stored_columns_write(&t, &source, fd, NULL)));
    close(fd);
    trace_release(&t);
    return name;
}

static void test_what_another_keeps_is_waited_for(void **state)
{
    struct opening o = {.options = {.folder = cache, .shared = true}};
    (void)state;
    int lock = lock_it();
    open_it(&o);
    assert_true(still_opens(&o));
    char *kept = keep();
    close(lock);
    pthread_join(o.thread, NULL);
    assert_int_equal(o.code, STATUS_OK);
    assert_true(o.outcome.hit);
    unlink(kept);
    free(kept);
}

static void test_who_keeps_nothing_is_waited_for_once(void **state)
{
    struct opening o = {.options = {.folder = cache, .shared = true}};
    (void)state;
    int lock = lock_it();
    open_it(&o);
    assert_true(still_opens(&o));
    close(lock);
    pthread_join(o.thread, NULL);
    assert_int_equal(o.code, STATUS_OK);
    assert_false(o.outcome.hit);
    lock = lock_it();
    assert_true(lock >= 0); /* it took the lock, and gave it back */
    close(lock);
}

static void test_waiting_can_be_stopped(void **state)
{
    struct opening o = {.options = {.folder = cache, .shared = true}};
    (void)state;
    int lock = lock_it();
    open_it(&o);
    assert_true(still_opens(&o));
    atomic_store(&o.progress.cancel, true);
    pthread_join(o.thread, NULL);
    assert_int_equal(o.code, STATUS_CANCELLED);
    close(lock);
}

static void test_who_does_not_wait_loads(void **state)
{
    struct opening o = {.options = {.folder = cache}};
    (void)state;
    int lock = lock_it();
    assert_int_equal(lock_it(), -1);
    run_open(&o);
    assert_int_equal(o.code, STATUS_OK);
    assert_false(o.outcome.hit);
    close(lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_another_keeps_is_waited_for),
        cmocka_unit_test(test_who_keeps_nothing_is_waited_for_once),
        cmocka_unit_test(test_waiting_can_be_stopped),
        cmocka_unit_test(test_who_does_not_wait_loads),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
