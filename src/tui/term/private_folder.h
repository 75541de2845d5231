/* A folder of our own for files that a library reads by path, while it reads them.
 *
 * Five descriptions of terminals and, in a static build, a UTF-8 locale are in the binary for
 * machines that have none: the descriptions go to curses as the value of TERMINFO, the locale is
 * put here. Where no folder can be written the screen is in ASCII. */
#ifndef TPTUI_TUI_TERM_PRIVATE_FOLDER_H
#define TPTUI_TUI_TERM_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: there is none. */
struct private_folder {
    char path[256];
    const char *variable; /* the environment variable that names it */
    char *former;         /* that variable's value of before, or NULL */
};

/* Makes it under $TMPDIR, /tmp or /dev/shm, readable by the user alone, and sets `variable` (kept,
 * not copied) to it. False where none of them can be written to. */
bool private_folder_make(struct private_folder *f, const char *variable);
/* Writes FOLDER/sub/name whole; false where that fails, with nothing of it left. */
bool private_folder_add(const struct private_folder *f, const char *sub, const char *name,
                        const void *bytes, size_t size);
/* Removes it with what is in it and sets the variable back; nothing where there is none. */
void private_folder_remove(struct private_folder *f);

#endif
