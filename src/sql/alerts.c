#include "sql/alerts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "base/vec.h"
#include "sql/language/sql_folder.h"
#include "sql/session.h"
#include "sql/tokens/lexer.h"

extern const struct embedded_file alert_files[];

/* Texts are owned. `before` and `select` stand in the line and the column where their file has
 * them, so that messages name it. */
struct alert_rule {
    char *name, *level;
    char *place;  /* the file */
    char *before; /* its other statements */
    char *select;
};

/* A rule's rows; one that is met ever again says no more by its ten thousandth time. */
#define ROWS_PREFIX                                                                                \
    "CREATE OR REPLACE PERFETTO TABLE _tptui_alert_rows AS "                                       \
    "SELECT row_number() OVER () AS alert_row, * FROM ("
#define ROWS_END "\n) LIMIT 10000; "

/* What stands before the first rule of a file. */
struct preamble {
    char *place, *text;
};

struct alerts {
    VEC(struct alert_rule) rules;
    VEC(struct preamble) preambles;
    VEC(char *) complaints; /* about what is no rule */
};

static void rule_release(struct alert_rule *r)
{
    free(r->name);
    free(r->level);
    free(r->place);
    free(r->before);
    free(r->select);
}

void alerts_free(struct alerts *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->rules.count; i++)
        rule_release(&a->rules.items[i]);
    for (size_t i = 0; i < a->preambles.count; i++) {
        free(a->preambles.items[i].place);
        free(a->preambles.items[i].text);
    }
    for (size_t i = 0; i < a->complaints.count; i++)
        free(a->complaints.items[i]);
    vec_release(&a->rules);
    vec_release(&a->preambles);
    vec_release(&a->complaints);
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

/* How many bytes of comments and blanks a text begins with. */
static size_t count_comments(struct str text)
{
    const struct sql_source source = {.text = text};
    size_t at = 0;
    for (struct token t; (t = lexer_token(&source, at)).kind != TOKEN_END && token_is_blank(t);)
        at += t.text.n;
    return at;
}

/* The last statement of a rule, without its semicolon, and what stands before it. */
static void cut_statements(struct str body, struct str *before, struct str *select)
{
    size_t at = 0, last = body.n, end = body.n;
    for (size_t begin; (begin = sql_script_next(body, &at)) < body.n; end = at)
        last = begin + count_comments(str_skip(body, begin));
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

__attribute__((format(printf, 2, 3))) static void complain(struct alerts *a, const char *format,
                                                           ...)
{
    va_list args;
    char *text = NULL;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        alloc_fail();
    va_end(args);
    *vec_push(&a->complaints) = text;
}

/* `part` of a text behind as many lines, and blanks, as it has before it there; `prefix` stands in
 * the line before. */
static char *in_place(struct str text, struct str part, const char *prefix)
{
    size_t at = (size_t)(part.p - text.p), start = at;
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    if (!f)
        alloc_fail();
    while (start > 0 && text.p[start - 1] != '\n')
        start--;
    for (size_t i = 0; i < start; i++)
        if (text.p[i] == '\n')
            fprintf(f, "%s\n", i + 1 == start ? prefix : "");
    fprintf(f, "%*s%.*s", (int)(at - start), "", (int)part.n, part.p);
    if (fclose(f) != 0)
        alloc_fail();
    return out;
}

static void add_rule(struct alerts *a, const char *source, struct str text, size_t from, size_t to)
{
    bool found;
    struct str body = str_from_to(text, from, to), before, select;
    struct str name = comment_value(line_at(body, 0), STR("alert:"), &found);
    struct str level = STR("warning");
    for (size_t at = 0; at < body.n; at += line_at(body, at).n + 1) {
        struct str value = comment_value(line_at(body, at), STR("level:"), &found);
        if (found && !is_level(value)) {
            complain(a, "%s:%d: a level is error, warning or info, not %.*s", source,
                     line_number(text, from + at), (int)value.n, value.p);
            return;
        }
        level = found ? value : level;
    }
    cut_statements(body, &before, &select);
    if (name.n == 0 || select.n == 0) {
        complain(a, "%s:%d: an alert has a name and a SELECT", source, line_number(text, from));
        return;
    }
    put_rule(a, (struct alert_rule){.name = copy(name),
                                    .level = copy(level),
                                    .place = copy(str_from(source)),
                                    .before = in_place(text, before, ""),
                                    .select = in_place(text, select, ROWS_PREFIX)});
}

void alerts_add(struct alerts *a, const char *source, struct str text)
{
    size_t at = next_rule(text, 0);
    if (at == text.n) {
        complain(a, "%s: no line \"-- alert: NAME\", which begins a rule", source);
        return;
    }
    *vec_push(&a->preambles) =
        (struct preamble){copy(str_from(source)), copy(str_from_to(text, 0, at))};
    while (at < text.n) {
        size_t end = next_rule(text, at + line_at(text, at).n);
        add_rule(a, source, text, at, end);
        at = end;
    }
}

struct folder_rules {
    struct alerts *alerts;
    const char *folder;
};

static void add_file(void *self, const char *below, struct str text)
{
    struct folder_rules *f = self;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", f->folder, below);
    alerts_add(f->alerts, path, text);
    free((void *)(uintptr_t)text.p);
}

void alerts_add_folder(struct alerts *a, const char *folder, bool own_only)
{
    struct folder_rules f = {a, folder};
    struct status s = sql_folder_read(folder, ".sql", own_only, add_file, &f);
    if (!status_ok(s))
        complain(a, "%s", s.message);
    status_release(&s);
}

struct alerts *alerts_new(void)
{
    struct alerts *a = alloc_array(1, sizeof *a);
    for (const struct embedded_file *f = alert_files; f->name; f++)
        alerts_add(a, f->name, (struct str){(const char *)f->bytes, f->size});
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

/* A rule's rows as all rules have them. Columns that it may lack: where its own table has none of
 * that name, the subquery means that of `lacking`. */
static char *rule_part(const struct alert_rule *r, size_t number)
{
    static const struct {
        const char *name, *type;
    } columns[] = {{"level", "TEXT"},
                   {"utid", "INTEGER"},
                   {"upid", "INTEGER"},
                   {"ref", "TEXT"},
                   {"ref_id", "INTEGER"}};
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        alloc_fail();
    fprintf(f,
            "%s" ROWS_END "CREATE OR REPLACE PERFETTO TABLE _tptui_alert_%zu AS "
            "SELECT CAST(alert.ts AS INTEGER) AS ts, CAST(alert.dur AS INTEGER) AS dur, "
            "CAST(alert.name AS TEXT) AS name, ",
            r->select, number);
    put_quoted(f, r->name);
    fputs(" AS rule", f);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        fprintf(f,
                ", CAST((SELECT %s FROM _tptui_alert_rows AS own "
                "WHERE own.alert_row = alert.alert_row) AS %s) AS %s",
                columns[i].name, columns[i].type, columns[i].name);
    fputs(" FROM _tptui_alert_rows AS alert, (SELECT ", f);
    put_quoted(f, r->level);
    fputs(" AS level, NULL AS utid, NULL AS upid, NULL AS ref, NULL AS ref_id) AS lacking;", f);
    if (fclose(f) != 0)
        alloc_fail();
    return text;
}

/* What stays of a rule that is wrong. */
static char *no_rows(size_t rules)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        alloc_fail();
    for (size_t i = 0; i < rules; i++)
        fprintf(f,
                "CREATE OR REPLACE PERFETTO TABLE _tptui_alert_%zu AS SELECT 0 AS ts, 0 AS dur, "
                "'' AS name, '' AS rule, '' AS level, 0 AS utid, 0 AS upid, '' AS ref, "
                "0 AS ref_id WHERE 0;\n",
                i);
    if (fclose(f) != 0)
        alloc_fail();
    return text;
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

static char *module_text(const struct alerts *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        alloc_fail();
    fputs(table_head, f);
    for (size_t i = 0; i < a->rules.count; i++)
        fprintf(f,
                "%s\nSELECT ts, dur, name, rule, level, utid, upid, ref, ref_id\n"
                "FROM _tptui_alert_%zu\n",
                i ? "UNION ALL" : "", i);
    fputs(") AS a\nLEFT JOIN thread AS t ON t.utid = a.utid\nORDER BY a.ts, a.rule;\n", f);
    if (fclose(f) != 0)
        alloc_fail();
    return text;
}

void alerts_register(const struct alerts *a, struct sql_session *s)
{
    static const char module[] = "tptui.alerts";
    char *text = module_text(a);
    sql_session_add_module(s, module, str_from(text));
    free(text);
    for (size_t i = 0; i < a->complaints.count; i++)
        sql_session_add_complaint(s, module, a->complaints.items[i]);
    text = no_rows(a->rules.count);
    sql_session_add_part(s, module, module, text);
    free(text);
    for (size_t i = 0; i < a->preambles.count; i++)
        sql_session_add_part(s, module, a->preambles.items[i].place, a->preambles.items[i].text);
    for (size_t i = 0; i < a->rules.count; i++) {
        const struct alert_rule *r = &a->rules.items[i];
        text = rule_part(r, i);
        sql_session_add_part(s, module, r->place, r->before);
        sql_session_add_part(s, module, r->place, text);
        free(text);
    }
}

char *alerts_text(const struct alerts *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        alloc_fail();
    for (size_t i = 0; i < a->preambles.count; i++)
        fprintf(f, "%s%c", a->preambles.items[i].text, 1);
    for (size_t i = 0; i < a->rules.count; i++) {
        const struct alert_rule *r = &a->rules.items[i];
        fprintf(f, "%s%c%s%c%s%c%s%c", r->name, 1, r->level, 1, r->before, 1, r->select, 1);
    }
    if (fclose(f) != 0)
        alloc_fail();
    return text;
}
