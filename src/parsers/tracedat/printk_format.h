/* Texts of trace_printk as the ring buffer holds them: a format, and the values behind it as the
 * kernel's vbin_printf packs them. */
#ifndef TPTUI_PARSERS_TRACEDAT_PRINTK_FORMAT_H
#define TPTUI_PARSERS_TRACEDAT_PRINTK_FORMAT_H

#include "base/byte_list.h"
#include "parsers/input/bytes.h"

/* Appends the text to `out`; what values are missing for ends it. `\n` and the like in the format
 * are two characters, as printk_formats has them; one at the end is left out. */
void printk_format(struct str format, struct bytes values, bool big, struct byte_list *out);

#endif
