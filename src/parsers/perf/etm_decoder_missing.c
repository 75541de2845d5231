#include "parsers/perf/etm_decoder.h"

struct status etm_decode(struct str registers, struct str data,
                         void (*each)(void *self, const struct etm_element *e), void *self)
{
    (void)registers;
    (void)data;
    (void)each;
    (void)self;
    return status_ok_value();
}
