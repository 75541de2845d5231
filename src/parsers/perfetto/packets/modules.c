#include "parsers/perfetto/packets/modules.h"

#include <stdlib.h>

#include "base/alloc.h"

struct packet_modules packet_modules_index(const struct packet_module *const *tables)
{
    struct packet_modules m = {0};
    for (size_t i = 0; tables[i]; i++)
        for (const struct packet_module *row = tables[i]; row->field; row++)
            if (row->field >= m.count)
                m.count = row->field + 1;
    m.by_field = alloc_array(m.count, sizeof *m.by_field);
    for (size_t i = 0; tables[i]; i++)
        for (const struct packet_module *row = tables[i]; row->field; row++)
            m.by_field[row->field] = row;
    return m;
}

void packet_modules_release(struct packet_modules *m)
{
    free(m->by_field);
    *m = (struct packet_modules){0};
}
