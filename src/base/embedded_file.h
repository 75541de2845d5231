/* Files that the binary carries, as scripts/embed_files.py writes them at build time. */
#ifndef TPTUI_BASE_EMBEDDED_FILE_H
#define TPTUI_BASE_EMBEDDED_FILE_H

#include <stddef.h>

/* `name` is the file's, without folder and suffix; NULL ends a table of them. A packed
 * file's bytes are compressed by zlib. */
struct embedded_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
    size_t unpacked_size; /* `size` where it is not packed */
};

#endif
