/* A regular expression to look for in names; capitals in it mean that case counts. */
#ifndef TPTUI_TUI_INPUT_PATTERN_H
#define TPTUI_TUI_INPUT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct pattern;

/* NULL where it cannot be compiled; `error` (of `size` bytes) then says why. */
struct pattern *pattern_new(const char *text, char *error, size_t size);
void pattern_free(struct pattern *p);
/* Gives up, as if there was no match, where matching takes very long. */
bool pattern_matches(struct pattern *p, struct str s);

#endif
