/* Result sets as text, in one of several formats. */
#ifndef TPTUI_SQL_EXPORT_RESULT_WRITER_H
#define TPTUI_SQL_EXPORT_RESULT_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sql/engine/sink.h"

/* All formats: X(name, ending): as --format calls it, whose const struct result_format is
 * NAME_format, and how names of files end that are written so. */
#define RESULT_FORMATS(X)                                                                          \
    X(csv, ".csv")                                                                                 \
    X(tsv, ".tsv")                                                                                 \
    X(json, ".json")                                                                               \
    X(jsonl, ".jsonl")                                                                             \
    X(markdown, ".md")                                                                             \
    X(table, ".txt")

struct result_writer {
    FILE *out;
    /* The output is a terminal: a format that has escapes of its own uses them for what does not
     * get there as it is (base/shown_stream.h). */
    bool terminal;
    const struct result_format *format;
    int columns;
    char **names; /* owned */
    uint64_t rows;
    void *state; /* the format's, of this result set */
    /* Whose values stand with units beside them: "5375203 (5.375 ms)"; NULL: none. */
    bool (*has_units)(const char *name);
    bool *with_units; /* the columns of this result set; owned, NULL: none */
    int results;      /* begun so far */
};

/* How a format writes a result set. Whether writing fails is looked at by the caller. */
struct result_format {
    const char *name;
    bool for_people; /* values may have units beside them */
    /* Before the rows, with columns and names set; NULL where nothing comes first. May set `state`.
     */
    void (*begin)(struct result_writer *w);
    /* A row; `rows` is the number of those before it. */
    void (*row)(struct result_writer *w, const struct sql_value *values);
    /* Behind the last row; NULL where nothing follows. Not called where the rows ended early. */
    void (*end)(struct result_writer *w);
    /* Frees `state`; NULL where the format has none. */
    void (*release)(struct result_writer *w);
};

#define DECLARE_FORMAT(NAME, ending) extern const struct result_format NAME##_format;
RESULT_FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

/* "csv|tsv|..." */
#define BAR_AND_FORMAT(NAME, ending) "|" #NAME
#define RESULT_FORMAT_NAMES          (&RESULT_FORMATS(BAR_AND_FORMAT)[1])
/* ".csv .tsv ... " */
#define FORMAT_ENDING(NAME, ending) ending " "
#define RESULT_FORMAT_ENDINGS       RESULT_FORMATS(FORMAT_ENDING)

/* The format of that name, NULL where there is none. */
const struct result_format *result_format_find(const char *name);
/* The format that a file of that name is written in, NULL where its end is none's. */
const struct result_format *result_format_of_file(struct str path);

/* Writes to `out`, which stays the caller's. Empty lines part several result sets. */
struct result_writer *result_writer_new(FILE *out, const struct result_format *format,
                                        bool terminal);
/* The sink that writes; it stops the run when `out` takes no more. */
struct sql_sink result_writer_sink(struct result_writer *w);
void result_writer_free(struct result_writer *w);
/* From the next result set on, formats for people (table, markdown) say of the integers in columns
 * for which `has_units` says yes, in ns, what they come to. */
void result_writer_show_units(struct result_writer *w, bool (*has_units)(const char *name));

/* For formats: bytes as they are. */
void result_put(struct result_writer *w, struct str s);

/* A value as text for free(), NULL for SQL's NULL: reals are the shortest decimal that reads back
 * as the same, always with a point or an exponent; blobs are hexadecimal. */
char *result_value_text(const struct sql_value *v);

#endif
