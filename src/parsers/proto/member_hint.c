#include "parsers/proto/member_hint.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/edits.h"

enum { LISTED = 16 };

struct members {
    const struct descriptors *d;
    bool values; /* of an enum, not fields of a message */
};

static struct str member_name(const struct members *m, uint32_t i)
{
    return m->values ? m->d->values.items[i].name : m->d->fields.items[i].name;
}

static uint32_t member_next(const struct members *m, uint32_t i)
{
    return m->values ? m->d->values.items[i].next : m->d->fields.items[i].next;
}

static struct str nearest(const struct members *m, uint32_t first, struct str name)
{
    struct str best = {0};
    int least = EDITS_MAX_LENGTH;
    char *wanted = alloc_copy(name.p, name.n);
    for (uint32_t i = first; i != DESCRIPTOR_NONE; i = member_next(m, i)) {
        struct str n = member_name(m, i);
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
    const struct type_descriptor *t = &d->types.items[type];
    struct members m = {d, t->kind == DESCRIPTOR_ENUM};
    struct str near = nearest(&m, t->first_field, name);
    for (uint32_t i = t->first_field; i != DESCRIPTOR_NONE && count <= LISTED;
         i = member_next(&m, i))
        count++;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    if (near.n > 0)
        fprintf(f, ": did you mean %.*s?", (int)near.n, near.p);
    else if (count > 0 && count <= LISTED)
        for (uint32_t i = t->first_field, k = 0; i != DESCRIPTOR_NONE; i = member_next(&m, i), k++)
            fprintf(f, "%s%.*s", k ? ", " : ": it has ", (int)member_name(&m, i).n,
                    member_name(&m, i).p);
    fclose(f);
    return text;
}
