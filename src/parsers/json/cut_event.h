/* An event of a Chrome JSON trace as far as it matters to who cuts a window out of one. */
#ifndef TPTUI_PARSERS_JSON_CUT_EVENT_H
#define TPTUI_PARSERS_JSON_CUT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "parsers/input/json_scan.h"
#include "parsers/json/event_members.h"
#include "parsers/json/numbers.h"
#include "parsers/json/phases.h"

/* What an async event goes by. */
struct json_cut_id {
    bool is_there, has_number;
    uint64_t hash;
    uint64_t number; /* of a flow or a profile */
};

/* A pid or tid that is a text, as it stands in the file. */
struct json_text_number {
    struct str text;
    int64_t number;
};

/* An event as far as it matters here. Texts stand in the file. */
struct json_cut_event {
    uint64_t number; /* in the file */
    struct str text; /* with its brackets */
    char phase, scope;
    enum json_felt felt;
    bool has_ts, has_thread, has_process, encloses, flows_in, flows_out;
    struct str args; /* an object; of no characters where there is none */
    int64_t ts, dur; /* ns; dur is 0 where there is none */
    uint64_t thread, process, name, category;
    uint64_t text_id; /* of an id that is a text */
    uint64_t bind_id; /* 0: none */
    struct json_cut_id id, local, global;
};

/* Texts as far as they were read. */
struct json_cut_texts {
    struct json_numbers numbers;
    struct map numbered; /* those that are in `pids` */
    VEC(struct json_text_number) pids;
};

/* The event that begins at the scan, the `number`th. False where it is malformed. */
bool json_cut_event_read(struct json_cut_texts *texts, struct json_scan *j, uint64_t number,
                         struct json_cut_event *e);
/* A member of an event; `raw` is its value as it stands in the file. */
void json_cut_member_read(struct json_cut_texts *texts, struct json_cut_event *e,
                          enum json_member member, struct json_value v, struct str raw);
void json_cut_texts_release(struct json_cut_texts *texts);

/* What the flow of an event is known by; false: it has none. */
bool json_cut_flow(const struct json_cut_event *e, uint64_t *key);
static inline bool json_cut_begins_flow(const struct json_cut_event *e)
{
    return e->felt == JSON_FELT_FLOW_BEGIN || (e->bind_id && e->flows_out && !e->flows_in);
}
static inline bool json_cut_steps_flow(const struct json_cut_event *e)
{
    return e->felt == JSON_FELT_FLOW_STEP || (e->bind_id && e->flows_out && e->flows_in);
}

#endif
