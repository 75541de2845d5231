/* Bytes as what symbols are read from: the first says as what. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "symbols/elf_file.h"
#include "symbols/obfuscation_map.h"
#include "symbols/symbol_source.h"

static void read_elf(const uint8_t *data, size_t size)
{
    char path[64];
    struct elf_file e;
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct status s = elf_file_read(path, &e);
    if (e.build_id_size > ELF_BUILD_ID_BYTES)
        abort();
    for (uint64_t pc = 1; pc; pc <<= 1)
        elf_file_address(&e, pc, data[0]);
    status_release(&s);
    elf_file_release(&e);
    close(fd);
}

/* What is taken is a packet. */
static void read_map(const uint8_t *data, size_t size)
{
    struct pb_bytes packets = {0};
    struct status s =
        obfuscation_map_packet((struct str){(const char *)data, size}, STR("a.b"), &packets);
    struct pb_reader r = pb_reader_from(packets.v.items, packets.v.count);
    struct pb_field f;
    size_t count = 0;
    while (pb_next(&r, &f))
        count++;
    if (r.error || count != status_ok(s))
        abort();
    status_release(&s);
    pb_bytes_release(&packets);
}

static void check_line(void *self, size_t address, const struct symbol_line *lines, size_t count)
{
    if (address >= *(size_t *)self || count != 1 || lines->function.n == 0)
        abort();
}

static void read_breakpad(const uint8_t *data, size_t size)
{
    static const uint64_t addresses[] = {0, 1, 0x10, 0x11, 0x100, 0x1234, UINT64_MAX};
    size_t count = sizeof addresses / sizeof *addresses;
    char folder[] = "/tmp/fuzz-symbols-XXXXXX", path[64], *read;
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/00ff.breakpad", folder);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    struct status s =
        breakpad_symbolize(folder, STR("00ff"), addresses, count, check_line, &count, &read);
    status_release(&s);
    free(read);
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (data[0] == 'e')
        read_elf(data + 1, size - 1);
    else if (data[0] == 'm')
        read_map(data + 1, size - 1);
    else
        read_breakpad(data + 1, size - 1);
    return 0;
}
