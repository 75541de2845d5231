/* Memory that is about to be written: a second thread has the system provide its pages, which takes
 * a quarter of the time of a load that makes hundreds of megabytes of tables. It changes no byte,
 * so it matters to nobody but the clock whether it comes in time, late, or not at all. */
#ifndef TPTUI_BASE_PAGE_AHEAD_H
#define TPTUI_BASE_PAGE_AHEAD_H

#include <stdbool.h>
#include <stddef.h>

/* So much is asked for at once: what grows asks again after half of it. */
enum { PAGE_AHEAD_BYTES = 1 << 16 };

struct page_ahead;

/* For what the calling thread fills from now on, until the end. The thread begins with the first
 * memory that is asked for; without a second processor there is none. */
struct page_ahead *page_ahead_begin(void);
void page_ahead_end(struct page_ahead *p);

/* Whether the calling thread may ask. */
bool page_ahead_is_on(void);
/* Asks for the `n` bytes at `p`, of which more than PAGE_AHEAD_BYTES are left out. They may be
 * freed or moved at any time. */
void page_ahead_ask(const void *p, size_t n);

#endif
