/* System calls: numbers to names. */
#ifndef TPTUI_TEXT_SYSCALLS_H
#define TPTUI_TEXT_SYSCALLS_H

#include <stdint.h>

#include "base/str.h"

/* "write" for a number of that kind of machine (uname -m), NULL where it is not known. */
const char *syscall_name(struct str machine, uint64_t number);

#endif
