/* Traces and what is made of them in other formats, for `tptui convert` and `tptui export`, and the
 * shell's commands of these names. */
#ifndef TPTUI_CLI_CONVERT_H
#define TPTUI_CLI_CONVERT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "sql/export/systrace_export.h"

struct time_window;

/* Texts belong to argv; NULL: not given. */
struct convert_settings {
    const char *in, *out;             /* NULL or "-": stdin, stdout */
    FILE *file;                       /* what `run` writes to, where it is one file */
    const struct time_window *window; /* for those that read the file; NULL: all of it */
    enum systrace_part part;
    const char *output_folder;     /* of profiles; NULL: a new one below $TMPDIR */
    uint64_t pid;                  /* whose profiles; 0: of all */
    const char *timestamps;        /* of which dumps: numbers with commas; NULL: of all */
    bool heap, samples, java_heap; /* which profiles; none: all */
    bool single_kind;              /* no flag, and several kinds of profiles, is an error */
};

/* A format that traces are converted to. */
struct converter {
    const char *name;
    const char *about; /* for the help */
    /* Whether `run` needs the input in the workspace; otherwise it reads the file itself. */
    bool needs_workspace;
    bool many_files; /* it makes a folder of files, and no output */
    struct status (*run)(const struct convert_settings *s);
    /* A query of one text: why the output holds no events, no row where it does; NULL: `run` says
     * so by itself. */
    const char *why_empty;
};

/* Whether a text is numbers with commas between them. */
bool convert_is_number_list(const char *text);

/* Does it. An output file is there as a whole or not at all, and is not the input. */
struct status convert_run(const struct converter *c, const struct convert_settings *s);

/* NULL: there is no format of that name. */
const struct converter *converter_find(const char *name);
/* "systrace|json|..." */
#define CONVERTER_NAMES "systrace|ctrace|json|text|profile|firefox"

/* What the workspace's tables are exported to: a database, a tar of Arrow files. NULL where there
 * is none of that name. */
#define EXPORTER_NAMES "sqlite|arrow_tar|perfetto"
typedef struct status (*table_exporter)(const char *path);
table_exporter exporter_find(const char *name);
/* Exports what was loaded from the file `in` to `out`, which is another. */
struct status export_run(table_exporter run, const char *in, const char *out);

#endif
