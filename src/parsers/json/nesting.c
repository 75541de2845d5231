#include "parsers/json/nesting.h"

bool json_nesting_enter(struct json_nesting *n, struct str key)
{
    bool is_main =
        str_eq(key, STR("Trace")) || str_eq(key, STR("trace")) || str_eq(key, STR("defaultPass"));
    bool is_passes = str_eq(key, STR("traces"));
    bool in_passes = n->depth > 0 && n->of_passes[n->depth - 1];
    if (n->depth == JSON_NESTING_MOST || (is_main && n->has_main) ||
        !(is_main || is_passes || in_passes || str_eq(key, STR("artifacts"))))
        return false;
    n->has_main |= is_main;
    n->of_passes[n->depth++] = is_passes;
    return true;
}

bool json_nesting_leave(struct json_nesting *n)
{
    if (n->depth == 0)
        return false;
    n->depth--;
    return true;
}
