/* What is needed of an ELF file to find the symbols of a trace: which build it is, where its code
 * lies, and what it knows of it. Files may be anybody's: nothing of them is trusted. */
#ifndef TPTUI_SYMBOLS_ELF_FILE_H
#define TPTUI_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"

enum { ELF_BUILD_ID_BYTES = 64 };

/* Code: bytes of the file and where they are in memory, relative to where the file is loaded. */
struct elf_segment {
    uint64_t offset, size, address;
};

struct elf_file {
    uint8_t build_id[ELF_BUILD_ID_BYTES];
    size_t build_id_size; /* 0: it has none */
    VEC(struct elf_segment) code;
    bool has_symbols;    /* a table of symbols, not only those for linking */
    bool has_debug_info; /* lines and inlined functions */
    bool is_debug_only;  /* its code is in another file, to which offsets refer */
};

/* Reads a little-endian ELF file, of 32 or 64 bits; anything else is a STATUS_FORMAT. To be
 * released in both cases. */
struct status elf_file_read(const char *path, struct elf_file *out);
void elf_file_release(struct elf_file *e);

/* The address, as the file's symbols have it, of an address of a trace: an offset in the file plus
 * the load bias that the trace knew. */
uint64_t elf_file_address(const struct elf_file *e, uint64_t rel_pc, uint64_t load_bias);

#endif
