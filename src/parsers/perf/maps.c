#include "parsers/perf/maps.h"

#include "base/hash.h"
#include "core/store/rows.h"

enum { FORKS_MAX = 32, ANY_PID = -1 };

static const char hex_digits[] = "0123456789abcdef";

void perf_maps_init(struct perf_maps *m, struct trace *t)
{
    *m = (struct perf_maps){.trace = t, .kernel_image = NULL_U32, .generation = 1};
    m->empty = trace_intern(t, STR(""));
    arena_init(&m->arena);
}

void perf_maps_release(struct perf_maps *m)
{
    arena_release(&m->arena);
    vec_release(&m->spaces);
    map_release(&m->space_of_pid);
    map_release(&m->nowhere_of_pid);
    map_release(&m->other);
    map_release(&m->build_ids);
}

static string_id build_id_text(struct trace *t, struct bytes id)
{
    enum { MOST = 32 };
    char text[2 * MOST];
    size_t n = id.n < MOST ? id.n : MOST;
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = hex_digits[id.p[i] >> 4];
        text[2 * i + 1] = hex_digits[id.p[i] & 15];
    }
    return trace_intern(t, (struct str){text, 2 * n});
}

static uint64_t build_id_key(int32_t pid, struct str path)
{
    return hash_bytes(path.p, path.n, (uint32_t)pid);
}

void perf_maps_add_build_id(struct perf_maps *m, int32_t pid, struct str path,
                            struct bytes build_id)
{
    bool inserted;
    uint32_t *known = map_insert(&m->build_ids, build_id_key(pid, path), &inserted);
    if (inserted)
        *known = build_id_text(m->trace, build_id);
}

static string_id build_id_of(const struct perf_maps *m, const struct perf_mmap *map)
{
    if (map->build_id.p)
        return build_id_text(m->trace, map->build_id);
    const uint32_t *known = map_find(&m->build_ids, build_id_key((int32_t)map->pid, map->path));
    if (!known)
        known = map_find(&m->build_ids, build_id_key(ANY_PID, map->path));
    return known ? *known : m->empty;
}

/* A space that the process has from now on. Those that were forked from it keep the old one. */
static void begin_space(struct perf_maps *m, uint32_t pid, uint32_t parent)
{
    map_set(&m->space_of_pid, pid, (uint32_t)m->spaces.count);
    *vec_push(&m->spaces) = (struct perf_space){.parent = parent};
    m->generation++;
}

static struct perf_space *space_of(struct perf_maps *m, uint32_t pid)
{
    const uint32_t *index = map_find(&m->space_of_pid, pid);
    if (index)
        return &m->spaces.items[*index];
    begin_space(m, pid, NULL_U32);
    return &vec_last(&m->spaces);
}

static bool is_kernel_image(struct str path)
{
    return str_starts(path, STR("[kernel.kallsyms]"));
}

static uint32_t append_mapping(struct perf_maps *m, const struct perf_mmap *map, uint64_t end)
{
    struct stack_profile_mapping_row row = {
        .build_id = build_id_of(m, map),
        /* The kernel image's offset is its address in memory. */
        .exact_offset = is_kernel_image(map->path) ? 0 : (int64_t)map->offset,
        .start = (int64_t)map->start,
        .end = (int64_t)end,
        .name = trace_intern(m->trace, map->path),
    };
    return stack_profile_mapping_append(&m->trace->tables.stack_profile_mapping, &row);
}

static uint32_t add_kernel(struct perf_maps *m, const struct perf_mmap *map, uint64_t end)
{
    bool image = is_kernel_image(map->path);
    if (image && m->kernel_image != NULL_U32)
        return m->kernel_image;
    uint32_t row = append_mapping(m, map, end);
    if (!image) {
        perf_ranges_add(&m->kernel, &m->arena, map->start, end, row);
        return row;
    }
    m->kernel_image = row;
    m->kernel_start = map->start;
    m->kernel_end = end;
    return row;
}

void perf_maps_add(struct perf_maps *m, int64_t ts, uint32_t upid, const struct perf_mmap *map)
{
    uint64_t end = map->size > UINT64_MAX - map->start ? UINT64_MAX : map->start + map->size;
    struct mmap_record_row row = mmap_record_row_null();
    row.ts = ts;
    row.upid = upid;
    m->generation++;
    if (upid == NULL_U32) {
        /* Programs of BPF, told as one that is everywhere. */
        if (str_eq(map->path, STR("[bpf]")) && map->size == UINT64_MAX)
            return;
        row.mapping_id = add_kernel(m, map, end);
    } else {
        row.mapping_id = append_mapping(m, map, end);
        perf_ranges_add(&space_of(m, map->pid)->ranges, &m->arena, map->start, end, row.mapping_id);
    }
    mmap_record_append(&m->trace->tables.mmap_record, &row);
}

void perf_maps_fork(struct perf_maps *m, uint32_t pid, uint32_t parent)
{
    const uint32_t *space = map_find(&m->space_of_pid, parent);
    begin_space(m, pid, space ? *space : NULL_U32);
}

void perf_maps_exec(struct perf_maps *m, uint32_t pid)
{
    begin_space(m, pid, NULL_U32);
}

static uint32_t kernel_mapping(const struct perf_maps *m, uint64_t ip)
{
    uint32_t mapping;
    if (perf_ranges_find(&m->kernel, ip, &mapping))
        return mapping;
    return ip >= m->kernel_start && ip < m->kernel_end ? m->kernel_image : NULL_U32;
}

static uint32_t user_mapping(const struct perf_maps *m, uint32_t pid, uint64_t ip)
{
    uint32_t mapping;
    const uint32_t *current = map_find(&m->space_of_pid, pid);
    uint32_t space = current ? *current : NULL_U32;
    for (int forks = 0; space != NULL_U32 && forks < FORKS_MAX; forks++) {
        if (perf_ranges_find(&m->spaces.items[space].ranges, ip, &mapping))
            return mapping;
        space = m->spaces.items[space].parent;
    }
    return NULL_U32;
}

static uint32_t append_everywhere(struct perf_maps *m, struct str name)
{
    struct perf_mmap everywhere = {.size = UINT64_MAX,
                                   .path = name,
                                   .build_id = {(const uint8_t *)"", 0}};
    return append_mapping(m, &everywhere, UINT64_MAX);
}

static uint32_t nowhere_of(struct perf_maps *m, uint32_t pid)
{
    bool inserted;
    uint32_t *mapping = map_insert(&m->nowhere_of_pid, pid, &inserted);
    if (inserted)
        *mapping = append_everywhere(m, STR(""));
    return *mapping;
}

static uint32_t frame_in(struct perf_maps *m, uint32_t mapping, uint64_t ip)
{
    const struct table *mappings = &m->trace->tables.stack_profile_mapping;
    uint64_t start = (uint64_t)table_i64(mappings, stack_profile_mapping_col_start)[mapping];
    uint64_t offset =
        (uint64_t)table_i64(mappings, stack_profile_mapping_col_exact_offset)[mapping];
    int64_t rel_pc = (int64_t)(ip - start + offset);
    return stack_frame_intern(m->trace, mapping, m->empty, rel_pc, NULL_STRING);
}

static struct perf_cached_frame find_frame(struct perf_maps *m, bool kernel, uint32_t pid,
                                           uint64_t ip)
{
    uint32_t mapping = kernel ? kernel_mapping(m, ip) : user_mapping(m, pid, ip);
    bool nowhere = mapping == NULL_U32;
    if (nowhere)
        mapping = nowhere_of(m, pid);
    return (struct perf_cached_frame){
        .ip = ip,
        .pid = pid,
        .generation = m->generation,
        .frame = frame_in(m, mapping, ip),
        .kernel = kernel,
        .nowhere = nowhere,
    };
}

/* All processes have the same frames in the kernel, but those that are nowhere. */
uint32_t perf_maps_frame(struct perf_maps *m, bool kernel, uint32_t pid, uint64_t ip)
{
    uint32_t owner = kernel ? 0 : pid;
    struct perf_cached_frame *cached = &m->cache[hash_mix(ip, owner) % PERF_FRAME_CACHE];
    bool known = cached->ip == ip && cached->kernel == kernel &&
                 cached->generation == m->generation &&
                 (cached->pid == pid || (kernel && !cached->nowhere));
    if (!known)
        *cached = find_frame(m, kernel, pid, ip);
    if (cached->nowhere)
        stats_count(m->trace, STAT_perf_dummy_mapping_used);
    return cached->frame;
}

bool perf_maps_find_frame(struct perf_maps *m, bool kernel, uint32_t pid, uint64_t ip,
                          uint32_t *frame)
{
    uint32_t mapping = kernel ? kernel_mapping(m, ip) : user_mapping(m, pid, ip);
    if (mapping == NULL_U32)
        return false;
    *frame = frame_in(m, mapping, ip);
    return true;
}

uint32_t perf_maps_other_frame(struct perf_maps *m, struct str mapping, uint64_t ip)
{
    bool inserted;
    uint32_t *row = map_insert(&m->other, trace_intern(m->trace, mapping), &inserted);
    if (inserted)
        *row = append_everywhere(m, mapping);
    return frame_in(m, *row, ip);
}
