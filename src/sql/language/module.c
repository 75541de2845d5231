#include "sql/language/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/session_state.h"
#include "sql/language/deferred.h"
#include "sql/language/language.h"
#include "sql/language/script.h"
#include "sql/language/sql_folder.h"
#include "sql/language/stdlib_modules.h"
#include "sql/tokens/source_error.h"

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

static void release_part(struct module_part *p)
{
    free(p->place);
    free(p->sql);
    free(p->complaint);
}

static void release_module(struct sql_module *m)
{
    for (size_t i = 0; i < m->parts.count; i++)
        release_part(&m->parts.items[i]);
    vec_release(&m->parts);
    if (m->owned)
        sql_folder_free(m->name, m->text);
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
    struct str kept = arena_copy(&s->language->scratch, str_from(label));
    sqlite3_free(label);
    return (struct sql_source){.name = kept.p,
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

static void complain(const struct sql_session *s, const char *message)
{
    if (s->complain)
        s->complain(s->complaining, message);
}

/* What is wrong with one part keeps no other from being run. */
static struct status run_part(struct sql_session *s, const struct module_part *p)
{
    if (!p->sql) {
        complain(s, p->complaint);
        return status_ok_value();
    }
    struct sql_source *source = arena_alloc(&s->language->scratch, sizeof *source);
    *source = (struct sql_source){.name = arena_copy(&s->language->scratch, str_from(p->place)).p,
                                  .text = arena_copy(&s->language->scratch, str_from(p->sql))};
    struct status status = script_run(s, source, NULL);
    if (status_ok(status) || status.code == STATUS_CANCELLED)
        return status;
    complain(s, status.message);
    status_release(&status);
    return status_ok_value();
}

static struct status run_parts(struct sql_session *s, size_t index)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < s->language->modules.items[index].parts.count && status_ok(status); i++)
        status = run_part(s, &s->language->modules.items[index].parts.items[i]);
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
    source->is_program = !m.owned;
    s->language->redoing += m.begun;
    struct status status = run_parts(s, index);
    if (status_ok(status))
        status = m.owned ? script_run(s, source, NULL) : run_embedded(s, source, m.name);
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

struct folder_modules {
    struct language *language;
    const char *package;
    size_t added;
};

static void add_module(void *self, const char *below, struct str text)
{
    struct folder_modules *f = self;
    struct sql_module m = {.name = module_name(f->package, below), .text = text, .owned = true};
    if (is_prelude(m.name)) /* ours has run already, and knows our tables */
        release_module(&m);
    else
        put_module(f->language, m);
    f->added++;
}

bool modules_add(struct language *l, const char *name, struct str text)
{
    if (is_prelude(name))
        return false;
    put_module(l, (struct sql_module){.name = alloc_copy(name, strlen(name)),
                                      .text = {alloc_copy(text.p, text.n), text.n},
                                      .owned = true});
    return true;
}

void modules_add_part(struct language *l, const char *name, const struct module_part *part)
{
    for (size_t i = 0; i < l->modules.count; i++) {
        struct sql_module *m = &l->modules.items[i];
        if (strcmp(m->name, name) == 0)
            *vec_push(&m->parts) = *part;
    }
}

bool modules_have_package(const struct language *l, const char *package)
{
    size_t n = strlen(package);
    for (size_t i = 0; i < l->modules.count; i++) {
        const char *name = l->modules.items[i].name;
        if (strncmp(name, package, n) == 0 && (!name[n] || name[n] == '.'))
            return true;
    }
    return false;
}

struct status modules_add_folder(struct language *l, const char *folder, const char *package)
{
    struct folder_modules f = {.language = l, .package = package};
    if (!*package)
        modules_release(l);
    struct status status = sql_folder_read(folder, ".sql", false, add_module, &f);
    if (status_ok(status) && f.added == 0)
        status = sql_folder_error(folder);
    return status;
}
