/* Files that lie where a process' mappings say: what they are, and what they ask for, is up to
 * whoever runs the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pb_fields.h"
#include "record/dwarf_unwind.h"
#include "emulated.h"
#include "sanitized.h"

enum { PID = 7, CODE_AT = 0x1000, FRAMES_AT = 0x200, PC = CODE_AT + 8 };
static char folder[] = "/tmp/dwarf_unwind.XXXXXX";

static size_t unwind(const char *path, uint32_t *error)
{
    struct stack_frames frames;
    uint64_t registers[33] = {0}, chain[16];
    uint8_t stack[64] = {0};
    stack_frames_init(&frames);
    struct dwarf_unwinder *u = dwarf_unwinder_new(&frames);
    address_spaces_map(&frames.spaces, PID, CODE_AT, 0x1000, CODE_AT, str_from(path));
    /* Where the address and the stack are among them is the processor's: 8 and 7, or 32 and 31. */
    for (int i = 0; i < 33; i++)
        registers[i] = PC;
    size_t n = dwarf_unwind(u, &(struct dwarf_state){PID, registers, {stack, sizeof stack}}, chain,
                            16, error);
    dwarf_unwinder_free(u);
    stack_frames_release(&frames);
    return n;
}

static void test_what_is_no_file_is_not_opened(void **state)
{
    (void)state;
    char path[64], event[4096];
    uint32_t error = 0;
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
    assert_int_equal(unwind(path, &error), 1);
    assert_true(read(watch, event, sizeof event) < 0);
    close(watch);
    unlink(path);
}

static uint8_t *put(uint8_t *to, const void *p, size_t n)
{
    memcpy(to, p, n);
    return to + n;
}

/* A file of 64 bits with one description of frames, of all of its code. */
static void write_file(const char *path, uint16_t machine, const uint8_t *instructions, size_t n)
{
    static const uint8_t cie[] = {12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0, 0, 0};
    static const char names[] = "\0.eh_frame\0.shstrtab";
    const uint64_t place[] = {CODE_AT, 0x1000};
    uint8_t image[0x400] = {0}, *to = image + FRAMES_AT;
    uint32_t length = (uint32_t)(4 + sizeof place + n), back = sizeof cie + 4, none = 0;
    to = put(to, cie, sizeof cie);
    to = put(to, &length, sizeof length);
    to = put(to, &back, sizeof back);
    to = put(to, place, sizeof place);
    to = put(to, instructions, n);
    to = put(to, &none, sizeof none);
    const Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
                                           EV_CURRENT},
                               .e_type = ET_DYN,
                               .e_machine = machine,
                               .e_version = EV_CURRENT,
                               .e_phoff = sizeof header,
                               .e_shoff = 0x100,
                               .e_ehsize = sizeof header,
                               .e_phentsize = sizeof(Elf64_Phdr),
                               .e_phnum = 1,
                               .e_shentsize = sizeof(Elf64_Shdr),
                               .e_shnum = 3,
                               .e_shstrndx = 2};
    const Elf64_Phdr code = {.p_type = PT_LOAD,
                             .p_flags = PF_R | PF_X,
                             .p_offset = CODE_AT,
                             .p_vaddr = CODE_AT,
                             .p_filesz = 0x1000,
                             .p_memsz = 0x1000};
    const Elf64_Shdr sections[] = {
        {0},
        {.sh_name = 1,
         .sh_type = SHT_PROGBITS,
         .sh_flags = SHF_ALLOC,
         .sh_addr = FRAMES_AT,
         .sh_offset = FRAMES_AT,
         .sh_size = (uint64_t)(to - image) - FRAMES_AT},
        {.sh_name = 11, .sh_type = SHT_STRTAB, .sh_offset = 0x300, .sh_size = sizeof names}};
    memcpy(image, &header, sizeof header);
    memcpy(image + sizeof header, &code, sizeof code);
    memcpy(image + 0x100, sections, sizeof sections);
    memcpy(image + 0x300, names, sizeof names);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(image, 1, sizeof image, f), sizeof image);
    fclose(f);
}

#if defined __x86_64__
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

static void test_rules_for_millions_of_registers_do_not_take_the_memory(void **state)
{
    (void)state;
    if (IS_SANITIZED || is_emulated()) /* the one ends where memory does, the other has no limit */
        skip();
    /* CFA: register 0 and 8. What is in register 100000000 is as it was. */
    static const uint8_t instructions[] = {0x0c, 0, 8, 0x08, 0x80, 0xc2, 0xd7, 0x2f};
    struct rusage before, after;
    char path[64];
    uint32_t error = 0;
    snprintf(path, sizeof path, "%s/registers", folder);
    write_file(path, MACHINE, instructions, sizeof instructions);
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(unwind(path, &error), 1);
    assert_int_equal(error, PB_Profiling_StackUnwindError_UNWIND_ERROR_UNWIND_INFO);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 1 << 20);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_file_is_not_opened),
        cmocka_unit_test(test_rules_for_millions_of_registers_do_not_take_the_memory),
    };
    if (dwarf_unwind_registers() == 0)
        return 77; /* built without libdw */
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
