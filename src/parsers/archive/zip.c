#include "parsers/archive/zip.h"

/* Names of the format's own specification (APPNOTE.TXT). */
enum {
    END_OF_DIRECTORY = 0x06054b50,
    END_BYTES = 22,
    END_ENTRIES = 10,
    END_DIRECTORY_OFFSET = 16,
    COMMENT_MAX = 0xffff,
    DIRECTORY_ENTRY = 0x02014b50,
    ENTRY_BYTES = 46,
    ENTRY_FLAGS = 8,
    ENTRY_METHOD = 10,
    ENTRY_COMPRESSED_SIZE = 20,
    ENTRY_NAME_LENGTH = 28,
    ENTRY_EXTRA_LENGTH = 30,
    ENTRY_COMMENT_LENGTH = 32,
    ENTRY_LOCAL_OFFSET = 42,
    LOCAL_HEADER = 0x04034b50,
    LOCAL_BYTES = 30,
    LOCAL_NAME_LENGTH = 26,
    LOCAL_EXTRA_LENGTH = 28,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
};

static uint32_t read_u16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t read_u32(const uint8_t *p)
{
    return read_u16(p) | read_u16(p + 2) << 16;
}

/* `size` bytes at `at`, or NULL. */
static const uint8_t *bytes_at(struct bytes file, size_t at, size_t size)
{
    return at <= file.n && size <= file.n - at ? file.p + at : NULL;
}

bool zip_sniff(struct bytes data)
{
    return data.n >= 4 && read_u32(data.p) == LOCAL_HEADER;
}

bool zip_open(struct zip *z, struct bytes file)
{
    if (file.n < END_BYTES)
        return false;
    size_t last = file.n - END_BYTES, first = last > COMMENT_MAX ? last - COMMENT_MAX : 0;
    for (size_t at = last + 1; at-- > first;) {
        if (read_u32(file.p + at) != END_OF_DIRECTORY)
            continue;
        *z = (struct zip){.file = file,
                          .next = read_u32(file.p + at + END_DIRECTORY_OFFSET),
                          .left = read_u16(file.p + at + END_ENTRIES)};
        return true;
    }
    return false;
}

static bool locate(const struct zip *z, const uint8_t *entry, struct archive_member *m)
{
    size_t at = read_u32(entry + ENTRY_LOCAL_OFFSET);
    const uint8_t *local = bytes_at(z->file, at, LOCAL_BYTES);
    if (!local || read_u32(local) != LOCAL_HEADER)
        return false;
    at += LOCAL_BYTES + read_u16(local + LOCAL_NAME_LENGTH) + read_u16(local + LOCAL_EXTRA_LENGTH);
    m->data.n = read_u32(entry + ENTRY_COMPRESSED_SIZE);
    m->data.p = bytes_at(z->file, at, m->data.n);
    return m->data.p != NULL;
}

bool zip_next(struct zip *z, struct archive_member *m)
{
    while (z->left > 0) {
        z->left--;
        const uint8_t *entry = bytes_at(z->file, z->next, ENTRY_BYTES);
        if (!entry || read_u32(entry) != DIRECTORY_ENTRY)
            return false;
        size_t name = read_u16(entry + ENTRY_NAME_LENGTH);
        const uint8_t *text = bytes_at(z->file, z->next + ENTRY_BYTES, name);
        if (!text)
            return false;
        z->next += ENTRY_BYTES + name + read_u16(entry + ENTRY_EXTRA_LENGTH) +
                   read_u16(entry + ENTRY_COMMENT_LENGTH);
        uint32_t method = read_u16(entry + ENTRY_METHOD);
        *m = (struct archive_member){.name = {(const char *)text, name},
                                     .deflated = method == METHOD_DEFLATED};
        bool readable = (method == METHOD_STORED || method == METHOD_DEFLATED) &&
                        !(read_u16(entry + ENTRY_FLAGS) & FLAG_ENCRYPTED);
        if (readable && locate(z, entry, m))
            return true;
    }
    return false;
}
