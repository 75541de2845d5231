/* XML, tag by tag: enough for what programs export. Documents need not be well formed, nesting
 * costs no stack; comments, declarations and processing instructions are skipped. */
#ifndef TPTUI_PARSERS_INPUT_XML_SCAN_H
#define TPTUI_PARSERS_INPUT_XML_SCAN_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"

enum xml_token {
    XML_END,   /* of the text */
    XML_OPEN,  /* <name attributes>; also <name/>, a close follows then */
    XML_CLOSE, /* </name> */
    XML_TEXT,
};

struct xml_scan {
    const char *p, *end;
    struct str name;       /* of a tag */
    struct str attributes; /* of an opened one, as they stand */
    struct str text;       /* as it stands: with its entities */
    bool closes;           /* what was opened is closed next */
};

static inline struct xml_scan xml_scan_from(struct str s)
{
    return (struct xml_scan){.p = s.p, .end = s.p + s.n};
}

enum xml_token xml_next(struct xml_scan *x);

/* The value of an attribute as it stands; false where there is no such. */
bool xml_attribute(struct str attributes, struct str name, struct str *value);

struct xml_text {
    VEC(char) v; /* the owner releases it */
};
/* The text with its entities replaced: the same bytes where there are none, else in `room`, until
 * the next call with it. */
struct str xml_decode(struct str text, struct xml_text *room);

#endif
