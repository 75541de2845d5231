#ifndef TPTUI_TESTS_EMULATED_H
#define TPTUI_TESTS_EMULATED_H

#include <stdbool.h>
#include <stdlib.h>

/* Whether qemu-user runs this. It keeps no limit of memory, forgets no pages, and 7.2 says a wrong
 * address with s390x's SIGBUS. */
static inline bool is_emulated(void)
{
    return getenv("MESON_EXE_WRAPPER") != NULL;
}

#endif
