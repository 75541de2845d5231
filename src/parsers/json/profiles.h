/* Samples of callstacks in a JSON trace: events of phase P with chunks of V8's CPU profiles, and
 * the members "stackFrames" and "samples" beside the list of events, which events of phase P may
 * refer to as well. */
#ifndef TPTUI_PARSERS_JSON_PROFILES_H
#define TPTUI_PARSERS_JSON_PROFILES_H

#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/json_scan.h"
#include "parsers/samples/samples.h"
#include "parsers/samples/v8_profile.h"

struct json_frame {
    string_id name, category;
    uint64_t parent; /* hash of its id; 0: none */
    uint32_t callsite;
    bool reached; /* the call site is known, or being looked for */
};

struct json_profiles {
    struct trace *trace;
    struct samples samples;
    struct v8_profiles v8;
    struct map frame_of_id; /* hash of a frame's id -> position in frames */
    VEC(struct json_frame) frames;
    VEC(uint32_t) path; /* scratch */
};

struct json_profiles json_profiles_begin(struct trace *t);
void json_profiles_release(struct json_profiles *p);

/* The hash by which a frame of "stackFrames" is known; never 0. */
uint64_t json_frame_id(struct str text);

/* Reads what args say of a profile, as v8_chunk_read does: their member "data". */
bool json_profile_data(struct trace *t, struct v8_chunk *chunk, struct str args);

/* Reads the args of an event of phase P, whose chunk then is in p->v8.chunk. `*profile` is the
 * profile's position in p->v8.items, or NULL_U32 where the event has no samples. False where it is
 * malformed. */
bool json_profiles_chunk(struct json_profiles *p, uint64_t id, int64_t pid, struct str args,
                         uint32_t *profile);

/* The same for args that hold a whole profile: its position, or NULL_U32 also where it is
 * malformed. */
uint32_t json_profiles_whole(struct json_profiles *p, int64_t pid, struct str args);

/* The member "stackFrames". */
void json_profiles_add_frames(struct json_profiles *p, struct str object);
/* The call site of a frame, known by json_frame_id. Where there is no such frame it is one without
 * callers, called `name`; NULL_U32 where `name` is NULL_STRING, too. */
uint32_t json_profiles_callsite(struct json_profiles *p, uint64_t frame, string_id name);

#endif
