#include "sql/language/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/language/language.h"
#include "sql/engine/sql_folder.h"
#include "sql/language/stdlib_modules.h"

bool module_is_prelude(const char *name)
{
    return strncmp(name, "prelude.", 8) == 0;
}

void modules_init(struct language *l)
{
    for (size_t i = 0; i < embedded_module_count; i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (!module_is_prelude(m->name))
            *vec_push(&l->modules) =
                (struct sql_module){.name = m->name, .text = {m->text, m->size}};
    }
}

static const char *copy(const char *text)
{
    return text ? alloc_copy(text, strlen(text)) : NULL;
}

static struct module_part copy_part(const struct module_part *p)
{
    return (struct module_part){.place = copy(p->place),
                                .sql = copy(p->sql),
                                .complaint = copy(p->complaint),
                                .before = copy(p->before),
                                .behind = copy(p->behind),
                                .then = copy(p->then)};
}

static void free_text(const char *text)
{
    free((void *)(uintptr_t)text);
}

static void release_part(struct module_part *p)
{
    free_text(p->place);
    free_text(p->sql);
    free_text(p->complaint);
    free_text(p->before);
    free_text(p->behind);
    free_text(p->then);
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
    if (module_is_prelude(m.name)) /* ours has run already, and knows our tables */
        release_module(&m);
    else
        put_module(f->language, m);
    f->added++;
}

bool modules_add(struct language *l, const char *name, struct str text)
{
    if (module_is_prelude(name))
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
            *vec_push(&m->parts) = copy_part(part);
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
