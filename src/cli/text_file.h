/* Files that a command reads as a whole: scripts, specs. */
#ifndef TPTUI_CLI_TEXT_FILE_H
#define TPTUI_CLI_TEXT_FILE_H

#include <stddef.h>

#include "base/status.h"
#include "base/str.h"

struct text_file {
    const char *name; /* for messages: the path, or "<stdin>" */
    char *text;       /* owned; a NUL stands behind `size` bytes */
    size_t size;
};

/* Reads the file at `path`, which lives as long as `out`; "-" is stdin. Where it cannot be read, or
 * is larger than any such file, `out` has no text. */
struct status text_file_read(const char *path, struct text_file *out);
void text_file_release(struct text_file *f);

static inline struct str text_file_str(const struct text_file *f)
{
    return (struct str){f->text, f->size};
}

#endif
