#include "explain/alerts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "base/vec.h"
#include "sql/engine/sql_folder.h"
#include "sql/language/module.h"
#include "sql/session.h"
#include "sql/tokens/lexer.h"

extern const struct embedded_file alert_files[];

/* Texts are owned. `before` and `select` stand in the line and the column where their file has
 * them, so that messages name these. */
struct alert_rule {
    char *name, *level;
    char *place;  /* the file */
    char *before; /* its other statements */
    char *select;
};

/* What stands before the first rule of a file. */
struct preamble {
    char *place, *text;
};

/* Each rule stands behind as many lines as its file has before it. */
enum { FILE_MAX_BYTES = 1 << 20, RULES_MAX = 1000, TEXT_MAX_BYTES = 64 << 20 };

struct alerts {
    VEC(struct alert_rule) rules;
    size_t added, text_bytes; /* of rules, also those that others took the place of */
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

/* `part` of a text behind as many lines, and blanks, as it has before it there. */
static char *in_place(struct str text, struct str part)
{
    size_t at = (size_t)(part.p - text.p), start = at;
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    if (!f)
        alloc_fail();
    while (start > 0 && text.p[start - 1] != '\n')
        start--;
    for (int line = line_number(text, start); line > 1; line--)
        fputc('\n', f);
    fprintf(f, "%*s%.*s", (int)(at - start), "", (int)part.n, part.p);
    if (fclose(f) != 0)
        alloc_fail();
    return out;
}

/* Whether there is room for one more rule, which ends at `to`. */
static bool has_room(struct alerts *a, struct str text, size_t from, size_t to)
{
    a->added++;
    a->text_bytes += 2 * (size_t)line_number(text, to) + to - from;
    return a->added <= RULES_MAX && a->text_bytes <= TEXT_MAX_BYTES;
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
                                    .before = in_place(text, before),
                                    .select = in_place(text, select)});
}

void alerts_add(struct alerts *a, const char *source, struct str text)
{
    if (text.n > FILE_MAX_BYTES) {
        complain(a, "%s: larger than %d MB", source, FILE_MAX_BYTES >> 20);
        return;
    }
    size_t at = next_rule(text, 0);
    if (at == text.n) {
        complain(a, "%s: no line \"-- alert: NAME\", which begins a rule", source);
        return;
    }
    *vec_push(&a->preambles) =
        (struct preamble){copy(str_from(source)), copy(str_from_to(text, 0, at))};
    while (at < text.n) {
        size_t end = next_rule(text, at + line_at(text, at).n);
        if (!has_room(a, text, at, end)) {
            complain(a, "%s:%d: from here on rules are left out: there are at most %d, and %d MB",
                     source, line_number(text, at), RULES_MAX, TEXT_MAX_BYTES >> 20);
            return;
        }
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
    snprintf(path, sizeof path, "%s%s%s", f->folder, *below ? "/" : "", below);
    alerts_add(f->alerts, path, text);
    free((void *)(uintptr_t)text.p);
}

void alerts_add_path(struct alerts *a, const char *path, bool own_only)
{
    struct folder_rules f = {a, path};
    struct stat file;
    bool one = stat(path, &file) == 0 && S_ISREG(file.st_mode);
    struct status s = sql_folder_read(path, one ? "" : ".sql", own_only, add_file, &f);
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

/* All rules' rows; the first part of the module begins them anew. */
#define ROWS_TABLE                                                                                 \
    "CREATE TABLE IF NOT EXISTS _tptui_alert(ts INTEGER, dur INTEGER, name TEXT, rule TEXT, "      \
    "level TEXT, utid INTEGER, upid INTEGER, ref TEXT, ref_id INTEGER);\n"

/* Adds the rows of a rule, which are in _tptui_alert_rows. Columns that it may lack: where its own
 * table has none of that name, the subquery means that of `lacking`. */
static char *add_rows(const struct alert_rule *r)
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
    fputs(ROWS_TABLE
          "INSERT INTO _tptui_alert SELECT CAST(alert.ts AS INTEGER), CAST(alert.dur AS INTEGER), "
          "CAST(alert.name AS TEXT), ",
          f);
    put_quoted(f, r->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        fprintf(f,
                ", CAST((SELECT %s FROM _tptui_alert_rows AS own "
                "WHERE own.alert_row = alert.alert_row) AS %s)",
                columns[i].name, columns[i].type);
    fputs(" FROM _tptui_alert_rows AS alert, (SELECT ", f);
    put_quoted(f, r->level);
    fputs(" AS level, NULL AS utid, NULL AS upid, NULL AS ref, NULL AS ref_id) AS lacking;", f);
    if (fclose(f) != 0)
        alloc_fail();
    return text;
}

static const char module_name[] = "tptui.alerts";

static const char module_text[] =
    /* clang-format off */
    ROWS_TABLE
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
    "  a.name, a.utid, ifnull(a.upid, t.upid) AS upid, a.ref, a.ref_id\n"
    "FROM _tptui_alert AS a\nLEFT JOIN thread AS t ON t.utid = a.utid\nORDER BY a.ts, a.rule;\n";
/* clang-format on */

static void register_rule(const struct alert_rule *r, struct sql_session *s)
{
    char *then = add_rows(r);
    sql_session_add_part(s, module_name,
                         &(struct module_part){.place = r->place, .sql = r->before});
    /* One that is met ever again says no more by its ten thousandth time. */
    sql_session_add_part(
        s, module_name,
        &(struct module_part){.place = r->place,
                              .sql = r->select,
                              .before = "CREATE OR REPLACE PERFETTO TABLE _tptui_alert_rows AS "
                                        "SELECT row_number() OVER () AS alert_row, * FROM (",
                              .behind = "\n) LIMIT 10000",
                              .then = then});
    free(then);
}

void alerts_register(const struct alerts *a, struct sql_session *s)
{
    sql_session_add_module(s, module_name, str_from(module_text));
    for (size_t i = 0; i < a->complaints.count; i++)
        sql_session_add_part(s, module_name,
                             &(struct module_part){.complaint = a->complaints.items[i]});
    sql_session_add_part(
        s, module_name,
        &(struct module_part){.place = module_name,
                              .sql = "DROP TABLE IF EXISTS _tptui_alert;\n" ROWS_TABLE});
    for (size_t i = 0; i < a->preambles.count; i++)
        sql_session_add_part(s, module_name,
                             &(struct module_part){.place = a->preambles.items[i].place,
                                                   .sql = a->preambles.items[i].text});
    for (size_t i = 0; i < a->rules.count; i++)
        register_rule(&a->rules.items[i], s);
}

bool alerts_has(const struct alerts *a, const char *rule)
{
    for (size_t i = 0; i < a->rules.count; i++)
        if (strcmp(a->rules.items[i].name, rule) == 0)
            return true;
    return false;
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
