#include "parsers/text/stack_sums.h"
#include "core/store/rows.h"

uint32_t stack_sums_profile(struct trace *t, struct str scope, struct str name, struct str type,
                            struct str unit)
{
    struct aggregate_profile_row row = {
        .scope = trace_intern(t, scope),
        .name = trace_intern(t, name),
        .sample_type_type = trace_intern(t, type),
        .sample_type_unit = trace_intern(t, unit),
    };
    return aggregate_profile_append(&t->tables.aggregate_profile, &row);
}

uint32_t stack_sums_call(struct trace *t, uint32_t parent, struct str mapping, struct str function)
{
    uint32_t row = stack_mapping_of_source(t, mapping);
    uint32_t frame =
        stack_frame_intern_source(t, row, trace_intern(t, function), NULL_STRING, NULL_U32);
    return stack_callsite_intern(t, parent, frame);
}

void stack_sums_add(struct trace *t, uint32_t profile, uint32_t callsite, double value)
{
    struct aggregate_sample_row row = {.aggregate_profile_id = profile,
                                       .callsite_id = callsite,
                                       .value = value};
    aggregate_sample_append(&t->tables.aggregate_sample, &row);
}
