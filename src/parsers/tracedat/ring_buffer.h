/* The pages of ftrace's ring buffer, as a cpu's trace_pipe_raw gives them: a time, a length, and
 * events behind each other, each some ns after the one before. */
#ifndef TPTUI_PARSERS_TRACEDAT_RING_BUFFER_H
#define TPTUI_PARSERS_TRACEDAT_RING_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "parsers/input/bytes.h"

struct ring_buffer {
    struct bytes pages;
    size_t page_size, data_at; /* within a page */
    bool big;
    const uint8_t *next, *end; /* of the current page's events */
    uint64_t ts; /* of the event that was read last, in the recording's clock: mostly ns */
    bool lost;   /* events are missing before those of the page; to be reset by who read it */
};

/* `header_page` is tracefs's description of pages; empty: as most kernels have them. */
struct ring_buffer ring_buffer_make(struct bytes pages, size_t page_size, struct str header_page,
                                    bool big);

/* In which order of bytes the first page was written, whatever `big` says: of that, what the page
 * says it holds is no more than a page. False where both or neither are. */
bool ring_buffer_tells_order(const struct ring_buffer *r, bool *big);

/* The next event: `data` begins with what all events have (its kind, flags, pid). False at the
 * end. */
bool ring_buffer_next(struct ring_buffer *r, struct bytes *data);

#endif
