#include "symbols/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file_identity.h"

/* Tables and notes that are larger are left out: no linker writes them. */
enum { TABLE_MAX = 16 << 20, NOTES_MAX = 1 << 20 };

/* Where a field is in files of 32 and of 64 bits. */
struct place {
    uint8_t at[2], size[2];
};

static const struct place phoff = {{28, 32}, {4, 8}}, shoff = {{32, 40}, {4, 8}},
                          phentsize = {{42, 54}, {2, 2}}, phnum = {{44, 56}, {2, 2}},
                          shentsize = {{46, 58}, {2, 2}}, shnum = {{48, 60}, {2, 2}},
                          shstrndx = {{50, 62}, {2, 2}};
static const struct place segment_type = {{0, 0}, {4, 4}}, segment_flags = {{24, 4}, {4, 4}},
                          segment_offset = {{4, 8}, {4, 8}}, segment_address = {{8, 16}, {4, 8}},
                          segment_size = {{16, 32}, {4, 8}};
static const struct place section_name = {{0, 0}, {4, 4}}, section_type = {{4, 4}, {4, 4}},
                          section_flags = {{8, 8}, {4, 8}}, section_offset = {{16, 24}, {4, 8}},
                          section_size = {{20, 32}, {4, 8}};
enum { SEGMENT_BYTES_32 = 32, SEGMENT_BYTES_64 = 56, SECTION_BYTES_32 = 40, SECTION_BYTES_64 = 64 };

/* The file while it is read. */
struct elf_reader {
    int fd;
    bool wide; /* 64 bits */
    struct elf_file *out;
};

/* Bytes of the file; `data` is for free(), NULL where they are not all there. */
struct elf_piece {
    uint8_t *data;
    size_t size;
};

static struct elf_piece read_piece(const struct elf_reader *r, uint64_t offset, uint64_t size,
                                   size_t limit)
{
    if (size == 0 || size > limit || offset > INT64_MAX - size)
        return (struct elf_piece){0};
    struct elf_piece p = {alloc_bytes((size_t)size), (size_t)size};
    size_t got = 0;
    for (ssize_t n; got < p.size; got += (size_t)n) {
        n = pread(r->fd, p.data + got, p.size - got, (off_t)(offset + got));
        if (n <= 0)
            break;
    }
    if (got == p.size)
        return p;
    free(p.data);
    return (struct elf_piece){0};
}

static uint64_t get(const struct elf_reader *r, const uint8_t *at, struct place p)
{
    uint64_t v = 0;
    for (size_t i = p.size[r->wide]; i-- > 0;)
        v = v << 8 | at[p.at[r->wide] + i];
    return v;
}

/* Takes the build id out of notes: header, name, description, each aligned to 4 bytes. */
static void read_notes(struct elf_file *e, struct elf_piece notes)
{
    size_t at = 0;
    while (notes.size - at >= sizeof(Elf64_Nhdr) && e->build_id_size == 0) {
        Elf64_Nhdr note;
        memcpy(&note, notes.data + at, sizeof note);
        size_t name = at + sizeof note, left = notes.size - name;
        size_t name_size = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        if (name_size > left || note.n_descsz > left - name_size)
            return;
        size_t id = name + name_size;
        bool fits = note.n_descsz > 0 && note.n_descsz <= ELF_BUILD_ID_BYTES;
        if (fits && note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes.data + name, "GNU", 4) == 0) {
            memcpy(e->build_id, notes.data + id, note.n_descsz);
            e->build_id_size = note.n_descsz;
        }
        size_t size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        at = size > notes.size - id ? notes.size : id + size;
    }
}

static void read_notes_at(const struct elf_reader *r, uint64_t offset, uint64_t size)
{
    struct elf_piece notes = read_piece(r, offset, size, NOTES_MAX);
    if (notes.data)
        read_notes(r->out, notes);
    free(notes.data);
}

static void read_segments(const struct elf_reader *r, const uint8_t *header)
{
    size_t size = r->wide ? SEGMENT_BYTES_64 : SEGMENT_BYTES_32;
    uint64_t count = get(r, header, phnum);
    if (get(r, header, phentsize) != size)
        return;
    struct elf_piece table = read_piece(r, get(r, header, phoff), count * size, TABLE_MAX);
    for (size_t at = 0; at < table.size; at += size) {
        const uint8_t *s = table.data + at;
        uint64_t type = get(r, s, segment_type);
        struct elf_segment segment = {get(r, s, segment_offset), get(r, s, segment_size),
                                      get(r, s, segment_address)};
        if (type == PT_LOAD && (get(r, s, segment_flags) & PF_X))
            *vec_push(&r->out->code) = segment;
        else if (type == PT_NOTE && r->out->build_id_size == 0)
            read_notes_at(r, segment.offset, segment.size);
    }
    free(table.data);
}

static bool is_named(struct elf_piece names, uint64_t at, const char *name)
{
    size_t n = strlen(name) + 1;
    return at < names.size && names.size - at >= n && memcmp(names.data + at, name, n) == 0;
}

static void read_section(const struct elf_reader *r, const uint8_t *s, struct elf_piece names)
{
    uint64_t type = get(r, s, section_type), name = get(r, s, section_name);
    if (type == SHT_SYMTAB)
        r->out->has_symbols = true;
    if (type == SHT_NOBITS && (get(r, s, section_flags) & SHF_EXECINSTR))
        r->out->is_debug_only = true;
    if (type == SHT_NOTE && r->out->build_id_size == 0)
        read_notes_at(r, get(r, s, section_offset), get(r, s, section_size));
    if (is_named(names, name, ".debug_info") || is_named(names, name, ".zdebug_info"))
        r->out->has_debug_info = true;
}

static void read_sections(const struct elf_reader *r, const uint8_t *header)
{
    size_t size = r->wide ? SECTION_BYTES_64 : SECTION_BYTES_32;
    uint64_t count = get(r, header, shnum), strings = get(r, header, shstrndx);
    if (get(r, header, shentsize) != size)
        return;
    struct elf_piece table = read_piece(r, get(r, header, shoff), count * size, TABLE_MAX),
                     names = {0};
    if (table.data && strings < count) {
        const uint8_t *s = table.data + strings * size;
        names = read_piece(r, get(r, s, section_offset), get(r, s, section_size), TABLE_MAX);
    }
    for (size_t at = 0; at < table.size; at += size)
        read_section(r, table.data + at, names);
    free(names.data);
    free(table.data);
}

struct status elf_file_read(const char *path, struct elf_file *out)
{
    uint8_t header[sizeof(Elf64_Ehdr)];
    struct elf_reader r = {.fd = file_identity_open(path), .out = out};
    *out = (struct elf_file){0};
    if (r.fd < 0)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    ssize_t n = pread(r.fd, header, sizeof header, 0);
    bool good = n == (ssize_t)sizeof header && memcmp(header, ELFMAG, SELFMAG) == 0 &&
                header[EI_DATA] == ELFDATA2LSB &&
                (header[EI_CLASS] == ELFCLASS32 || header[EI_CLASS] == ELFCLASS64);
    if (good) {
        r.wide = header[EI_CLASS] == ELFCLASS64;
        read_sections(&r, header); /* files of debug information alone have notes only there */
        read_segments(&r, header);
    }
    close(r.fd);
    return good ? status_ok_value()
                : status_error(STATUS_FORMAT, "%s: not a little-endian ELF file", path);
}

void elf_file_release(struct elf_file *e)
{
    vec_release(&e->code);
}

uint64_t elf_file_address(const struct elf_file *e, uint64_t rel_pc, uint64_t load_bias)
{
    uint64_t offset = rel_pc - load_bias;
    for (size_t i = 0; i < e->code.count && !e->is_debug_only; i++) {
        struct elf_segment s = e->code.items[i];
        if (offset >= s.offset && offset - s.offset < s.size)
            return offset - s.offset + s.address;
    }
    return rel_pc;
}
