/* The members of a zip archive. */
#ifndef TPTUI_PARSERS_ARCHIVE_ZIP_H
#define TPTUI_PARSERS_ARCHIVE_ZIP_H

#include "parsers/archive/archive_member.h"

struct zip {
    struct bytes file;
    size_t next;   /* the next entry of the central directory */
    uint64_t left; /* entries */
};

bool zip_sniff(struct bytes data);
/* False where there is no directory at the end. */
bool zip_open(struct zip *z, struct bytes file);
/* The next file that can be read: neither encrypted nor compressed in a way that is not known.
 * False at the end. */
bool zip_next(struct zip *z, struct archive_member *m);

#endif
