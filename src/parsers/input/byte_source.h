/* A trace as a window of bytes that moves forward: for formats whose files are large and read once
 * from front to back. A mapped file is one window; a compressed one is inflated beside the reader,
 * by a second thread where that is more than a window.
 */
#ifndef TPTUI_PARSERS_INPUT_BYTE_SOURCE_H
#define TPTUI_PARSERS_INPUT_BYTE_SOURCE_H

#include <stdbool.h>

#include "base/status.h"
#include "parsers/input/bytes.h"
#include "parsers/input/decompress.h"
#include "parsers/input/progress.h"
#include "parsers/input/text_holes.h"

/* Bytes that come one after the other out of something packed. */
struct byte_stream {
    /* Puts up to `room` (above 0) of the bytes that follow to `out`; 0 at the end only. */
    size_t (*read)(struct byte_stream *s, uint8_t *out, size_t room);
    void (*release)(struct byte_stream *s);
    uint64_t taken; /* of the packed file's bytes, for progress */
    bool cut;       /* it ended early */
};

struct byte_source {
    struct bytes window;
    struct byte_stream *stream; /* NULL: the window is everything */
    size_t room;                /* of the window that the stream goes to */
    size_t most;                /* bytes that may be kept */
    bool ended;                 /* the stream */
    bool mapped;                /* pages of the window may be given back */
    bool cut;                   /* the packed data ended early */
    bool compressed;            /* `stream` inflates, in the thread that reads */
    bool kept;                  /* the window's bytes stay, and stay where they are */
    bool looks_for_holes;       /* may be set before anything was read: it is a text */
    struct text_holes holes;    /* so far */
    size_t looked;              /* at so many of the window's bytes for these */
    size_t released;            /* of the window's bytes */
    uint64_t unpacked;          /* bytes that the stream has given so far */
    struct load_progress *progress;
};

/* Of both, `data` must last until the source is released. What is unpacked is taken off the budget,
 * which may be NULL: where that ends, the data does. */
struct byte_source byte_source_memory(struct bytes data, bool mapped,
                                      struct load_progress *progress);
struct byte_source byte_source_compressed(enum compression kind, struct bytes data,
                                          struct budget *budget, struct load_progress *progress);
/* Reads a stream, which is released with the source. The window is `size` bytes at first. */
struct byte_source byte_source_stream(struct byte_stream *stream, size_t size,
                                      struct load_progress *progress);
/* Its stream, if any, is one that unpacks, up to `most` bytes, and needs nothing of the thread that
 * reads: what follows the first window is read beside that. */
void byte_source_unpacks(struct byte_source *s, size_t most);
void byte_source_release(struct byte_source *s);

/* Drops the first `used` bytes of the window and fills its room with what follows; where more than
 * half of the room is still in use, that doubles first. False at the end of the input: the window
 * has the same bytes as before. The call that meets the end may add nothing, and is true where it
 * dropped something. Pointers into the window are void. */
bool byte_source_more(struct byte_source *s, size_t used);
/* Makes the window the whole rest of the input: what reads it must go back and forth. False where
 * that is more than `most` bytes; the window then ends somewhere. */
bool byte_source_all(struct byte_source *s, size_t most);
/* From now on all of the window stays, where it is, until the source is released, and nothing may
 * be dropped: byte_source_more only adds. */
void byte_source_keep(struct byte_source *s);
/* The first `used` bytes of the window will not be read again. Reports progress. False where
 * loading was cancelled. */
bool byte_source_done(struct byte_source *s, size_t used);
/* At the end, where holes were looked for: how many bytes are in them. Of a text that goes on,
 * those at the window's end may be none. */
int64_t byte_source_hole_bytes(struct byte_source *s, bool goes_on);

#endif
