#include "sql/engine/column_operator.h"

#include <string.h>

#include "sql/engine/family.h"
#include "sql/engine/session_state.h"

const struct column_operator *column_operator_find(const struct sql_session *s, struct str name)
{
    for (size_t i = 0; s->families[i]; i++) {
        const struct column_operator *o = s->families[i]->column_operator;
        if (o && (str_eq_any_case(str_from(o->function), name) ||
                  str_eq_any_case(str_from(o->aggregate), name)))
            return o;
    }
    return NULL;
}

uint32_t column_operator_names(char *text, const char *names[OPERATOR_KEYS_MAX])
{
    uint32_t count = 0;
    for (char *rest = text, *name;
         (name = strtok_r(NULL, "(), \n", &rest)) && count < OPERATOR_KEYS_MAX;)
        names[count++] = name;
    return count;
}
