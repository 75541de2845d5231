/* Bytes as what SQL functions take from each other: a stack for a profile, a repeated field. */
#include <stdlib.h>

#include "core/trace_builder.h"
#include "fuzz.h"
#include "parsers/samples/pprof_writer.h"
#include "sql/functions/proto_functions.h"

/* A callsite and its caller, so that stacks may name some that exist. */
static void fill(struct trace *t)
{
    struct stack_mapping m = {.build_id = trace_intern_c(t, ""),
                              .name = trace_intern_c(t, "/data/app/base.odex"),
                              .end = 4096};
    uint32_t mapping = stack_mapping_intern(t, &m), parent = NULL_U32;
    for (int i = 0; i < 2; i++) {
        uint32_t frame =
            stack_frame_intern(t, mapping, trace_intern_c(t, "_ZN1a1bEv"), i, NULL_STRING);
        parent = stack_callsite_intern(t, parent, frame);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace t;
    trace_init(&t);
    fill(&t);
    trace_finish(&t);
    struct str bytes = {(const char *)data, size};
    struct profile *p = profile_new(&t);
    struct pb_bytes out = {0};
    int64_t values[] = {1, -1};
    profile_add_type(p, STR("a"), STR("b"));
    profile_add_type(p, bytes, STR("c"));
    struct status status = profile_add_sample(p, bytes, values);
    status_release(&status);
    profile_write(p, &out);
    pb_bytes_release(&out);
    profile_free(p);
    struct int_list list = {0};
    repeated_field_ints(bytes, &list);
    vec_release(&list.v);
    trace_release(&t);
    return 0;
}
