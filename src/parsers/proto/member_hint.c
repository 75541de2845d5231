#include "parsers/proto/member_hint.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "text/edits.h"

enum { LISTED = 16 };

static struct str member_name(const struct descriptors *d, uint32_t type, uint32_t i)
{
    return descriptors_type(d, type)->kind == DESCRIPTOR_ENUM ? descriptors_value_at(d, i)->name
                                                              : descriptors_field_at(d, i)->name;
}

static struct str nearest(const struct descriptors *d, uint32_t type, struct str name)
{
    struct str best = {0};
    int least = EDITS_MAX_LENGTH;
    char *wanted = alloc_copy(name.p, name.n);
    for (uint32_t i = descriptors_first_member(d, type); i != DESCRIPTOR_NONE;
         i = descriptors_next_member(d, type, i)) {
        struct str n = member_name(d, type, i);
        char *known = alloc_copy(n.p, n.n);
        int edits = edits_between(wanted, known);
        free(known);
        if (edits >= least || !edits_are_slip(wanted, edits))
            continue;
        least = edits;
        best = n;
    }
    free(wanted);
    return best;
}

char *member_hint(const struct descriptors *d, uint32_t type, struct str name)
{
    char *text = NULL;
    size_t size = 0, count = 0;
    if (type == DESCRIPTOR_NONE || name.n > EDITS_MAX_LENGTH)
        return alloc_copy("", 0);
    struct str near = nearest(d, type, name);
    uint32_t first = descriptors_first_member(d, type);
    for (uint32_t i = first; i != DESCRIPTOR_NONE && count <= LISTED;
         i = descriptors_next_member(d, type, i))
        count++;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    if (near.n > 0)
        fprintf(f, ": did you mean %.*s?", (int)near.n, near.p);
    else if (count > 0 && count <= LISTED)
        for (uint32_t i = first, k = 0; i != DESCRIPTOR_NONE;
             i = descriptors_next_member(d, type, i), k++)
            fprintf(f, "%s%.*s", k ? ", " : ": it has ", (int)member_name(d, type, i).n,
                    member_name(d, type, i).p);
    fclose(f);
    return text;
}
