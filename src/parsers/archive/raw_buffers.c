#include "parsers/archive/raw_buffers.h"

#include <endian.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/tracedat/ring_buffer.h"

enum { CPUS_MAX = 4096, USUAL_PAGE = 4096, PAGE_MAX = 1 << 20 };

static struct str behind_last_slash(struct str s, struct str *folder)
{
    size_t at = s.n;
    while (at > 0 && s.p[at - 1] != '/')
        at--;
    *folder = at > 0 ? str_from_to(s, 0, at - 1) : (struct str){s.p, 0};
    return str_skip(s, at);
}

static bool is_folder(struct str path, struct str name)
{
    struct str rest;
    return str_eq(behind_last_slash(path, &rest), name);
}

static bool cpu_of(struct str path, uint64_t *cpu)
{
    struct str folder, name = behind_last_slash(path, &folder);
    return is_folder(folder, STR("traces")) && str_starts(name, STR("cpu")) &&
           str_to_u64(str_skip(name, 3), 10, cpu) && *cpu < CPUS_MAX;
}

/* formats/SYSTEM/EVENT/format */
static bool system_of(struct str path, struct str *system)
{
    struct str event, of_system, formats;
    if (!str_eq(behind_last_slash(path, &event), STR("format")))
        return false;
    behind_last_slash(event, &of_system);
    *system = behind_last_slash(of_system, &formats);
    return system->n > 0 && is_folder(formats, STR("formats"));
}

static bool is_header_page(struct str path)
{
    struct str folder;
    return str_eq(behind_last_slash(path, &folder), STR("header_page")) &&
           is_folder(folder, STR("formats"));
}

bool raw_buffers_is_cpu(struct str path)
{
    uint64_t cpu;
    return cpu_of(path, &cpu);
}

bool raw_buffers_wants(struct str path)
{
    struct str system;
    return raw_buffers_is_cpu(path) || system_of(path, &system) || is_header_page(path);
}

void raw_buffers_add(struct raw_buffers *r, struct str path, struct bytes data)
{
    uint64_t cpu;
    struct str system;
    struct byte_list *to = &r->header_page;
    if (cpu_of(path, &cpu)) {
        while (r->cpus.count <= cpu)
            *vec_push(&r->cpus) = (struct byte_list){{0}};
        to = &r->cpus.items[cpu];
    } else if (system_of(path, &system)) {
        struct raw_format *format = vec_push(&r->formats);
        *format = (struct raw_format){.system = alloc_copy(system.p, system.n)};
        to = &format->text;
    }
    byte_list_add(to, data.p, data.n);
}

static struct str text_of(const struct byte_list *l)
{
    return (struct str){l->v.items ? (const char *)l->v.items : "", l->v.count};
}

/* A page is what stands in front of its data and the data: "offset:16;	size:4080;". */
static uint32_t page_size(struct str header_page)
{
    struct str rest = header_page, line;
    while (str_next_line(&rest, &line)) {
        const char *offset = line.n ? memmem(line.p, line.n, "offset:", 7) : NULL;
        const char *size = line.n ? memmem(line.p, line.n, "size:", 5) : NULL;
        uint64_t at, n;
        if (!offset || !size || !memmem(line.p, line.n, "char data;", 10))
            continue;
        struct str at_text = str_skip(line, (size_t)(offset - line.p) + 7);
        struct str n_text = str_skip(line, (size_t)(size - line.p) + 5);
        if (str_to_u64(str_cut(&at_text, ';'), 10, &at) &&
            str_to_u64(str_cut(&n_text, ';'), 10, &n) && at < PAGE_MAX && n < PAGE_MAX)
            return (uint32_t)(at + n);
    }
    return USUAL_PAGE;
}

/* No file says in which order of bytes the machine wrote: its pages do. */
static bool is_big(const struct raw_buffers *r)
{
    struct str header_page = text_of(&r->header_page);
    bool big = false;
    for (size_t i = 0; i < r->cpus.count; i++) {
        struct bytes pages = {r->cpus.items[i].v.items, r->cpus.items[i].v.count};
        struct ring_buffer buffer =
            ring_buffer_make(pages, page_size(header_page), header_page, false);
        if (ring_buffer_tells_order(&buffer, &big))
            break;
    }
    return big;
}

/* A trace.dat that is being written, in an order of bytes. */
struct dat_writer {
    struct byte_list *out;
    bool big;
};

static void put_u32(const struct dat_writer *w, uint32_t v)
{
    byte_list_u32(w->out, w->big ? htobe32(v) : htole32(v));
}

static void put_u64(const struct dat_writer *w, uint64_t v)
{
    byte_list_u64(w->out, w->big ? htobe64(v) : htole64(v));
}

static void put_text(const struct dat_writer *w, struct str text)
{
    put_u64(w, text.n);
    byte_list_add(w->out, text.p, text.n);
}

static void write_systems(const struct raw_buffers *r, const struct dat_writer *w)
{
    put_u32(w, (uint32_t)r->formats.count);
    for (size_t i = 0; i < r->formats.count; i++) {
        const struct raw_format *format = &r->formats.items[i];
        byte_list_add(w->out, format->system, strlen(format->system) + 1);
        put_u32(w, 1);
        put_text(w, text_of(&format->text));
    }
}

/* As dat_file.h reads version 6. */
void raw_buffers_write(const struct raw_buffers *r, struct byte_list *out)
{
    static const char magic[] = "\x17\x08\x44tracing6", header_page[] = "header_page",
                      header_event[] = "header_event", flyrecord[] = "flyrecord";
    const struct dat_writer w = {out, is_big(r)};
    const uint8_t of_machine[] = {w.big, 8}; /* the order, and the bytes of a long */
    byte_list_add(out, magic, sizeof magic);
    byte_list_add(out, of_machine, sizeof of_machine);
    put_u32(&w, page_size(text_of(&r->header_page)));
    byte_list_add(out, header_page, sizeof header_page);
    put_text(&w, text_of(&r->header_page));
    byte_list_add(out, header_event, sizeof header_event);
    put_text(&w, STR(""));
    put_u32(&w, 0); /* formats of ftrace itself */
    write_systems(r, &w);
    put_u32(&w, 0);        /* kallsyms */
    put_u32(&w, 0);        /* printk */
    put_text(&w, STR("")); /* command lines */
    put_u32(&w, (uint32_t)r->cpus.count);
    byte_list_add(out, flyrecord, sizeof flyrecord);
    uint64_t at = out->v.count + r->cpus.count * 2 * sizeof at;
    for (size_t i = 0; i < r->cpus.count; i++) {
        put_u64(&w, at);
        put_u64(&w, r->cpus.items[i].v.count);
        at += r->cpus.items[i].v.count;
    }
    for (size_t i = 0; i < r->cpus.count; i++)
        byte_list_add(out, r->cpus.items[i].v.items, r->cpus.items[i].v.count);
}

void raw_buffers_release(struct raw_buffers *r)
{
    vec_release(&r->header_page.v);
    for (size_t i = 0; i < r->formats.count; i++) {
        free(r->formats.items[i].system);
        vec_release(&r->formats.items[i].text.v);
    }
    for (size_t i = 0; i < r->cpus.count; i++)
        vec_release(&r->cpus.items[i].v);
    vec_release(&r->formats);
    vec_release(&r->cpus);
}
