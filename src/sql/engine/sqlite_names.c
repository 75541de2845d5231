#include "sql/engine/sqlite_names.h"

#include <string.h>

#include "base/bisect.h"
#include "base/str.h"

struct names {
    const char *const *items; /* sorted */
    size_t count;
};

#define NAMES(...)                                                                                 \
    {                                                                                              \
        (const char *const[]){__VA_ARGS__},                                                        \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)                      \
    }

/* What is decided, and for which names; those that most functions have come first. */
static const struct {
    struct sqlite_decision decision;
    struct names functions, modules, pragmas;
} decisions[] = {
    {.decision = {SQLITE_USE_ALLOWED, "computes a value from its arguments"},
     .functions =
         NAMES("abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling",
               "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "current_date",
               "current_time", "current_timestamp", "date", "datetime", "degrees", "exp", "floor",
               "format", "glob", "hex", "if", "ifnull", "iif", "instr", "julianday", "length",
               "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim",
               "mod", "nullif", "octet_length", "pi", "pow", "power", "printf", "quote", "radians",
               "replace", "round", "rtrim", "sign", "sin", "sinh", "soundex", "sqrt", "strftime",
               "substr", "substring", "subtype", "tan", "tanh", "time", "timediff", "trim", "trunc",
               "typeof", "unhex", "unicode", "unistr", "unistr_quote", "unixepoch", "unlikely",
               "upper", "zeroblob")},
    {.decision = {SQLITE_USE_ALLOWED, "computes a value from the rows of a group or window"},
     .functions = NAMES("avg", "count", "cume_dist", "dense_rank", "first_value", "group_concat",
                        "lag", "last_value", "lead", "max", "median", "min", "nth_value", "ntile",
                        "percent_rank", "percentile", "percentile_cont", "percentile_disc", "rank",
                        "row_number", "string_agg", "sum", "total")},
    {.decision = {SQLITE_USE_ALLOWED, "reads and writes JSON"},
     .functions =
         NAMES("->", "->>", "json", "json_array", "json_array_insert", "json_array_length",
               "json_error_position", "json_extract", "json_group_array", "json_group_object",
               "json_insert", "json_object", "json_patch", "json_pretty", "json_quote",
               "json_remove", "json_replace", "json_set", "json_type", "json_valid", "jsonb",
               "jsonb_array", "jsonb_array_insert", "jsonb_extract", "jsonb_group_array",
               "jsonb_group_object", "jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove",
               "jsonb_replace", "jsonb_set"),
     .modules = NAMES("json_each", "json_tree")},
    {.decision = {SQLITE_USE_ALLOWED, "counts what statements of the same session changed"},
     .functions = NAMES("changes", "last_insert_rowid", "total_changes")},
    {.decision = {SQLITE_USE_ALLOWED, "gives values of chance"},
     .functions = NAMES("random", "randomblob")},
    {.decision = {SQLITE_USE_ALLOWED, "tells which SQLite it is"},
     .functions = NAMES("sqlite_compileoption_get", "sqlite_compileoption_used", "sqlite_source_id",
                        "sqlite_version")},
    {.decision = {SQLITE_USE_ALLOWED,
                  "shows arrays that the program hands over, which it never does"},
     .modules = NAMES("carray")},
    {.decision = {SQLITE_USE_ALLOWED, "tells what there is"},
     .pragmas = NAMES("collation_list", "compile_options", "data_version", "database_list",
                      "foreign_key_check", "foreign_key_list", "freelist_count", "function_list",
                      "index_info", "index_list", "index_xinfo", "integrity_check", "module_list",
                      "page_count", "pragma_list", "quick_check", "table_info", "table_list",
                      "table_xinfo")},
    {.decision = {SQLITE_USE_ALLOWED,
                  "says how a database keeps its rows; the session's has no file"},
     .pragmas =
         NAMES("application_id", "auto_vacuum", "encoding", "incremental_vacuum", "journal_mode",
               "journal_size_limit", "locking_mode", "max_page_count", "page_size", "secure_delete",
               "synchronous", "user_version", "wal_autocheckpoint", "wal_checkpoint")},
    {.decision = {SQLITE_USE_ALLOWED, "says what the session's own statements mean"},
     .pragmas = NAMES("analysis_limit", "automatic_index", "case_sensitive_like", "count_changes",
                      "empty_result_callbacks", "full_column_names", "ignore_check_constraints",
                      "optimize", "query_only", "read_uncommitted", "recursive_triggers",
                      "reverse_unordered_selects", "short_column_names", "shrink_memory")},
    {.decision = {SQLITE_USE_READ, "is set by the program, as it bounds memory, time or trust"},
     .pragmas = NAMES("busy_timeout", "cache_size", "cache_spill", "cell_size_check",
                      "checkpoint_fullfsync", "fullfsync", "hard_heap_limit", "legacy_alter_table",
                      "mmap_size", "schema_version", "soft_heap_limit", "temp_store", "threads",
                      "trusted_schema")},
    {.decision = {SQLITE_USE_READ, "is off, as actions that set off actions take all of the stack"},
     .pragmas = NAMES("defer_foreign_keys", "foreign_keys")},
    {.decision = {SQLITE_USE_REFUSED, "runs machine code out of a file"},
     .functions = NAMES("load_extension")},
    {.decision = {SQLITE_USE_REFUSED, "tells and sets addresses of machine code"},
     .functions = NAMES("fts3_tokenizer")},
    {.decision = {SQLITE_USE_REFUSED, "is full-text search, which follows what SQL can damage"},
     .functions =
         NAMES("bm25", "fts5", "fts5_get_locale", "fts5_insttoken", "fts5_locale", "fts5_source_id",
               "highlight", "match", "matchinfo", "offsets", "optimize", "snippet"),
     .modules = NAMES("fts3", "fts3tokenize", "fts4", "fts4aux", "fts5", "fts5vocab")},
    {.decision = {SQLITE_USE_REFUSED, "is about R-trees, which follow what SQL can damage"},
     .functions = NAMES("geopoly_area", "geopoly_bbox", "geopoly_blob", "geopoly_ccw",
                        "geopoly_contains_point", "geopoly_debug", "geopoly_group_bbox",
                        "geopoly_json", "geopoly_overlap", "geopoly_regular", "geopoly_svg",
                        "geopoly_within", "geopoly_xform", "rtreecheck", "rtreedepth", "rtreenode"),
     .modules = NAMES("geopoly", "rtree", "rtree_i32")},
    {.decision = {SQLITE_USE_REFUSED, "writes to the log of the process"},
     .functions = NAMES("sqlite_log")},
    {.decision = {SQLITE_USE_REFUSED, "shows or writes the pages behind the tables"},
     .functions = NAMES("sqlite_offset"),
     .modules = NAMES("dbstat", "sqlite_dbpage")},
    {.decision = {SQLITE_USE_REFUSED, "shows how statements run inside of SQLite"},
     .modules = NAMES("bytecode", "sqlite_stmt", "tables_used")},
    {.decision = {SQLITE_USE_REFUSED, "is no longer part of SQLite's interface"},
     .pragmas = NAMES("default_cache_size")},
    {.decision = {SQLITE_USE_REFUSED, "moves the files of all sessions of the process"},
     .pragmas = NAMES("data_store_directory", "temp_store_directory")},
    {.decision = {SQLITE_USE_REFUSED, "lets SQL write the definitions that SQLite trusts"},
     .pragmas = NAMES("writable_schema")},
    {.decision = {SQLITE_USE_REFUSED, "is for keys and licences of other builds of SQLite"},
     .pragmas = NAMES("activate_extensions", "hexkey", "hexrekey", "key", "rekey", "textkey",
                      "textrekey")},
    {.decision = {SQLITE_USE_REFUSED, "is for the debugging of SQLite itself"},
     .functions = NAMES("sqlite_filestat"),
     .pragmas = NAMES("lock_proxy_file", "lock_status", "parser_trace", "sql_trace", "stats",
                      "vdbe_addoptrace", "vdbe_debug", "vdbe_eqp", "vdbe_listing", "vdbe_trace")},
    {.decision = {SQLITE_USE_REFUSED, "stands for functions that there are not"},
     .functions = NAMES("unknown")},
};

enum { DECISIONS = sizeof decisions / sizeof *decisions };

static const struct names *names_of(size_t i, enum sqlite_kind kind)
{
    return kind == SQLITE_NAME_FUNCTION ? &decisions[i].functions
           : kind == SQLITE_NAME_MODULE ? &decisions[i].modules
                                        : &decisions[i].pragmas;
}

const struct sqlite_decision *sqlite_decision(enum sqlite_kind kind, const char *name)
{
    static const char shown[] = "pragma_"; /* pragma_x tells what PRAGMA x does */
    if (kind == SQLITE_NAME_MODULE && compare_any_case_n(name, shown, strlen(shown)) == 0)
        return sqlite_decision(SQLITE_NAME_PRAGMA, name + strlen(shown));
    for (size_t i = 0; i < DECISIONS; i++) {
        const struct names *list = names_of(i, kind);
        size_t at = BISECT(k, 0, list->count, compare_any_case(list->items[k], name) < 0);
        if (at < list->count && compare_any_case(list->items[at], name) == 0)
            return &decisions[i].decision;
    }
    return NULL;
}

const char *sqlite_decided_name(enum sqlite_kind kind, size_t i)
{
    for (size_t d = 0; d < DECISIONS; d++) {
        const struct names *list = names_of(d, kind);
        if (i < list->count)
            return list->items[i];
        i -= list->count;
    }
    return NULL;
}
