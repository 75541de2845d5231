/* The schema: every table that import fills, declared once. The row structs, the SQL tables, the
 * views that only rename their columns, trace_bounds, what is said of empty results, the listing
 * of tables and columns, and the tests are all made from these lists.
 *
 * A header of core/schema/ holds the tables of one subject:
 *
 * COLUMNS_slice(C, T), the columns of a table: C(T, name, type, flags, description).
 *   T is handed through from the caller (the table's name). Every table starts with an implicit
 *   `id`, the row's number. `type` says how a column is stored and how PerfettoSQL declares it:
 *     U32, I32, I64   LONG
 *     SMALL           LONG: U32 of which most are below 255, in one byte as long as all are
 *     F64             DOUBLE
 *     STR             STRING
 *     ALIAS           ID: the row's number once more, under another name
 *     TIMESTAMP       stored as I64: ns of trace time, unless the description says otherwise
 *     DURATION        stored as I64: ns
 *     ARGSETID        stored as U32: rows of args
 *     BOOL(U32)       stored as U32, BOOL(I32) as I32: 0 or 1
 *     JOINID(track.id) stored as U32: a value of that column, the table named as in these lists;
 *                     SMALL_JOINID(cpu.id) is stored as SMALL
 *     ROWID(track.id) the same, but declared as LONG, as others declare it
 *   A column that is called an id (column_is_called_id) is one of these, or says that it is none
 *   (COLUMN_FOREIGN): windows number rows anew by them (core/trace/trace_window.h).
 *   `flags` are those of enum column_flag (core/store/table.h). `description` is for people:
 * meaning, unit, what null or special values stand for. EVENTS_TABLES(T), the tables: T(name, name
 * in SQL, description, data source). The data source is what to record for the table to have rows,
 * a phrase as core/data_sources.h has it, or "". EVENTS_VIEWS(V), published names of tables:
 * V(name, table, columns). `columns` are "column" or "column AS name", separated by commas; a `*`
 * in front stands for all of the table's. NULL: stdlib/prelude/ defines the view, as it does more
 * than rename. */
#ifndef TPTUI_CORE_SCHEMA_SCHEMA_H
#define TPTUI_CORE_SCHEMA_SCHEMA_H

#include "core/schema/android.h"
#include "core/schema/events.h"
#include "core/schema/graphics.h"
#include "core/schema/javascript.h"
#include "core/schema/memory.h"
#include "core/schema/processes.h"
#include "core/schema/samples.h"
#include "core/schema/trace.h"
#include "core/schema/winscope.h"

#define TABLES(T)                                                                                  \
    EVENTS_TABLES(T)                                                                               \
    PROCESSES_TABLES(T)                                                                            \
    TRACE_TABLES(T)                                                                                \
    MEMORY_TABLES(T)                                                                               \
    SAMPLES_TABLES(T)                                                                              \
    GRAPHICS_TABLES(T)                                                                             \
    ANDROID_TABLES(T)                                                                              \
    JAVASCRIPT_TABLES(T)                                                                           \
    WINSCOPE_TABLES(T)

#define VIEWS(V)                                                                                   \
    EVENTS_VIEWS(V)                                                                                \
    PROCESSES_VIEWS(V)                                                                             \
    TRACE_VIEWS(V)                                                                                 \
    MEMORY_VIEWS(V)                                                                                \
    SAMPLES_VIEWS(V)                                                                               \
    GRAPHICS_VIEWS(V)                                                                              \
    ANDROID_VIEWS(V)                                                                               \
    JAVASCRIPT_VIEWS(V)                                                                            \
    WINSCOPE_VIEWS(V)

#endif
