/* Modules by name, from the program itself and from folders.
 *
 * What each module of stdlib/ must define stands in tests/modules.tsv, names with a leading
 * underscore that clients use in tests/private_objects.tsv; other such names are ours and may
 * change. */
#ifndef TPTUI_SQL_LANGUAGE_MODULE_H
#define TPTUI_SQL_LANGUAGE_MODULE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct language;

/* See sql_session_add_part. */
struct module_part {
    const char *place; /* the name of `sql` in messages */
    const char *sql;   /* NULL: the complaint is all there is */
    const char *complaint;
    /* Where `sql` is the middle of a statement: what stands around it, and the statement that is
     * run behind that. Messages about these name the place where `sql` begins. Else NULL. */
    const char *before, *behind, *then;
};

/* A module that can be included. */
struct sql_module {
    const char *name;
    struct str text;
    VEC(struct module_part) parts; /* their texts are owned */
    bool owned;                    /* name and text; else they are part of the program */
    bool included;
    bool begun; /* an earlier run of it failed on the way */
};

/* Those that have run before any script, whose names stand for nothing more. */
bool module_is_prelude(const char *name);

/* The modules that are part of the program. */
void modules_init(struct language *l);
void modules_release(struct language *l);

/* See sql_session_add_package. */
struct status modules_add_folder(struct language *l, const char *folder, const char *package);

/* See sql_session_add_module, sql_session_add_part and sql_session_has_package. */
bool modules_add(struct language *l, const char *name, struct str text);
/* The part is copied. */
void modules_add_part(struct language *l, const char *name, const struct module_part *part);
bool modules_have_package(const struct language *l, const char *package);

#endif
