/* What has to be recorded for a table to have rows: said where a query finds none. */
#ifndef TPTUI_CORE_DATA_SOURCES_H
#define TPTUI_CORE_DATA_SOURCES_H

#include "base/str.h"

/* The data source that fills a table or view, as a phrase: "linux.ftrace (sched/sched_switch)", of
 * alternatives "A (x) or B". NULL where nothing is known. The text is static. */
const char *table_data_source(struct str table);

/* The same for the tracks of a name, "cpufreq". */
const char *track_data_source(struct str track);

/* What of such a phrase, "A (x) or B", a trace's configuration (as text) names completely: "A (x)".
 * Empty for nothing; else it points into `source`. */
struct str data_source_recorded(const char *source, struct str config);

#endif
