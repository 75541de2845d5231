/* The members of a tar archive. */
#ifndef TPTUI_PARSERS_ARCHIVE_TAR_H
#define TPTUI_PARSERS_ARCHIVE_TAR_H

#include "parsers/archive/archive_member.h"

struct tar {
    struct bytes file;
    size_t next;
};

bool tar_sniff(struct bytes data);
/* The next plain file, as far as it is there; false at the end. */
bool tar_next(struct tar *t, struct archive_member *m);

#endif
