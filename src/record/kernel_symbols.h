/* Functions of the running kernel, from /proc/kallsyms, in little memory. */
#ifndef TPTUI_RECORD_KERNEL_SYMBOLS_H
#define TPTUI_RECORD_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_list.h"

struct kernel_function {
    uint64_t address;
    uint32_t name; /* where it begins in `names`; ended by NUL */
};

struct kernel_symbols {
    VEC(struct kernel_function) functions; /* by address */
    struct byte_list names;
};

/* Empty where the kernel does not tell addresses. */
void kernel_symbols_read(struct kernel_symbols *k);
void kernel_symbols_release(struct kernel_symbols *k);
/* The name of the function that the address is in; empty where it is not known. */
struct str kernel_symbols_find(const struct kernel_symbols *k, uint64_t address);

#endif
