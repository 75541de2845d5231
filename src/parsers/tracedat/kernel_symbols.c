#include "parsers/tracedat/kernel_symbols.h"

#include "base/bisect.h"
#include "base/merge_sort.h"

static int compare_functions(const void *a, const void *b)
{
    const struct kernel_function *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static void add_line(struct kernel_symbols *k, struct str line)
{
    uint64_t address;
    struct str word = str_take_word(&line);
    str_take_word(&line); /* its kind */
    struct str name = str_take_word(&line);
    if (name.n == 0 || !str_to_u64(word, 16, &address) || address == 0 ||
        k->names.v.count > UINT32_MAX / 2)
        return;
    *vec_push(&k->functions) =
        (struct kernel_function){.address = address, .name = (uint32_t)k->names.v.count};
    byte_list_add(&k->names, name.p, name.n);
    byte_list_add(&k->names, "", 1);
}

void kernel_symbols_add(struct kernel_symbols *k, struct str lines)
{
    for (struct str line; str_next_line(&lines, &line);)
        add_line(k, line);
}

void kernel_symbols_sort(struct kernel_symbols *k)
{
    const struct merge_sort order = {sizeof(struct kernel_function), compare_functions, NULL};
    merge_sort(&order, k->functions.items, k->functions.count);
}

void kernel_symbols_release(struct kernel_symbols *k)
{
    vec_release(&k->functions);
    vec_release(&k->names.v);
}

const struct kernel_function *kernel_symbols_find(const struct kernel_symbols *k, uint64_t address)
{
    size_t behind = BISECT(i, 0, k->functions.count, k->functions.items[i].address <= address);
    return behind > 0 ? &k->functions.items[behind - 1] : NULL;
}

struct str kernel_symbols_name(const struct kernel_symbols *k, const struct kernel_function *f)
{
    return str_from((const char *)k->names.v.items + f->name);
}
