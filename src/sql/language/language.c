#include "sql/language/language.h"

#include <stdio.h>

#include "base/alloc.h"
#include "sql/engine/schema_names.h"
#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"

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

bool session_object_exists(struct sql_session *s, struct str name, char type[8])
{
    if (!s->language->has_pragmas && schema_names_ready(s)) {
        const struct schema_definition *o = schema_names_find(s, name);
        snprintf(type, 8, "%s", o ? o->type : "");
        return o;
    }
    char *found =
        query_text(s->db, "SELECT type FROM sqlite_master WHERE lower(name) = lower(%.*Q)",
                   (int)name.n, name.p);
    snprintf(type, 8, "%s", found ? found : "");
    sqlite3_free(found);
    return found != NULL;
}

bool session_name_taken(struct sql_session *s, struct str name)
{
    char type[8];
    for (size_t i = 0; i < s->language->functions.count; i++) {
        const char *key = s->language->functions.items[i];
        if (sqlite3_strnicmp(key, name.p, (int)name.n) == 0 && key[name.n] == '/')
            return true;
    }
    return session_object_exists(s, name, type);
}
