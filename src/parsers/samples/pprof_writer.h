/* Samples with callstacks as a pprof profile. */
#ifndef TPTUI_PARSERS_SAMPLES_PPROF_WRITER_H
#define TPTUI_PARSERS_SAMPLES_PPROF_WRITER_H

#include "base/status.h"
#include "core/trace/trace.h"
#include "parsers/proto/write.h"

struct profile;

/* `t` must outlive the profile; names that are put together are interned there. */
struct profile *profile_new(const struct trace *t);
void profile_free(struct profile *p);

/* What each sample's values are: "samples" in "count". Before the first sample. */
void profile_add_type(struct profile *p, struct str type, struct str unit);

/* A sample: `stack` is an encoded message Stack, `values` has one value a type. Samples with equal
 * stacks become one. A stack without frames adds nothing. */
struct status profile_add_sample(struct profile *p, struct str stack, const int64_t *values);

/* Appends the encoded profile, not compressed. */
void profile_write(struct profile *p, struct pb_bytes *out);

#endif
