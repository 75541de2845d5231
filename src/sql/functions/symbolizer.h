/* Names of addresses in binaries, asked of llvm-symbolizer where that is on the PATH. */
#ifndef TPTUI_SQL_FUNCTIONS_SYMBOLIZER_H
#define TPTUI_SQL_FUNCTIONS_SYMBOLIZER_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct symbolizer;

/* A line of source code, in `text` of the answer. */
struct symbolized_line {
    struct str function, file;
    int64_t line;
};

struct symbolized {
    VEC(struct symbolized_line) v; /* inlined functions first */
    VEC(char) text;
};

/* Starts the program; NULL where there is none. */
struct symbolizer *symbolizer_start(void);
/* Ends it and frees. NULL is allowed. */
void symbolizer_stop(struct symbolizer *s);

/* What stands at an address (as the file's own symbols have it): `out` is replaced, and empty where
 * the file cannot be read. Fails when cancelled, and where the program does not answer. */
struct status symbolizer_ask(struct symbolizer *s, const char *file, uint64_t address,
                             const atomic_bool *cancel, struct symbolized *out);

#endif
