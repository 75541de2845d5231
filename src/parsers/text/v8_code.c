#include "parsers/text/v8_code.h"

#include "parsers/samples/samples.h"

/* Code is rarely larger than some pages; what says that it is takes no more than these. */
enum { PAGE_BITS = 12, PAGES_MAX = 64, ENTRIES_MAX = 1 << 24, CODES_IN_PAGE = 256 };

void v8_codes_release(struct v8_codes *c)
{
    vec_release(&c->codes);
    vec_release(&c->entries);
    map_release(&c->pages);
}

static bool overlap(const struct v8_code *a, const struct v8_code *b)
{
    return a->start < b->start + b->size && b->start < a->start + a->size;
}

/* Puts the code in front of a page's chain, and takes out of it what it replaces. Codes of V8 are
 * aligned such that a page has room for half of CODES_IN_PAGE; of more, the oldest are forgotten,
 * as chains are walked for each address. */
static void add_to_page(struct v8_codes *c, uint64_t page, uint32_t code)
{
    bool inserted;
    uint32_t *head = map_insert(&c->pages, page, &inserted), *link = head;
    for (size_t kept = 1; *link && kept < CODES_IN_PAGE;) {
        struct v8_page_entry *entry = &c->entries.items[*link - 1];
        const struct v8_code *old = &c->codes.items[entry->code];
        if (old->size == 0 || overlap(old, &c->codes.items[code])) {
            *link = entry->next_plus_one;
        } else {
            link = &entry->next_plus_one;
            kept++;
        }
    }
    *link = 0;
    uint32_t next = *head;
    *head = (uint32_t)c->entries.count + 1;
    *vec_push(&c->entries) = (struct v8_page_entry){.code = code, .next_plus_one = next};
}

void v8_codes_add(struct v8_codes *c, struct v8_code code)
{
    const uint64_t most = UINT64_C(1) << 62;
    uint32_t index = (uint32_t)c->codes.count;
    if (code.size == 0 || code.size > most || code.start > most || c->codes.count >= ENTRIES_MAX)
        return;
    *vec_push(&c->codes) = code;
    uint64_t first = code.start >> PAGE_BITS, last = (code.start + code.size - 1) >> PAGE_BITS;
    for (uint64_t page = first; page <= last && page - first < PAGES_MAX; page++)
        if (c->entries.count < ENTRIES_MAX)
            add_to_page(c, page, index);
}

struct v8_code *v8_codes_find(const struct v8_codes *c, uint64_t address)
{
    const uint32_t *head = map_find(&c->pages, address >> PAGE_BITS);
    for (uint32_t at = head ? *head : 0; at;) {
        const struct v8_page_entry *entry = &c->entries.items[at - 1];
        struct v8_code *code = &c->codes.items[entry->code];
        if (address >= code->start && address - code->start < code->size)
            return code;
        at = entry->next_plus_one;
    }
    return NULL;
}

void v8_codes_move(struct v8_codes *c, uint64_t from, uint64_t to)
{
    struct v8_code *code = v8_codes_find(c, from);
    if (!code || code->start != from)
        return;
    struct v8_code moved = *code;
    code->size = 0;
    moved.start = to;
    v8_codes_add(c, moved);
}

/* Where the blank between a function and its file stands: before a path or "node:", else the last.
 * Without one the text is a file. */
static size_t find_file(struct str name)
{
    size_t last = name.n;
    for (size_t i = 0; i + 1 < name.n; i++) {
        struct str behind = str_skip(name, i + 1);
        if (name.p[i] != ' ')
            continue;
        last = i;
        if (*behind.p == '/' || str_starts(behind, STR("file:")) ||
            str_starts(behind, STR("node:")) || str_starts(behind, STR("http")))
            return i;
    }
    return last;
}

uint32_t v8_frame(struct trace *t, struct str name, bool is_function)
{
    uint64_t line = 0;
    size_t blank = find_file(name);
    struct str function = str_from_to(name, 0, blank < name.n ? blank : 0);
    struct str file = blank < name.n ? str_skip(name, blank + 1) : name;
    const char *column = file.n ? memrchr(file.p, ':', file.n) : NULL;
    file.n = column ? (size_t)(column - file.p) : 0;
    const char *colon = file.n ? memrchr(file.p, ':', file.n) : NULL;
    if (!is_function || !colon ||
        !str_to_u64(str_skip(file, (size_t)(colon - file.p) + 1), 10, &line) || line >= NULL_U32)
        return samples_named_frame(t, trace_intern(t, STR("")), trace_intern(t, name), NULL_STRING,
                                   NULL_U32);
    file.n = (size_t)(colon - file.p);
    if (function.n == 0)
        function = STR("(anonymous)");
    uint32_t mapping = stack_mapping_of_source(t, STR("JavaScript"));
    return stack_frame_intern_source(t, mapping, trace_intern(t, function), trace_intern(t, file),
                                     (uint32_t)line);
}
