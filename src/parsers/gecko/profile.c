#include "parsers/gecko/profile.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/gecko/object_rows.h"

enum { SCHEMA_MAX = 32, NO_COLUMN = GECKO_COLUMNS, MARKER_DATA, PROCESSES_MAX = 1 << 12 };

struct gecko_reader {
    struct trace *trace;
    struct json_scan scan;
    struct gecko_profile *profile;
    VEC(struct str) processes; /* profiles of further processes, to be read */
    double start;              /* of the first profile, NAN where it does not say */
    double shift;
    size_t first_thread, first_counter; /* of the profile that is being read */
};

static const struct gecko_column_name frame_columns[] = {
    {"func", GECKO_FRAME_FUNC},
    {"location", GECKO_FRAME_LOCATION},
    {NULL, 0},
};
static const struct gecko_column_name func_columns[] = {{"name", GECKO_FUNC_NAME}, {NULL, 0}};
static const struct gecko_column_name stack_columns[] = {
    {"prefix", GECKO_STACK_PREFIX},
    {"frame", GECKO_STACK_FRAME},
    {NULL, 0},
};
static const struct gecko_column_name sample_columns[] = {
    {"stack", GECKO_SAMPLE_STACK},
    {"time", GECKO_SAMPLE_TIME},
    {"timeDeltas", GECKO_SAMPLE_TIME_DELTA},
    {NULL, 0},
};
static const struct gecko_column_name marker_columns[] = {
    {"name", GECKO_MARKER_NAME},
    {"startTime", GECKO_MARKER_START},
    {"time", GECKO_MARKER_START}, /* until 2020 */
    {"endTime", GECKO_MARKER_END},
    {"phase", GECKO_MARKER_PHASE},
    {"category", GECKO_MARKER_CATEGORY},
    {"data", MARKER_DATA},
    {NULL, 0},
};
static const struct gecko_column_name counter_columns[] = {
    {"time", GECKO_COUNTER_TIME},
    {"timeDeltas", GECKO_COUNTER_TIME_DELTA},
    {"count", GECKO_COUNTER_COUNT},
    {NULL, 0},
};

static int column_of(const struct gecko_column_name *columns, struct str name)
{
    for (; columns->name; columns++)
        if (str_eq(name, str_from(columns->name)))
            return columns->column;
    return NO_COLUMN;
}

static void put_value(struct gecko_tables *tables, int column, struct json_value v)
{
    double number;
    if (column == MARKER_DATA)
        *vec_push(&tables->marker_data) = v.type == JSON_OBJECT ? v.text : (struct str){NULL, 0};
    else if (column != NO_COLUMN)
        *vec_push(&tables->columns[column]) = json_to_f64(v, &number) ? number : NAN;
}

static bool read_column(struct json_scan *j, struct gecko_tables *tables, int column)
{
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        put_value(tables, column, v);
    }
    return closed;
}

/* The columns of a table of rows, by their place in a row. */
struct marker_schema {
    int columns[SCHEMA_MAX];
    size_t count;
};

static bool read_schema(struct json_scan *j, const struct gecko_column_name *names,
                        struct marker_schema *schema)
{
    struct str key;
    struct json_value v;
    bool closed;
    int64_t place;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        int column = column_of(names, key);
        if (!json_read_value(j, &v))
            return false;
        if (!json_to_i64(v, &place) || place < 0 || place >= SCHEMA_MAX)
            continue;
        while (schema->count <= (size_t)place)
            schema->columns[schema->count++] = NO_COLUMN;
        schema->columns[place] = column;
    }
    return closed;
}

/* A row may be shorter than the schema: what is missing is null. */
static bool read_row(struct json_scan *j, struct gecko_tables *tables,
                     const struct marker_schema *schema)
{
    const struct json_value null = {.type = JSON_NULL};
    struct json_value v;
    bool closed;
    size_t n = 0;
    for (bool first = true; json_next_element(j, first, &closed); first = false, n++) {
        int column = n < schema->count ? schema->columns[n] : NO_COLUMN;
        if (column == NO_COLUMN ? !json_skip_value(j) : !json_read_value(j, &v))
            return false;
        if (column != NO_COLUMN)
            put_value(tables, column, v);
    }
    for (; n < schema->count; n++)
        put_value(tables, schema->columns[n], null);
    return closed;
}

/* The rows of a table whose schema is known, at `j`. */
static bool read_rows(struct json_scan *j, struct gecko_tables *tables,
                      const struct marker_schema *schema)
{
    bool closed;
    if (!json_take(j, '['))
        return json_skip_value(j);
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (json_take(j, '[') ? !read_row(j, tables, schema) : !json_skip_value(j))
            return false;
    }
    return closed;
}

/* Finds the schema that stands behind the rows, at which the scan is and stays. */
static void find_schema(struct json_scan *j, const struct gecko_column_name *names,
                        struct marker_schema *schema)
{
    const char *rows = j->p;
    struct str key;
    bool closed;
    while (schema->count == 0 && json_skip_value(j) && json_next_key(j, false, &key, &closed))
        if (str_eq(key, STR("schema")) && json_take(j, '{') && !read_schema(j, names, schema))
            break;
    j->p = rows;
}

static bool read_table(struct json_scan *j, struct gecko_tables *tables,
                       const struct gecko_column_name *names)
{
    struct str key;
    bool closed;
    struct marker_schema schema = {.count = 0};
    if (!json_take(j, '{'))
        return json_skip_value(j);
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        if (schema.count == 0 && str_eq(key, STR("data")))
            find_schema(j, names, &schema);
        bool rows = schema.count > 0 && str_eq(key, STR("data"));
        tables->samples_in_rows |= rows && names == sample_columns;
        int column = rows ? NO_COLUMN : column_of(names, key);
        bool good;
        if (str_eq(key, STR("schema")) && json_take(j, '{'))
            good = read_schema(j, names, &schema);
        else if (rows)
            good = read_rows(j, tables, &schema);
        else if (column != NO_COLUMN && json_take(j, '['))
            good = read_column(j, tables, column);
        else
            good = json_skip_value(j);
        if (!good)
            return false;
    }
    return closed;
}

static bool read_strings(struct gecko_reader *r, struct gecko_tables *tables)
{
    struct json_scan *j = &r->scan;
    struct json_value v;
    bool closed;
    if (!json_take(j, '['))
        return json_skip_value(j);
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        *vec_push(&tables->strings) =
            v.type == JSON_STRING ? trace_intern(r->trace, v.text) : NULL_STRING;
    }
    return closed;
}

/* A member that threads and "shared" have in common; any other one is skipped. */
static bool read_tables_member(struct gecko_reader *r, struct str key, struct gecko_tables *tables)
{
    static const struct {
        const char *name;
        const struct gecko_column_name *columns;
    } known[] = {
        {"frameTable", frame_columns}, {"funcTable", func_columns}, {"stackTable", stack_columns},
        {"samples", sample_columns},   {"markers", marker_columns},
    };
    if (str_eq(key, STR("samples")) && json_take(&r->scan, '['))
        return gecko_object_samples(r->trace, &r->scan, tables);
    if (str_eq(key, STR("markers")) && json_take(&r->scan, '['))
        return gecko_object_markers(r->trace, &r->scan, tables);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(key, str_from(known[i].name)))
            return read_table(&r->scan, tables, known[i].columns);
    if (str_eq(key, STR("stringTable")) || str_eq(key, STR("stringArray")))
        return read_strings(r, tables);
    return json_skip_value(&r->scan);
}

static bool read_shared(struct gecko_reader *r)
{
    struct str key;
    bool closed;
    for (bool first = true; json_next_key(&r->scan, first, &key, &closed); first = false)
        if (!read_tables_member(r, key, &r->profile->shared))
            return false;
    return closed;
}

/* A member that is a text or a number. */
static bool read_name(struct gecko_reader *r, string_id *name)
{
    struct json_value v;
    bool good = json_read_value(&r->scan, &v);
    if (good && v.type == JSON_STRING)
        *name = trace_intern(r->trace, v.text);
    return good;
}

/* Pids are numbers, or texts of them; those that fit no pid are 0. */
static bool read_number(struct gecko_reader *r, int64_t *number)
{
    struct json_value v;
    if (!json_read_value(&r->scan, &v))
        return false;
    if (!json_to_i64(v, number) || *number < 0 || *number > UINT32_MAX)
        *number = 0;
    return true;
}

static bool read_thread(struct gecko_reader *r)
{
    struct gecko_thread *th = vec_push(&r->profile->threads);
    struct str key;
    bool closed, good = true;
    *th = (struct gecko_thread){.time_shift = r->shift};
    for (bool first = true; good && json_next_key(&r->scan, first, &key, &closed); first = false) {
        if (str_eq(key, STR("name")))
            good = read_name(r, &th->name);
        else if (str_eq(key, STR("pid")))
            good = read_number(r, &th->pid);
        else if (str_eq(key, STR("tid")))
            good = read_number(r, &th->tid);
        else
            good = read_tables_member(r, key, &th->tables);
    }
    return good && closed;
}

/* Of groups of samples, the first. */
static bool read_sample_groups(struct gecko_reader *r, struct gecko_tables *tables)
{
    struct json_scan *j = &r->scan;
    struct str key;
    bool closed, array = json_take(j, '[');
    if (!json_take(j, '{'))
        return array ? json_take(j, ']') : json_skip_value(j);
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false)
        if (str_eq(key, STR("samples")) ? !read_table(j, tables, counter_columns)
                                        : !json_skip_value(j))
            return false;
    bool ended = !array;
    for (bool more = closed && array; more && json_next_element(j, false, &ended);)
        more = json_skip_value(j);
    return closed && ended;
}

static bool read_counter(struct gecko_reader *r)
{
    struct gecko_counter *c = vec_push(&r->profile->counters);
    struct str key;
    bool closed, good = true;
    *c = (struct gecko_counter){.time_shift = r->shift};
    for (bool first = true; good && json_next_key(&r->scan, first, &key, &closed); first = false) {
        if (str_eq(key, STR("name")))
            good = read_name(r, &c->name);
        else if (str_eq(key, STR("category")))
            good = read_name(r, &c->category);
        else if (str_eq(key, STR("pid")))
            good = read_number(r, &c->pid);
        else if (str_eq(key, STR("samples")))
            good = read_table(&r->scan, &c->tables, counter_columns);
        else if (str_eq(key, STR("sampleGroups")) || str_eq(key, STR("sample_groups")))
            good = read_sample_groups(r, &c->tables);
        else
            good = json_skip_value(&r->scan);
    }
    return good && closed;
}

static bool read_category(struct gecko_reader *r)
{
    string_id *name = vec_push(&r->profile->categories);
    struct str key;
    bool closed, good = true;
    *name = NULL_STRING;
    for (bool first = true; good && json_next_key(&r->scan, first, &key, &closed); first = false)
        good = str_eq(key, STR("name")) ? read_name(r, name) : json_skip_value(&r->scan);
    return good && closed;
}

static bool add_process(struct gecko_reader *r)
{
    struct json_value v;
    r->scan.p--; /* the '{' again */
    if (!json_read_value(&r->scan, &v))
        return false;
    if (r->processes.count < PROCESSES_MAX)
        *vec_push(&r->processes) = v.text;
    return true;
}

/* Up to version 3 the profile of another process is a text among the threads. */
static bool read_profile_text(struct gecko_reader *r)
{
    struct json_value v;
    if (!json_read_value(&r->scan, &v))
        return false;
    if (v.type == JSON_STRING && v.text.n > 0 && v.text.p[0] == '{' &&
        r->processes.count < PROCESSES_MAX) {
        char *text = alloc_copy(v.text.p, v.text.n);
        *vec_push(&r->profile->texts) = text;
        *vec_push(&r->processes) = (struct str){text, v.text.n};
    }
    return true;
}

/* An array of objects, each read by `read` from behind its '{'. */
static bool read_objects(struct gecko_reader *r, bool (*read)(struct gecko_reader *))
{
    bool closed;
    if (!json_take(&r->scan, '['))
        return json_skip_value(&r->scan);
    for (bool first = true; json_next_element(&r->scan, first, &closed); first = false)
        if (json_take(&r->scan, '{') ? !read(r)
            : read == read_thread    ? !read_profile_text(r)
                                     : !json_skip_value(&r->scan))
            return false;
    return closed;
}

static bool read_meta(struct gecko_reader *r)
{
    struct str key;
    struct json_value v;
    double start;
    bool closed, good = true;
    for (bool first = true; good && json_next_key(&r->scan, first, &key, &closed); first = false) {
        if (str_eq(key, STR("categories")) && r->profile->categories.count == 0) {
            good = read_objects(r, read_category);
            continue;
        }
        bool begins = str_eq(key, STR("startTime"));
        good = json_read_value(&r->scan, &v);
        if (!good || !begins || !json_to_f64(v, &start))
            continue;
        if (isnan(r->start))
            r->start = start;
        r->shift = start - r->start;
    }
    return good && closed;
}

/* The members of a profile, behind its '{'. */
static bool read_profile(struct gecko_reader *r)
{
    struct json_scan *j = &r->scan;
    struct str key;
    bool closed, good = true;
    for (bool first = true; good && json_next_key(j, first, &key, &closed); first = false) {
        if (str_eq(key, STR("meta")) && json_take(j, '{'))
            good = read_meta(r);
        else if (str_eq(key, STR("shared")) && json_take(j, '{'))
            good = read_shared(r);
        else if (str_eq(key, STR("threads")))
            good = read_objects(r, read_thread);
        else if (str_eq(key, STR("counters")))
            good = read_objects(r, read_counter);
        else if (str_eq(key, STR("processes")))
            good = read_objects(r, add_process);
        else
            good = json_skip_value(j);
    }
    return good && closed;
}

/* A counter of a raw profile does not say its process, which is that of the threads beside it;
 * threads that come before "meta" do not know yet when they began. */
static void complete_process(struct gecko_reader *r)
{
    struct gecko_profile *p = r->profile;
    for (size_t i = r->first_thread; i < p->threads.count; i++)
        p->threads.items[i].time_shift = r->shift;
    for (size_t i = r->first_counter; i < p->counters.count; i++) {
        struct gecko_counter *c = &p->counters.items[i];
        c->time_shift = r->shift;
        if (c->pid == 0 && r->first_thread < p->threads.count)
            c->pid = p->threads.items[r->first_thread].pid;
    }
    r->first_thread = p->threads.count;
    r->first_counter = p->counters.count;
}

/* The samples of a profile of one thread. */
static bool read_lone_thread(struct gecko_reader *r)
{
    struct gecko_thread *th = vec_push(&r->profile->threads);
    *th = (struct gecko_thread){.name = trace_intern(r->trace, STR("GeckoMain"))};
    return gecko_object_samples(r->trace, &r->scan, &th->tables);
}

/* What Cleopatra saved: the profile, or its samples, and the names of its frames. */
static bool read_cleopatra(struct gecko_reader *r)
{
    struct json_scan *j = &r->scan;
    struct map names = {0};
    struct str key;
    bool closed, good = json_take(j, '{');
    for (bool first = true; good && json_next_key(j, first, &key, &closed); first = false) {
        bool is_profile = str_eq(key, STR("profileJSON"));
        if (is_profile && json_take(j, '['))
            good = read_lone_thread(r);
        else if (is_profile && json_take(j, '{'))
            good = read_profile(r);
        else if (str_eq(key, STR("symbolicationTable")) && json_take(j, '{'))
            good = gecko_read_symbols(r->trace, j, &names);
        else
            good = json_skip_value(j);
    }
    for (size_t i = 0; i < r->profile->threads.count; i++)
        gecko_name_frames(&names, &r->profile->threads.items[i].tables);
    map_release(&names);
    return good && closed;
}

/* [{"delta": 12.5, "value": 30.2}], ms and MB. */
static bool read_memory(struct gecko_reader *r)
{
    struct gecko_counter *counter = vec_push(&r->profile->counters);
    static const struct gecko_column_name columns[] = {
        {"delta", GECKO_COUNTER_TIME},
        {"value", GECKO_COUNTER_COUNT},
        {NULL, 0},
    };
    *counter = (struct gecko_counter){.name = trace_intern(r->trace, STR("memory in MB"))};
    return gecko_object_numbers(&r->scan, &counter->tables, columns);
}

/* What the tools saw themselves, on the thread that the profile has first. */
static bool read_recorded(struct gecko_reader *r, struct str key, struct gecko_tables *seen)
{
    struct json_scan *j = &r->scan;
    struct json_value v;
    if (str_eq(key, STR("markers")) && json_take(j, '['))
        return gecko_recorded_markers(r->trace, j, seen);
    if (str_eq(key, STR("ticks")) && json_take(j, '['))
        return gecko_recorded_ticks(r->trace, j, seen);
    if (str_eq(key, STR("memory")) && json_take(j, '['))
        return read_memory(r);
    if (str_eq(key, STR("profile")) && json_take(j, '{'))
        return read_profile(r);
    bool is_duration = str_eq(key, STR("duration"));
    if (!json_read_value(j, &v))
        return false;
    if (is_duration && !json_to_f64(v, &r->profile->duration))
        r->profile->duration = INFINITY;
    return true;
}

static void add_recorded(struct gecko_profile *p, struct trace *t, struct gecko_tables seen)
{
    const struct gecko_thread *first = p->threads.count ? &p->threads.items[0] : NULL;
    struct gecko_thread th = {.tables = seen};
    if (first) {
        th.pid = first->pid;
        th.tid = first->tid;
    } else {
        th.name = trace_intern(t, STR("GeckoMain"));
    }
    *vec_push(&p->threads) = th;
}

static void release_tables(struct gecko_tables *t)
{
    for (size_t i = 0; i < GECKO_COLUMNS; i++)
        vec_release(&t->columns[i]);
    vec_release(&t->strings);
    vec_release(&t->marker_data);
}

/* What Firefox's developer tools saved: a profile beside what they saw themselves. */
static bool read_recording(struct gecko_reader *r)
{
    struct gecko_tables seen = {0};
    struct str key;
    bool closed, good = json_take(&r->scan, '{');
    for (bool first = true; good && json_next_key(&r->scan, first, &key, &closed); first = false)
        good = read_recorded(r, key, &seen);
    if (seen.columns[GECKO_MARKER_NAME].count > 0)
        add_recorded(r->profile, r->trace, seen);
    else
        release_tables(&seen);
    return good && closed;
}

/* Trace Processor reads the numbers of rows as whole ones: of the times of samples in them the
 * whole milliseconds are left. Those of columns keep their parts, and so do those that it does not
 * read: of profiles in something else. */
static void round_times(struct gecko_profile *p)
{
    for (size_t i = 0; i < p->threads.count; i++) {
        struct gecko_tables *tables = &p->threads.items[i].tables;
        size_t count = tables->samples_in_rows ? tables->columns[GECKO_SAMPLE_TIME].count : 0;
        double *times = tables->columns[GECKO_SAMPLE_TIME].items;
        for (size_t k = 0; k < count; k++)
            if (times[k] >= 0)
                times[k] = floor(times[k]);
    }
}

/* The outermost object is the profile, or has it as a member. */
static bool read_outermost(struct gecko_reader *r)
{
    static const char *const of_profile[] = {"threads", "meta", "shared", "counters"};
    struct json_scan *j = &r->scan;
    struct str key;
    bool closed, recording = false, cleopatra = false, profile = false;
    const char *start = j->p;
    if (!json_take(j, '{'))
        return false;
    for (bool first = true; !profile && !cleopatra && json_next_key(j, first, &key, &closed);
         first = false) {
        for (size_t i = 0; i < sizeof of_profile / sizeof *of_profile; i++)
            profile |= str_eq(key, str_from(of_profile[i]));
        cleopatra = str_eq(key, STR("format")) || str_eq(key, STR("profileJSON"));
        recording |= str_eq(key, STR("profile")) || str_eq(key, STR("markers"));
        if (!json_skip_value(j))
            break;
    }
    j->p = start;
    if (cleopatra)
        return read_cleopatra(r);
    if (recording && !profile)
        return read_recording(r);
    bool good = json_take(j, '{') && read_profile(r);
    round_times(r->profile);
    return good;
}

bool gecko_profile_read(struct trace *t, struct gecko_profile *p, struct str json)
{
    struct gecko_reader r = {.trace = t, .scan = json_scan_from(json), .profile = p, .start = NAN};
    p->duration = INFINITY;
    bool good = read_outermost(&r);
    complete_process(&r);
    for (size_t i = 0; i < r.processes.count; i++) {
        r.scan.p = r.processes.items[i].p;
        r.scan.end = r.scan.p + r.processes.items[i].n;
        r.shift = 0;
        good = json_take(&r.scan, '{') && read_profile(&r) && good;
        complete_process(&r);
    }
    json_scan_release(&r.scan);
    vec_release(&r.processes);
    return good;
}

void gecko_profile_release(struct gecko_profile *p)
{
    for (size_t i = 0; i < p->threads.count; i++)
        release_tables(&p->threads.items[i].tables);
    for (size_t i = 0; i < p->counters.count; i++)
        release_tables(&p->counters.items[i].tables);
    release_tables(&p->shared);
    for (size_t i = 0; i < p->texts.count; i++)
        free(p->texts.items[i]);
    vec_release(&p->texts);
    vec_release(&p->threads);
    vec_release(&p->counters);
    vec_release(&p->categories);
}
