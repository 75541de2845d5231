/* The least or the greatest value of every ZONE_ROWS rows of a column: what is outside of that
 * cannot be among those rows, and they need not be read. */
#ifndef TPTUI_CORE_STORE_ZONES_H
#define TPTUI_CORE_STORE_ZONES_H

#include "core/store/table.h"

enum { ZONE_ROWS = 128 };

enum zone_end { ZONE_LEAST, ZONE_GREATEST };

struct zones {
    uint32_t rows;  /* of the table when they were made */
    uint32_t count; /* the last zone may have fewer rows */
    int64_t values[];
};

/* Of an I64 column without a null, of a table that has so many rows and will not change; made when
 * they are first asked for, in any thread, and kept as long as the column. NULL of other columns,
 * and where there is no memory. */
const struct zones *zones_of(const struct column *c, uint32_t rows, enum zone_end end);
/* The best value that so many zones have, each in some row of it: that many rows are as good. False
 * where there are not so many zones, or no memory. */
bool zones_bound(const struct zones *z, enum zone_end end, uint32_t wanted, int64_t *bound);
/* When the column ends. */
void zones_free(struct column *c);

#endif
