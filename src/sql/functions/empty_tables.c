/* Tables that queries may name but that nothing here fills: power models measured on devices, and
 * instruction traces, whose decoding needs the traced binaries. */
#include "sql/engine/family.h"
#include "sql/engine/table_function.h"
#include "sql/tokens/sql_type.h"

static const struct table_function_column cpu_curves[] = {
    {"device", DECLARED_STRING}, {"policy", DECLARED_LONG},
    {"freq_khz", DECLARED_LONG}, {"static", DECLARED_DOUBLE},
    {"active", DECLARED_DOUBLE}, {"idle0", DECLARED_DOUBLE},
    {"idle1", DECLARED_DOUBLE},  {0},
};

static const struct table_function_column dependent_cpu_curves[] = {
    {"device", DECLARED_STRING},
    {"policy", DECLARED_LONG},
    {"freq_khz", DECLARED_LONG},
    {"dep_policy", DECLARED_LONG},
    {"dep_freq", DECLARED_LONG},
    {"static", DECLARED_DOUBLE},
    {"active", DECLARED_DOUBLE},
    {"idle0", DECLARED_DOUBLE},
    {"idle1", DECLARED_DOUBLE},
    {"interconnect", DECLARED_DOUBLE},
    {0},
};

static const struct table_function_column gpu_curves[] = {
    {"device", DECLARED_STRING}, {"freq_khz", DECLARED_LONG}, {"active", DECLARED_DOUBLE},
    {"idle1", DECLARED_DOUBLE},  {"idle2", DECLARED_DOUBLE},  {0},
};

static const struct table_function_column cache_curves[] = {
    {"device", DECLARED_STRING},
    {"freq_khz", DECLARED_LONG},
    {"dep_policy", DECLARED_LONG},
    {"dep_freq", DECLARED_LONG},
    {"l3_hit", DECLARED_DOUBLE},
    {"l3_miss", DECLARED_DOUBLE},
    {0},
};

static const struct table_function_column tpu_curves[] = {
    {"device", DECLARED_STRING}, {"cluster", DECLARED_LONG},  {"requests", DECLARED_LONG},
    {"freq", DECLARED_LONG},     {"active", DECLARED_DOUBLE}, {0},
};

static const struct table_function_column decoded_chunk[] = {
    {"chunk_index", DECLARED_LONG},
    {"element_index", DECLARED_LONG},
    {"element_type", DECLARED_STRING},
    {"timestamp", DECLARED_LONG},
    {"cycle_count", DECLARED_LONG},
    {"last_seen_timestamp", DECLARED_LONG},
    {"cumulative_cycles", DECLARED_LONG},
    {"exception_level", DECLARED_LONG},
    {"context_id", DECLARED_LONG},
    {"isa", DECLARED_STRING},
    {"start_address", DECLARED_LONG},
    {"end_address", DECLARED_LONG},
    {"mapping_id", DECLARED_LONG},
    {"instruction_range", DECLARED_ANY},
    {0},
};
static const char *const decoded_chunk_parameters[] = {"chunk_id", NULL};

static const struct table_function_column instructions[] = {
    {"instruction_index", DECLARED_LONG},
    {"address", DECLARED_LONG},
    {"opcode", DECLARED_LONG},
    {"type", DECLARED_STRING},
    {"branch_address", DECLARED_LONG},
    {"is_conditional", DECLARED_LONG},
    {"is_link", DECLARED_LONG},
    {"sub_type", DECLARED_STRING},
    {0},
};
static const char *const instruction_parameters[] = {"instruction_range", NULL};

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_wattson_curves_cpu_1d", .columns = cpu_curves},
    {.name = "__intrinsic_wattson_curves_cpu_2d", .columns = dependent_cpu_curves},
    {.name = "__intrinsic_wattson_curves_gpu", .columns = gpu_curves},
    {.name = "__intrinsic_wattson_curves_l3", .columns = cache_curves},
    {.name = "__intrinsic_wattson_curves_tpu", .columns = tpu_curves},
    {.name = "__intrinsic_etm_decode_chunk",
     .columns = decoded_chunk,
     .parameters = decoded_chunk_parameters},
    {.name = "__intrinsic_etm_iterate_instruction_range",
     .columns = instructions,
     .parameters = instruction_parameters},
    {0},
};

const struct sql_family empty_tables_family = {.table_functions = table_functions};
