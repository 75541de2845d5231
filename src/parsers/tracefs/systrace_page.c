#include "parsers/tracefs/systrace_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/decompress.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/trace_format.h"
#include "parsers/tracefs/ftrace_text.h"
#include "parsers/tracefs/process_dump.h"

enum { PAGE_END = 4096 }; /* last bytes, in which the tag is that ends a page */

struct page {
    struct trace *trace;
    const char *name;
    struct ftrace_text *f;
    struct load_progress *progress;
    page_json_read *read_json;
    bool found, cancelled;
};

static size_t find(struct str s, struct str what)
{
    const char *at = s.n >= what.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

static bool contains(struct str s, struct str what)
{
    return find(s, what) < s.n;
}

static void add_lines(struct page *p, struct str text, bool stays)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        if (str_trim(line).n > 0)
            ftrace_text_add(p->f, line, stays);
    }
}

/* Ftrace's text begins at the comment with the names of its columns; in front of it stands what the
 * tools print that recorded it. */
static struct str trace_in(struct str text)
{
    while (text.n > 0) {
        size_t n = str_find(text, '\n');
        struct str line = str_from_to(text, 0, n);
        if (*text.p == '#' && (contains(line, STR("TASK-PID")) || contains(line, STR("tracer:"))))
            return text;
        text = str_behind(text, n);
    }
    return text;
}

static bool is_json(struct str text)
{
    text = str_trim_lines(text);
    return text.n > 0 && (*text.p == '{' || *text.p == '[');
}

static void read_json_text(struct page *p, struct str text)
{
    struct byte_source source =
        byte_source_memory((struct bytes){(const uint8_t *)text.p, text.n}, false, p->progress);
    struct status s = p->read_json(p->trace, p->name, &source);
    p->found |= status_ok(s);
    p->cancelled |= s.code == STATUS_CANCELLED;
    status_release(&s);
    byte_source_release(&source);
}

static void read_text(struct page *p, struct str text, bool stays)
{
    struct str begins = str_trim_lines(text);
    if (is_json(text)) {
        read_json_text(p, text);
        return;
    }
    if (str_starts(begins, STR("PROCESS DUMP"))) {
        p->found = true;
        process_dump_read(p->trace, begins);
        return;
    }
    struct str trace = trace_in(text);
    p->found |= trace.n > 0;
    add_lines(p, trace, stays);
}

static int base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* White space within is skipped. Bytes of its own, or none where it is no base64. */
static struct bytes base64_decode(struct str text)
{
    uint8_t *out = alloc_bytes(text.n / 4 * 3 + 3);
    size_t n = 0;
    uint32_t bits = 0, count = 0;
    for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
        int digit = base64_digit(text.p[i]);
        if (digit < 0 && (str_is_blank(text.p[i]) || text.p[i] == '\n'))
            continue;
        if (digit < 0) {
            free(out);
            return (struct bytes){NULL, 0};
        }
        bits = bits << 6 | (uint32_t)digit;
        if ((count += 6) >= 8)
            out[n++] = (uint8_t)(bits >> (count -= 8));
    }
    return (struct bytes){out, n};
}

static void read_compressed(struct page *p, struct bytes packed)
{
    enum compression kind = compression_sniff(packed);
    struct decompressed inside =
        decompress(kind == COMPRESSION_NONE ? COMPRESSION_ZLIB : kind, packed, SIZE_MAX,
                   &p->trace->builder->unpacking, p->progress);
    read_text(p, (struct str){(const char *)inside.p, inside.n}, false);
    free(inside.p);
}

/* Base64 of something, mostly compressed. */
static void read_packed(struct page *p, struct str text)
{
    struct bytes packed = base64_decode(str_trim_lines(text));
    struct str plain = {(const char *)packed.p, packed.n};
    if (is_json(plain))
        read_json_text(p, plain);
    else if (packed.n > 0)
        read_compressed(p, packed);
    free((void *)(uintptr_t)packed.p);
}

/* Process dumps come first, whatever their place. */
static void read_script(struct page *p, struct str tag, struct str text)
{
    if (!contains(tag, STR("trace-data")) && !contains(tag, STR("viewer-data")))
        return;
    if (is_json(text))
        read_json_text(p, text);
    else if (contains(text, STR("# tracer")) || contains(text, STR("TASK-PID")) ||
             str_starts(str_trim_lines(text), STR("PROCESS DUMP")))
        read_text(p, text, true);
    else
        read_packed(p, text);
}

static void read_scripts(struct page *p, struct str page)
{
    struct str open = STR("<script"), close = STR("</script>");
    for (;;) {
        page = str_skip(page, find(page, open));
        if (page.n == 0)
            return;
        struct str tag = str_cut(&page, '>');
        size_t n = find(page, close);
        if (n == page.n)
            trace_format_ends_early(p->trace);
        read_script(p, tag, str_from_to(page, 0, n));
        page = str_skip(page, n);
    }
}

/* A line of a string of a script: it ends with \n\ and has \ before what JavaScript would read.
 * False where the string ends in it. */
static bool add_script_line(struct page *page, struct str line, char *scratch)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    const char *p = line.p, *end = line.p + line.n;
    size_t n = 0;
    for (;;) {
        const char *from = p;
        p = json_find_special(p, end);
        memcpy(scratch + n, from, (size_t)(p - from));
        n += (size_t)(p - from);
        if (p == end || *p == '"')
            break;
        p++;
        if (p < end && *p != 'n')
            scratch[n++] = *p == 't' ? '\t' : *p;
        p += p < end;
    }
    if (str_trim((struct str){scratch, n}).n > 0)
        ftrace_text_add(page->f, (struct str){scratch, n}, false);
    return p == end;
}

static void read_script_string(struct page *p, struct str page)
{
    struct str open = STR("var linuxPerfData = \"\\");
    page = str_skip(page, find(page, open));
    struct str first = {page.p, 0};
    if (page.n == 0 || !str_next_line(&page, &first) || str_trim(first).n != open.n)
        return;
    p->found = true;
    size_t room = 0;
    char *scratch = NULL;
    bool more = true;
    while (more && page.n > 0) {
        size_t n = str_find(page, '\n');
        if (n > room || !scratch) {
            free(scratch);
            room = n * 2;
            scratch = alloc_bytes(room);
        }
        more = add_script_line(p, str_from_to(page, 0, n), scratch);
        page = str_behind(page, n);
    }
    if (more)
        trace_format_ends_early(p->trace);
    free(scratch);
}

/* The tag that ends a page, in any case, behind which a comment may stand. */
static bool has_end(struct str page)
{
    page = str_trim_lines(page);
    for (size_t i = page.n < PAGE_END ? 0 : page.n - PAGE_END; i < page.n; i++)
        if (page.p[i] == '<' && page.n - i >= strlen("</html>") &&
            str_eq_any_case(str_from_to(page, i, i + strlen("</html>")), STR("</html>")))
            return true;
    return false;
}

struct status systrace_page_read(struct trace *t, const char *name, struct byte_source *source,
                                 page_json_read *read_json)
{
    while (byte_source_more(source, 0)) /* a page is read back and forth */
        continue;
    struct page p = {.trace = t,
                     .name = name,
                     .f = ftrace_text_new(t),
                     .progress = source->progress,
                     .read_json = read_json};
    struct str page = {(const char *)source->window.p, source->window.n};
    read_scripts(&p, page);
    if (!p.found)
        read_script_string(&p, page);
    if (!has_end(page))
        trace_format_ends_early(t);
    ftrace_text_apply(p.f);
    ftrace_text_free(p.f);
    if (p.cancelled)
        return progress_cancelled(name);
    if (p.found)
        return status_ok_value();
    return status_error(STATUS_FORMAT, "%s: expected a systrace page, found no trace in it", name);
}

bool systrace_page_sniff(struct bytes data)
{
    struct str s = trace_format_skip_space(trace_format_head(data));
    return str_starts(s, STR("<!DOCTYPE html")) || str_starts(s, STR("<!DOCTYPE HTML")) ||
           str_starts(s, STR("<!doctype html")) || str_starts(s, STR("<html"));
}
