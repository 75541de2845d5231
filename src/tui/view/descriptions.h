/* What names of slices, states, counters and events of ftrace stand for, a sentence each: the
 * program's own (descriptions/), and before them those of the user. */
#ifndef TPTUI_TUI_VIEW_DESCRIPTIONS_H
#define TPTUI_TUI_VIEW_DESCRIPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"

struct descriptions;

/* The program's own. */
struct descriptions *descriptions_new(void);
void descriptions_free(struct descriptions *d);

/* Adds lines "slice|state|counter|ftrace PATTERN: sentence" before those that are there; patterns
 * are globs, lines that begin with # comments. `source` names the text in the error. */
struct status descriptions_add(struct descriptions *d, const char *source, struct str text);
/* Those of ~/.config/tptui/descriptions, where there is such a file. */
struct status descriptions_add_users(struct descriptions *d);

/* The sentence for a name of that kind, NULL where none fits. */
const char *descriptions_find(const struct descriptions *d, const char *kind, const char *name);

/* All of them: the `i`th pattern ("slice binder reply") and its sentence; false behind the last. */
bool descriptions_at(const struct descriptions *d, size_t i, const char **pattern,
                     const char **sentence);

#endif
