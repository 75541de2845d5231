#include "record/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/time_text.h"
#include "core/trace_builder.h"
#include "parsers/load.h"
#include "explain/alerts.h"
#include "sql/session.h"

enum { LINE_BYTES = 400, NICER = 10 };

enum trigger_unit { UNIT_NS, UNIT_BYTES, UNIT_PERCENT };

/* Something that is compared with a number. */
struct trigger_measure {
    const char *name, *about;
    enum trigger_unit unit;
    const char *rows; /* SELECT of ts, dur, name and value */
};

#define DURATION "iif(dur < 0, trace_end() - ts, dur)"
#define OF_STATE(STATES)                                                                           \
    "SELECT s.ts, s.dur, ifnull(t.name, t.tid) AS name, s.value FROM (SELECT ts, utid, " DURATION  \
    " AS dur, " DURATION " AS value FROM thread_state WHERE state IN (" STATES                     \
    ")) AS s JOIN thread AS t USING (utid) WHERE t.tid != 0"

static const struct trigger_measure measures[] = {
    {"sched_wait", "how long a thread that could run waits for a CPU", UNIT_NS,
     OF_STATE("'R', 'R+'")},
    {"blocked", "how long a thread sleeps where nothing may wake it, as for a disk", UNIT_NS,
     OF_STATE("'D', 'DK'")},
    {"syscall", "how long a system call takes", UNIT_NS,
     "SELECT ts, " DURATION " AS dur, name, " DURATION " AS value FROM slice "
     "WHERE name GLOB 'sys_*'"},
    {"irq", "how long an interrupt takes", UNIT_NS,
     "SELECT slice.ts, " DURATION " AS dur, slice.name, " DURATION " AS value FROM slice "
     "JOIN track ON track.id = track_id WHERE track.type IN ('cpu_irq', 'cpu_softirq')"},
    {"mem_available", "memory that programs can still have", UNIT_BYTES,
     "SELECT c.ts, 0 AS dur, t.name, c.value FROM counter AS c JOIN counter_track AS t "
     "ON t.id = c.track_id WHERE t.name = 'MemAvailable'"},
    {"cpu_pressure", "share of the time in which something waits for a CPU", UNIT_PERCENT,
     "SELECT ts, dur, 'psi.cpu.some' AS name, 100.0 * more / dur AS value FROM ("
     "SELECT c.ts, lead(c.ts) OVER (ORDER BY c.ts) - c.ts AS dur, "
     "lead(c.value) OVER (ORDER BY c.ts) - c.value AS more FROM counter AS c "
     "JOIN counter_track AS t ON t.id = c.track_id WHERE t.name = 'psi.cpu.some') WHERE dur > 0"},
};

bool record_measure_at(size_t index, const char **name, const char **about)
{
    if (index >= sizeof measures / sizeof *measures)
        return false;
    *name = measures[index].name;
    *about = measures[index].about;
    return true;
}

static const struct trigger_measure *find_measure(struct str name)
{
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (str_eq(str_from(measures[i].name), name))
            return &measures[i];
    return NULL;
}

/* A number in the measure's unit; false where it is none. */
static bool read_value(const struct trigger_measure *m, struct str s, double *out)
{
    struct time_text t;
    double factor = 1;
    if (m->unit == UNIT_NS) {
        bool good = s.n > 0 && !str_is_digit(s.p[s.n - 1]) && time_text_read(s, &t);
        *out = good ? (double)t.ns : 0;
        return good;
    }
    if (m->unit == UNIT_PERCENT && str_ends(s, STR("%")))
        s.n--;
    static const char letters[] = "KMG";
    const char *letter = m->unit == UNIT_BYTES && s.n ? strchr(letters, s.p[s.n - 1]) : NULL;
    if (letter && *letter) {
        s.n--;
        for (const char *p = letters; p <= letter; p++)
            factor *= 1024;
    }
    bool good = str_to_f64(s, out);
    *out *= factor;
    return good;
}

static char *printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *printed(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        alloc_fail();
    va_end(args);
    return text;
}

static struct status read_comparison(const char *text, struct str name, struct str rest,
                                     struct record_trigger *out)
{
    const struct trigger_measure *m = find_measure(name);
    const char *operator= rest.n> 1 && rest.p[1] == '=' ? (*rest.p == '<' ? "<=" : ">=")
    : * rest.p == '<'                                   ? "<"
                                                        : ">";
    double value;
    if (!m)
        return status_error(STATUS_USAGE, "%s: there is no measure %.*s (tptui record --list)",
                            text, (int)name.n, name.p);
    if (!read_value(m, str_trim(str_skip(rest, strlen(operator))), &value))
        return status_error(STATUS_USAGE, "%s: expected %s behind %s", text,
                            m->unit == UNIT_NS      ? "a time with a unit, as 50ms,"
                            : m->unit == UNIT_BYTES ? "bytes, as 100M,"
                                                    : "percent",
                            operator);
    out->sql =
        printed("SELECT ts, dur, name FROM (%s) WHERE value %s %.17g", m->rows, operator, value);
    return status_ok_value();
}

static char *alert_sql(const char *rule)
{
    char *quoted = alloc_bytes(2 * strlen(rule) + 1), *q = quoted;
    for (const char *p = rule; *p; p++) {
        *q++ = *p;
        if (*p == '\'')
            *q++ = '\'';
    }
    *q = '\0';
    char *sql = printed("INCLUDE PERFETTO MODULE tptui.alerts; "
                        "SELECT ts, dur, name FROM tptui_alerts WHERE rule = '%s'",
                        quoted);
    free(quoted);
    return sql;
}

struct status record_trigger_read(const char *text, const struct alerts *alerts,
                                  struct record_trigger *out)
{
    static const struct str select = {"select", 6};
    struct str s = str_trim(str_from(text));
    size_t at = strcspn(text, "<>");
    *out = (struct record_trigger){.text = text};
    if (s.n > select.n && compare_any_case_n(s.p, select.p, select.n) == 0)
        out->sql = alloc_copy(s.p, s.n);
    else if (text[at])
        return read_comparison(text, str_trim((struct str){text, at}), str_from(text + at), out);
    else if (alerts && alerts_has(alerts, text))
        out->sql = alert_sql(text);
    else
        return status_error(STATUS_USAGE, "%s: it is no comparison, no alert and no SELECT", text);
    return status_ok_value();
}

void record_trigger_release(struct record_trigger *t)
{
    free(t->sql);
}

/* The first row that ends late enough. */
struct wanted_row {
    int64_t since, open_since, trace_end, ts, dur;
    char name[LINE_BYTES];
    bool found;
};

static bool take_row(void *self, int columns, const struct sql_value *v)
{
    struct wanted_row *w = self;
    if (columns < 2 || v[0].type != SQL_INT || v[1].type != SQL_INT || v[0].i + v[1].i < w->since)
        return true;
    w->found = true;
    w->ts = v[0].i;
    w->dur = v[1].i;
    if (columns > 2 && v[2].type == SQL_TEXT)
        str_copy(v[2].s, w->name, sizeof w->name);
    return false;
}

static void ask(struct sql_session *s, const struct record_trigger *t, const struct record_check *c,
                int out)
{
    struct wanted_row w = {.since = (int64_t)c->since, .open_since = (int64_t)c->open_since};
    const struct sql_sink sink = {.row = take_row, .self = &w};
    char line[2 * LINE_BYTES];
    int n = 0;
    struct status status = sql_session_int(s, "SELECT trace_end()", &w.trace_end);
    if (status_ok(status))
        status = sql_session_run(s, "<until>", str_from(t->sql), &sink);
    if (w.found)
        n = snprintf(line, sizeof line, "%s: %s, %.3f ms", t->text, w.name, (double)w.dur / 1e6);
    else if (!status_ok(status))
        n = snprintf(line, sizeof line, "!%s: %s", t->text, status.message);
    status_release(&status);
    if (n > 0 && write(out, line, strlen(line)) >= 0 && w.found)
        _exit(0);
}

static _Noreturn void ask_all(const struct record_check *c, const struct record_trigger *triggers,
                              size_t count, const struct alerts *alerts, struct bytes data, int out)
{
    struct trace trace;
    struct status error;
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (nice(NICER) < 0)
        errno = 0; /* it has the right to be nicer */
    trace_init(&trace);
    struct status s = trace_load_memory(&trace, "the last seconds", data.p, data.n, NULL);
    if (!status_ok(s))
        _exit(1);
    struct sql_session *session = sql_session_new(&trace, &error);
    if (alerts)
        alerts_register(alerts, session);
    for (size_t i = 0; status_ok(error) && i < count; i++)
        ask(session, &triggers[i], c, out);
    _exit(0);
}

void record_check_begin(struct record_check *c, const struct record_trigger *triggers, size_t count,
                        const struct alerts *alerts, struct bytes trace)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    c->pid = fork();
    if (c->pid == 0)
        ask_all(c, triggers, count, alerts, trace, ends[1]);
    close(ends[1]);
    c->answer = ends[0];
    if (c->pid < 0)
        record_check_cancel(c);
}

bool record_check_take(struct record_check *c, char *line, size_t size)
{
    if (c->pid <= 0 || waitpid(c->pid, NULL, WNOHANG) != c->pid)
        return false;
    ssize_t n = read(c->answer, line, size - 1);
    close(c->answer);
    c->pid = 0;
    line[n > 0 ? n : 0] = '\0';
    return n > 0;
}

void record_check_cancel(struct record_check *c)
{
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        waitpid(c->pid, NULL, 0);
    }
    if (c->pid)
        close(c->answer);
    c->pid = 0;
}
