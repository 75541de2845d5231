#include "tui/term/terminfo.h"

#include <curses.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <term.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/embedded_file.h"

/* Compiled descriptions as the build machine has them. */
extern const struct embedded_file terminfo_files[];

/* The folder has to be known to who removes it; curses keeps this state in the environment too. */
static struct {
    char folder[256];
    char *former; /* TERMINFO as it was, or NULL */
} carried;

static bool database_has(const char *name)
{
    int error = 0;
    if (setupterm(name, STDOUT_FILENO, &error) != OK)
        return false;
    char *cup = tigetstr("cup");
    bool usable = cup && cup != (char *)-1;
    del_curterm(cur_term);
    return usable;
}

enum { PATH_LENGTH = 512 };

/* FOLDER/x, where terminfo keeps what begins with x, or FOLDER/x/xterm. */
static void entry_path(const char *name, bool with_name, char path[PATH_LENGTH])
{
    snprintf(path, PATH_LENGTH, "%s/%c%s%s", carried.folder, name[0], with_name ? "/" : "",
             with_name ? name : "");
}

static void write_entry(const struct embedded_file *f)
{
    char path[PATH_LENGTH];
    entry_path(f->name, false, path);
    mkdir(path, 0700);
    entry_path(f->name, true, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    ssize_t written = write(fd, f->bytes, f->size);
    close(fd);
    if (written != (ssize_t)f->size)
        unlink(path); /* a torn one is worse than none */
}

/* Makes the folder, once. */
static bool write_entries(void)
{
    if (carried.folder[0])
        return true;
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || strlen(base) > 200)
        base = "/tmp";
    snprintf(carried.folder, sizeof carried.folder, "%s/tptui-terminfo-XXXXXX", base);
    if (!mkdtemp(carried.folder)) {
        carried.folder[0] = 0;
        return false;
    }
    for (const struct embedded_file *f = terminfo_files; f->name; f++)
        write_entry(f);
    const char *former = getenv("TERMINFO");
    carried.former = former ? alloc_copy(former, strlen(former)) : NULL;
    setenv("TERMINFO", carried.folder, 1);
    return true;
}

bool terminfo_find(const char *name)
{
    if (strchr(name, '/') || name[0] == '.' || name[0] == 0)
        return false;
    if (database_has(name))
        return true;
    for (const struct embedded_file *f = terminfo_files; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return write_entries() && database_has(name);
    return false;
}

void terminfo_finish(void)
{
    if (!carried.folder[0])
        return;
    char path[PATH_LENGTH];
    for (const struct embedded_file *f = terminfo_files; f->name; f++) {
        entry_path(f->name, true, path);
        unlink(path);
        entry_path(f->name, false, path);
        rmdir(path); /* fails until the last of that letter is gone */
    }
    rmdir(carried.folder);
    carried.folder[0] = 0;
    if (carried.former)
        setenv("TERMINFO", carried.former, 1);
    else
        unsetenv("TERMINFO");
    free(carried.former);
    carried.former = NULL;
}
