#include "parsers/perfetto/profile/name_mapping.h"

#include <stdio.h>

#include "pb_fields.h"

string_id mapping_package(struct trace *t, struct bytes mapping)
{
    struct pb_reader r = bytes_reader(mapping);
    struct pb_field f;
    string_id package = NULL_STRING;
    while (pb_next(&r, &f))
        if (f.number == PB_DeobfuscationMapping_package_name)
            package = f.value ? trace_intern(t, pb_str(&f)) : NULL_STRING;
    return package;
}

static struct str join(char *buffer, struct str class_name, struct str member)
{
    int n = snprintf(buffer, MAPPING_NAME_BYTES, "%.*s.%.*s", (int)(class_name.n & 0xffff),
                     class_name.p, (int)(member.n & 0xffff), member.p);
    return (struct str){buffer, n < 0                    ? 0
                                : n < MAPPING_NAME_BYTES ? (size_t)n
                                                         : MAPPING_NAME_BYTES - 1};
}

struct mapping_names mapping_class_names(struct pb_reader r)
{
    struct mapping_names n = {STR(""), STR("")};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedClass_obfuscated_name)
            n.obfuscated = pb_str(&f);
        else if (f.number == PB_ObfuscatedClass_deobfuscated_name)
            n.readable = pb_str(&f);
    }
    return n;
}

struct mapping_names mapping_member_names(struct mapping_names of, struct pb_reader r,
                                          char obfuscated[MAPPING_NAME_BYTES],
                                          char readable[MAPPING_NAME_BYTES])
{
    struct mapping_names n = {STR(""), STR("")};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ObfuscatedMember_obfuscated_name)
            n.obfuscated = pb_str(&f);
        else if (f.number == PB_ObfuscatedMember_deobfuscated_name)
            n.readable = pb_str(&f);
    }
    bool qualified = str_find(n.readable, '.') < n.readable.n;
    return (struct mapping_names){join(obfuscated, of.obfuscated, n.obfuscated),
                                  qualified ? n.readable : join(readable, of.readable, n.readable)};
}
