/* Which build of the program this is. */
#ifndef TPTUI_BASE_BUILD_ID_H
#define TPTUI_BASE_BUILD_ID_H

#include "base/str.h"

/* The linker's build id (ELF note NT_GNU_BUILD_ID), a hash of the program's contents; empty where
 * the program was linked without. The bytes are static. */
struct str build_id(void);

#endif
