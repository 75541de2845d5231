/* INCLUDE PERFETTO MODULE: modules by name, from the program itself. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/embedded.h"
#include "sql/internal.h"

static bool is_included(const struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->modules.count; i++)
        if (strcmp(s->modules.items[i], name) == 0)
            return true;
    return false;
}

/* A module that failed can be included again. */
static void forget(struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->modules.count; i++) {
        if (strcmp(s->modules.items[i], name) != 0)
            continue;
        free(s->modules.items[i]);
        s->modules.items[i] = vec_last(&s->modules);
        s->modules.count--;
        return;
    }
}

static struct status run_module(struct sql_session *s, struct token at,
                                const struct embedded_module *m)
{
    if (is_included(s, m->name))
        return status_ok_value();
    *vec_push(&s->modules) = alloc_copy(m->name, strlen(m->name));
    struct sql_source *source = arena_alloc(&s->scratch, sizeof *source);
    char *label = sqlite3_mprintf("module %s", m->name);
    size_t n = strlen(label) + 1;
    char *kept = arena_alloc_bytes(&s->scratch, n);
    memcpy(kept, label, n);
    sqlite3_free(label);
    *source = (struct sql_source){.name = kept,
                                  .text = {m->text, m->size},
                                  .parent = at.source,
                                  .parent_at = token_at(at)};
    struct status status = script_run(s, source, NULL);
    if (!status_ok(status))
        forget(s, m->name);
    return status;
}

/* "a.*" matches a and everything below it. */
static bool matches(const char *name, const char *pattern)
{
    size_t n = strlen(pattern);
    if (strcmp(pattern, "*") == 0)
        return true;
    if (n < 2 || strcmp(pattern + n - 2, ".*") != 0)
        return strcmp(name, pattern) == 0;
    return strncmp(name, pattern, n - 1) == 0;
}

static bool is_prelude(const char *name)
{
    return strncmp(name, "prelude.", 8) == 0;
}

struct status module_include(struct sql_session *s, struct token at, const char *name)
{
    bool found = is_prelude(name);
    for (size_t i = 0; i < embedded_module_count; i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (is_prelude(m->name) || !matches(m->name, name))
            continue;
        found = true;
        struct status status = run_module(s, at, m);
        if (!status_ok(status))
            return status;
    }
    if (found)
        return status_ok_value();
    char *message = sqlite3_mprintf("no such module: %s", name);
    struct status status = source_error(at.source, token_at(at), message);
    sqlite3_free(message);
    return status;
}
