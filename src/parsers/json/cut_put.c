#include "parsers/json/cut_put.h"

#include <inttypes.h>
#include <stdio.h>

#include "parsers/input/json_number.h"
#include "parsers/input/json_scan.h"

static const uint64_t EXACT_BELOW = UINT64_C(1) << 52; /* ns that a double holds as us */

static void put_number(struct cut_output *out, const char *key, int64_t ns)
{
    char text[64];
    uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    bool exact = magnitude < EXACT_BELOW; /* as us with a fraction */
    int n = exact ? snprintf(text, sizeof text, "\"%s\":%s%" PRIu64 ".%03u,", key,
                             ns < 0 ? "-" : "", magnitude / 1000, (unsigned)(magnitude % 1000))
                  : snprintf(text, sizeof text, "\"%s\":%" PRId64 JSON_NS_AS_US ",", key, ns);
    cut_put(out, (struct str){text, (size_t)n});
}

static void put_id(struct cut_output *out, int64_t id)
{
    char text[32];
    int n = snprintf(text, sizeof text, "\"id\":%" PRId64 ",", id);
    cut_put(out, (struct str){text, (size_t)n});
}

/* Whether a member of an event is not written as it stands. */
static bool is_changed(const struct json_cut_event *e, enum json_member member,
                       const struct json_cut_change *to)
{
    switch (member) {
    case JSON_MEMBER_TS:
        return to->is_told;
    case JSON_MEMBER_DUR:
        return to->is_told && to->lasts;
    case JSON_MEMBER_ARGS:
        return to->is_told && to->counters;
    case JSON_MEMBER_ID:
        return to->flow_id != 0;
    case JSON_MEMBER_PH:
        return to->flow == JSON_FLOW_BEGINS && e->felt == JSON_FELT_FLOW_STEP;
    case JSON_MEMBER_FLOW_IN:
        return to->flow == JSON_FLOW_BEGINS;
    case JSON_MEMBER_FLOW_OUT:
    case JSON_MEMBER_BIND_ID:
        return to->flow == JSON_FLOW_GOES;
    default:
        return false;
    }
}

/* What of an object's members is written. */
struct members {
    const struct json_cut_event *event;
    const struct json_cut_change *to;
    bool (*stays)(const struct members *m, struct str key);
};

static bool member_stays(const struct members *m, struct str key)
{
    return !is_changed(m->event, json_member_of(key), m->to);
}

static bool value_is_last(const struct members *m, struct str key)
{
    return json_cut_counters_last(m->to->counters, m->event, key);
}

/* Those members of `object` that stay, as they stand. False where none does. */
static bool put_members(struct cut_output *out, struct str object, const struct members *m)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    bool closed, any = false;
    json_take(&j, '{');
    for (;;) {
        json_take(&j, ',');
        json_skip_space(&j);
        const char *start = j.p;
        if (!json_next_key(&j, true, &key, &closed))
            break;
        bool stays = m->stays(m, key);
        if (!json_skip_value(&j))
            break;
        if (!stays)
            continue;
        cut_put(out, any ? STR(",") : STR(""));
        cut_put(out, (struct str){start, (size_t)(j.p - start)});
        any = true;
    }
    json_scan_release(&j);
    return any;
}

void json_cut_put(struct cut_output *out, const struct json_cut_event *e,
                  const struct json_cut_change *to)
{
    cut_put(out, STR("{"));
    if (to->is_told)
        put_number(out, "ts", to->ts);
    if (to->is_told && to->lasts)
        put_number(out, "dur", to->dur);
    if (to->flow_id)
        put_id(out, to->flow_id);
    if (is_changed(e, JSON_MEMBER_ARGS, to)) {
        cut_put(out, STR("\"args\":{"));
        put_members(out, e->args, &(struct members){e, to, value_is_last});
        cut_put(out, STR("},"));
    }
    if (is_changed(e, JSON_MEMBER_PH, to))
        cut_put(out, STR("\"ph\":\"" JSON_PHASE_FLOW_BEGINS "\","));
    bool any = put_members(out, e->text, &(struct members){e, to, member_stays});
    cut_put(out, any ? STR("}") : STR("\"args\":{}}"));
}
