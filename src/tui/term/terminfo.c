#include "tui/term/terminfo.h"

#include <curses.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "base/embedded_file.h"
#include "tui/term/private_folder.h"

/* Compiled descriptions as the build machine has them. */
extern const struct embedded_file terminfo_files[];

/* Kept from terminfo_find to terminfo_finish; curses keeps this state in the environment too. */
static struct private_folder carried;

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

/* Writes the descriptions to a folder, once: those beginning with x to FOLDER/x. */
static bool write_entries(void)
{
    if (carried.path[0])
        return true;
    if (!private_folder_make(&carried, "TERMINFO"))
        return false;
    for (const struct embedded_file *f = terminfo_files; f->name; f++) {
        char letter[2] = {f->name[0], 0};
        private_folder_add(&carried, letter, f->name, f->bytes, f->size);
    }
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
    private_folder_remove(&carried);
}
