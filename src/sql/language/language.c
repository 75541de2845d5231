#include "sql/language/language.h"

#include "base/alloc.h"

struct language *language_new(void)
{
    struct language *l = alloc_array(1, sizeof *l);
    arena_init(&l->scratch);
    modules_init(l);
    metric_files_init(l);
    return l;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void language_free(struct language *l)
{
    if (!l)
        return;
    macro_table_release(&l->macros);
    vec_release(&l->scalar_functions);
    free_names(l->functions.items, l->functions.count);
    free_names(l->legacy_texts.items, l->legacy_texts.count);
    free_names(l->index_names.items, l->index_names.count);
    modules_release(l);
    metric_files_release(l);
    deferred_release(&l->deferred);
    arena_release(&l->scratch);
    free(l);
}
