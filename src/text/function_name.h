/* Names of functions where there is little room. */
#ifndef TPTUI_TEXT_FUNCTION_NAME_H
#define TPTUI_TEXT_FUNCTION_NAME_H

#include "base/str.h"

/* `name` as text_cut_middle (base/utf8.h) writes it; but what is too wide loses its arguments
 * first, then what stands between < and >, as names of C++ and Rust are told apart by the rest:
 * "ns::f<std::vector<int>>(long) const" is "ns::f<std::vector<int>>", then "ns::f<>". */
void function_name_cut(struct str name, int width, char *out, size_t size);

#endif
