#include "sql/engine/database.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sql/engine/compile_memory.h"
#include "sql/engine/sqlite_names.h"
#include "sql/engine/vtab.h"
#include "sql/values/values.h"

/* Why a name of SQLite's is not there; for sqlite3_free. */
static char *refusal(enum sqlite_kind kind, const char *name)
{
    const struct sqlite_decision *d = sqlite_decision(kind, name);
    return sqlite3_mprintf("%s is refused: it %s", name,
                           d ? d->reason : "is not known to this program");
}

static void fn_refused(SQL_FUNCTION_ARGS)
{
    char *message = refusal(SQLITE_NAME_FUNCTION, sqlite3_user_data(ctx));
    result_error(ctx, "%s", message);
    sqlite3_free(message);
}

static int connect_refused(sqlite3 *db, void *name, int argc, const char *const *argv,
                           sqlite3_vtab **out, char **error)
{
    (void)db, (void)argc, (void)argv, (void)out;
    *error = refusal(SQLITE_NAME_MODULE, name);
    return SQLITE_ERROR;
}

/* SQLite asks a module for all of them before it has a table made. */
static const sqlite3_module refused_module = {.xCreate = connect_refused,
                                              .xConnect = connect_refused,
                                              .xDisconnect = vtab_free,
                                              .xDestroy = vtab_free};

struct unwanted_name {
    char *name;
    int argc;
};

struct unwanted_names {
    VEC(struct unwanted_name) v;
    bool json_is_unsafe;
};

static bool is_wanted(enum sqlite_kind kind, const char *name)
{
    const struct sqlite_decision *d = sqlite_decision(kind, name);
    return d && d->use == SQLITE_USE_ALLOWED;
}

static int list_functions(sqlite3 *db, struct unwanted_names *out)
{
    enum { NAME, BUILTIN, TYPE, ENCODING, ARGUMENTS, FLAGS };
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(db, "PRAGMA function_list", -1, &stmt, NULL);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, NAME);
        if (!is_wanted(SQLITE_NAME_FUNCTION, name))
            *vec_push(&out->v) = (struct unwanted_name){alloc_copy(name, strlen(name)),
                                                        sqlite3_column_int(stmt, ARGUMENTS)};
        else if (strcmp(name, "json") == 0)
            out->json_is_unsafe = !(sqlite3_column_int(stmt, FLAGS) & SQLITE_INNOCUOUS);
    }
    return sqlite3_finalize(stmt);
}

static int list_modules(sqlite3 *db, struct unwanted_names *out)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(db, "PRAGMA module_list", -1, &stmt, NULL);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        if (!is_wanted(SQLITE_NAME_MODULE, name))
            *vec_push(&out->v) = (struct unwanted_name){alloc_copy(name, strlen(name)), 0};
    }
    return sqlite3_finalize(stmt);
}

/* With each number of arguments that SQLite has one with: a function that a script defines must not
 * open the way to SQLite's of the same name. */
static int refuse_functions(sqlite3 *db, bool *json_is_unsafe)
{
    struct unwanted_names list = {0};
    int rc = list_functions(db, &list);
    for (size_t i = 0; i < list.v.count; i++) {
        struct unwanted_name f = list.v.items[i];
        int made = sqlite3_create_function_v2(db, f.name, f.argc, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                              f.name, fn_refused, NULL, NULL, free);
        rc = rc == SQLITE_OK ? made : rc;
    }
    *json_is_unsafe = list.json_is_unsafe;
    vec_release(&list.v);
    return rc;
}

static int refuse_modules(sqlite3 *db)
{
    struct unwanted_names list = {0};
    int rc = list_modules(db, &list);
    for (size_t i = 0; i < list.v.count; i++) {
        char *name = list.v.items[i].name;
        int made = sqlite3_create_module_v2(db, name, &refused_module, name, free);
        rc = rc == SQLITE_OK ? made : rc;
    }
    vec_release(&list.v);
    return rc;
}

int database_open(const char *path, int flags, const char *vfs, sqlite3 **out)
{
    bool json_is_unsafe = false;
    int rc = sqlite3_open_v2(path, out, flags, vfs);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    rc = refuse_functions(*out, &json_is_unsafe);
    /* SQLite 3.40 takes its own json functions for unsafe, and views that call them must work. What
     * else is left is harmless, or SQLITE_DIRECTONLY, whether schemas are trusted or not. */
    sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, json_is_unsafe, NULL);
    return rc == SQLITE_OK ? refuse_modules(*out) : rc;
}

/* What statements do, as SQLite tells its authorizer; a later SQLite may have more. */
static const bool harmless[] = {
    [SQLITE_CREATE_INDEX] = true,
    [SQLITE_CREATE_TABLE] = true,
    [SQLITE_CREATE_TEMP_INDEX] = true,
    [SQLITE_CREATE_TEMP_TABLE] = true,
    [SQLITE_CREATE_TEMP_TRIGGER] = true,
    [SQLITE_CREATE_TEMP_VIEW] = true,
    [SQLITE_CREATE_TRIGGER] = true,
    [SQLITE_CREATE_VIEW] = true,
    [SQLITE_DELETE] = true,
    [SQLITE_DROP_INDEX] = true,
    [SQLITE_DROP_TABLE] = true,
    [SQLITE_DROP_TEMP_INDEX] = true,
    [SQLITE_DROP_TEMP_TABLE] = true,
    [SQLITE_DROP_TEMP_TRIGGER] = true,
    [SQLITE_DROP_TEMP_VIEW] = true,
    [SQLITE_DROP_TRIGGER] = true,
    [SQLITE_DROP_VIEW] = true,
    [SQLITE_INSERT] = true,
    [SQLITE_READ] = true,
    [SQLITE_SELECT] = true,
    [SQLITE_TRANSACTION] = true,
    [SQLITE_UPDATE] = true,
    [SQLITE_DETACH] = true,
    [SQLITE_ALTER_TABLE] = true,
    [SQLITE_REINDEX] = true,
    [SQLITE_ANALYZE] = true,
    [SQLITE_CREATE_VTABLE] = true, /* of the modules that are left */
    [SQLITE_DROP_VTABLE] = true,
    [SQLITE_FUNCTION] = true, /* of the functions that are left */
    [SQLITE_SAVEPOINT] = true,
    [SQLITE_RECURSIVE] = true,
};

static int refuse(struct database_rules *rules, const char *what, const char *name,
                  const char *reason)
{
    if (rules)
        sqlite3_snprintf(sizeof rules->refused, rules->refused, "%s%s is refused: %s", what, name,
                         reason);
    return SQLITE_DENY;
}

static int decide_pragma(struct database_rules *rules, const char *name, const char *value)
{
    const struct sqlite_decision *d = sqlite_decision(SQLITE_NAME_PRAGMA, name);
    if (!d)
        return refuse(rules, "PRAGMA ", name, "it is not known to this program");
    if (d->use == SQLITE_USE_ALLOWED || (d->use == SQLITE_USE_READ && !value))
        return SQLITE_OK;
    char *reason = sqlite3_mprintf("it %s", d->reason);
    int rc = refuse(rules, "PRAGMA ", name, reason);
    sqlite3_free(reason);
    return rc;
}

/* SQLite's authorizer, asked for whatever a statement does while it is compiled, which may take
 * long enough that somebody wants it to end. */
static int decide(void *self, int action, const char *name, const char *value, const char *database,
                  const char *trigger)
{
    (void)database, (void)trigger;
    struct database_rules *rules = self;
    if (rules && rules->cancel && atomic_load_explicit(rules->cancel, memory_order_relaxed))
        return SQLITE_DENY;
    if (rules && rules->cancel)
        compile_memory_enter(rules->cancel);
    if (rules && action == SQLITE_ALTER_TABLE)
        rules->alters = true;
    if (action >= 0 && (size_t)action < sizeof harmless / sizeof *harmless && harmless[action])
        return SQLITE_OK;
    if (action == SQLITE_PRAGMA)
        return decide_pragma(rules, name, value);
    if (action != SQLITE_ATTACH)
        return refuse(rules, "the statement", "", "what it does is not known to this program");
    if (rules && rules->may_attach)
        return SQLITE_OK;
    return refuse(rules, "attaching a database, as ATTACH and VACUUM do,", "",
                  "queries may not write files: --allow-sql-file-access allows it");
}

void database_seal(sqlite3 *db, struct database_rules *rules)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_set_authorizer(db, decide, rules);
}

void database_unseal(sqlite3 *db)
{
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
}

const char *database_message(sqlite3 *db, const struct database_rules *rules)
{
    const char *message = sqlite3_errmsg(db);
    if (rules && rules->too_large && sqlite3_errcode(db) == SQLITE_NOMEM)
        return "the statement is too large once its views and WITHs are written out";
    if ((sqlite3_errcode(db) & 0xff) == SQLITE_IOERR && sqlite3_system_errno(db) != 0)
        return strerror(sqlite3_system_errno(db));
    bool refused =
        strcmp(message, "not authorized") == 0 || strcmp(message, "authorization denied") == 0;
    return refused && rules->refused[0] ? rules->refused : message;
}
