#include "tui/app/trace_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "text/time.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/result/answer.h"

/* How much is missing and what that means; below it what to do, and what stats call it. */
#define LOSS                                                                                       \
    "summary || '\n     ' || remedy || '\n     ' || iif(name IN (SELECT name FROM stats), "        \
    "'stats: ', 'tptui_loss: ') || name FROM tptui_loss"

/* Each part is a query for lines: what, and its value. */
static const struct {
    const char *title, *sql;
} parts[] = {
    {"Missing or doubtful", "SELECT '', " LOSS " WHERE effect != 'aside' ORDER BY id;"},
    {"Left out, of no consequence", "SELECT '', " LOSS " WHERE effect = 'aside' ORDER BY id;"},
    {"Advice", "SELECT title, description || ' ' || remediation\n"
               "FROM __intrinsic_trace_diagnostics ORDER BY confidence DESC;"},
    {"Metadata", "SELECT name, coalesce(str_value, int_value) FROM metadata\n"
                 "WHERE name != 'trace_config_pbtxt' ORDER BY name;"},
    {"In this trace", "SELECT * FROM (\n"
                      "  SELECT 'slices', count(*) AS n FROM slice UNION ALL SELECT 'counters', "
                      "count(*) FROM counter\n"
                      "  UNION ALL SELECT 'scheduled', count(*) FROM sched_slice\n"
                      "  UNION ALL SELECT 'thread states', count(*) FROM thread_state\n"
                      "  UNION ALL SELECT 'flows', count(*) FROM flow UNION ALL SELECT 'threads', "
                      "count(*) FROM thread\n"
                      "  UNION ALL SELECT 'processes', count(*) FROM process\n"
                      "  UNION ALL SELECT 'log lines', count(*) FROM android_logs\n"
                      ") WHERE n > 0;"},
    {"Configuration", "SELECT '', str_value FROM metadata WHERE name = 'trace_config_pbtxt';"},
};

enum { PARTS = sizeof parts / sizeof *parts };

struct info_job {
    struct job job;
    const struct trace *trace;
    struct answer *answers[PARTS];
    struct status failed; /* the last that failed */
};

static void run_info(struct job *job, struct worker *w)
{
    struct info_job *j = (struct info_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->failed);
    if (!status_ok(j->failed))
        return;
    for (int i = 0; i < PARTS && !worker_cancelled(w); i++) {
        struct status s;
        j->answers[i] = answer_new();
        s = answer_ask(j->answers[i], session, parts[i].title, str_from(parts[i].sql));
        if (status_ok(s))
            continue;
        status_release(&j->failed);
        j->failed = s;
    }
}

static void put_value(FILE *f, const struct answer *g, uint32_t row, uint32_t column)
{
    struct sql_value v = answer_value(g, row, column);
    char text[64];
    if (v.type == SQL_TEXT) {
        fwrite(v.s.p, 1, v.s.n, f);
        return;
    }
    result_text(&v, text, sizeof text);
    fputs(text, f);
}

static void put_part(FILE *f, const char *title, const struct answer *g)
{
    if (!g || g->columns < 2 || g->rows == 0)
        return;
    fprintf(f, "%s\n", title);
    for (uint32_t row = 0; row < g->rows; row++) {
        struct sql_value name = answer_value(g, row, 0);
        int width = name.type == SQL_TEXT && name.s.n > 0 ? 36 - (int)name.s.n : 0;
        fputs("  ", f);
        put_value(f, g, row, 0);
        fprintf(f, "%*s", width > 0 ? width : 1, "");
        put_value(f, g, row, 1);
        fputc('\n', f);
    }
    fputc('\n', f);
}

/* Which window of which trace it is. */
static void put_window(FILE *f, const struct trace *t)
{
    char dur[40], from[40], to[40], whole[40];
    if (!t->is_window)
        return;
    format_ms_unit(dur, sizeof dur, time_minus(t->end_ts, t->start_ts));
    format_ms_unit(from, sizeof from, time_minus(t->start_ts, t->whole_start));
    format_ms_unit(to, sizeof to, time_minus(t->end_ts, t->whole_start));
    format_ms_unit(whole, sizeof whole, time_minus(t->whole_end, t->whole_start));
    fprintf(f,
            "Loaded part\n"
            "  A window of %s: from %s to %s of a trace of %s.\n"
            "  Times on the screen count from where the window begins; the trace begins at %" PRId64
            ", the window at %" PRId64 ".\n\n",
            dur, from, to, whole, t->whole_start, t->start_ts);
}

static effects finish_info(struct job *job, struct app *a)
{
    struct info_job *j = (struct info_job *)job;
    char *text = NULL;
    size_t size;
    FILE *f = a ? open_memstream(&text, &size) : NULL;
    if (f)
        put_window(f, j->trace);
    for (int i = 0; i < PARTS; i++) {
        if (f)
            put_part(f, parts[i].title, j->answers[i]);
        answer_free(j->answers[i]);
    }
    if (f) {
        fclose(f);
        app_show_text(a, STR("trace"), str_from(text));
        free(text);
    }
    if (a && !status_ok(j->failed))
        app_complain(a, "%s", j->failed.message);
    status_release(&j->failed);
    free(j);
    return EFFECT_NONE;
}

void app_trace_info(struct app *a)
{
    struct info_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_info, finish_info, NULL};
    j->trace = &a->opened->trace;
    worker_push(a->helper, &j->job);
}
