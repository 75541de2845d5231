#include "core/metadata.h"

#include <string.h>

#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

enum metadata_scope {
    OF_ALL = 0,
    OF_FILE = 1,
    OF_MACHINE = 2,
    OF_FILE_AND_MACHINE = OF_FILE | OF_MACHINE
};

/* A name that ends with a dot stands for all that begin with it. */
static const struct {
    const char *name;
    enum metadata_scope scope;
} scopes[] = {
    {"manifest_attribute.", OF_ALL},
    {"trace_time_clock_id", OF_ALL},
    {"android_profile_boot_classpath", OF_FILE},
    {"android_profile_system_server", OF_FILE},
    {"benchmark_description", OF_FILE},
    {"benchmark_had_failures", OF_FILE},
    {"benchmark_label", OF_FILE},
    {"benchmark_name", OF_FILE},
    {"benchmark_start_time_us", OF_FILE},
    {"benchmark_story_name", OF_FILE},
    {"benchmark_story_run_index", OF_FILE},
    {"benchmark_story_run_time_us", OF_FILE},
    {"benchmark_story_tags", OF_FILE},
    {"range_of_interest_start_us", OF_FILE},
    {"statsd_triggering_subscription_id", OF_FILE},
    {"trace_config_pbtxt", OF_FILE},
    {"trace_size_bytes", OF_FILE},
    {"trace_trigger", OF_FILE},
    {"trace_type", OF_FILE},
    {"trace_uuid", OF_FILE},
    {"ui_state", OF_FILE},
    {"unique_session_name", OF_FILE},
    {"android_build_fingerprint", OF_MACHINE},
    {"android_device_manufacturer", OF_MACHINE},
    {"android_guest_soc_model", OF_MACHINE},
    {"android_hardware_revision", OF_MACHINE},
    {"android_incremental_build", OF_MACHINE},
    {"android_ram_model", OF_MACHINE},
    {"android_sdk_version", OF_MACHINE},
    {"android_serial_console", OF_MACHINE},
    {"android_soc_model", OF_MACHINE},
    {"android_storage_model", OF_MACHINE},
    {"system_machine", OF_MACHINE},
    {"system_name", OF_MACHINE},
    {"system_ram_bytes", OF_MACHINE},
    {"system_ram_gb", OF_MACHINE},
    {"system_release", OF_MACHINE},
    {"system_version", OF_MACHINE},
    {"timezone_off_mins", OF_MACHINE},
    {"tracing_service_version", OF_MACHINE},
};

static enum metadata_scope scope_of(const char *name)
{
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        const char *known = scopes[i].name;
        size_t n = strlen(known);
        if (known[n - 1] == '.' ? strncmp(name, known, n) == 0 : strcmp(name, known) == 0)
            return scopes[i].scope;
    }
    return OF_FILE_AND_MACHINE;
}

static const char uuid_name[] = "trace_uuid";

void metadata_next_file(struct trace *t)
{
    map_release(&t->builder->metadata_rows_of_file);
}

static struct map *rows_like(struct trace *t, const struct metadata_row *row)
{
    return row->trace_id == NULL_U32 ? &t->builder->metadata_rows
                                     : &t->builder->metadata_rows_of_file;
}

enum metadata_row_kind { METADATA_REPLACE, METADATA_ADD, METADATA_MULTI };

/* Under which a row is found again: by its name and what it is about. */
static uint64_t key_of(const struct metadata_row *row)
{
    return hash_mix((uint64_t)row->machine_id << 32 | row->trace_id, row->name);
}

/* The row that metadata_set_made_uuid has made becomes the file's, once; NULL_U32 where there is
 * none. */
static uint32_t take_made_uuid(struct trace *t, const struct metadata_row *row)
{
    struct table *table = &t->tables.metadata;
    struct metadata_row made = *row;
    made.trace_id = NULL_U32;
    const uint32_t *at = map_find(&t->builder->metadata_rows, key_of(&made));
    if (!at || table_u32(table, metadata_col_trace_id)[*at] != NULL_U32)
        return NULL_U32;
    table_set_u32(table, metadata_col_trace_id, *at, row->trace_id);
    return *at;
}

static void put(struct trace *t, const char *name, int64_t number, string_id text,
                enum metadata_row_kind kind)
{
    struct table *table = &t->tables.metadata;
    const struct stat_scope *current = stats_scope(t);
    enum metadata_scope scope = scope_of(name);
    struct metadata_row row = {
        .name = trace_intern_c(t, name),
        .key_type = trace_intern_c(t, kind == METADATA_MULTI ? "multi" : "single"),
        .int_value = text ? NULL_I64 : number,
        .str_value = text,
        .machine_id = scope & OF_MACHINE ? current->machine : NULL_U32,
        .trace_id = scope & OF_FILE ? current->file : NULL_U32,
    };
    struct map *rows = rows_like(t, &row);
    uint64_t key = key_of(&row);
    const uint32_t *known = map_find(rows, key);
    uint32_t at = known                          ? *known
                  : strcmp(name, uuid_name) == 0 ? take_made_uuid(t, &row)
                                                 : NULL_U32;
    if (!known)
        map_set(rows, key, at == NULL_U32 ? table->rows : at);
    if (at == NULL_U32 || kind != METADATA_REPLACE)
        metadata_append(table, &row);
    else if (number != NULL_I64)
        table_set_i64(table, metadata_col_int_value, at, number);
    else
        table_set_str(table, metadata_col_str_value, at, text);
}

void metadata_set_int(struct trace *t, const char *name, int64_t value)
{
    put(t, name, value, NULL_STRING, METADATA_REPLACE);
}

void metadata_set_str(struct trace *t, const char *name, struct str value)
{
    put(t, name, NULL_I64, value.p ? trace_intern(t, value) : NULL_STRING, METADATA_REPLACE);
}

void metadata_set_made_uuid(struct trace *t, struct str value)
{
    struct metadata_row row = {
        .name = trace_intern_c(t, uuid_name),
        .key_type = trace_intern_c(t, "single"),
        .int_value = NULL_I64,
        .str_value = trace_intern(t, value),
        .machine_id = NULL_U32,
        .trace_id = NULL_U32,
    };
    bool is_new;
    *map_insert(&t->builder->metadata_rows, key_of(&row), &is_new) = t->tables.metadata.rows;
    metadata_append(&t->tables.metadata, &row);
}

void metadata_append_int(struct trace *t, const char *name, int64_t value)
{
    put(t, name, value, NULL_STRING, METADATA_MULTI);
}

void metadata_append_str(struct trace *t, const char *name, struct str value)
{
    put(t, name, NULL_I64, trace_intern(t, value), METADATA_MULTI);
}

void metadata_add_int(struct trace *t, const char *name, int64_t value)
{
    put(t, name, value, NULL_STRING, METADATA_ADD);
}

void metadata_add_str(struct trace *t, const char *name, struct str value)
{
    put(t, name, NULL_I64, value.p ? trace_intern(t, value) : NULL_STRING, METADATA_ADD);
}
