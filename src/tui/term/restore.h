/* Giving the terminal back, whatever happens: exit, crash, signal, stop. Signal handlers have to
 * find what to restore, so this is the one place of the terminal with state of its own: at most
 * one terminal at a time.
 *
 * One constant string and tcsetattr. Handlers of fatal signals put back those of before, so that
 * sanitizers still report. */
#ifndef TPTUI_TUI_TERM_RESTORE_H
#define TPTUI_TUI_TERM_RESTORE_H

#include <stdbool.h>
#include <termios.h>

#include "base/str.h"

/* Installs the handlers and remembers the terminal `fd` with its settings. False where the pipe
 * that carries signals to the loop cannot be made. */
bool restore_arm(int fd, const struct termios *saved);
/* Puts back the handlers of before. Does not restore the terminal. */
void restore_disarm(void);

/* From now on the terminal is ours, and has to be restored when the program ends: `bytes` undo all
 * modes, and must stay until restore_disarm. */
void restore_expect(struct str bytes);
/* Writes the string and puts the settings back, once; nothing where there is nothing to restore.
 * Safe in signal handlers. Waits for a slow terminal, but no longer than a second. */
void restore_now(void);

/* Readable when signals came. */
int restore_signal_fd(void);
/* Those since the last call: a set of enum term_signal. */
unsigned restore_take_signals(void);
/* As if the signal had come (a set of enum term_signal). */
void restore_raise(unsigned signals);

/* Stops the process group as Ctrl-Z does; returns when continued. */
void restore_stop(void);

#endif
