#include "text/function_name.h"

#include <stdbool.h>
#include <stdint.h>

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

/* Where the groups that begin at each place end, behind it; 0: they do not. The > of -> ends none.
 */
static void find_ends(struct str name, const char brackets[2], uint16_t ends[NAME_MAX_BYTES])
{
    uint16_t open[NAME_MAX_BYTES];
    size_t depth = 0;
    for (size_t i = 0; i < name.n; i++) {
        bool is_arrow = brackets[1] == '>' && i > 0 && name.p[i - 1] == '-';
        ends[i] = 0;
        if (name.p[i] == brackets[0])
            open[depth++] = (uint16_t)i;
        else if (name.p[i] == brackets[1] && !is_arrow && depth > 0)
            ends[open[--depth]] = (uint16_t)(i + 1);
    }
}

/* The name without such groups, `instead` in the place of each; as it is where one has no end. */
static struct str without_groups(struct str name, const char brackets[2], struct str instead,
                                 char out[NAME_MAX_BYTES])
{
    uint16_t ends[NAME_MAX_BYTES];
    size_t n = 0;
    find_ends(name, brackets, ends);
    for (size_t i = 0; i < name.n;) {
        size_t end = begins_group(name, i, brackets[0]) ? ends[i] : 0;
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
