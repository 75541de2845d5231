/* Fields of an encoded message by their number, for messages that are read a field at a time. */
#ifndef TPTUI_SUMMARY_MESSAGE_H
#define TPTUI_SUMMARY_MESSAGE_H

#include "parsers/proto/wire.h"

struct pb_reader message_reader(struct str message);

/* The next occurrence of a field. */
bool message_next(struct pb_reader *r, uint32_t number, struct pb_field *f);
bool message_has(struct str message, uint32_t number);

/* The last occurrence of a text, bytes or a nested message; {NULL, 0} where it is absent. */
struct str message_text(struct str message, uint32_t number);

/* The last occurrence of a number, `otherwise` where there is none. */
int64_t message_int(struct str message, uint32_t number, int64_t otherwise);

/* How often a field occurs. */
size_t message_count(struct str message, uint32_t number);

#endif
