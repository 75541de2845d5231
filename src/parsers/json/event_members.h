/* What a JSON event says, member by member, before it is known what kind of event it is. */
#ifndef TPTUI_PARSERS_JSON_EVENT_MEMBERS_H
#define TPTUI_PARSERS_JSON_EVENT_MEMBERS_H

#include <stdbool.h>
#include <string.h>

#include "base/little_endian.h"
#include "parsers/json/import.h"

/* Members of an event, none of more than eight characters. */
#define JSON_MEMBERS(M)                                                                            \
    M(PH, 'p', 'h')                                                                                \
    M(NAME, 'n', 'a', 'm', 'e')                                                                    \
    M(CAT, 'c', 'a', 't')                                                                          \
    M(TS, 't', 's')                                                                                \
    M(DUR, 'd', 'u', 'r')                                                                          \
    M(PID, 'p', 'i', 'd')                                                                          \
    M(TID, 't', 'i', 'd')                                                                          \
    M(ARGS, 'a', 'r', 'g', 's')                                                                    \
    M(TTS, 't', 't', 's')                                                                          \
    M(TDUR, 't', 'd', 'u', 'r')                                                                    \
    M(ID, 'i', 'd')                                                                                \
    M(ID2, 'i', 'd', '2')                                                                          \
    M(SF, 's', 'f')                                                                                \
    M(S, 's')                                                                                      \
    M(BP, 'b', 'p')                                                                                \
    M(BIND_ID, 'b', 'i', 'n', 'd', '_', 'i', 'd')                                                  \
    M(FLOW_IN, 'f', 'l', 'o', 'w', '_', 'i', 'n')                                                  \
    M(FLOW_OUT, 'f', 'l', 'o', 'w', '_', 'o', 'u', 't')

enum json_member {
#define M(name, ...) JSON_MEMBER_##name,
    JSON_MEMBERS(M)
#undef M
        JSON_MEMBER_OTHER,
};

/* What an event is known by: a text or a whole number. */
struct json_id {
    enum { JSON_ID_NONE, JSON_ID_TEXT, JSON_ID_NUMBER } kind;
    string_id text;
    uint64_t number;
};

/* An event as far as it was read. */
struct json_event {
    bool any, has_ts, has_args, has_pid, has_tid, bad_number;
    const char *read_to; /* behind a number that ends the event's */
    string_id error;     /* what is wrong with a number */
    struct str args;     /* without white space */
    int64_t ts;          /* ns */
    struct json_id id, id2_local, id2_global, bind_id;
    uint64_t frame; /* json_frame_id of what "sf" names; 0: none */
    struct json_thread thread;
    struct json_record record;
    int64_t values[JSON_PARTS]; /* of record.parts: that of part 1 << n is values[n] */
};

/* A name of up to eight characters as a number. */
#define JSON_WORD(...) JSON_WORD_OF(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)
#define JSON_WORD_OF(a, b, c, d, e, f, g, h, ...)                                                  \
    (JSON_HALF_WORD(a, b, c, d) | JSON_HALF_WORD(e, f, g, h) << 32)
#define JSON_HALF_WORD(a, b, c, d)                                                                 \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)

/* Its place in a table where no two members have the same. */
#define JSON_NAME_PLACE(name) (((name)*UINT64_C(0x1959b9ef58d07675)) >> (64 - JSON_NAME_BITS))
enum { JSON_NAME_BITS = 5 };

static inline enum json_member json_member_named(uint64_t name)
{
    static const struct {
        uint64_t name;
        enum json_member member;
    } members[1 << JSON_NAME_BITS] = {
#define M(name, ...)                                                                               \
    [JSON_NAME_PLACE(JSON_WORD(__VA_ARGS__))] = {JSON_WORD(__VA_ARGS__), JSON_MEMBER_##name},
        JSON_MEMBERS(M)
#undef M
    };
    uint64_t place = JSON_NAME_PLACE(name);
    return members[place].name == name && name ? members[place].member : JSON_MEMBER_OTHER;
}

/* The member of that name. */
static inline enum json_member json_member_of(struct str key)
{
    uint64_t name = 0;
    if (key.n > sizeof name)
        return JSON_MEMBER_OTHER;
    for (size_t i = key.n; i-- > 0;)
        name = name << 8 | (uint8_t)key.p[i];
    return json_member_named(name);
}

/* Takes the key of an event's next member with the comma before it and the colon, where it is one
 * of up to seven characters and as mostly written; else nothing is taken. */
static inline bool json_member_take(struct json_scan *j, bool first, enum json_member *member)
{
    enum { LONGEST = 12 }; /* comma, space, quote, a word, colon */
    const char *p = json_behind_space(j->p, j->end);
    if (j->end - p < LONGEST || (!first && *p++ != ','))
        return false;
    p = json_behind_space(p, j->end);
    if (j->end - p < LONGEST || *p++ != '"')
        return false;
    const uint64_t word = load_le64(p);
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quotes = word ^ ones * '"';
    quotes = (quotes - ones) & ~quotes & ones << 7; /* the lowest is one */
    if (!quotes)
        return false;
    unsigned bits = (unsigned)__builtin_ctzll(quotes) - 7;
    *member = json_member_named(word & ((UINT64_C(1) << bits) - 1));
    p += bits / 8 + 1;
    if (*member == JSON_MEMBER_OTHER || *p != ':')
        return false;
    j->p = p + 1;
    return true;
}

/* A number that the event's record has room for. */
static inline void json_event_set(struct json_event *e, enum json_part part, int64_t value)
{
    e->record.parts |= part;
    e->values[__builtin_ctz(part)] = value;
}

static inline void json_event_set_real(struct json_event *e, enum json_part part, double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    json_event_set(e, part, bits);
}

static inline void json_event_set_flag(struct json_event *e, enum json_flag flag, bool on)
{
    if (on)
        e->record.flags |= (uint8_t)flag;
}

/* Takes a member's value over into the event; args are to be read with json_read_squeezed. Their
 * texts are good until the next event. */
void json_member_read(struct json_import *im, struct json_event *e, enum json_member member,
                      const struct json_value *v);

/* The number of a flow: a text is one in base 16. False where the id is none. */
bool json_flow_number(struct json_import *im, const struct json_id *id, int64_t *out);

#endif
