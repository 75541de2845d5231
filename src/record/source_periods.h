/* How often sources are read, as Perfetto's configs have it: what reads and writes such is this. */
#ifndef TPTUI_RECORD_SOURCE_PERIODS_H
#define TPTUI_RECORD_SOURCE_PERIODS_H

#include <stdint.h>

/* One field of the message that DataSourceConfig has in `config`: the ms between two readings. */
struct source_period {
    const char *source, *data_source; /* ours, and Perfetto's */
    uint32_t config, field;
};

/* Ended by NULL; those of a data source stand together. */
extern const struct source_period record_source_periods[];

#endif
