/* Where files with symbols are: by the path that the trace recorded, below folders, or by build id.
 * Build ids are hex digits, small letters. */
#ifndef TPTUI_SYMBOLS_SYMBOL_FILES_H
#define TPTUI_SYMBOLS_SYMBOL_FILES_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"

/* A file that was looked at, and why it was not taken. */
struct symbol_attempt {
    char *path;         /* owned */
    const char *reason; /* NULL: it was */
};

struct symbol_attempts {
    VEC(struct symbol_attempt) v;
};

void symbol_attempts_add(struct symbol_attempts *a, const char *path, const char *reason);
void symbol_attempts_release(struct symbol_attempts *a);

/* Looks below a folder for the build of a file that the trace recorded as `name`: at its path, at
 * its name, both without "base.apk!", and at .build-id/ab/cdef.debug. Returns the first file of
 * that build, for free(); NULL: there is none. */
char *symbol_file_find(const char *folder, struct str name, struct str build_id,
                       struct symbol_attempts *attempts);

/* Whether a file is of that build; otherwise notes why it is not. */
bool symbol_file_matches(const char *path, struct str build_id, struct symbol_attempts *attempts);

/* All ELF files below folders, by build id. */
struct symbol_index;

struct symbol_index *symbol_index_new(void);
void symbol_index_free(struct symbol_index *x);
/* Adds the files below a folder, which need not exist; links are not followed. */
void symbol_index_add(struct symbol_index *x, const char *folder);
/* The file of a build that knows most of it; NULL: there is none. Valid until the next addition. */
const char *symbol_index_find(const struct symbol_index *x, struct str build_id);

#endif
