/* Faults of which it is known where they are: they are counted in stats, and each has a row in
 * trace_import_logs. */
#ifndef TPTUI_CORE_IMPORT_LOG_H
#define TPTUI_CORE_IMPORT_LOG_H

#include "core/store/args.h"
#include "core/stats.h"

/* At `ts`, in trace time. `args` say what is wrong; they stay the caller's and may be NULL. */
void import_log_at(struct trace *t, enum stat_key key, int64_t ts, const struct arg_list *args);
/* At this offset in the file that is being read; -1 where not even that is
 * known, or what is read was compressed. */
void import_log_in_file(struct trace *t, enum stat_key key, int64_t offset,
                        const struct arg_list *args);

#endif
