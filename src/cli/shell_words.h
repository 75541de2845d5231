/* Texts in commands for a shell. */
#ifndef TPTUI_CLI_SHELL_WORDS_H
#define TPTUI_CLI_SHELL_WORDS_H

#include <stdio.h>

/* The text within single quotes. */
void shell_quote(FILE *f, const char *text);

#endif
