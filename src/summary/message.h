/* Fields of an encoded message by their number, for messages that are read a field at a time. */
#ifndef TPTUI_SUMMARY_MESSAGE_H
#define TPTUI_SUMMARY_MESSAGE_H

#include "parsers/proto/wire.h"

static inline struct pb_reader message_reader(struct str message)
{
    return pb_reader_from((const uint8_t *)message.p, message.n);
}

/* The next occurrence of a field. */
static inline bool message_next(struct pb_reader *r, uint32_t number, struct pb_field *f)
{
    while (pb_next(r, f))
        if (f->number == number)
            return true;
    return false;
}

static inline bool message_has(struct str message, uint32_t number)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    return message_next(&r, number, &f);
}

/* The last occurrence of a text, bytes or a nested message; {NULL, 0} where it is absent. */
static inline struct str message_text(struct str message, uint32_t number)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    struct str text = {NULL, 0};
    while (message_next(&r, number, &f))
        text = pb_str(&f);
    return text;
}

/* The last occurrence of a number, `otherwise` where there is none. */
static inline int64_t message_int(struct str message, uint32_t number, int64_t otherwise)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    while (message_next(&r, number, &f))
        otherwise = pb_i64(&f);
    return otherwise;
}

/* How often a field occurs. */
static inline size_t message_count(struct str message, uint32_t number)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    size_t n = 0;
    while (message_next(&r, number, &f))
        n++;
    return n;
}

#endif
