/* The files in an archive, one after the other, unpacked while they are read: zip, and tar as it is
 * or compressed as a whole. What they are packed with is libarchive's business.
 *
 *     struct archive_members m;
 *     for (members_open(&m, file, budget, progress); members_next(&m);) {
 *         struct byte_source s = members_source(&m, SIZE);
 *         ...
 *         byte_source_release(&s);
 *     }
 *     members_close(&m);
 *
 * What they become is taken off a budget, as are a thousand bytes for each header: behind that is
 * nothing.
 */
#ifndef TPTUI_PARSERS_ARCHIVE_MEMBERS_H
#define TPTUI_PARSERS_ARCHIVE_MEMBERS_H

#include <locale.h>

#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/byte_source.h"

struct archive; /* libarchive's */
struct archive_entry;

/* One file out of libarchive, which gives it in blocks. */
struct packed_stream {
    struct byte_stream stream;
    struct archive *archive;
    const uint8_t *block; /* what is left of the last one */
    size_t left;
    int64_t block_at, at;      /* where the block goes, and how far the file was given out */
    struct byte_stream *below; /* what the archive reads, if that is unpacked, too */
    size_t in_memory;          /* or the size of the file that it reads, if that has many members */
    struct budget *budget;
    bool is_paid; /* with what comes from below */
};

/* What libarchive reads if it is not all in memory. */
struct packed_input {
    struct byte_source source;
    bool begun;
};

struct archive_members {
    struct bytes file;
    struct load_progress *progress;
    struct packed_input whole; /* the archive, which may be compressed itself */
    struct archive *archive;
    struct archive_entry *entry;
    struct packed_stream data;
    struct budget *budget;
    size_t at_open; /* what the budget had then */
    size_t headers; /* so far */
    size_t told;    /* members of a zip by its end; 0: not known */
    locale_t names; /* names are converted to this locale's characters; 0: as they are */
    VEC(char) name_text;
    /* Of the member; valid until the next. The name ends in a NUL and has no control
     * characters. */
    struct str name;
    int64_t size;            /* -1: not known before it was read */
    bool damaged, cancelled; /* why there is no next one */
    bool has_gap;            /* somewhere before: what is no member */
    bool unskippable;        /* a zip that has lost bytes, or is several: sizes may be wrong */
    bool is_packed;          /* by itself: known once members_source was called */
};

/* Opens what lies in memory; the bytes must last until it is closed. */
void members_open(struct archive_members *m, struct bytes file, struct budget *budget,
                  struct load_progress *progress);
void members_close(struct archive_members *m);

/* The next plain file that is not encrypted. False at the end, where the archive is damaged or
 * becomes too large (what came before is good), or where loading was cancelled. */
bool members_next(struct archive_members *m);
/* Whether the archive is compressed as a whole. */
bool members_are_packed(const struct archive_members *m);
/* What it takes of the budget to come here again without a look at any member. */
size_t members_walk_cost(const struct archive_members *m);
/* Why there is no next member; the text lasts until the next call or members_close. */
const char *members_error(const struct archive_members *m);

/* The bytes of the member, also of one compressed by itself, with a window of `size` at first. Once
 * a member; to be released before the next. What is stored as it is needs no memory; behind the
 * first window what is packed is unpacked by a second thread, whose `m` is until the release. */
struct byte_source members_source(struct archive_members *m, size_t size);

#endif
