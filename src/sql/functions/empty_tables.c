/* Tables that queries may name but that nothing here fills: power models measured on devices. */
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

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_wattson_curves_cpu_1d", .columns = cpu_curves},
    {.name = "__intrinsic_wattson_curves_cpu_2d", .columns = dependent_cpu_curves},
    {.name = "__intrinsic_wattson_curves_gpu", .columns = gpu_curves},
    {.name = "__intrinsic_wattson_curves_l3", .columns = cache_curves},
    {.name = "__intrinsic_wattson_curves_tpu", .columns = tpu_curves},
    {0},
};

const struct sql_family empty_tables_family = {.table_functions = table_functions};
