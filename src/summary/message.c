#include "summary/message.h"

struct pb_reader message_reader(struct str message)
{
    return pb_reader_from((const uint8_t *)message.p, message.n);
}

bool message_next(struct pb_reader *r, uint32_t number, struct pb_field *f)
{
    while (pb_next(r, f))
        if (f->number == number)
            return true;
    return false;
}

bool message_has(struct str message, uint32_t number)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    return message_next(&r, number, &f);
}

struct str message_text(struct str message, uint32_t number)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    struct str text = {NULL, 0};
    while (message_next(&r, number, &f))
        text = pb_str(&f);
    return text;
}

int64_t message_int(struct str message, uint32_t number, int64_t otherwise)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    while (message_next(&r, number, &f))
        otherwise = pb_i64(&f);
    return otherwise;
}

size_t message_count(struct str message, uint32_t number)
{
    struct pb_reader r = message_reader(message);
    struct pb_field f;
    size_t n = 0;
    while (message_next(&r, number, &f))
        n++;
    return n;
}
