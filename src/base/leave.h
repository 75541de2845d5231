/* Ending the process at once. */
#ifndef TPTUI_BASE_LEAVE_H
#define TPTUI_BASE_LEAVE_H

/* As _exit, but whoever waits for the process does not wait until the system has taken back its
 * memory, which takes 0.1 s and more a gigabyte: a child that shares the memory does. For signal
 * handlers too. */
_Noreturn void leave(int exit_status);

#endif
