/* What the writers of messages as text and JSON share: appending to a text. */
#ifndef TPTUI_PARSERS_PROTO_TEXT_PUT_H
#define TPTUI_PARSERS_PROTO_TEXT_PUT_H

#include "parsers/proto/proto_text.h"

void text_put(struct text *out, const char *p, size_t n);
void text_put_str(struct text *out, struct str s);
/* At most 511 bytes. */
__attribute__((format(printf, 2, 3))) void text_put_format(struct text *out, const char *format,
                                                           ...);
/* Two spaces a level. */
void text_put_indent(struct text *out, size_t depth);
/* An integer of any type. */
void text_put_int(struct text *out, const struct field_descriptor *field, const struct pb_field *f);

#endif
