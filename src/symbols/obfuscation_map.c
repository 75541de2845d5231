#include "symbols/obfuscation_map.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "pb_fields.h"

/* A class while its members are read. */
struct map_reader {
    struct str original;     /* the class' name; no bytes: there is none yet */
    struct pb_bytes class_;  /* ObfuscatedClass */
    struct pb_bytes mapping; /* DeobfuscationMapping */
    struct pb_bytes member;  /* scratch */
    VEC(char) name;          /* scratch */
    struct map classes;      /* hash of obfuscated names */
    struct map fields;       /* hash of the class' obfuscated names -> hash of the original */
};

/* A member's line in its parts. */
struct member_line {
    struct str name; /* "name" or "Class.name" */
    struct str obfuscated;
    bool is_method;
    uint64_t lines[2], source[2]; /* first and last */
    int line_count, source_count; /* how many of them are there */
};

/* Takes "N:" off the front. */
static bool take_number(struct str *s, uint64_t *out)
{
    size_t n = str_find(*s, ':');
    if (n == s->n || n == 0 || !str_to_u64((struct str){s->p, n}, 10, out))
        return false;
    *s = str_skip(*s, n + 1);
    return true;
}

/* Takes ":N" off the front. */
static bool take_line(struct str *s, uint64_t *out)
{
    if (s->n == 0 || s->p[0] != ':')
        return false;
    struct str rest = str_skip(*s, 1);
    size_t n = str_find(rest, ':');
    if (!str_to_u64((struct str){rest.p, n}, 10, out))
        return false;
    *s = str_skip(rest, n);
    return true;
}

/* Splits at " -> "; false where there is none. */
static bool split_arrow(struct str line, struct str *left, struct str *right)
{
    static const char arrow[] = " -> ";
    const char *hit = line.n ? memmem(line.p, line.n, arrow, sizeof arrow - 1) : NULL;
    if (!hit)
        return false;
    *left = str_trim((struct str){line.p, (size_t)(hit - line.p)});
    *right = str_trim(str_skip(line, (size_t)(hit - line.p) + sizeof arrow - 1));
    return left->n > 0 && right->n > 0;
}

static bool split_member(struct str line, struct member_line *m)
{
    struct str left;
    *m = (struct member_line){0};
    if (!split_arrow(line, &left, &m->obfuscated))
        return false;
    while (m->line_count < 2 && take_number(&left, &m->lines[m->line_count]))
        m->line_count++;
    size_t open = str_find(left, '(');
    m->is_method = open < left.n;
    struct str head = {left.p, open};
    size_t space = str_find(head, ' ');
    if (space == head.n)
        return false;
    m->name = str_trim(str_skip(head, space));
    if (m->is_method) {
        struct str tail = str_skip(left, open);
        size_t close = str_find(tail, ')');
        if (close == tail.n)
            return false;
        tail = str_skip(tail, close + 1);
        while (m->source_count < 2 && take_line(&tail, &m->source[m->source_count]))
            m->source_count++;
        if (tail.n > 0)
            return false;
    }
    return m->name.n > 0;
}

/* The method's name with its class in front. */
static struct str full_name(struct map_reader *r, struct str name)
{
    if (str_find(name, '.') < name.n)
        return name;
    r->name.count = 0;
    vec_reserve(&r->name, r->original.n + name.n + 1);
    memcpy(r->name.items, r->original.p, r->original.n);
    r->name.items[r->original.n] = '.';
    memcpy(r->name.items + r->original.n + 1, name.p, name.n);
    return (struct str){r->name.items, r->original.n + 1 + name.n};
}

static void put_line(struct pb_bytes *b, uint32_t field, uint64_t line)
{
    if (line <= UINT32_MAX)
        pb_put_uint(b, field, line);
}

static void put_method(struct map_reader *r, const struct member_line *m)
{
    r->member.v.count = 0;
    pb_put_str(&r->member, PB_ObfuscatedMember_obfuscated_name, m->obfuscated);
    pb_put_str(&r->member, PB_ObfuscatedMember_deobfuscated_name, full_name(r, m->name));
    if (m->line_count == 2) {
        put_line(&r->member, PB_ObfuscatedMember_obfuscated_line_start, m->lines[0]);
        put_line(&r->member, PB_ObfuscatedMember_obfuscated_line_end, m->lines[1]);
    }
    if (m->source_count > 0)
        put_line(&r->member, PB_ObfuscatedMember_source_line_start, m->source[0]);
    if (m->source_count > 1)
        put_line(&r->member, PB_ObfuscatedMember_source_line_end, m->source[1]);
    pb_put_message(&r->class_, PB_ObfuscatedClass_obfuscated_methods, &r->member);
}

static uint64_t hash_name(struct str s)
{
    return hash_bytes(s.p, s.n, 0);
}

/* What is wrong with it, or NULL. */
static const char *put_field(struct map_reader *r, const struct member_line *m)
{
    bool is_new;
    uint32_t original = (uint32_t)hash_name(m->name);
    uint32_t *known = map_insert(&r->fields, hash_name(m->obfuscated), &is_new);
    if (!is_new)
        return *known == original ? NULL : "a second field of that obfuscated name";
    *known = original;
    r->member.v.count = 0;
    pb_put_str(&r->member, PB_ObfuscatedMember_obfuscated_name, m->obfuscated);
    pb_put_str(&r->member, PB_ObfuscatedMember_deobfuscated_name, m->name);
    pb_put_message(&r->class_, PB_ObfuscatedClass_obfuscated_members, &r->member);
    return NULL;
}

static void end_class(struct map_reader *r)
{
    if (r->original.n > 0)
        pb_put_message(&r->mapping, PB_DeobfuscationMapping_obfuscated_classes, &r->class_);
    r->class_.v.count = 0;
    map_release(&r->fields);
}

/* What is wrong with the line, or NULL. */
static const char *read_class(struct map_reader *r, struct str line)
{
    struct str original, obfuscated;
    bool is_new;
    if (!str_ends(line, STR(":")))
        return "expected \"name -> name:\"";
    line.n--;
    if (!split_arrow(line, &original, &obfuscated))
        return "expected \"name -> name:\"";
    end_class(r);
    map_insert(&r->classes, hash_name(obfuscated), &is_new);
    if (!is_new)
        return "a second class of that obfuscated name";
    r->original = original;
    pb_put_str(&r->class_, PB_ObfuscatedClass_obfuscated_name, obfuscated);
    pb_put_str(&r->class_, PB_ObfuscatedClass_deobfuscated_name, original);
    return NULL;
}

static const char *read_member(struct map_reader *r, struct str line)
{
    struct member_line m;
    if (r->original.n == 0)
        return "a member without a class";
    if (!split_member(line, &m))
        return "expected \"type name -> name\"";
    if (!m.is_method)
        return put_field(r, &m);
    put_method(r, &m);
    return NULL;
}

static const char *read_line(struct map_reader *r, struct str line)
{
    bool is_member = line.n > 0 && str_is_blank(line.p[0]);
    line = str_trim(line);
    if (line.n == 0 || line.p[0] == '#')
        return NULL;
    return is_member ? read_member(r, line) : read_class(r, line);
}

static void release(struct map_reader *r)
{
    pb_bytes_release(&r->class_);
    pb_bytes_release(&r->mapping);
    pb_bytes_release(&r->member);
    vec_release(&r->name);
    map_release(&r->classes);
    map_release(&r->fields);
}

struct status obfuscation_map_packet(struct str map, struct str package, struct pb_bytes *packets)
{
    struct map_reader r = {0};
    struct pb_bytes packet = {0};
    struct status status = status_ok_value();
    if (package.n > 0)
        pb_put_str(&r.mapping, PB_DeobfuscationMapping_package_name, package);
    struct str line;
    for (size_t number = 1; status_ok(status) && str_next_line(&map, &line); number++) {
        const char *problem = read_line(&r, line);
        if (problem)
            status = status_error(STATUS_FORMAT, "line %zu: %s", number, problem);
    }
    if (status_ok(status)) {
        end_class(&r);
        pb_put_message(&packet, PB_TracePacket_deobfuscation_mapping, &r.mapping);
        pb_put_message(packets, PB_Trace_packet, &packet);
    }
    pb_bytes_release(&packet);
    release(&r);
    return status;
}
