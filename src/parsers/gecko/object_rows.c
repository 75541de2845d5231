#include "parsers/gecko/object_rows.h"

#include <math.h>

static void put(struct gecko_tables *tables, enum gecko_column column, double value)
{
    *vec_push(&tables->columns[column]) = value;
}

static double add_string(struct gecko_tables *tables, string_id string)
{
    *vec_push(&tables->strings) = string;
    return (double)(tables->strings.count - 1);
}

/* What a frame is called: its location, or its number. */
static bool read_frame(struct trace *t, struct json_scan *j, string_id *name)
{
    struct str key;
    struct json_value v;
    bool closed;
    *name = NULL_STRING;
    if (!json_take(j, '{')) {
        if (!json_read_value(j, &v))
            return false;
        if (v.type == JSON_STRING || v.type == JSON_NUMBER)
            *name = trace_intern(t, v.text);
        return true;
    }
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool is = str_eq(key, STR("location"));
        if (!json_read_value(j, &v))
            return false;
        if (is && v.type == JSON_STRING)
            *name = trace_intern(t, v.text);
    }
    return closed;
}

/* Frames, outermost first, as rows of a stack. */
static bool read_frames(struct trace *t, struct json_scan *j, struct gecko_tables *tables,
                        double *stack)
{
    string_id name;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!read_frame(t, j, &name))
            return false;
        if (!name)
            continue;
        put(tables, GECKO_FRAME_LOCATION, add_string(tables, name));
        put(tables, GECKO_STACK_FRAME, (double)(tables->columns[GECKO_FRAME_LOCATION].count - 1));
        put(tables, GECKO_STACK_PREFIX, *stack);
        *stack = (double)(tables->columns[GECKO_STACK_FRAME].count - 1);
    }
    return closed;
}

/* The time of a sample, which Cleopatra puts in an object of its own. */
static bool read_time(struct json_scan *j, double *time)
{
    struct str key;
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool is = str_eq(key, STR("time"));
        if (!json_read_value(j, &v))
            return false;
        if (is && !json_to_f64(v, time))
            *time = NAN;
    }
    return closed;
}

static bool read_sample(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    struct str key;
    struct json_value v;
    double stack = NAN, time = NAN;
    bool closed, good = true;
    for (bool first = true; good && json_next_key(j, first, &key, &closed); first = false) {
        bool is_time = str_eq(key, STR("time"));
        if (str_eq(key, STR("frames")) && json_take(j, '[')) {
            good = read_frames(t, j, tables, &stack);
        } else if (str_eq(key, STR("extraInfo")) && json_take(j, '{')) {
            good = read_time(j, &time);
        } else {
            good = json_read_value(j, &v);
            if (good && is_time && !json_to_f64(v, &time))
                time = NAN;
        }
    }
    put(tables, GECKO_SAMPLE_STACK, stack);
    put(tables, GECKO_SAMPLE_TIME, time);
    return good && closed;
}

static bool read_marker(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    struct str key, data = {NULL, 0};
    struct json_value v;
    double name = NAN, time = NAN;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool is_name = str_eq(key, STR("name")), is_time = str_eq(key, STR("time"));
        bool is_data = str_eq(key, STR("data"));
        if (!json_read_value(j, &v))
            return false;
        if (is_name && v.type == JSON_STRING)
            name = add_string(tables, trace_intern(t, v.text));
        if (is_time && !json_to_f64(v, &time))
            time = NAN;
        if (is_data && v.type == JSON_OBJECT)
            data = v.text;
    }
    put(tables, GECKO_MARKER_NAME, name);
    put(tables, GECKO_MARKER_START, time);
    *vec_push(&tables->marker_data) = data;
    return closed;
}

static void put_marker(struct gecko_tables *tables, double name, double start, double end,
                       struct str data)
{
    put(tables, GECKO_MARKER_NAME, name);
    put(tables, GECKO_MARKER_START, start);
    put(tables, GECKO_MARKER_END, end);
    put(tables, GECKO_MARKER_PHASE, end > start ? GECKO_INTERVAL : GECKO_INSTANT);
    *vec_push(&tables->marker_data) = data;
}

static bool read_recorded_marker(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    struct str key, data = {j->p - 1, 0};
    struct json_value v;
    double name = NAN, start = NAN, end = NAN, number;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool is_name = str_eq(key, STR("name")), is_start = str_eq(key, STR("start"));
        bool is_end = str_eq(key, STR("end"));
        if (!json_read_value(j, &v))
            return false;
        if (is_name && v.type == JSON_STRING)
            name = add_string(tables, trace_intern(t, v.text));
        if (is_start && json_to_f64(v, &number))
            start = number;
        if (is_end && json_to_f64(v, &number))
            end = number;
    }
    data.n = (size_t)(j->p - data.p);
    put_marker(tables, name, start, end, data);
    return closed;
}

static bool read_rows(struct trace *t, struct json_scan *j, struct gecko_tables *tables,
                      bool (*read)(struct trace *, struct json_scan *, struct gecko_tables *))
{
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false)
        if (json_take(j, '{') ? !read(t, j, tables) : !json_skip_value(j))
            return false;
    return closed;
}

bool gecko_object_samples(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    return read_rows(t, j, tables, read_sample);
}

bool gecko_object_markers(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    return read_rows(t, j, tables, read_marker);
}

bool gecko_recorded_markers(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    return read_rows(t, j, tables, read_recorded_marker);
}

bool gecko_recorded_ticks(struct trace *t, struct json_scan *j, struct gecko_tables *tables)
{
    double name = add_string(tables, trace_intern(t, STR("tick"))), ms;
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false) {
        if (!json_read_value(j, &v))
            return false;
        if (json_to_f64(v, &ms))
            put_marker(tables, name, ms, NAN, (struct str){NULL, 0});
    }
    return closed;
}

static bool read_numbers(struct json_scan *j, struct gecko_tables *tables,
                         const struct gecko_column_name *columns)
{
    struct str key;
    struct json_value v;
    bool closed;
    double number;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        const struct gecko_column_name *c = columns;
        while (c->name && !str_eq(key, str_from(c->name)))
            c++;
        if (!json_read_value(j, &v))
            return false;
        if (c->name)
            put(tables, c->column, json_to_f64(v, &number) ? number : NAN);
    }
    return closed;
}

bool gecko_object_numbers(struct json_scan *j, struct gecko_tables *tables,
                          const struct gecko_column_name *columns)
{
    bool closed;
    for (bool first = true; json_next_element(j, first, &closed); first = false)
        if (json_take(j, '{') ? !read_numbers(j, tables, columns) : !json_skip_value(j))
            return false;
    return closed;
}

bool gecko_read_symbols(struct trace *t, struct json_scan *j, struct map *names)
{
    struct str key;
    struct json_value v;
    bool closed;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        string_id number = trace_intern(t, key);
        if (!json_read_value(j, &v))
            return false;
        if (v.type == JSON_STRING && v.text.n > 0)
            map_set(names, number, trace_intern(t, v.text));
    }
    return closed;
}

void gecko_name_frames(const struct map *names, struct gecko_tables *tables)
{
    for (size_t i = 0; i < tables->strings.count; i++) {
        const uint32_t *name = map_find(names, tables->strings.items[i]);
        if (name)
            tables->strings.items[i] = *name;
    }
}
