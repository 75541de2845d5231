/* What knows the functions at addresses: a file that llvm-symbolizer reads, or Breakpad's text. */
#ifndef TPTUI_SYMBOLS_SYMBOL_SOURCE_H
#define TPTUI_SYMBOLS_SYMBOL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

/* A function that an address is in; an inlined one stands before the one that it is in. */
struct symbol_line {
    struct str function, file; /* no bytes: not known; the function always is */
    uint32_t line;             /* 0: not known */
};

/* Called for each of the addresses that a function is known for: its number in the list. */
typedef void (*symbol_found)(void *self, size_t address, const struct symbol_line *lines,
                             size_t count);

/* Runs `program` (found in $PATH; llvm-symbolizer) on a file. `addresses` are those that the file's
 * symbols have. Fails where the program is not there or ends badly. */
struct status llvm_symbolize(const char *program, const char *file, const uint64_t *addresses,
                             size_t count, symbol_found found, void *self);

/* Takes a function and its place off an answer of llvm-symbolizer, which is pairs of lines, a name
 * and "file:line:column", and ends in an empty one; false there. The function may be unknown. */
bool llvm_answer_take(struct str *text, struct symbol_line *line);

/* Reads the file FOLDER/BUILD_ID.breakpad, whose name may have small letters or capitals. `*path`
 * becomes the file's path, for free(), or NULL where there is none, which is no failure. */
struct status breakpad_symbolize(const char *folder, struct str build_id, const uint64_t *addresses,
                                 size_t count, symbol_found found, void *self, char **path);

#endif
