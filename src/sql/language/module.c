#include "sql/language/module.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/session_state.h"
#include "sql/language/deferred.h"
#include "sql/language/language.h"
#include "sql/language/script.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/source_error.h"

enum { MODULE_SIZE_MAX = 16 << 20 };

static bool is_prelude(const char *name)
{
    return strncmp(name, "prelude.", 8) == 0;
}

void modules_init(struct language *l)
{
    for (size_t i = 0; i < embedded_module_count; i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (!is_prelude(m->name))
            *vec_push(&l->modules) =
                (struct sql_module){.name = m->name, .text = {m->text, m->size}};
    }
}

static void release_module(struct sql_module *m)
{
    if (!m->owned)
        return;
    free((void *)(uintptr_t)m->name);
    free((void *)(uintptr_t)m->text.p);
}

void modules_release(struct language *l)
{
    for (size_t i = 0; i < l->modules.count; i++)
        release_module(&l->modules.items[i]);
    vec_release(&l->modules);
}

struct sql_source module_source(struct sql_session *s, const char *module, struct str text,
                                struct token at)
{
    char *label = sqlite3_mprintf("module %s", module);
    size_t n = strlen(label) + 1;
    char *kept = arena_alloc_bytes(&s->language->scratch, n);
    memcpy(kept, label, n);
    sqlite3_free(label);
    return (struct sql_source){.name = kept,
                               .text = text,
                               .parent = at.source,
                               .parent_at = token_at(at)};
}

static struct status run_embedded(struct sql_session *s, const struct sql_source *source,
                                  const char *module)
{
    struct token_list statement = {0};
    struct status status = status_ok_value();
    for (size_t at = 0, next; at < source->text.n && status_ok(status); at = next) {
        statement.v.count = 0;
        next = lexer_statement(source, at, &statement);
        if (!deferred_add(s, module, &statement, at, next))
            status = script_run_part(s, source, at, next, NULL);
    }
    vec_release(&statement.v);
    return status;
}

static struct status run_module(struct sql_session *s, struct token at, size_t index)
{
    struct sql_module m = s->language->modules.items[index];
    if (m.included)
        return status_ok_value();
    s->language->modules.items[index].included = true;
    struct sql_source *source = arena_alloc(&s->language->scratch, sizeof *source);
    *source = module_source(s, m.name, m.text, at);
    s->language->redoing += m.begun;
    struct status status = m.owned ? script_run(s, source, NULL) : run_embedded(s, source, m.name);
    s->language->redoing -= m.begun;
    s->language->modules.items[index].begun = !status_ok(status);
    s->language->modules.items[index].included = status_ok(status);
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

struct status module_include(struct sql_session *s, struct token at, const char *name)
{
    bool found = is_prelude(name);
    for (size_t i = 0; i < s->language->modules.count; i++) {
        if (!matches(s->language->modules.items[i].name, name))
            continue;
        found = true;
        struct status status = run_module(s, at, i);
        if (!status_ok(status))
            return status;
    }
    if (found)
        return status_ok_value();
    return token_error(at, "no such module: %s", name);
}

static struct status read_file(const char *path, struct str *out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    VEC(char) text = {0};
    size_t n;
    char buffer[1 << 14];
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0 && text.count < MODULE_SIZE_MAX) {
        vec_reserve(&text, text.count + n + 1);
        memcpy(text.items + text.count, buffer, n);
        text.count += n;
    }
    bool failed = ferror(f) || text.count >= MODULE_SIZE_MAX;
    fclose(f);
    if (failed) {
        vec_release(&text);
        return status_error(STATUS_IO, "%s: cannot be read as a module", path);
    }
    *out = (struct str){text.items ? text.items : alloc_copy("", 0), text.count};
    return status_ok_value();
}

/* The module's name: PACKAGE, then the path below the folder with dots. */
static char *module_name(const char *package, const char *below)
{
    char *name = sqlite3_mprintf("%s%s%.*s", package, *package ? "." : "",
                                 (int)(strlen(below) - strlen(".sql")), below);
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '.';
    char *copy = alloc_copy(name, strlen(name));
    sqlite3_free(name);
    return copy;
}

/* A module of a name that is there already takes its place. */
static void put_module(struct language *l, struct sql_module made)
{
    for (size_t i = 0; i < l->modules.count; i++) {
        struct sql_module *m = &l->modules.items[i];
        if (strcmp(m->name, made.name) != 0)
            continue;
        release_module(m);
        *m = made;
        return;
    }
    *vec_push(&l->modules) = made;
}

static struct status add_files(struct language *l, FTS *tree, const char *folder,
                               const char *package, size_t *added)
{
    size_t skip = strlen(folder);
    for (FTSENT *e; (e = fts_read(tree));) {
        if (e->fts_info != FTS_F || !str_ends(str_from(e->fts_path), STR(".sql")))
            continue;
        const char *below = e->fts_path + skip;
        while (*below == '/')
            below++;
        struct sql_module m = {.owned = true};
        struct status status = read_file(e->fts_path, &m.text);
        if (!status_ok(status))
            return status;
        m.name = module_name(package, below);
        if (is_prelude(m.name)) /* ours has run already, and knows our tables */
            release_module(&m);
        else
            put_module(l, m);
        ++*added;
    }
    return status_ok_value();
}

struct status modules_add_folder(struct language *l, const char *folder, const char *package)
{
    char *copy = alloc_copy(folder, strlen(folder));
    char *paths[] = {copy, NULL};
    size_t added = 0;
    if (!*package)
        modules_release(l);
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    struct status status = tree ? add_files(l, tree, folder, package, &added) : status_ok_value();
    if (tree)
        fts_close(tree);
    free(copy);
    if (status_ok(status) && added == 0)
        status = status_error(STATUS_IO, "%s: no .sql files there", folder);
    return status;
}
