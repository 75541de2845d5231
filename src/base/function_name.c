#include "base/function_name.h"

#include <stdbool.h>

#include "base/utf8.h"

enum { NAME_MAX_BYTES = 2048 };

/* What begins a group that says less than what is around it: no "(anonymous namespace)", no place
 * in parentheses behind a blank, no operator. */
static bool begins_group(struct str name, size_t at, char open)
{
    const struct str word = STR("operator");
    char before = at > 0 ? name.p[at - 1] : ' ';
    bool is_operator = at >= word.n && str_eq(str_from_to(name, at - word.n, at), word);
    if (name.p[at] != open || is_operator || before == ' ')
        return false;
    return open == '<' ? before != '<' : before != ':';
}

/* Where the group that begins at `at` ends, behind it; 0: it does not. The > of -> ends none. */
static size_t group_end(struct str name, size_t at, char open, char close)
{
    int depth = 0;
    for (size_t i = at; i < name.n; i++) {
        depth += name.p[i] == open;
        if (name.p[i] == close && !(close == '>' && name.p[i - 1] == '-') && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* The name without such groups, `instead` in the place of each; as it is where one has no end. */
static struct str without_groups(struct str name, const char brackets[2], struct str instead,
                                 char out[NAME_MAX_BYTES])
{
    size_t n = 0;
    for (size_t i = 0; i < name.n;) {
        size_t end =
            begins_group(name, i, brackets[0]) ? group_end(name, i, brackets[0], brackets[1]) : 0;
        for (size_t k = 0; end > 0 && k < instead.n; k++)
            out[n++] = instead.p[k];
        if (end == 0)
            out[n++] = name.p[i];
        i = end > 0 ? end : i + 1;
    }
    return (struct str){out, n};
}

void function_name_cut(struct str name, int width, char *out, size_t size)
{
    char plain[NAME_MAX_BYTES], plainer[NAME_MAX_BYTES];
    if (text_width(name) > width && name.n <= NAME_MAX_BYTES) {
        name = without_groups(name, "()", STR(""), plain);
        if (str_ends(name, STR(" const")))
            name.n -= sizeof " const" - 1;
    }
    if (text_width(name) > width && name.n <= NAME_MAX_BYTES)
        name = without_groups(name, "<>", STR("<>"), plainer);
    text_cut_middle(name, width, out, size);
}
