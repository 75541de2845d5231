/* A process of llvm-symbolizer, if that is on the PATH, which is asked for one address after
 * another of any files.
 *
 * It is asked over a socket, and only about files that can be read. */
#ifndef TPTUI_SYMBOLS_SYMBOLIZER_PROCESS_H
#define TPTUI_SYMBOLS_SYMBOLIZER_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"
#include "symbols/symbol_source.h"

struct symbolizer_process;

struct symbolized {
    VEC(struct symbol_line) v; /* inlined functions first; the function may be unknown */
    VEC(char) text;            /* that they are in */
};

/* Starts the program; NULL where there is none. */
struct symbolizer_process *symbolizer_process_start(void);
/* Ends it and frees. NULL is allowed. */
void symbolizer_process_stop(struct symbolizer_process *s);

/* What stands at an address (as the file's own symbols have it): `out` is replaced, and empty where
 * the file cannot be read. Fails when cancelled, and where the program does not answer. */
struct status symbolizer_process_ask(struct symbolizer_process *s, const char *file,
                                     uint64_t address, const atomic_bool *cancel,
                                     struct symbolized *out);

#endif
