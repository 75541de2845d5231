/* Whose files and folders are one's own: each owner and each right that decides it, alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own_file.h"

/* What a new file's name is made of, in place of the system's: here it can be foretold. */
static const char foretold[] = ".0707070707070707" OWN_FILE_UNFINISHED;

ssize_t getrandom(void *out, size_t n, unsigned flags)
{
    (void)flags;
    memset(out, 7, n);
    return (ssize_t)n;
}

enum { OTHER = 65534, STICKY = 01000, SECONDS_MAX = 20 };

static char top[] = "/tmp/tptui-own-XXXXXX";
static char folder[64], file[96], link_to_file[96], link_to_folder[64];

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(top))
        return -1;
    snprintf(folder, sizeof folder, "%s/folder", top);
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(link_to_file, sizeof link_to_file, "%s/link", top);
    snprintf(link_to_folder, sizeof link_to_folder, "%s/link2", top);
    int fd = mkdir(folder, 0700) == 0 ? open(file, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
    return fd < 0 || close(fd) || symlink(file, link_to_file) || symlink(folder, link_to_folder);
}

static int teardown(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", top);
    return system(command);
}

/* A case: rights and owners. 0 as an owner is the user who runs the test, as a right 0600, 0700. */
struct own_case {
    mode_t file_mode, folder_mode;
    uid_t file_owner, folder_owner;
    gid_t file_group, folder_group;
    const char *why; /* NULL: they are one's own */
    bool folder_is_own;
};

static const struct own_case cases[] = {
    {.folder_is_own = true},
    {.file_mode = 0644, .folder_mode = 0755, .folder_is_own = true},
    {.file_mode = 0606, .why = "others may write it", .folder_is_own = true},
    {.file_mode = 0602, .why = "others may write it", .folder_is_own = true},
    {.folder_mode = 0707, .why = "others may write its folder"},
    {.folder_mode = 0703, .why = "others may write its folder"},
    {.folder_mode = STICKY | 0777},
    {.folder_mode = STICKY | 0777, .file_mode = 0666, .why = "others may write it"},
    /* The rest needs root. */
    {.file_owner = OTHER, .why = "it belongs to uid 65534", .folder_is_own = true},
    {.folder_owner = OTHER, .why = "others may write its folder"},
    {.folder_owner = OTHER, .folder_mode = STICKY | 0777, .why = "others may write its folder"},
    {.file_mode = 0660, .file_group = OTHER, .why = "others may write it", .folder_is_own = true},
    {.file_mode = 0640, .file_group = OTHER, .folder_is_own = true},
    {.folder_mode = 0770, .folder_group = OTHER, .why = "others may write its folder"},
    {.folder_mode = 0750, .folder_group = OTHER, .folder_is_own = true},
};

static void prepare(const struct own_case *c)
{
    uid_t own = geteuid();
    if (own == 0) {
        assert_int_equal(chown(file, c->file_owner, c->file_group), 0);
        assert_int_equal(chown(folder, c->folder_owner, c->folder_group), 0);
    }
    assert_int_equal(chmod(file, c->file_mode ? c->file_mode : 0600), 0);
    assert_int_equal(chmod(folder, c->folder_mode ? c->folder_mode : 0700), 0);
}

static bool needs_root(const struct own_case *c)
{
    return c->file_owner || c->folder_owner || c->file_group || c->folder_group;
}

static void expect_trust(const char *path, const struct own_case *c, size_t number)
{
    char why[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    bool trusted = own_file_trusted(fd, path, why, sizeof why);
    close(fd);
    if (trusted != !c->why || (c->why && strcmp(why, c->why) != 0))
        fail_msg("case %zu, %s: expected %s, got %s", number, path, c->why ? c->why : "trust",
                 trusted ? "trust" : why);
}

static void test_each_owner_and_right_decides(void **state)
{
    (void)state;
    size_t count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count && !(needs_root(&cases[i]) && geteuid() != 0); i++) {
        prepare(&cases[i]);
        expect_trust(file, &cases[i], i);
        /* It is the file's folder that counts, not the link's. */
        expect_trust(link_to_file, &cases[i], i);
        if (own_folder_is(folder) != cases[i].folder_is_own ||
            own_folder_is(link_to_folder) != cases[i].folder_is_own)
            fail_msg("case %zu: whether the folder is one's own", i);
    }
    prepare(&cases[0]);
}

/* A folder's link in the hands of another leads where he likes. */
static void test_links_of_others_lead_to_no_own_folder(void **state)
{
    (void)state;
    assert_false(own_folder_is(file));
    assert_false(own_folder_is("/nonexistent"));
    if (geteuid() != 0)
        return;
    assert_int_equal(lchown(link_to_folder, OTHER, OTHER), 0);
    assert_false(own_folder_is(link_to_folder));
    assert_true(own_folder_is(folder));
    assert_int_equal(lchown(link_to_folder, 0, 0), 0);
}

/* Others write nothing by their group where that is the user's own, as most systems make them. */
static void test_a_group_of_the_users_number_is_no_other(void **state)
{
    (void)state;
    if (geteuid() != 0)
        return;
    prepare(&(struct own_case){.file_mode = 0660, .folder_mode = 0770});
    expect_trust(file, &(struct own_case){0}, 0);
    assert_true(own_folder_is(folder));
    prepare(&cases[0]);
}

/* Whoever guesses the name gets nothing: neither what lies there is written, nor where it leads. */
static void test_new_files_take_the_place_of_nothing(void **state)
{
    (void)state;
    char place[128], *name;
    struct stat st;
    snprintf(place, sizeof place, "%s/out%s", folder, foretold);
    char out[96];
    snprintf(out, sizeof out, "%s/out", folder);
    int fd = own_file_make(out, 0600, &name);
    assert_true(fd >= 0);
    assert_string_equal(name, place); /* this is the name that others would plant */
    free(name);
    close(fd);
    assert_int_equal(own_file_make(out, 0600, &name), -1);
    assert_int_equal(errno, EEXIST);
    assert_null(name);
    assert_int_equal(unlink(place), 0);
    assert_int_equal(symlink(file, place), 0);
    assert_int_equal(own_file_make(out, 0600, &name), -1);
    assert_int_equal(unlink(place), 0);
    char aim[96];
    snprintf(aim, sizeof aim, "%s/aim", folder);
    assert_int_equal(symlink(aim, place), 0); /* to what is not there */
    assert_int_equal(own_file_make(out, 0600, &name), -1);
    assert_int_not_equal(stat(aim, &st), 0);
    assert_int_equal(unlink(place), 0);
}

static void expect_opened(const char *path, bool opened, const char *what)
{
    int fd = own_file_open(path);
    if ((fd >= 0) != opened)
        fail_msg("%s: %d", what, fd);
    if (fd >= 0)
        close(fd);
}

/* What is read back is a file of the user's own, at that name: a FIFO would be waited for. */
static void test_only_own_files_are_read_back(void **state)
{
    (void)state;
    char fifo[96];
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    alarm(SECONDS_MAX);
    expect_opened(fifo, false, "a FIFO");
    alarm(0);
    assert_int_equal(unlink(fifo), 0);
    expect_opened(folder, false, "a folder");
    expect_opened("/nonexistent", false, "nothing");
    expect_opened(file, true, "a file");
    expect_opened(link_to_file, false, "a link");
    static const mode_t modes[] = {0620, 0602, 0666};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(file, modes[i]), 0);
        expect_opened(file, false, "others may write it");
    }
    assert_int_equal(chmod(file, 0644), 0);
    expect_opened(file, true, "others may read it");
    if (geteuid() == 0) {
        assert_int_equal(chown(file, OTHER, OTHER), 0);
        expect_opened(file, false, "it is another's");
        assert_int_equal(chown(file, 0, 0), 0);
    }
    assert_int_equal(chmod(file, 0600), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_owner_and_right_decides),
        cmocka_unit_test(test_links_of_others_lead_to_no_own_folder),
        cmocka_unit_test(test_a_group_of_the_users_number_is_no_other),
        cmocka_unit_test(test_new_files_take_the_place_of_nothing),
        cmocka_unit_test(test_only_own_files_are_read_back),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
