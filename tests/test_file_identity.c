/* Files: which they are, whether they were changed, whose they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/content_hash.h"
#include "base/file_identity.h"
#include "base/own_file.h"
#include "core/trace_builder.h"
#include "parsers/cache_folder.h"

static char folder[] = "/tmp/tptui-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_at(const char *path, off_t at, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
    close(fd);
}

static int opened(const char *name)
{
    int fd = file_identity_open(in_folder(name));
    assert_true(fd >= 0);
    return fd;
}

static struct file_identity identity_of(const char *name)
{
    struct file_identity id;
    int fd = opened(name);
    assert_true(file_identity_take(fd, &id));
    close(fd);
    return id;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash;
    int fd = opened(name);
    assert_true(file_hash(fd, NULL, &hash));
    close(fd);
    return hash;
}

static uint64_t hash_text(struct str text, size_t step)
{
    struct content_hash h = content_hash_begin();
    for (size_t i = 0; i < text.n; i += step)
        content_hash_add(&h, text.p + i, text.n - i < step ? text.n - i : step);
    return content_hash_end(&h);
}

static void test_the_hash_is_xxh64(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        uint64_t hash;
    } known[] = {
        {{"", 0}, UINT64_C(0xef46db3751d8e999)},
        {{"abc", 3}, UINT64_C(0x44bc2cf5ad770999)},
        {{"Nobody inspects the spammish repetition", 39}, UINT64_C(0xfbcea83c8a378bf1)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t step = 1; step < 41; step++)
            assert_true(hash_text(known[i].text, step) == known[i].hash);
}

static void test_every_byte_of_a_file_counts(void **state)
{
    (void)state;
    enum { SIZE = (1 << 18) + 77 }; /* more than is read at a time */
    char *bytes = calloc(SIZE, 1);
    struct str all = {bytes, SIZE};
    uint64_t before = hash_text(all, SIZE);
    write_at(in_folder("long"), SIZE - 1, ".");
    for (size_t at = 0; at < SIZE; at += 997) {
        bytes[at] = 1;
        assert_true(hash_text(all, SIZE) != before);
        bytes[at] = 0;
    }
    bytes[SIZE - 1] = '.';
    assert_true(hash_of("long") == hash_text(all, SIZE));
    free(bytes);
}

static void test_reading_all_of_a_file_can_be_stopped(void **state)
{
    (void)state;
    const atomic_bool stop = true;
    uint64_t hash;
    write_at(in_folder("stopped"), 0, "text");
    int fd = opened("stopped");
    assert_false(file_hash(fd, &stop, &hash));
    close(fd);
}

/* The same size, the same mtime: ctime tells. Also of a change in the moment of the first look. */
static void test_a_change_is_seen_though_mtime_is_set_back(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        write_at(in_folder("changed"), 0, "one");
        struct file_identity before = identity_of("changed"), after;
        write_at(in_folder("changed"), 0, "two");
        struct timespec time = {.tv_sec = (time_t)(before.mtime_ns / 1000000000),
                                .tv_nsec = (long)(before.mtime_ns % 1000000000)};
        struct timespec times[] = {time, time};
        assert_int_equal(utimensat(AT_FDCWD, in_folder("changed"), times, 0), 0);
        after = identity_of("changed");
        assert_true(after.mtime_ns == before.mtime_ns && after.size == before.size);
        assert_false(file_identity_same(&before, &after));
    }
}

static void test_another_file_in_its_place_is_another(void **state)
{
    (void)state;
    write_at(in_folder("first"), 0, "same");
    write_at(in_folder("second"), 0, "same");
    struct file_identity before = identity_of("first"), after;
    assert_int_equal(rename(in_folder("second"), in_folder("first")), 0);
    after = identity_of("first");
    assert_false(file_identity_same(&before, &after));
}

static void test_hard_links_are_one_file(void **state)
{
    (void)state;
    write_at(in_folder("name"), 0, "text");
    assert_int_equal(link(in_folder("name"), in_folder("other name")), 0);
    struct file_identity a = identity_of("name"), b = identity_of("other name");
    assert_true(file_identity_same(&a, &b));
    write_at(in_folder("other name"), 0, "TEXT");
    b = identity_of("name");
    assert_false(file_identity_same(&a, &b));
}

static void test_what_is_no_file_has_no_identity(void **state)
{
    (void)state;
    struct file_identity id;
    int ends[2];
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    assert_int_equal(file_identity_open(in_folder("fifo")), -1);
    assert_int_equal(file_identity_open(folder), -1);
    assert_int_equal(file_identity_open("/dev/null"), -1);
    assert_int_equal(file_identity_open(in_folder("missing")), -1);
    assert_int_equal(pipe(ends), 0);
    assert_false(file_identity_read(ends[0], &id));
    assert_false(file_identity_take(ends[0], &id));
    close(ends[0]);
    close(ends[1]);
}

/* What the cache knows a trace by: where it lies, or all of its content. */
static void test_the_cache_knows_traces(void **state)
{
    (void)state;
    enum { SIZE = 2600000, BETWEEN = 100001 }; /* no block that is sampled */
    struct stored_source place, content, other;
    write_at(in_folder("a"), SIZE - 1, ".");
    write_at(in_folder("b"), SIZE - 1, ".");
    int a = opened("a"), b = opened("b");
    assert_true(cache_identify(a, "a", NULL, &place) && cache_identify(b, "b", NULL, &other));
    assert_true(cache_key(&place) != cache_key(&other));
    assert_true(cache_identify_content(a, "a", NULL, NULL, &content) &&
                cache_identify_content(b, "b", NULL, NULL, &other));
    assert_true(cache_key(&content) == cache_key(&other));
    assert_true(cache_key(&content) != cache_key(&place));
    write_at(in_folder("b"), BETWEEN, "!");
    assert_true(cache_identify_content(b, "b", NULL, NULL, &other));
    assert_true(cache_key(&content) != cache_key(&other));
    write_at(in_folder("a"), BETWEEN, "!");
    assert_true(cache_identify(a, "a", NULL, &other));
    assert_true(cache_key(&place) != cache_key(&other));
    close(a);
    close(b);
}

static void test_the_build_of_the_program_is_known(void **state)
{
    (void)state;
    assert_true(build_id().n >= 8);
}

/* What is kept of a trace is all of it: whatever alters the import is noticed. */
static void test_any_import_option_is_not_usual(void **state)
{
    (void)state;
    struct import_options o = {0};
    assert_true(import_options_are_usual(&o));
    o.window.has_from = true;
    assert_false(import_options_are_usual(&o));
    for (size_t i = 0; i < sizeof o; i++) {
        o = (struct import_options){0};
        ((unsigned char *)&o)[i] = 1;
        assert_false(import_options_are_usual(&o));
    }
}

static void test_only_own_files_are_opened(void **state)
{
    (void)state;
    write_at(in_folder("own"), 0, "text");
    int fd = own_file_open(in_folder("own"));
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(symlink(in_folder("own"), in_folder("link")), 0);
    assert_int_equal(own_file_open(in_folder("link")), -1);
    assert_int_equal(mkfifo(in_folder("own fifo"), 0600), 0);
    assert_int_equal(own_file_open(in_folder("own fifo")), -1);
    assert_int_equal(own_file_open(folder), -1);
    for (mode_t other = 0020; other; other = other == 0020 ? 0002 : 0) {
        assert_int_equal(chmod(in_folder("own"), 0600 | other), 0);
        assert_int_equal(own_file_open(in_folder("own")), -1);
    }
    assert_int_equal(chmod(in_folder("own"), 0644), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(in_folder("own"), 65534, 65534), 0);
        assert_int_equal(own_file_open(in_folder("own")), -1);
    }
}

static void test_names_of_new_files_cannot_be_foretold(void **state)
{
    (void)state;
    char *first, *second, *none = "";
    struct stat st;
    int a = own_file_make(in_folder("out"), 0600, &first);
    int b = own_file_make(in_folder("out"), 0600, &second);
    assert_true(a >= 0 && b >= 0);
    assert_true(strncmp(first, in_folder("out."), strlen(in_folder("out."))) == 0);
    assert_string_not_equal(first, second);
    assert_int_equal(fstat(a, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    close(a);
    close(b);
    unlink(first);
    unlink(second);
    free(first);
    free(second);
    assert_int_equal(own_file_make(in_folder("missing/out"), 0600, &none), -1);
    assert_int_equal(errno, ENOENT);
    assert_null(none);
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = {"long", "stopped",  "changed", "first", "second",
                                        "name", "fifo",     "a",       "b",     "other name",
                                        "own",  "own fifo", "link"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(folder); /* nothing else is left */
}

/* Keeps an empty trace as that of the file `trace`, last used `days` ago. */
static void keep_columns(const char *name, const char *trace, int days)
{
    struct trace t;
    struct stored_source source;
    trace_init(&t);
    struct status s = trace_load_memory(&t, "t.json", (const uint8_t *)"[]", 2, NULL);
    int of = opened(trace), fd = open(in_folder(name), O_RDWR | O_CREAT, 0600);
    assert_true(status_ok(s) && fd >= 0);
    assert_true(cache_identify(of, in_folder(trace), NULL, &source));
    assert_true(status_ok(stored_columns_write(&t, &source, fd, NULL)));
    struct timespec then = {.tv_sec = time(NULL) - (time_t)days * 24 * 3600};
    struct timespec times[] = {then, then};
    assert_int_equal(futimens(fd, times), 0);
    trace_release(&t);
    close(fd);
    close(of);
}

static void test_the_cache_forgets(void **state)
{
    (void)state;
    struct cache_list list = {0};
    setenv("XDG_CACHE_HOME", folder, 1);
    char *cache = cache_folder(NULL, true);
    assert_non_null(cache);
    free(cache);
    write_at(in_folder("used"), 0, "1");
    write_at(in_folder("changed"), 0, "2");
    write_at(in_folder("gone"), 0, "3");
    keep_columns("tptui/0000000000000001.columns", "used", 0);
    keep_columns("tptui/0000000000000002.columns", "changed", 1);
    keep_columns("tptui/0000000000000003.columns", "gone", 2);
    keep_columns("tptui/0000000000000004.columns", "used", CACHE_DAYS - 1);
    keep_columns("tptui/0000000000000005.columns", "used", CACHE_DAYS + 1);
    write_at(in_folder("changed"), 1, "changed");
    unlink(in_folder("gone"));
    cache_list_read(&list);
    cache_list_look(&list);
    static const enum cache_use uses[] = {CACHE_USABLE, CACHE_TRACE_CHANGED, CACHE_NO_TRACE,
                                          CACHE_USABLE, CACHE_USABLE};
    assert_int_equal(list.v.count, 5);
    for (size_t i = 0; i < list.v.count; i++)
        assert_int_equal(list.v.items[i].use, uses[i]);
    uint64_t one = list.v.items[0].size;
    cache_list_release(&list);

    assert_true(cache_make_room(NULL, 1, 0)); /* takes what is too old and nothing else */
    list = (struct cache_list){0};
    cache_list_read(&list);
    assert_int_equal(list.v.count, 4);

    static const char written[] = "tptui/0000000000000006.columns.1.unfinished";
    int unfinished = open(in_folder(written), O_RDWR | O_CREAT, 0600);
    assert_int_equal(posix_fallocate(unfinished, 0, (off_t)(4 * one)), 0);
    close(unfinished);
    cache_list_release(&list);
    list = (struct cache_list){0};
    cache_list_read(&list); /* somebody writes it: it takes room, too */
    assert_true(list.unfinished >= 4 * one);
    /* What is of no use was used later than one that is. */
    assert_true(cache_shrink(&list, list.unfinished + 2 * one + one / 2, 0));
    cache_list_release(&list);
    list = (struct cache_list){0};
    cache_list_read(&list);
    assert_int_equal(list.v.count, 2);
    cache_list_look(&list);
    for (size_t i = 0; i < list.v.count; i++)
        assert_int_equal(list.v.items[i].use, CACHE_USABLE);
    assert_false(cache_shrink(&list, 0, 3600)); /* one of the two was used just now */
    cache_list_release(&list);
    assert_int_equal(cache_clear(NULL), 1);
    assert_false(cache_make_room(NULL, UINT64_MAX, 0));
    unsetenv("XDG_CACHE_HOME");
    unlink(in_folder("used"));
    unlink(in_folder(written));
    rmdir(in_folder("tptui"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_hash_is_xxh64),
        cmocka_unit_test(test_every_byte_of_a_file_counts),
        cmocka_unit_test(test_reading_all_of_a_file_can_be_stopped),
        cmocka_unit_test(test_a_change_is_seen_though_mtime_is_set_back),
        cmocka_unit_test(test_another_file_in_its_place_is_another),
        cmocka_unit_test(test_hard_links_are_one_file),
        cmocka_unit_test(test_what_is_no_file_has_no_identity),
        cmocka_unit_test(test_the_cache_knows_traces),
        cmocka_unit_test(test_the_cache_forgets),
        cmocka_unit_test(test_the_build_of_the_program_is_known),
        cmocka_unit_test(test_any_import_option_is_not_usual),
        cmocka_unit_test(test_only_own_files_are_opened),
        cmocka_unit_test(test_names_of_new_files_cannot_be_foretold),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
