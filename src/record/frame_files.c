#include "record/frame_files.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/byte_list.h"
#include "base/file_identity.h"
#include "base/str.h"
#include "record/tracefs.h"

/* What files take together, as they are read, not mapped: they may be cut meanwhile. And what is
 * taken at once of what they say: a few bytes are rules for millions of registers. */
enum { FILES_BYTES_MOST = 128 << 20, STEP_BYTES_MOST = 128 << 20 };

void frame_files_init(struct frame_files *f)
{
    *f = (struct frame_files){.sizes = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)};
    getrlimit(RLIMIT_DATA, &f->limit);
    elf_version(EV_CURRENT);
}

void frame_files_release(struct frame_files *f)
{
    for (size_t i = 0; i < f->v.count; i++) {
        if (f->v.items[i].cfi)
            dwarf_cfi_end(f->v.items[i].cfi);
        elf_end(f->v.items[i].elf);
    }
    vec_release(&f->v);
    if (f->sizes >= 0)
        close(f->sizes);
}

/* Of this process, as RLIMIT_DATA counts it; false: that is not known. */
static bool data_bytes(const struct frame_files *f, uint64_t *bytes)
{
    enum { DATA_AT = 5 };
    char text[160];
    ssize_t n = f->sizes >= 0 ? pread(f->sizes, text, sizeof text, 0) : -1;
    struct str rest = {text, n > 0 ? (size_t)n : 0};
    for (int i = 0; i < DATA_AT; i++)
        str_take_word(&rest);
    if (!str_to_u64(str_take_word(&rest), 10, bytes))
        return false;
    *bytes *= (uint64_t)sysconf(_SC_PAGESIZE);
    return true;
}

static void limit_data(const struct frame_files *f, uint64_t bytes)
{
    struct rlimit less = f->limit;
    less.rlim_cur = bytes < less.rlim_cur ? bytes : less.rlim_cur;
    setrlimit(RLIMIT_DATA, &less);
}

void frame_files_lift_limit(const struct frame_files *f)
{
    setrlimit(RLIMIT_DATA, &f->limit);
}

/* The kernel's own code in processes is the same in all of them, and in this one. -1: none. */
static int copy_vdso(void)
{
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    struct byte_list maps = {0};
    int fd = -1;
    if (image)
        read_file_at(AT_FDCWD, "/proc/self/maps", &maps);
    struct str text = {(const char *)maps.v.items, maps.v.count}, line;
    while (fd < 0 && str_next_line(&text, &line)) {
        uint64_t start, end;
        struct str place = str_take_word(&line), first = str_cut(&place, '-');
        if (!str_to_u64(first, 16, &start) || !str_to_u64(place, 16, &end) ||
            start != (uint64_t)(uintptr_t)image)
            continue;
        fd = memfd_create("vdso", MFD_CLOEXEC);
        if (fd < 0 || write(fd, image, (size_t)(end - start)) != (ssize_t)(end - start))
            break;
    }
    vec_release(&maps.v);
    return fd;
}

static int open_code(const char *path)
{
    if (strcmp(path, "[vdso]") == 0)
        return copy_vdso();
    return path[0] == '/' ? file_identity_open(path) : -1;
}

static void read_elf(struct frame_file *file, int fd, uint16_t machine)
{
    GElf_Ehdr header;
    file->elf = elf_begin(fd, ELF_C_READ, NULL);
    if (file->elf && gelf_getehdr(file->elf, &header) && header.e_machine == machine &&
        gelf_getclass(file->elf) == ELFCLASS64)
        file->cfi = dwarf_getcfi_elf(file->elf);
    if (file->cfi) {
        elf_cntl(file->elf, ELF_C_FDDONE); /* all that is needed was read */
    } else {
        elf_end(file->elf);
        file->elf = NULL;
    }
}

static void read_frames(struct frame_files *f, struct frame_file *file, const char *path,
                        uint16_t machine)
{
    uint64_t before, after;
    if (f->bytes >= FILES_BYTES_MOST || !data_bytes(f, &before))
        return;
    int fd = open_code(path);
    if (fd < 0)
        return;
    limit_data(f, before + FILES_BYTES_MOST - f->bytes);
    read_elf(file, fd, machine);
    frame_files_lift_limit(f);
    if (data_bytes(f, &after) && after > before)
        f->bytes += after - before;
    close(fd);
}

Dwarf_CFI *frame_files_get(struct frame_files *f, uint32_t number, const char *path,
                           uint16_t machine)
{
    while (f->v.count <= number)
        *vec_push(&f->v) = (struct frame_file){0};
    struct frame_file *file = &f->v.items[number];
    if (!file->looked_at)
        read_frames(f, file, path, machine);
    file->looked_at = true;
    return file->cfi;
}

void frame_files_begin_stack(struct frame_files *f)
{
    if (data_bytes(f, &f->most))
        f->most += STEP_BYTES_MOST;
}

void frame_files_limit(const struct frame_files *f)
{
    limit_data(f, f->most);
}
