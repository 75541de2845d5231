#include "parsers/text/battery_history.h"

#include <stdio.h>
#include <string.h>

#include "core/counter.h"
#include "core/trace_builder.h"

enum { VERSION_WITH_LOCK_STRINGS = 36 };

#define NS_PER_MS INT64_C(1000000)

struct short_name {
    const char *shorter, *name;
};

/* What apps and the system did: "Etp=3" is string 3 on top. */
static const struct short_name event_names[] = {
    {"Enl", "null"},      {"Epr", "proc"},         {"Efg", "fg"},         {"Etp", "top"},
    {"Esy", "sync"},      {"Ewl", "wake_lock_in"}, {"Ejb", "job"},        {"Eur", "user"},
    {"Euf", "userfg"},    {"Ecn", "conn"},         {"Eac", "active"},     {"Epi", "pkginst"},
    {"Epu", "pkgunin"},   {"Eal", "alarm"},        {"Est", "stats"},      {"Eai", "pkginactive"},
    {"Eaa", "pkgactive"}, {"Etw", "tmpwhitelist"}, {"Esw", "screenwake"}, {"Ewa", "wakeupap"},
    {"Elw", "longwake"},  {"Eec", "est_capacity"},
};

/* States: "+S" is on, "Pcn=lte" the value of that name: its place in the list. */
static const struct {
    const char *shorter, *name, *values;
} state_names[] = {
    {"r", "running", ""},
    {"w", "wake_lock", ""},
    {"s", "sensor", ""},
    {"g", "gps", ""},
    {"Wl", "wifi_full_lock", ""},
    {"Ws", "wifi_scan", ""},
    {"Wm", "wifi_multicast", ""},
    {"Wr", "wifi_radio", ""},
    {"Pr", "mobile_radio", ""},
    {"Psc", "phone_scanning", ""},
    {"a", "audio", ""},
    {"S", "screen", ""},
    {"BP", "plugged", ""},
    {"Sd", "screen_doze", ""},
    {"Pcn", "data_conn",
     "oos gprs edge umts cdma evdo_0 evdo_A 1xrtt hsdpa hsupa hspa iden evdo_b lte ehrpd hspap gsm "
     "td_scdma iwlan lte_ca nr emngcy other"},
    {"Pst", "phone_state", "in out em off"},
    {"Pss", "phone_signal_strength", ""},
    {"Sb", "brightness", ""},
    {"ps", "power_save", ""},
    {"v", "video", ""},
    {"Ww", "wifi_running", ""},
    {"W", "wifi", ""},
    {"fl", "flashlight", ""},
    {"di", "device_idle", "off light full ???"},
    {"ch", "charging", ""},
    {"Ud", "usb_data", ""},
    {"Pcl", "phone_in_call", ""},
    {"b", "bluetooth", ""},
    {"Wss", "wifi_signal_strength", ""},
    {"Wsp", "wifi_suppl", "inv dsc dis inact scan auth ascing asced 4-way group compl dorm uninit"},
    {"ca", "camera", ""},
    {"bles", "ble_scan", ""},
    {"Chtp", "cellular_high_tx_power", ""},
    {"Gss", "gps_signal_quality", "poor good none"},
    {"nrs", "nr_state", ""},
};

/* An item of a line: "+w=1". */
struct history_item {
    int64_t ts;
    char sign; /* '+', '-' or 0 */
    struct str key, value;
};

void battery_history_begin(struct battery_history *h, struct trace *t)
{
    *h = (struct battery_history){.trace = t};
    arena_init(&h->arena);
}

/* The text stands in quotes and may hold commas. */
static void read_string(struct battery_history *h, struct str rest)
{
    uint64_t number;
    struct history_string s = {.uid = 0};
    bool inserted;
    if (!str_to_u64(str_cut(&rest, ','), 10, &number) || !str_to_i64(str_cut(&rest, ','), &s.uid))
        return;
    rest = str_trim(rest);
    if (str_starts(rest, STR("\"")))
        rest = str_skip(rest, 1);
    if (str_ends(rest, STR("\"")))
        rest.n--;
    s.text = trace_intern(h->trace, rest);
    uint32_t *at = map_insert(&h->string_at, number, &inserted);
    if (inserted) {
        *at = (uint32_t)h->strings.count;
        *vec_push(&h->strings) = s;
    }
    h->strings.items[*at] = s;
}

static void keep_item(struct battery_history *h, struct str text)
{
    struct history_item *item = arena_alloc(&h->arena, sizeof *item);
    *item = (struct history_item){0};
    __builtin_mul_overflow(h->now_ms, NS_PER_MS, &item->ts);
    if (*text.p == '+' || *text.p == '-') {
        item->sign = *text.p;
        text = str_skip(text, 1);
    }
    /* Lines do not outlive their window. */
    text = string_pool_get(&h->trace->strings, trace_intern(h->trace, text));
    item->key = str_cut(&text, '=');
    item->value = text;
    *vec_push(&h->entries) = (struct timed){.ts = item->ts, .record = item};
}

static void read_changes(struct battery_history *h, struct str rest)
{
    struct str when = str_cut(&rest, ','), marker = STR(":TIME:");
    const char *at = when.n ? memmem(when.p, when.n, marker.p, marker.n) : NULL;
    int64_t ms;
    if (at) {
        if (str_to_i64(str_skip(when, (size_t)(at - when.p) + marker.n), &ms))
            h->now_ms = ms;
        return;
    }
    if (!str_to_i64(when, &ms)) /* ":START", ":SHUTDOWN" */
        return;
    h->now_ms = time_plus(h->now_ms, ms);
    while (rest.n > 0) {
        struct str item = str_trim(str_cut(&rest, ','));
        if (item.n == 0)
            break;
        keep_item(h, item);
    }
}

void battery_history_line(struct battery_history *h, struct str line)
{
    line = str_trim(line);
    if (!str_eq(str_cut(&line, ','), STR("9")))
        return;
    struct str kind = str_cut(&line, ',');
    if (str_eq(kind, STR("hsp")))
        read_string(h, line);
    else if (str_eq(kind, STR("h")))
        read_changes(h, line);
    else if (str_eq(kind, STR("0")) && str_starts(line, STR("i,vers,"))) {
        line = str_skip(line, strlen("i,vers,"));
        str_to_i64(str_cut(&line, ','), &h->version);
    }
}

static const struct history_string *string_numbered(const struct battery_history *h,
                                                    struct str number)
{
    uint64_t n;
    const uint32_t *at = str_to_u64(number, 10, &n) ? map_find(&h->string_at, n) : NULL;
    return at ? &h->strings.items[*at] : NULL;
}

/* "battery_stats.NAME" */
static string_id stats_name(struct battery_history *h, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "battery_stats.%s", name);
    return trace_intern_c(h->trace, text);
}

static void apply_event(struct battery_history *h, const struct history_item *item)
{
    struct trace *t = h->trace;
    const struct history_string *s = string_numbered(h, item->value);
    const char *name = NULL;
    for (size_t i = 0; i < sizeof event_names / sizeof event_names[0] && !name; i++)
        if (str_eq(item->key, str_from(event_names[i].shorter)))
            name = event_names[i].name;
    if (!name || !s)
        return;
    struct track_spec spec = {
        .type = "battery_stats",
        .machine = stats_scope(t)->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "bstats_item_name",
                        .type = ARG_STRING,
                        .s = trace_intern_c(t, name)}},
        .name = stats_name(h, name),
    };
    struct str text = string_pool_get(&t->strings, s->text);
    char front[96];
    int n = snprintf(front, sizeof front, "%.*s%s=%lld:\"", item->sign ? 1 : 0, &item->sign, name,
                     (long long)s->uid);
    VEC(char) slice = {0};
    vec_reserve(&slice, (size_t)n + text.n + 1);
    memcpy(slice.items, front, (size_t)n);
    memcpy(slice.items + n, text.p, text.n);
    slice.items[(size_t)n + text.n] = '"';
    string_id slice_name = trace_intern(t, (struct str){slice.items, (size_t)n + text.n + 1});
    vec_release(&slice);
    slice_complete(t, item->ts, 0, track_intern(t, &spec), NULL_STRING, slice_name);
}

static void push_state(struct battery_history *h, const struct history_item *item, const char *name,
                       double value)
{
    struct trace *t = h->trace;
    string_id id = stats_name(h, name);
    struct track_spec spec = {
        .type = "battery_stats",
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(t)->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "counter_key", .type = ARG_STRING, .s = id}},
        .name = id,
    };
    counter_push(t, item->ts, track_intern(t, &spec), value);
    /* Elsewhere 1 is off and 2 is on. */
    if (item->sign && strcmp(name, "screen") == 0)
        counter_push(t, item->ts,
                     track_global_counter(t, "screen_state", trace_intern(t, STR("ScreenState")),
                                          NULL, spec.machine),
                     value + 1);
}

/* The number of a value: as it stands, or its place in a list of words. */
static bool value_number(struct str value, const char *words, double *out)
{
    uint64_t n;
    if (str_to_u64(value, 10, &n)) {
        *out = (double)n;
        return true;
    }
    struct str rest = str_from(words);
    for (*out = 0; rest.n > 0; ++*out) {
        if (str_eq(str_cut(&rest, ' '), value))
            return true;
    }
    return false;
}

static bool apply_state(struct battery_history *h, const struct history_item *item)
{
    for (size_t i = 0; i < sizeof state_names / sizeof state_names[0]; i++) {
        if (!str_eq(item->key, str_from(state_names[i].shorter)))
            continue;
        double value = item->sign == '+';
        bool known = item->sign ? item->value.n == 0
                                : value_number(item->value, state_names[i].values, &value);
        /* Wake locks are slices. */
        if (known && !str_eq(item->key, STR("w")))
            push_state(h, item, state_names[i].name, value);
        return known;
    }
    return false;
}

static void push_battery(struct battery_history *h, const struct history_item *item,
                         const char *name, double scale)
{
    struct trace *t = h->trace;
    uint64_t value;
    char text[64];
    if (!str_to_u64(item->value, 10, &value))
        return;
    snprintf(text, sizeof text, "batt.%s", name);
    struct track_spec spec = {
        .type = "battery_counter",
        .event_type = TRACK_COUNTER,
        .machine = stats_scope(t)->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "battery_name", .type = ARG_STRING, .s = trace_intern(t, STR(""))},
                       {.key = "counter_name", .type = ARG_STRING, .s = trace_intern_c(t, name)}},
        .name = trace_intern_c(t, text),
    };
    counter_push(t, item->ts, track_intern(t, &spec), (double)value * scale);
}

/* A letter's place in a list of numbers, as Android's BatteryManager has them. */
static void push_letter(struct battery_history *h, const struct history_item *item,
                        const char *type, const char *name, const char *letters,
                        const uint8_t *numbers)
{
    struct trace *t = h->trace;
    const char *at = strchr(letters, *item->value.p);
    uint32_t track =
        track_global_counter(t, type, trace_intern_c(t, name), NULL, stats_scope(t)->machine);
    counter_push(t, item->ts, track, at && *at ? numbers[at - letters] : 0);
}

static void apply_battery(struct battery_history *h, const struct history_item *item)
{
    static const uint8_t status_numbers[] = {1, 2, 3, 4, 5}, plug_numbers[] = {0, 1, 2, 4};
    if (item->sign || item->value.n == 0)
        return;
    if (str_eq(item->key, STR("Bl")))
        push_battery(h, item, "capacity_pct", 1);
    else if (str_eq(item->key, STR("Bcc")))
        push_battery(h, item, "charge_uah", 1000);
    else if (str_eq(item->key, STR("Bv")))
        push_battery(h, item, "voltage_uv", 1000);
    else if (str_eq(item->key, STR("Bs")))
        push_letter(h, item, "battery_status", "BatteryStatus", "?cdnf", status_numbers);
    else if (str_eq(item->key, STR("Bp")))
        push_letter(h, item, "battery_plugged_status", "PlugType", "nauw", plug_numbers);
}

/* Before version 36 the end of a wake lock did not say which. */
static void apply_wake_lock(struct battery_history *h, const struct history_item *item)
{
    struct trace *t = h->trace;
    const struct history_string *s = string_numbered(h, item->value);
    struct track_spec spec = {.type = "dumpstate_wakelocks",
                              .machine = stats_scope(t)->machine,
                              .name = trace_intern(t, STR("WakeLocks"))};
    if (!s || h->version < VERSION_WITH_LOCK_STRINGS)
        return;
    int64_t cookie = s - h->strings.items;
    if (item->sign == '+')
        slice_begin(t, item->ts, track_set_begin(t, &spec, cookie), NULL_STRING, s->text);
    else
        slice_end(t, item->ts, track_set_end(t, &spec, cookie), NULL_STRING, NULL_STRING);
}

static void apply(struct battery_history *h, const struct history_item *item)
{
    if (item->key.n && *item->key.p == 'E')
        apply_event(h, item);
    else if (item->sign && item->value.n && str_eq(item->key, STR("w")))
        apply_wake_lock(h, item);
    else if (!apply_state(h, item))
        apply_battery(h, item);
}

void battery_history_finish(struct battery_history *h)
{
    time_sort(h->entries.items, h->entries.count);
    for (size_t i = 0; i < h->entries.count; i++) {
        struct history_item item = *(const struct history_item *)h->entries.items[i].record;
        if (clock_file_time(h->trace, item.ts, &item.ts))
            apply(h, &item);
    }
    vec_release(&h->entries);
    vec_release(&h->strings);
    map_release(&h->string_at);
    arena_release(&h->arena);
}
