#include "parsers/json/metadata.h"

#include <string.h>

#include "parsers/input/json_scan.h"

void json_metadata(struct trace *t, const char *prefix, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    VEC(char) name = {0};
    bool closed;
    int64_t i;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        size_t n = strlen(prefix);
        vec_reserve(&name, n + key.n + 1);
        memcpy(name.items, prefix, n);
        memcpy(name.items + n, key.p, key.n);
        name.items[n + key.n] = '\0';
        if (!json_read_value(&j, &v))
            break;
        if (v.type == JSON_NUMBER && str_to_i64(v.text, &i))
            metadata_set_int(t, name.items, i);
        else if (v.type != JSON_NULL)
            metadata_set_str(t, name.items, v.text);
    }
    vec_release(&name);
    json_scan_release(&j);
}
