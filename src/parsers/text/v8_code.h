/* Where the code of a JavaScript engine lies while it runs: it is made, moved and thrown away, and
 * what is made anew takes the place of what lay there. */
#ifndef TPTUI_PARSERS_TEXT_V8_CODE_H
#define TPTUI_PARSERS_TEXT_V8_CODE_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"

struct v8_code {
    uint64_t start, size; /* size 0: it is there no more */
    uint32_t frame;       /* a row of stack_profile_frame */
    bool is_function;     /* of JavaScript */
};

/* That a code reaches into a page. */
struct v8_page_entry {
    uint32_t code, next_plus_one;
};

struct v8_codes {
    VEC(struct v8_code) codes;
    VEC(struct v8_page_entry) entries;
    struct map pages; /* number of a page -> index of the newest of its entries + 1 */
};

void v8_codes_release(struct v8_codes *c);
void v8_codes_add(struct v8_codes *c, struct v8_code code);
void v8_codes_move(struct v8_codes *c, uint64_t from, uint64_t to);
/* The newest code at an address, or NULL; valid until the next is added. */
struct v8_code *v8_codes_find(const struct v8_codes *c, uint64_t address);

/* The frame of a code's name: of functions "run /app/main.js:12:5" says the file, line and column.
 */
uint32_t v8_frame(struct trace *t, struct str name, bool is_function);

#endif
