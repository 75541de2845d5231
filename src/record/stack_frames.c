#include "record/stack_frames.h"

#include <stdio.h>

#include "base/hash.h"
#include "parsers/perf/wire.h"
#include "pb_fields.h"
#include "symbols/elf_file.h"

enum { KERNEL = 1, FIRST_ID = 2 }; /* the mapping of the kernel, and the string "/kernel" */

/* Line by line: the file's text is large. Empty where the kernel does not tell addresses. */
static void read_kernel(struct kernel_symbols *k)
{
    char line[512];
    FILE *f = fopen("/proc/kallsyms", "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f))
        kernel_symbols_add(k, str_from(line));
    fclose(f);
    kernel_symbols_sort(k);
}

void stack_frames_init(struct stack_frames *f)
{
    *f = (struct stack_frames){0};
    read_kernel(&f->kernel);
    stack_frames_again(f);
}

static void release_ids(struct stack_frames *f)
{
    map_release(&f->mappings);
    map_release(&f->frames);
    map_release(&f->stacks);
    map_release(&f->functions);
    f->files.count = 0;
}

void stack_frames_release(struct stack_frames *f)
{
    release_ids(f);
    vec_release(&f->files);
    address_spaces_release(&f->spaces);
    kernel_symbols_release(&f->kernel);
    pb_bytes_release(&f->interned);
    pb_bytes_release(&f->entry);
    pb_bytes_release(&f->ids);
}

static void put_string(struct stack_frames *f, uint32_t field, uint64_t id, struct str s)
{
    f->entry.v.count = 0;
    pb_put_uint(&f->entry, PB_InternedString_iid, id);
    pb_put_str(&f->entry, PB_InternedString_str, s);
    pb_put_message(&f->interned, field, &f->entry);
}

void stack_frames_again(struct stack_frames *f)
{
    release_ids(f);
    f->interned.v.count = 0;
    f->next_id = FIRST_ID;
    put_string(f, PB_InternedData_mapping_paths, KERNEL, STR("kernel"));
    f->entry.v.count = 0;
    pb_put_uint(&f->entry, PB_Mapping_iid, KERNEL);
    pb_put_uint(&f->entry, PB_Mapping_path_string_ids, KERNEL);
    pb_put_uint(&f->entry, PB_Mapping_end, UINT64_MAX);
    pb_put_message(&f->interned, PB_InternedData_mappings, &f->entry);
}

/* The path in a mapping is of parts, which readers join with '/': one for each. */
static uint64_t intern_path(struct stack_frames *f, struct str path)
{
    uint64_t id = f->next_id++;
    put_string(f, PB_InternedData_mapping_paths, id, path);
    return id;
}

static void read_elf(struct stack_frames *f, struct code_file *file, const char *path)
{
    struct elf_file elf;
    struct status s = elf_file_read(path, &elf);
    if (status_ok(s) && elf.build_id_size > 0) {
        file->build_id = f->next_id++;
        put_string(f, PB_InternedData_build_ids, file->build_id,
                   (struct str){(const char *)elf.build_id, elf.build_id_size});
    }
    if (status_ok(s) && elf.code.count > 0)
        file->load_bias = elf.code.items[0].address - elf.code.items[0].offset;
    elf_file_release(&elf);
    status_release(&s);
}

const struct code_file *stack_frames_file(struct stack_frames *f, uint32_t path)
{
    while (f->files.count <= path)
        *vec_push(&f->files) = (struct code_file){0};
    struct code_file *file = &f->files.items[path];
    if (file->path_id)
        return file;
    const char *name = address_spaces_path(&f->spaces, path);
    struct str s = str_from(name);
    file->path_id = intern_path(f, str_starts(s, STR("/")) ? str_skip(s, 1) : s);
    if (name[0] == '/' && name[1] != '/')
        read_elf(f, file, name);
    return file;
}

static uint64_t intern_mapping(struct stack_frames *f, const struct space_range *r,
                               const struct code_file *file)
{
    bool inserted;
    const uint64_t key[] = {r->start, r->end, r->offset, r->path};
    uint32_t *id = map_insert(&f->mappings, hash_bytes(key, sizeof key, 0), &inserted);
    if (!inserted)
        return *id;
    *id = f->next_id++;
    f->entry.v.count = 0;
    pb_put_uint(&f->entry, PB_Mapping_iid, *id);
    if (file->build_id)
        pb_put_uint(&f->entry, PB_Mapping_build_id, file->build_id);
    pb_put_uint(&f->entry, PB_Mapping_exact_offset, r->offset);
    pb_put_uint(&f->entry, PB_Mapping_start_offset, r->offset);
    pb_put_uint(&f->entry, PB_Mapping_start, r->start);
    pb_put_uint(&f->entry, PB_Mapping_end, r->end);
    pb_put_uint(&f->entry, PB_Mapping_load_bias, file->load_bias);
    pb_put_uint(&f->entry, PB_Mapping_path_string_ids, file->path_id);
    pb_put_message(&f->interned, PB_InternedData_mappings, &f->entry);
    return *id;
}

static uint64_t intern_function(struct stack_frames *f, struct str name)
{
    bool inserted;
    if (name.n == 0)
        return 0;
    uint32_t *id = map_insert(&f->functions, hash_bytes(name.p, name.n, 0), &inserted);
    if (inserted) {
        *id = f->next_id++;
        put_string(f, PB_InternedData_function_names, *id, name);
    }
    return *id;
}

static uint64_t intern_frame(struct stack_frames *f, uint64_t mapping, uint64_t function,
                             uint64_t rel_pc)
{
    bool inserted;
    const uint64_t key[] = {mapping, rel_pc};
    uint32_t *id = map_insert(&f->frames, hash_bytes(key, sizeof key, 0), &inserted);
    if (!inserted)
        return *id;
    *id = f->next_id++;
    f->entry.v.count = 0;
    pb_put_uint(&f->entry, PB_Frame_iid, *id);
    if (function)
        pb_put_uint(&f->entry, PB_Frame_function_name_id, function);
    pb_put_uint(&f->entry, PB_Frame_mapping_id, mapping);
    pb_put_uint(&f->entry, PB_Frame_rel_pc, rel_pc);
    pb_put_message(&f->interned, PB_InternedData_frames, &f->entry);
    return *id;
}

static uint64_t kernel_frame(struct stack_frames *f, uint64_t pc)
{
    const struct kernel_function *known = kernel_symbols_find(&f->kernel, pc);
    struct str name = known ? kernel_symbols_name(&f->kernel, known) : STR("");
    uint64_t function = intern_function(f, name);
    return intern_frame(f, KERNEL, function, pc);
}

/* 0: the address is in no code that is known. */
static uint64_t user_frame(struct stack_frames *f, int32_t pid, uint64_t pc)
{
    const struct space_range *r = address_spaces_find(&f->spaces, pid, pc);
    if (!r)
        return 0;
    const struct code_file *file = stack_frames_file(f, r->path);
    uint64_t mapping = intern_mapping(f, r, file);
    return intern_frame(f, mapping, 0, pc - r->start + r->offset + file->load_bias);
}

/* The frames, innermost first, as ids in `ids`, 8 bytes each. */
static void add_frames(struct stack_frames *f, int32_t pid, const uint64_t *chain, size_t n)
{
    bool kernel = false, first = true;
    for (size_t i = 0; i < n; i++) {
        if (chain[i] >= PERF_CONTEXT_MAX) {
            kernel = chain[i] == PERF_CONTEXT_KERNEL;
            first = true;
            continue;
        }
        /* Callers are told by where they return to: the call is before that. */
        uint64_t pc = first ? chain[i] : chain[i] - 1;
        uint64_t id = kernel ? kernel_frame(f, pc) : user_frame(f, pid, pc);
        first = false;
        if (id)
            pb_put_raw(&f->ids, &id, sizeof id);
    }
}

uint64_t stack_frames_intern(struct stack_frames *f, int32_t pid, const uint64_t *chain, size_t n)
{
    bool inserted;
    f->ids.v.count = 0;
    add_frames(f, pid, chain, n);
    if (f->ids.v.count == 0)
        return 0;
    uint32_t *id = map_insert(&f->stacks, hash_bytes(f->ids.v.items, f->ids.v.count, 0), &inserted);
    if (!inserted)
        return *id;
    *id = f->next_id++;
    f->entry.v.count = 0;
    pb_put_uint(&f->entry, PB_Callstack_iid, *id);
    for (size_t at = f->ids.v.count; at > 0; at -= sizeof(uint64_t)) { /* outermost first */
        uint64_t frame;
        memcpy(&frame, f->ids.v.items + at - sizeof frame, sizeof frame);
        pb_put_uint(&f->entry, PB_Callstack_frame_ids, frame);
    }
    pb_put_message(&f->interned, PB_InternedData_callstacks, &f->entry);
    return *id;
}
