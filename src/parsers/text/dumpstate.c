/* A bug report's text, what dumpsys prints alone, or the battery's history (battery_history.h).
 * Lines become rows of android_dumpstate with the section, and the service that dumpsys asked, they
 * stand in; those of the log become events of it, too.
 *
 *     ------ DUMPSYS CRITICAL (/system/bin/dumpsys) ------
 *     DUMP OF SERVICE activity:
 *     ...
 *     ------ 0.356s was the duration of 'DUMPSYS CRITICAL' ------
 *     ------ SYSTEM LOG (logcat -v threadtime -v printable -v uid) ------ */
#include <string.h>

#include "core/trace_builder.h"
#include "core/store/rows.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/android_log.h"
#include "parsers/text/anr_traces.h"
#include "parsers/text/battery_history.h"
#include "parsers/text/text_lines.h"

enum section { SECTION_OTHER, SECTION_DUMPSYS, SECTION_LOG, SECTION_BATTERY, SECTION_THREADS };

struct dumpstate {
    struct trace *trace;
    enum section section;
    string_id section_name, service;
    struct android_log log;
    struct battery_history battery;
    struct anr_traces *threads;
    bool in_zip; /* of the whole report, which has files with the threads of the last ANR */
};

static bool contains(struct str s, struct str part)
{
    return s.n && memmem(s.p, s.n, part.p, part.n);
}

static enum section section_kind(const struct dumpstate *d, struct str name)
{
    if (str_starts(name, STR("VM TRACES JUST NOW")) ||
        (str_starts(name, STR("VM TRACES AT LAST ANR")) && !d->in_zip))
        return SECTION_THREADS;
    if (str_starts(name, STR("DUMPSYS")))
        return SECTION_DUMPSYS;
    /* The kernel's log is part of the system's. */
    if (str_starts(name, STR("SYSTEM LOG")) || str_starts(name, STR("EVENT LOG")) ||
        str_starts(name, STR("RADIO LOG")))
        return SECTION_LOG;
    return str_starts(name, STR("CHECKIN BATTERYSTATS")) ? SECTION_BATTERY : SECTION_OTHER;
}

/* What stands between the dashes: a section's begin, or the time that one took. */
static void begin_section(struct dumpstate *d, struct str name)
{
    d->service = d->section_name = NULL_STRING;
    if (contains(name, STR("was the duration of")))
        return;
    d->section = section_kind(d, name);
    /* One for each device would be too many. */
    if (str_starts(name, STR("BLOCK STAT")))
        name = STR("BLOCK STAT");
    d->section_name = trace_intern(d->trace, name);
}

/* "DUMP OF SERVICE CRITICAL activity:" */
static void begin_service(struct dumpstate *d, struct str line)
{
    size_t at = line.n;
    while (at > 0 && line.p[at - 1] != ' ')
        at--;
    struct str name = str_skip(line, at);
    if (str_ends(name, STR(":")))
        name.n--;
    d->service = trace_intern(d->trace, name);
}

/* Whether the line only separates others. */
static bool is_separator(struct dumpstate *d, struct str line)
{
    if (d->section != SECTION_DUMPSYS)
        return false;
    if (str_starts(line, STR("--------- ")) && contains(line, STR("was the duration of dumpsys"))) {
        d->service = NULL_STRING;
        return true;
    }
    return !d->service && str_starts(line, STR("----------------------------------------------"));
}

static void add_line(void *self, struct str line)
{
    struct dumpstate *d = self;
    struct str begin = STR("------ "), end = STR(" ------");
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (line.n > begin.n + end.n && str_starts(line, begin) && str_ends(line, end)) {
        begin_section(d, str_from_to(line, begin.n, line.n - end.n));
        return;
    }
    if (is_separator(d, line))
        return;
    if (d->section == SECTION_DUMPSYS && str_starts(line, STR("DUMP OF SERVICE")))
        begin_service(d, line);
    else if (d->section == SECTION_LOG)
        android_log_line(&d->log, line);
    else if (d->section == SECTION_BATTERY)
        battery_history_line(&d->battery, line);
    else if (d->section == SECTION_THREADS)
        anr_traces_line(d->threads, line);
    struct android_dumpstate_row row = {
        .section = d->section_name,
        .service = d->service,
        .line = trace_intern(d->trace, line),
    };
    android_dumpstate_append(&d->trace->tables.android_dumpstate, &row);
}

static bool is_battery_alone(struct str head)
{
    return str_starts(head, STR("9,0,i,vers,"));
}

/* What dumpsys prints of one service, or of all, outside of a report: its first lines, and the
 * service, which is empty where "DUMP OF SERVICE" names it. False where it is none. */
static bool read_dump_alone(struct str head, struct str *service)
{
    static const struct {
        struct str line, service;
    } first_lines[] = {{{"DUMP OF SERVICE ", 16}, {"", 0}},
                       {{"Currently running services:", 27}, {"", 0}},
                       {{"Dexopt state:", 13}, {"package", 7}},
                       {{"Database versions:", 18}, {"package", 7}},
                       {{"Battery History", 15}, {"batterystats", 12}},
                       {{"Applications Memory Usage", 25}, {"meminfo", 7}},
                       {{"Applications Graphics Acceleration Info:", 40}, {"gfxinfo", 7}}};
    struct str title = STR(" (dumpsys "), line = {"", 0};
    while (str_trim(line).n == 0)
        if (!str_next_line(&head, &line))
            return false;
    line = str_trim(line);
    for (size_t i = 0; i < sizeof first_lines / sizeof first_lines[0]; i++)
        if (str_starts(line, first_lines[i].line)) {
            *service = first_lines[i].service;
            return true;
        }
    const char *at = memmem(line.p, line.n, title.p, title.n); /* "POWER MANAGER (dumpsys power)" */
    if (!at || !str_ends(line, STR(")")))
        return false;
    line = str_skip(line, (size_t)(at - line.p) + title.n);
    line.n--;
    *service = str_take_word(&line);
    return service->n > 0;
}

static bool dumpstate_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), service;
    return is_battery_alone(head) || read_dump_alone(head, &service) ||
           contains(head, STR("== dumpstate: ")) ||
           (str_starts(head, STR("------ ")) && contains(head, STR(") ------")));
}

static bool has_zip(const struct trace *t)
{
    const struct table *files = &t->tables.trace_file;
    for (uint32_t i = 0; i < files->rows; i++) {
        string_id type = column_str(&files->columns[trace_file_col_trace_type], i);
        if (str_eq(string_pool_get(&t->strings, type), STR("zip")))
            return true;
    }
    return false;
}

static struct status dumpstate_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct dumpstate d = {.trace = t, .threads = anr_traces_begin(t), .in_zip = has_zip(t)};
    android_log_begin(&d.log, t, name);
    d.log.is_bug_report = true;
    battery_history_begin(&d.battery, t);
    struct str head = trace_format_head(source->window), service;
    if (is_battery_alone(head)) {
        d.section = SECTION_BATTERY;
    } else if (read_dump_alone(head, &service)) {
        d.section = SECTION_DUMPSYS;
        d.section_name = trace_intern(t, STR("DUMPSYS"));
        d.service = service.n ? trace_intern(t, service) : NULL_STRING;
    }
    bool whole = text_lines_read(t, source, add_line, &d);
    android_log_finish(&d.log);
    battery_history_finish(&d.battery);
    anr_traces_finish(d.threads);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format dumpstate_trace_format = {
    .name = "Android bug report or battery history",
    .type = "android_dumpstate",
    .about = "text of Android's bug reports, what dumpsys prints of services, or the battery's "
             "history of "
             "dumpsys batterystats -c",
    .sniff = dumpstate_sniff,
    .clock = CLOCK_REALTIME_NUMBER,
    .read_source = dumpstate_import,
};
