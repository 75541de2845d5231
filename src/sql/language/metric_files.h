/* The SQL files of metrics, by path: those of metrics/, which are in the program, and those of
 * folders. A file android/x.sql that is a metric leaves a view x_output; others are parts of
 * metrics, for SELECT run_metric('android/y.sql', 'key', 'value', ...), which replaces {{key}}. */
#ifndef TPTUI_SQL_LANGUAGE_METRIC_FILES_H
#define TPTUI_SQL_LANGUAGE_METRIC_FILES_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

struct language;

struct metric_file {
    const char *path; /* "android/x.sql" */
    struct str text;
    bool owned; /* path and text; else they are part of the program */
};

void metric_files_init(struct language *l);
void metric_files_release(struct language *l);

/* Adds the .sql files below a folder; their paths get `prefix` in front ("" or one that ends in
 * '/'). A file takes the place of one of the same path. */
struct status metric_files_add_folder(struct language *l, const char *folder, const char *prefix);
/* One file; the text is copied. */
void metric_files_add(struct language *l, struct str path, struct str text);

/* The file of that path, NULL for none. */
struct metric_file *metric_files_find(const struct language *l, struct str path);
/* What the metric of a file would be called: x of android/x.sql. */
struct str metric_file_stem(const struct metric_file *f);
/* The file of a metric, x of any/folder/x.sql, the one added last; NULL where there is none. */
const struct metric_file *metric_files_find_metric(const struct language *l, struct str metric);

#endif
