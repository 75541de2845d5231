/* Functions of a kernel, as /proc/kallsyms lists them, in little memory. */
#ifndef TPTUI_PARSERS_TRACEDAT_KERNEL_SYMBOLS_H
#define TPTUI_PARSERS_TRACEDAT_KERNEL_SYMBOLS_H

#include <stdint.h>

#include "base/byte_list.h"

struct kernel_function {
    uint64_t address;
    uint32_t name; /* where it begins in `names`; ended by NUL */
};

struct kernel_symbols {
    VEC(struct kernel_function) functions;
    struct byte_list names;
};

/* Adds lines "ffffffff81000000 T name [module]", which are copied; those without an address, as
 * users without the right see them, are left out. */
void kernel_symbols_add(struct kernel_symbols *k, struct str lines);
/* To be called once all are added. */
void kernel_symbols_sort(struct kernel_symbols *k);
void kernel_symbols_release(struct kernel_symbols *k);
/* The function that the address is in, or NULL. */
const struct kernel_function *kernel_symbols_find(const struct kernel_symbols *k, uint64_t address);
struct str kernel_symbols_name(const struct kernel_symbols *k, const struct kernel_function *f);

#endif
