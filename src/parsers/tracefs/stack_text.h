/* The stacks that ftrace prints below an event "<stack trace>", innermost call first:
 *
 *      => try_to_wake_up
 *     => try_to_wake_up (ffffffff810b2c4a)             trace-cmd report
 *      => /usr/lib/libc.so.6[+0x1234]                  <user stack trace>
 *      =>  <00007f8c1e2a3b4c> */
#ifndef TPTUI_PARSERS_TRACEFS_STACK_TEXT_H
#define TPTUI_PARSERS_TRACEFS_STACK_TEXT_H

#include <stdbool.h>

#include "core/trace/trace.h"

/* Whether it is a line of a stack; the text is not empty. */
bool stack_text_is(struct str text);

/* The call site of the innermost frame of such lines; NULL_U32 where there are none. */
uint32_t stack_text_callsite(struct trace *t, struct str lines);

#endif
