#include "parsers/input/event_format.h"

/* The text behind `label` up to `end`, within `line`; empty where it is not there. */
static struct str value_of(struct str line, struct str label, char end)
{
    const char *at = line.n ? memmem(line.p, line.n, label.p, label.n) : NULL;
    if (!at)
        return (struct str){line.p, 0};
    struct str rest = str_skip(line, (size_t)(at - line.p) + label.n);
    return str_trim(str_from_to(rest, 0, str_find(rest, end)));
}

static bool number_of(struct str line, struct str label, uint32_t *out)
{
    uint64_t v;
    if (!str_to_u64(value_of(line, label, ';'), 10, &v) || v > UINT16_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

/* "char prev_comm[16]", "__data_loc char[] name", "long prev_state": the last word is the name. */
static struct str split_declaration(struct str declaration, struct event_field *f)
{
    size_t end = declaration.n;
    if (end && declaration.p[end - 1] == ']')
        while (end > 0 && declaration.p[end - 1] != '[')
            end--;
    if (end && end < declaration.n) {
        uint64_t count;
        struct str brackets = str_from_to(declaration, end, declaration.n - 1);
        f->is_array = true;
        if (str_to_u64(brackets, 10, &count) && count <= UINT16_MAX)
            f->count = (uint32_t)count;
        end--;
    }
    size_t start = end;
    while (start > 0 && !str_is_blank(declaration.p[start - 1]) && declaration.p[start - 1] != '*')
        start--;
    f->type = str_trim(str_from_to(declaration, 0, start));
    return str_from_to(declaration, start, end);
}

static bool contains(struct str s, struct str part)
{
    return s.n && memmem(s.p, s.n, part.p, part.n);
}

/* "	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;" False where it is of no use. */
static bool read_field(struct str line, struct event_field *f)
{
    uint32_t is_signed = 0;
    *f = (struct event_field){0};
    f->name = split_declaration(value_of(line, STR("field:"), ';'), f);
    if (f->name.n == 0 || str_starts(f->name, STR("common_")) ||
        !number_of(line, STR("offset:"), &f->offset) || !number_of(line, STR("size:"), &f->size))
        return false;
    number_of(line, STR("signed:"), &is_signed);
    f->is_signed = is_signed;
    if (str_starts(f->type, STR("__data_loc")))
        f->place = FIELD_LOCATED;
    else if (str_starts(f->type, STR("__rel_loc")))
        f->place = FIELD_LOCATED_BEHIND;
    f->is_array |= f->place != FIELD_HERE;
    f->is_text =
        f->is_array && contains(f->type, STR("char")) && !contains(f->type, STR("unsigned"));
    return true;
}

bool event_format_read(struct str text, struct event_format *f)
{
    bool has_id = false;
    f->name = (struct str){text.p, 0};
    f->fields.count = 0;
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        struct event_field field;
        if (str_starts(line, STR("name:")))
            f->name = str_trim(str_skip(line, 5));
        else if (str_starts(line, STR("ID:")))
            has_id = str_to_u64(str_trim(str_skip(line, 3)), 10, &f->id);
        else if (str_starts(line, STR("\tfield:")) && read_field(line, &field))
            *vec_push(&f->fields) = field;
        else if (str_starts(line, STR("print fmt:")))
            break;
    }
    return has_id && f->name.n > 0;
}

void event_format_release(struct event_format *f)
{
    vec_release(&f->fields);
}
