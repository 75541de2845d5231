#include "parsers/json/metadata.h"

#include <string.h>

#include "parsers/input/json_scan.h"

/* A whole number that has a point or an exponent is an integer, too, where one has room for it. */
static void set_number(struct trace *t, const char *name, struct str text)
{
    static const double most = 9.2e18;
    int64_t i;
    double d;
    char shown[32];
    if (str_to_i64(text, &i)) {
        metadata_set_int(t, name, i);
    } else if (str_to_f64(text, &d) && d > -most && d < most && d == (double)(int64_t)d) {
        metadata_set_int(t, name, (int64_t)d);
    } else if (str_to_f64(text, &d)) {
        int n = snprintf(shown, sizeof shown, "%g", d);
        metadata_set_str(t, name, (struct str){shown, (size_t)n});
    }
}

/* What is nested is its text. */
static void set_value(struct trace *t, const char *name, const struct json_value *v)
{
    if (v->type == JSON_NUMBER)
        set_number(t, name, v->text);
    else if (v->type == JSON_BOOL)
        metadata_set_int(t, name, str_eq(v->text, STR("true")));
    else if (v->type != JSON_NULL)
        metadata_set_str(t, name, v->text);
}

void json_metadata(struct trace *t, const char *prefix, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    struct json_value v;
    VEC(char) name = {0};
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        size_t n = strlen(prefix);
        vec_reserve(&name, n + key.n + 1);
        memcpy(name.items, prefix, n);
        memcpy(name.items + n, key.p, key.n);
        name.items[n + key.n] = '\0';
        if (!json_read_value(&j, &v))
            break;
        set_value(t, name.items, &v);
    }
    vec_release(&name);
    json_scan_release(&j);
}
