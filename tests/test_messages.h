/* Traces that tests put together message by message, with parsers/proto/write.h. */
#ifndef TPTUI_TESTS_TEST_MESSAGES_H
#define TPTUI_TESTS_TEST_MESSAGES_H

#include "parsers/proto/write.h"

/* Puts the message into the field and empties it. */
static inline void put_inner(struct pb_bytes *outer, uint32_t field, struct pb_bytes *inner)
{
    pb_put_message(outer, field, inner);
    pb_bytes_release(inner);
}

static inline void put_bytes(struct pb_bytes *message, uint32_t field, const void *p, size_t n)
{
    pb_put_str(message, field, (struct str){p, n});
}

#endif
