#include "base/build_id.h"

#include <elf.h>
#include <link.h>

static size_t aligned(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* The notes of one segment: header, name, description, each aligned to 4 bytes. */
static struct str find_id(const char *p, size_t n)
{
    ElfW(Nhdr) note;
    while (n >= sizeof note) {
        memcpy(&note, p, sizeof note);
        size_t name = sizeof note, id = name + aligned(note.n_namesz);
        size_t size = id + aligned(note.n_descsz);
        if (size > n)
            break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(p + name, "GNU", 4) == 0)
            return (struct str){p + id, note.n_descsz};
        p += size;
        n -= size;
    }
    return (struct str){"", 0};
}

/* The program is the first object. */
static int visit(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    struct str *id = out;
    for (size_t i = 0; i < info->dlpi_phnum && id->n == 0; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            *id = find_id((const char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz);
    }
    return 1;
}

struct str build_id(void)
{
    struct str id = {"", 0};
    dl_iterate_phdr(visit, &id);
    return id;
}
