/* The SQL modules of stdlib/ and the files of metrics/, compiled into the program. */
#ifndef TPTUI_SQL_LANGUAGE_STDLIB_MODULES_H
#define TPTUI_SQL_LANGUAGE_STDLIB_MODULES_H

#include <stddef.h>

struct embedded_module {
    const char *name; /* "prelude.tracks", "slices.with_context" */
    const char *text;
    size_t size;
};

extern const struct embedded_module embedded_modules[]; /* by name */
extern const size_t embedded_module_count;

/* The name is the path below metrics/: "android/android_mem.sql". */
extern const struct embedded_module embedded_metrics[];
extern const size_t embedded_metric_count;

#endif
