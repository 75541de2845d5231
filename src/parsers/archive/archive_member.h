/* A file inside of an archive. */
#ifndef TPTUI_PARSERS_ARCHIVE_ARCHIVE_MEMBER_H
#define TPTUI_PARSERS_ARCHIVE_ARCHIVE_MEMBER_H

#include "base/str.h"
#include "parsers/input/bytes.h"

struct archive_member {
    struct str name;
    struct bytes data; /* as stored */
    bool deflated;     /* else plain */
};

#endif
