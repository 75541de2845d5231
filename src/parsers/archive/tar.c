#include "parsers/archive/tar.h"

/* Of a POSIX header. */
enum {
    BLOCK = 512,
    NAME_BYTES = 100,
    SIZE_AT = 124,
    SIZE_BYTES = 12,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PLAIN_FILE = '0',
};

bool tar_sniff(struct bytes data)
{
    return data.n >= BLOCK && memcmp(data.p + MAGIC_AT, "ustar", 5) == 0;
}

static struct str field(const uint8_t *p, size_t n)
{
    struct str s = {(const char *)p, n};
    s.n = str_find(s, '\0');
    return s;
}

/* Octal digits, with spaces around them. */
static size_t read_size(const uint8_t *header)
{
    struct str digits = field(header + SIZE_AT, SIZE_BYTES);
    size_t size = 0;
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] >= '0' && digits.p[i] <= '7')
            size = size * 8 + (size_t)(digits.p[i] - '0');
    return size;
}

bool tar_next(struct tar *t, struct archive_member *m)
{
    while (t->next <= t->file.n && t->file.n - t->next > BLOCK) {
        const uint8_t *header = t->file.p + t->next;
        struct str name = field(header, NAME_BYTES);
        if (name.n == 0)
            return false; /* blocks of zeros end the archive */
        size_t size = read_size(header), left = t->file.n - t->next - BLOCK;
        if (size > left)
            size = left;
        t->next += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
        *m = (struct archive_member){.name = name, .data = {header + BLOCK, size}};
        if (header[TYPE_AT] == PLAIN_FILE || header[TYPE_AT] == '\0')
            return true;
    }
    return false;
}
