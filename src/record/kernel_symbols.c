#include "record/kernel_symbols.h"

#include <stdio.h>

#include "base/merge_sort.h"

enum { LINE_BYTES = 512 };

static int compare_functions(const void *a, const void *b)
{
    const struct kernel_function *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* "ffffffff81000000 T name	[module]" */
static void add_line(struct kernel_symbols *k, struct str line)
{
    uint64_t address;
    struct str word = str_take_word(&line), kind = str_take_word(&line);
    struct str name = str_take_word(&line);
    bool is_code = kind.n == 1 && strchr("tTwW", *kind.p) != NULL;
    if (!is_code || name.n == 0 || !str_to_u64(word, 16, &address) || address == 0 ||
        k->names.v.count > UINT32_MAX / 2)
        return;
    *vec_push(&k->functions) =
        (struct kernel_function){.address = address, .name = (uint32_t)k->names.v.count};
    byte_list_add(&k->names, name.p, name.n);
    byte_list_add(&k->names, "", 1);
}

void kernel_symbols_read(struct kernel_symbols *k)
{
    const struct merge_sort order = {sizeof(struct kernel_function), compare_functions, NULL};
    char line[LINE_BYTES];
    *k = (struct kernel_symbols){0};
    FILE *f = fopen("/proc/kallsyms", "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        struct str text = str_trim_lines(str_from(line));
        add_line(k, text);
    }
    fclose(f);
    merge_sort(&order, k->functions.items, k->functions.count);
}

void kernel_symbols_release(struct kernel_symbols *k)
{
    vec_release(&k->functions);
    vec_release(&k->names.v);
}

struct str kernel_symbols_find(const struct kernel_symbols *k, uint64_t address)
{
    size_t lo = 0, hi = k->functions.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (k->functions.items[mid].address <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return STR("");
    return str_from((const char *)k->names.v.items + k->functions.items[lo - 1].name);
}
