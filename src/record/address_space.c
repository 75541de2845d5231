#include "record/address_space.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "record/tracefs.h"

void address_spaces_release(struct address_spaces *a)
{
    for (size_t i = 0; i < a->spaces.count; i++)
        vec_release(&a->spaces.items[i].ranges);
    map_release(&a->by_pid);
    vec_release(&a->spaces);
    vec_release(&a->unused);
    map_release(&a->by_path);
    vec_release(&a->paths);
    vec_release(&a->names.v);
    vec_release(&a->text.v);
}

const char *address_spaces_path(const struct address_spaces *a, uint32_t path)
{
    return (const char *)a->names.v.items + a->paths.items[path];
}

static uint32_t path_index(struct address_spaces *a, struct str path)
{
    bool inserted;
    uint32_t *index = map_insert(&a->by_path, hash_bytes(path.p, path.n, 0), &inserted);
    if (inserted) {
        *index = (uint32_t)a->paths.count;
        *vec_push(&a->paths) = (uint32_t)a->names.v.count;
        byte_list_add(&a->names, path.p, path.n);
        byte_list_add(&a->names, "", 1);
    }
    return *index;
}

/* An empty one; what was there is forgotten. */
static struct address_space *clear_space(struct address_spaces *a, int32_t pid)
{
    bool inserted;
    uint32_t *index = map_insert(&a->by_pid, (uint32_t)pid, &inserted);
    if (inserted && a->unused.count > 0) {
        *index = a->unused.items[--a->unused.count];
    } else if (inserted) {
        *index = (uint32_t)a->spaces.count;
        *vec_push(&a->spaces) = (struct address_space){0};
    }
    a->spaces.items[*index].ranges.count = 0;
    return &a->spaces.items[*index];
}

/* The first range that ends behind the address. */
static size_t range_at(const struct address_space *s, uint64_t address)
{
    return BISECT(i, 0, s->ranges.count, s->ranges.items[i].end <= address);
}

/* Puts it among the others, in the place of those that it covers a part of. */
static void add_range(struct address_space *s, struct space_range range)
{
    size_t at = range_at(s, range.start), behind = at;
    while (behind < s->ranges.count && s->ranges.items[behind].start < range.end)
        behind++;
    size_t left = s->ranges.count - behind;
    vec_reserve(&s->ranges, s->ranges.count + 1);
    memmove(s->ranges.items + at + 1, s->ranges.items + behind, left * sizeof range);
    s->ranges.items[at] = range;
    s->ranges.count = at + 1 + left;
}

/* "7f00-7f10 r-xp 0001000 fe:00 1234    /usr/lib/x" */
static void add_line(struct address_spaces *a, struct address_space *s, struct str line)
{
    struct space_range range;
    struct str place = str_take_word(&line), rights = str_take_word(&line);
    struct str offset = str_take_word(&line), start = str_cut(&place, '-');
    str_take_word(&line);
    str_take_word(&line);
    if (rights.n < 3 || rights.p[2] != 'x' || !str_to_u64(start, 16, &range.start) ||
        !str_to_u64(place, 16, &range.end) || !str_to_u64(offset, 16, &range.offset))
        return;
    struct str path = str_trim(line);
    range.path = path_index(a, path.n ? path : STR("//anon"));
    add_range(s, range);
}

static struct address_space *read_space(struct address_spaces *a, int32_t pid)
{
    char path[40];
    struct address_space *s = clear_space(a, pid);
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    a->text.v.count = 0;
    if (!read_file_at(AT_FDCWD, path, &a->text) || a->text.v.count == 0)
        return s;
    struct str text = {(const char *)a->text.v.items, a->text.v.count}, line;
    while (str_next_line(&text, &line))
        add_line(a, s, line);
    return s;
}

static struct address_space *space_of(struct address_spaces *a, int32_t pid)
{
    const uint32_t *index = map_find(&a->by_pid, (uint32_t)pid);
    return index ? &a->spaces.items[*index] : read_space(a, pid);
}

const struct space_range *address_spaces_find(struct address_spaces *a, int32_t pid,
                                              uint64_t address)
{
    const struct address_space *s = space_of(a, pid);
    size_t at = range_at(s, address);
    bool inside = at < s->ranges.count && s->ranges.items[at].start <= address;
    return inside ? &s->ranges.items[at] : NULL;
}

void address_spaces_map(struct address_spaces *a, int32_t pid, uint64_t start, uint64_t size,
                        uint64_t offset, struct str path)
{
    if (size == 0 || start + size < start)
        return;
    struct address_space *s = space_of(a, pid);
    add_range(s, (struct space_range){start, start + size, offset, path_index(a, path)});
}

void address_spaces_fork(struct address_spaces *a, int32_t parent, int32_t pid)
{
    space_of(a, parent);
    struct address_space *to = clear_space(a, pid);
    const struct address_space *from = space_of(a, parent);
    vec_append(&to->ranges, from->ranges.items, from->ranges.count);
}

void address_spaces_exec(struct address_spaces *a, int32_t pid)
{
    clear_space(a, pid);
}

void address_spaces_exit(struct address_spaces *a, int32_t pid)
{
    const uint32_t *index = map_find(&a->by_pid, (uint32_t)pid);
    if (!index)
        return;
    *vec_push(&a->unused) = *index;
    map_remove(&a->by_pid, (uint32_t)pid);
}
