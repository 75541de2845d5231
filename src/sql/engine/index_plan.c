#include "sql/engine/index_plan.h"

#include <string.h>

bool collates_binary(sqlite3_index_info *info, int constraint)
{
    const char *name = sqlite3_vtab_collation(info, constraint);
    return !name || strcmp(name, "BINARY") == 0;
}

int publish_plan(sqlite3_index_info *info, char *text, const void *plan, size_t size)
{
    size_t n = text ? strlen(text) : 0, at = (n + 8) & ~(size_t)7;
    char *s = sqlite3_malloc64(at + size);
    if (!s) {
        sqlite3_free(text);
        return SQLITE_NOMEM;
    }
    memset(s, 0, at);
    memcpy(s, text ? text : "", n);
    memcpy(s + at, plan, size);
    sqlite3_free(text);
    info->idxStr = s;
    info->needToFreeIdxStr = 1;
    info->idxNum = (int)at;
    return SQLITE_OK;
}
