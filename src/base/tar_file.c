#include "base/tar_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 512, NAME_SIZE = 100 };

struct header {
    char name[NAME_SIZE], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
    char link[NAME_SIZE], magic[6], version[2], user[32], group[32], major[8], minor[8];
    char prefix[155], padding[12];
};

/* Eight GiB and more are written in base 256, as GNU tar does. */
static void put_size(char out[12], uint64_t size)
{
    if (size < UINT64_C(1) << 33) {
        snprintf(out, 12, "%011" PRIo64, size);
        return;
    }
    out[0] = (char)0x80;
    for (int i = 11; i > 0; i--, size >>= 8)
        out[i] = (char)(size & 0xff);
}

static void put_sum(struct header *h)
{
    const unsigned char *bytes = (const unsigned char *)h;
    unsigned sum = 0;
    memset(h->sum, ' ', sizeof h->sum);
    for (size_t i = 0; i < sizeof *h; i++)
        sum += bytes[i];
    snprintf(h->sum, sizeof h->sum, "%06o", sum);
}

static struct status write_error(void)
{
    return status_error(STATUS_IO, "cannot write: %s", strerror(errno));
}

static void put_header(FILE *tar, const char *name, uint64_t size)
{
    _Static_assert(sizeof(struct header) == BLOCK, "a header is one block");
    struct header h = {.mode = "0000644",
                       .uid = "0000000",
                       .gid = "0000000",
                       .mtime = "00000000000",
                       .type = '0',
                       .magic = "ustar",
                       .version = {'0', '0'}};
    memcpy(h.name, name, strnlen(name, NAME_SIZE));
    put_size(h.size, size);
    put_sum(&h);
    fwrite(&h, 1, sizeof h, tar);
}

static void pad(FILE *tar, uint64_t size)
{
    for (; size % BLOCK != 0; size++)
        putc(0, tar);
}

static struct status copy(FILE *from, FILE *tar, uint64_t size, const char *path)
{
    char piece[1 << 16];
    uint64_t copied = 0;
    for (size_t n; copied < size && (n = fread(piece, 1, sizeof piece, from)) > 0; copied += n)
        if (fwrite(piece, 1, n < size - copied ? n : (size_t)(size - copied), tar) == 0)
            return write_error();
    if (copied < size)
        return status_error(STATUS_IO, "%s: it became shorter meanwhile", path);
    pad(tar, size);
    return status_ok_value();
}

struct status tar_add_file(FILE *tar, const char *name, const char *path)
{
    struct stat s;
    FILE *from = fopen(path, "rb");
    if (!from || fstat(fileno(from), &s) != 0 || !S_ISREG(s.st_mode)) {
        struct status bad =
            status_error(STATUS_IO, "%s: %s", path, from ? "not a file" : strerror(errno));
        if (from)
            fclose(from);
        return bad;
    }
    put_header(tar, name, (uint64_t)s.st_size);
    struct status status = copy(from, tar, (uint64_t)s.st_size, path);
    fclose(from);
    return status;
}

struct status tar_add_bytes(FILE *tar, const char *name, struct str bytes)
{
    put_header(tar, name, bytes.n);
    fwrite(bytes.p, 1, bytes.n, tar);
    pad(tar, bytes.n);
    return ferror(tar) ? write_error() : status_ok_value();
}

long tar_begin_member(FILE *tar)
{
    long begin = ftell(tar);
    put_header(tar, "", 0); /* the true one replaces it */
    return begin;
}

struct status tar_end_member(FILE *tar, const char *name, long begin)
{
    long end = ftell(tar);
    if (begin < 0 || end < begin + BLOCK)
        return write_error();
    uint64_t size = (uint64_t)(end - begin) - BLOCK;
    pad(tar, size);
    if (fseek(tar, begin, SEEK_SET) != 0)
        return write_error();
    put_header(tar, name, size);
    return fseek(tar, 0, SEEK_END) != 0 || ferror(tar) ? write_error() : status_ok_value();
}

struct status tar_end(FILE *tar)
{
    for (int i = 0; i < 2 * BLOCK; i++)
        putc(0, tar);
    return ferror(tar) ? write_error() : status_ok_value();
}
