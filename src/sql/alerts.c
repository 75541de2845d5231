#include "sql/alerts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "base/vec.h"
#include "sql/language/sql_folder.h"
#include "sql/session.h"

extern const struct embedded_file alert_files[];

/* Texts are owned. */
struct alert_rule {
    char *name, *level;
    char *before; /* its other statements */
    char *select;
};

struct alerts {
    VEC(struct alert_rule) rules;
    VEC(char *) preambles; /* of the texts that they came from */
};

static void rule_release(struct alert_rule *r)
{
    free(r->name);
    free(r->level);
    free(r->before);
    free(r->select);
}

void alerts_free(struct alerts *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->rules.count; i++)
        rule_release(&a->rules.items[i]);
    for (size_t i = 0; i < a->preambles.count; i++)
        free(a->preambles.items[i]);
    vec_release(&a->rules);
    vec_release(&a->preambles);
    free(a);
}

static struct str line_at(struct str text, size_t at)
{
    struct str rest = str_skip(text, at);
    return str_from_to(rest, 0, str_find(rest, '\n'));
}

/* What stands behind "-- KEY:" in a line; `found` tells whether it is one. */
static struct str comment_value(struct str line, struct str key, bool *found)
{
    line = str_trim(line);
    *found = str_starts(line, STR("--"));
    line = *found ? str_trim(str_skip(line, 2)) : line;
    *found = *found && str_starts(line, key);
    return *found ? str_trim(str_skip(line, key.n)) : line;
}

/* Where the next line at or behind `at` begins that begins a rule; text.n: none. */
static size_t next_rule(struct str text, size_t at)
{
    while (at < text.n) {
        bool found;
        struct str line = line_at(text, at);
        comment_value(line, STR("alert:"), &found);
        if (found)
            return at;
        at += line.n < text.n - at ? line.n + 1 : line.n;
    }
    return text.n;
}

static char *copy(struct str s)
{
    return alloc_copy(s.p, s.n);
}

/* The last statement of a rule, without its semicolon, and what stands before it. */
static void cut_statements(struct str body, struct str *before, struct str *select)
{
    size_t at = 0, last = body.n, end = body.n;
    for (size_t begin; (begin = sql_script_next(body, &at)) < body.n; end = at)
        last = begin;
    *before = str_from_to(body, 0, last);
    *select = str_from_to(body, last, end);
    while (select->n && (str_is_blank(select->p[select->n - 1]) ||
                         select->p[select->n - 1] == '\n' || select->p[select->n - 1] == ';'))
        select->n--;
}

static bool is_level(struct str s)
{
    return str_eq(s, STR("error")) || str_eq(s, STR("warning")) || str_eq(s, STR("info"));
}

static void put_rule(struct alerts *a, struct alert_rule r)
{
    for (size_t i = 0; i < a->rules.count; i++) {
        if (strcmp(a->rules.items[i].name, r.name) != 0)
            continue;
        rule_release(&a->rules.items[i]);
        a->rules.items[i] = r;
        return;
    }
    *vec_push(&a->rules) = r;
}

static int line_number(struct str text, size_t at)
{
    int n = 1;
    for (size_t i = 0; i < at; i++)
        n += text.p[i] == '\n';
    return n;
}

static struct status add_rule(struct alerts *a, const char *source, struct str text, size_t from,
                              size_t to)
{
    bool found;
    struct str body = str_from_to(text, from, to), before, select;
    struct str name = comment_value(line_at(body, 0), STR("alert:"), &found);
    struct str level = STR("warning");
    for (size_t at = 0; at < body.n; at += line_at(body, at).n + 1) {
        struct str value = comment_value(line_at(body, at), STR("level:"), &found);
        if (!found)
            continue;
        if (!is_level(value))
            return status_error(STATUS_USAGE, "%s:%d: a level is error, warning or info, not %.*s",
                                source, line_number(text, from + at), (int)value.n, value.p);
        level = value;
    }
    cut_statements(body, &before, &select);
    if (name.n == 0 || select.n == 0)
        return status_error(STATUS_USAGE, "%s:%d: an alert has a name and a SELECT", source,
                            line_number(text, from));
    put_rule(a, (struct alert_rule){copy(name), copy(level), copy(before), copy(select)});
    return status_ok_value();
}

struct status alerts_add(struct alerts *a, const char *source, struct str text)
{
    size_t at = next_rule(text, 0);
    struct status s = status_ok_value();
    if (at == text.n)
        return status_error(STATUS_USAGE, "%s: no line \"-- alert: NAME\", which begins a rule",
                            source);
    *vec_push(&a->preambles) = copy(str_from_to(text, 0, at));
    while (at < text.n && status_ok(s)) {
        size_t end = next_rule(text, at + line_at(text, at).n);
        s = add_rule(a, source, text, at, end);
        at = end;
    }
    return s;
}

struct folder_rules {
    struct alerts *alerts;
    const char *folder;
    struct status status; /* of the first that failed */
};

static void add_file(void *self, const char *below, struct str text)
{
    struct folder_rules *f = self;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", f->folder, below);
    if (status_ok(f->status))
        f->status = alerts_add(f->alerts, path, text);
    free((void *)(uintptr_t)text.p);
}

struct status alerts_add_folder(struct alerts *a, const char *folder)
{
    struct folder_rules f = {a, folder, status_ok_value()};
    struct status read = sql_folder_read(folder, ".sql", add_file, &f);
    if (status_ok(f.status))
        return read;
    status_release(&read);
    return f.status;
}

struct alerts *alerts_new(void)
{
    struct alerts *a = alloc_array(1, sizeof *a);
    for (const struct embedded_file *f = alert_files; f->name; f++) {
        struct status s = alerts_add(a, f->name, (struct str){(const char *)f->bytes, f->size});
        status_release(&s); /* theirs are in order, as tests know */
    }
    return a;
}

/* ---- the module ---- */

/* As a literal. */
static void put_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    for (; *text; text++)
        fprintf(f, "%s%c", *text == '\'' ? "'" : "", *text);
    fputc('\'', f);
}

/* A rule's rows; one that is met ever again says no more by its ten thousandth time. */
static void put_rows(FILE *f, size_t number, const struct alert_rule *r)
{
    fprintf(f,
            "%s\nCREATE PERFETTO TABLE _tptui_alert_%zu AS\n"
            "SELECT row_number() OVER () AS alert_row, * FROM (\n%s\n) LIMIT 10000;\n",
            r->before, number, r->select);
}

/* Columns that a rule may lack: where its own table has none of that name, the subquery means that
 * of `lacking`. */
static void put_part(FILE *f, size_t number, const struct alert_rule *r)
{
    static const char *const columns[] = {"level", "utid", "upid", "ref", "ref_id"};
    fprintf(f, "%s\nSELECT a.ts, a.dur, a.name, ", number ? "  UNION ALL" : "");
    put_quoted(f, r->name);
    fputs(" AS rule", f);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        fprintf(f,
                ",\n  (SELECT %s FROM _tptui_alert_%zu AS own\n"
                "    WHERE own.alert_row = a.alert_row) AS %s",
                columns[i], number, columns[i]);
    fprintf(f, "\nFROM _tptui_alert_%zu AS a, (\n  SELECT ", number);
    put_quoted(f, r->level);
    fputs(" AS level, NULL AS utid, NULL AS upid, NULL AS ref, NULL AS ref_id\n) AS lacking\n", f);
}

static const char table_head[] =
    "-- What is wrong in this trace, as the rules for alerts see it.\n"
    "CREATE PERFETTO TABLE tptui_alerts(\n"
    "  -- Number of the alert.\n  id LONG,\n"
    "  -- When it began.\n  ts TIMESTAMP,\n"
    "  -- How long it lasted; 0 where it only happened.\n  dur DURATION,\n"
    "  -- error, warning or info.\n  level STRING,\n"
    "  -- Name of the rule that was met.\n  rule STRING,\n"
    "  -- What it was.\n  name STRING,\n"
    "  -- The thread, if it is about one.\n  utid JOINID(thread.utid),\n"
    "  -- The process, if it is about one.\n  upid JOINID(process.upid),\n"
    "  -- What ref_id counts: slice, state, sched or counter.\n  ref STRING,\n"
    "  -- The id of the event that it is.\n  ref_id LONG\n) AS\n"
    "SELECT row_number() OVER (ORDER BY a.ts, a.rule) - 1 AS id, a.ts, a.dur, a.level, a.rule,\n"
    "  a.name, a.utid, ifnull(a.upid, t.upid) AS upid, a.ref, a.ref_id\nFROM (";

void alerts_register(const struct alerts *a, struct sql_session *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return;
    for (size_t i = 0; i < a->preambles.count; i++)
        fprintf(f, "%s\n", a->preambles.items[i]);
    for (size_t i = 0; i < a->rules.count; i++)
        put_rows(f, i, &a->rules.items[i]);
    fputs(table_head, f);
    for (size_t i = 0; i < a->rules.count; i++)
        put_part(f, i, &a->rules.items[i]);
    fputs(") AS a\nLEFT JOIN thread AS t ON t.utid = a.utid\nORDER BY a.ts, a.rule;\n", f);
    if (fclose(f) == 0)
        sql_session_add_module(s, "tptui.alerts", (struct str){text, size});
    free(text);
}
