#include "tui/term/terminfo.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/embedded_file.h"

/* Compiled descriptions as the build machine has them. */
extern const struct embedded_file terminfo_files[];

/* What TERMINFO was, from terminfo_find to terminfo_finish. */
static char *former;
static bool carried; /* TERMINFO holds one of terminfo_files */

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

/* TERMINFO becomes the description itself, as curses takes it (terminfo(5)): no file is needed for
 * it. */
static void carry(const struct embedded_file *f)
{
    static const char digits[] = "0123456789ABCDEF", begin[] = "hex:";
    char *value = alloc_array(sizeof begin + 2 * f->size, 1), *p = value + sizeof begin - 1;
    memcpy(value, begin, sizeof begin - 1);
    for (size_t i = 0; i < f->size; i++) {
        *p++ = digits[f->bytes[i] >> 4];
        *p++ = digits[f->bytes[i] & 15];
    }
    *p = 0;
    const char *now = getenv("TERMINFO");
    if (!carried && now)
        former = alloc_copy(now, strlen(now));
    carried = true;
    setenv("TERMINFO", value, 1);
    free(value);
}

bool terminfo_find(const char *name)
{
    if (strchr(name, '/') || name[0] == '.' || name[0] == 0)
        return false;
    if (database_has(name))
        return true;
    for (const struct embedded_file *f = terminfo_files; f->name; f++)
        if (strcmp(f->name, name) == 0) {
            carry(f);
            return database_has(name);
        }
    return false;
}

void terminfo_finish(void)
{
    if (!carried)
        return;
    if (former)
        setenv("TERMINFO", former, 1);
    else
        unsetenv("TERMINFO");
    free(former);
    former = NULL;
    carried = false;
}
