#include "explain/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/trace_window.h"
#include "text/time.h"

const struct report_format *report_format_find(const char *name)
{
    static const struct report_format *const formats[] = {&text_report, &markdown_report,
                                                          &json_report};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

void report_time(char *out, size_t size, int64_t ns)
{
    double v = (double)ns;
    if (v >= 60e9)
        snprintf(out, size, "%.1f min", v / 60e9);
    else if (v >= 1e9)
        snprintf(out, size, "%.2f s", v / 1e9);
    else if (v >= 1e6)
        snprintf(out, size, v < 10e6 ? "%.1f ms" : "%.0f ms", v / 1e6);
    else
        snprintf(out, size, "%.0f us", v / 1e3);
}

void report_duration(FILE *f, const struct explanation *e, const struct symptom *s)
{
    char dur[32];
    struct edge_words words = trace_edge_words(e->trace, s->ts, s->dur < 0);
    report_time(dur, sizeof dur, s->dur < 0 ? time_minus(e->end, s->ts) : s->dur);
    if (s->dur != 0)
        fprintf(f, ", %s", dur);
    if (words.text[0])
        fprintf(f, " (%s)", words.text);
}

void report_step(FILE *f, const struct cause_step *before, const struct cause_step *s)
{
    char dur[32];
    struct str thread = s->thread;
    if (before && str_eq(before->for_thread.n ? before->for_thread : before->thread, thread))
        thread = STR("it");
    report_time(dur, sizeof dur, s->ns);
    fprintf(f, "%.*s %s ", (int)thread.n, thread.p, cause_kind_words(s->kind));
    bool has_thread = s->for_thread.n > 0;
    if (has_thread && str_eq(s->for_thread, s->thread)) /* of a pool, or another of that name */
        fputs("another such thread ", f);
    else if (has_thread)
        fprintf(f, "%.*s ", (int)s->for_thread.n, s->for_thread.p);
    else if (s->kind == CAUSE_CPU)
        fputs("nobody known ", f);
    if (s->name.n)
        fprintf(f, "%s%.*s%s ",
                s->kind == CAUSE_SLICE ? "`"
                : has_thread           ? "at "
                                       : "in ",
                (int)s->name.n, s->name.p, s->kind == CAUSE_SLICE ? "`" : "");
    fprintf(f, "for %s", dur);
    if (s->mostly != s->kind)
        fprintf(f, " (%s)", cause_kind_word(s->mostly));
}

void report_place(FILE *f, const struct problem *p)
{
    const struct symptom *s = p->worst;
    const struct step_place *step = p->step_count ? &p->steps[0].place : NULL;
    if (s->ref.n && s->ref_id >= 0)
        fprintf(f, "%.*s %" PRId64, (int)s->ref.n, s->ref.p, s->ref_id);
    else if (step && step->kind[0]) /* on the thread that it is about */
        fprintf(f, "%s %" PRIu32, step->kind, step->row);
    else
        fprintf(f, "time %" PRId64, s->ts);
    if (s->dur > 0)
        fprintf(f, " window %" PRId64 " %" PRId64, s->ts, s->dur);
}

char *report_text_of(const struct problem *p, void (*print)(FILE *f, const struct problem *p))
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        alloc_fail();
    print(f, p);
    if (fclose(f) != 0)
        alloc_fail();
    return text;
}

void report_words(FILE *f, const struct problem *p)
{
    fprintf(f, "%.*s", (int)p->worst->rule->name.n, p->worst->rule->name.p);
    if (p->count > 1)
        fprintf(f, ", %u times", p->count);
    fprintf(f, ": %s%.*s", p->is_certain ? "" : "perhaps ", (int)p->cause.n, p->cause.p);
}

static void print_headline(FILE *f, const struct problem *p)
{
    char cost[32];
    report_time(cost, sizeof cost, p->cost);
    fprintf(f, "%s %s ", explain_level_word(p->level), cost);
    report_words(f, p);
}

void report_heading(FILE *f, const struct explanation *e, const char *before, const char *after)
{
    bool none = e->problems.count == 0;
    if (e->asked.sql.n > 0)
        fprintf(f, "%sWhat was asked for: %s%s", before, none ? "not in this trace" : "worst first",
                after);
    else
        fprintf(f, "%sWhat is wrong: %s%s", before,
                none ? "nothing that the rules know" : "worst first", after);
}

char *report_headline(const struct explanation *e)
{
    for (size_t i = 0; i < e->problems.count; i++)
        if (e->problems.items[i].level != LEVEL_NOTE)
            return report_text_of(&e->problems.items[i], print_headline);
    return alloc_copy("", 0);
}

void report_command(FILE *f, const struct problem *p, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+:@%,=";
    fputs("tptui --goto '", f);
    report_place(f, p);
    fputs("' ", f);
    if (path[strspn(path, plain)] == '\0' && path[0] != '-') {
        fputs(path, f);
        return;
    }
    fputs(path[0] == '-' ? "'./" : "'", f); /* what looks like an option */
    for (; *path; path++)
        if (*path == '\'')
            fputs("'\\''", f);
        else
            fputc((unsigned char)*path < ' ' ? '?' : *path, f); /* no terminal shows it */
    fputc('\'', f);
}

/* What is known of the states that a thread was in; what is not is one more row. */
static void put_states_sql(FILE *f, const struct symptom *s, int64_t end)
{
    fprintf(f,
            "WITH states AS (\n"
            "  SELECT ts, iif(dur < 0, ifnull(lead(ts) OVER w, trace_end()), ts + dur) AS ts_end,\n"
            "    state, io_wait, blocked_function,\n"
            "    lead(ts) OVER w AS next_ts, lead(waker_utid) OVER w AS waker\n"
            "  FROM thread_state WHERE utid = %u WINDOW w AS (ORDER BY ts)\n"
            "), pieces AS (\n"
            "  SELECT state, io_wait, blocked_function,\n"
            "    iif(next_ts = ts_end, (SELECT name FROM thread WHERE utid = waker), NULL) AS "
            "woken_by,\n"
            "    min(ts_end, %" PRId64 ") - max(ts, %" PRId64 ") AS ns\n"
            "  FROM states WHERE ts < %" PRId64 " AND ts_end > %" PRId64 "\n"
            ")\n"
            "SELECT state, io_wait, blocked_function, woken_by, sum(ns) AS ns\n"
            "FROM pieces GROUP BY 1, 2, 3, 4\n"
            "UNION ALL SELECT 'not known', NULL, NULL, NULL, %" PRId64 " - sum(ns)\n"
            "FROM pieces HAVING sum(ns) < %" PRId64 "\n"
            "ORDER BY ns DESC;\n",
            s->utid, end, s->ts, end, s->ts, s->dur, s->dur);
}

/* Where no scheduling was recorded: the slices that a thread was in. */
static void put_slices_sql(FILE *f, const struct symptom *s, int64_t end)
{
    fprintf(f,
            "SELECT s.depth, s.name, count() AS times,\n"
            "  sum(min(iif(s.dur < 0, trace_end(), s.ts + s.dur), %" PRId64 ") - max(s.ts, %" PRId64
            ")) AS ns\n"
            "FROM slice AS s JOIN thread_track AS k ON k.id = s.track_id\n"
            "WHERE k.utid = %u AND s.ts < %" PRId64 " AND (s.dur < 0 OR s.ts + s.dur > %" PRId64
            ")\n"
            "GROUP BY s.depth, s.name ORDER BY s.depth, ns DESC;\n",
            end, s->ts, s->utid, end, s->ts);
}

void report_sql(FILE *f, const struct problem *p)
{
    const struct symptom *s = p->worst;
    if (s->utid == NULL_U32 || s->dur <= 0 || s->cause.n)
        explain_rule_print(s->rule, f);
    else if (p->kinds[CAUSE_IN] > 0)
        put_slices_sql(f, s, time_plus(s->ts, s->dur));
    else
        put_states_sql(f, s, time_plus(s->ts, s->dur));
}

void report_extent(FILE *f, const struct problem *p)
{
    char dur[32];
    if (p->count > 1)
        fprintf(f, ", %u times", p->count);
    if (p->cost > 0) {
        report_time(dur, sizeof dur, p->cost);
        fprintf(f, "%s %s", p->count > 1 ? " in all" : ",", dur);
    }
}
