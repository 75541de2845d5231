/* Where the power curves of devices are. */
#ifndef TPTUI_SQL_FUNCTIONS_WATTSON_CURVES_H
#define TPTUI_SQL_FUNCTIONS_WATTSON_CURVES_H

#include <stddef.h>

/* The folder that was given, else ~/.config/tptui/wattson, put into `out`; NULL where there is
 * neither. */
const char *wattson_curves_folder(const char *given, char *out, size_t size);

#endif
