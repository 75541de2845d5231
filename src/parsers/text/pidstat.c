/* What pidstat prints: after a header that names the columns, a line for each process (with -t: and
 * thread) and time.
 *
 *     Linux 6.1.0 (host)      11/22/26        _x86_64_        (2 CPU)
 *
 *     14:33:57      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
 *     14:33:58        0       565    5.71    5.71    0.00   84.76   11.43     1  app
 *
 * As pidstat(1) of sysstat says. Times are of the day that the first line names, with or without AM
 * and PM, or (-H) seconds since 1970. */
#include "core/trace_builder.h"
#include "core/counter.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/sysstat_time.h"
#include "parsers/text/text_lines.h"

enum { COLUMNS_MAX = 48 };

enum pidstat_column { COLUMN_NUMBER, COLUMN_SKIPPED, COLUMN_PID, COLUMN_TID };

struct pidstat {
    struct trace *trace;
    enum pidstat_column columns[COLUMNS_MAX];
    string_id names[COLUMNS_MAX];
    bool begun;     /* a header was there */
    uint32_t count; /* of columns before the command; 0: none that is read */
    uint32_t upid;  /* of the process whose threads follow */
    int64_t pid;    /* and its pid */
    struct sysstat_day day;
};

/* From "UID" to "Command"; false where it is no header. */
static bool take_header(struct str *line, bool *has_pid)
{
    struct str rest = *line, first = str_take_word(&rest), word;
    int64_t ns;
    bool of_day;
    *has_pid = false;
    if (str_eq(first, STR("#")))
        str_take_word(&rest);
    else if (!sysstat_take_time(line, &ns, &of_day) || !of_day)
        return false;
    else
        rest = *line;
    *line = rest;
    if (!str_eq(str_take_word(&rest), STR("UID")))
        return false;
    while ((word = str_take_word(&rest)).n > 0 && !str_eq(word, STR("Command")))
        *has_pid |= str_eq(word, STR("PID")) || str_eq(word, STR("TGID"));
    return word.n > 0;
}

static enum pidstat_column column_of(struct str name)
{
    if (str_eq(name, STR("PID")) || str_eq(name, STR("TGID")))
        return COLUMN_PID;
    if (str_eq(name, STR("TID")))
        return COLUMN_TID;
    return str_eq(name, STR("UID")) || str_eq(name, STR("CPU")) ? COLUMN_SKIPPED : COLUMN_NUMBER;
}

static void read_header(struct pidstat *p, struct str names)
{
    struct str word;
    p->count = 0;
    while ((word = str_take_word(&names)).n > 0 && !str_eq(word, STR("Command")) &&
           p->count < COLUMNS_MAX) {
        p->columns[p->count] = column_of(word);
        p->names[p->count++] = trace_intern(p->trace, word);
    }
}

/* Of a thread, or where that is NULL_U32 of the process. */
static uint32_t counter_of(struct pidstat *p, string_id name, uint32_t utid)
{
    bool of_thread = utid != NULL_U32;
    struct track_spec spec = {
        .type = of_thread ? "pidstat_thread" : "pidstat_process",
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(p->trace)->machine,
        .dimension_count = 2,
        .dimensions = {{.key = of_thread ? "utid" : "upid",
                        .type = ARG_INT,
                        .i = of_thread ? utid : p->upid},
                       {.key = "name", .type = ARG_STRING, .s = name}},
        .name = name,
    };
    return track_intern(p->trace, &spec);
}

/* The thread that a line is about, NULL_U32 where it is about a process. */
static uint32_t read_task(struct pidstat *p, int64_t pid, int64_t tid, struct str command)
{
    struct trace *t = p->trace;
    uint32_t machine = stats_scope(t)->machine;
    if (str_starts(command, STR("|__")))
        command = str_skip(command, 3);
    string_id name = trace_intern(t, command);
    if (pid >= 0) {
        p->pid = pid;
        p->upid = process_tracker_process(t, machine, pid);
        process_tracker_set_process_name(t, p->upid, name, PROCESS_NAME_SYSTEM);
    }
    if (tid < 0)
        return NULL_U32;
    uint32_t utid = p->pid >= 0 ? process_tracker_update_thread(t, machine, tid, p->pid)
                                : process_tracker_thread(t, machine, tid);
    process_tracker_set_thread_name(t, utid, name, THREAD_NAME_OTHER);
    return utid;
}

static void read_row(struct pidstat *p, int64_t ts, struct str line)
{
    struct str values[COLUMNS_MAX];
    int64_t ids[2] = {-1, -1}, id;
    for (uint32_t i = 0; i < p->count; i++) {
        values[i] = str_take_word(&line);
        enum pidstat_column c = p->columns[i];
        if ((c == COLUMN_PID || c == COLUMN_TID) && str_to_i64(values[i], &id) && id >= 0 &&
            id <= INT32_MAX)
            ids[c == COLUMN_TID] = id;
    }
    struct str command = str_trim(line);
    if (command.n == 0 || (ids[0] < 0 && ids[1] < 0)) {
        text_lines_unread(p->trace, values[0]);
        return;
    }
    if (!clock_file_time(p->trace, ts, &ts))
        return;
    uint32_t utid = read_task(p, ids[0], ids[1], command);
    if (utid == NULL_U32 && ids[0] < 0)
        return;
    double value;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->columns[i] == COLUMN_NUMBER && str_to_f64(values[i], &value))
            counter_push(p->trace, ts, counter_of(p, p->names[i], utid), value);
}

static void add_line(void *self, struct str line)
{
    struct pidstat *p = self;
    struct str text = str_trim(line), names = text;
    bool has_pid, of_day;
    int64_t ns;
    if (str_starts(text, STR("Average:")))
        return;
    if (str_starts(text, STR("Linux "))) {
        sysstat_date_of_header(text, &p->day.begin);
    } else if (take_header(&names, &has_pid)) {
        p->begun = true;
        read_header(p, has_pid ? names : STR(""));
    } else if (p->count > 0 && sysstat_take_time(&text, &ns, &of_day)) {
        read_row(p, of_day ? sysstat_time_of(&p->day, ns) : ns, text);
    } else if (p->begun) {
        text_lines_unread(p->trace, text);
    }
}

static bool pidstat_sniff(struct bytes data)
{
    enum { LINES = 16 };
    struct str head = trace_format_head(data), line;
    for (int i = 0; i < LINES && str_next_line(&head, &line); i++) {
        bool has_pid;
        line = str_trim(line);
        if (take_header(&line, &has_pid))
            return has_pid;
    }
    return false;
}

static struct status pidstat_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct pidstat p = {.trace = t, .pid = -1};
    bool whole = text_lines_read(t, source, add_line, &p);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format pidstat_trace_format = {
    .name = "pidstat",
    .type = "pidstat",
    .about = "what pidstat prints, with any columns: a line for each process and time",
    .clock = CLOCK_REALTIME_NUMBER,
    .by_lines = true,
    .sniff = pidstat_sniff,
    .read_source = pidstat_import,
};
