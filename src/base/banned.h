/* Functions that cannot be used safely on untrusted input, or whose result depends on the user's
 * language (see compare_any_case); calling one is a compile error. And free(), which is ours.
 * Included on the compiler's command line, after the system headers that declare them. */
#ifndef TPTUI_BASE_BANNED_H
#define TPTUI_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Large arrays may lie in a file (base/block_store.h), of which the C library's free() knows
 * nothing. */
void block_free(void *p);
#define free block_free

#pragma GCC poison strcpy strcat sprintf vsprintf gets strtok atoi atol atoll
#pragma GCC poison strcasecmp strncasecmp strcasestr

#endif
