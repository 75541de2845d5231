#include "parsers/text/source_place.h"

uint32_t source_place_valgrind(struct trace *t, struct str text)
{
    struct str mapping = STR(""), file = {text.p, 0}, function = text;
    uint64_t line = 0;
    bool address = str_starts(text, STR("0x"));
    if (address)
        function = str_trim(str_behind(text, str_find(text, ':')));
    const char *open =
        address && str_ends(function, STR(")")) ? memrchr(function.p, '(', function.n) : NULL;
    if (open) {
        struct str inside = {open + 1, (size_t)(function.p + function.n - open) - 2};
        function.n = (size_t)(open - function.p);
        size_t colon = str_find(inside, ':');
        if (str_starts(inside, STR("in ")))
            mapping = str_skip(inside, 3);
        else if (str_to_u64(str_behind(inside, colon), 10, &line) && line < NULL_U32)
            file = str_from_to(inside, 0, colon);
        function = str_trim(function);
    }
    string_id source = file.n ? trace_intern(t, file) : NULL_STRING;
    return stack_frame_intern_source(t, stack_mapping_of_source(t, mapping),
                                     trace_intern(t, function), source,
                                     source ? (uint32_t)line : NULL_U32);
}
