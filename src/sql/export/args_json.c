#include "sql/export/args_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "sql/engine/session_state.h"
#include "sql/export/json_text.h"

#define NONE UINT32_MAX

/* A value at a place in the object: an arg, or what has children. */
struct node {
    struct str name; /* of an array's element: its index */
    bool is_element;
    uint32_t arg; /* NONE: an object, or an array where the first child is an element */
    uint32_t first, last, next;
};

struct json_tree {
    VEC(struct node) v;  /* the first is the object itself */
    struct map children; /* hash of parent and name -> node */
};

static uint32_t child_of(struct json_tree *t, uint32_t parent, struct str name, bool is_element)
{
    bool inserted;
    uint64_t hash = hash_bytes(name.p, name.n, (uint64_t)parent << 1 | is_element);
    uint32_t *slot = map_insert(&t->children, hash, &inserted);
    if (!inserted)
        return *slot;
    uint32_t node = *slot = (uint32_t)t->v.count;
    *vec_push(&t->v) = (struct node){name, is_element, NONE, NONE, NONE, NONE};
    struct node *p = &t->v.items[parent];
    if (p->first == NONE)
        p->first = node;
    else
        t->v.items[p->last].next = node;
    p->last = node;
    return node;
}

/* The first part of a key: "a" of "a.b" and "a[0]", "[0]" of "[0].b". */
static struct str key_part(struct str key)
{
    size_t n = 0;
    if (key.n > 0 && key.p[0] == '[') {
        n = str_find(key, ']');
        return (struct str){key.p, n < key.n ? n + 1 : key.n};
    }
    while (n < key.n && key.p[n] != '.' && key.p[n] != '[')
        n++;
    return (struct str){key.p, n};
}

static void add_arg(struct json_tree *t, struct str key, uint32_t arg)
{
    uint32_t node = 0;
    do {
        struct str part = key_part(key);
        key = str_skip(key, part.n);
        if (str_starts(key, STR(".")))
            key = str_skip(key, 1);
        bool is_element = part.n > 2 && part.p[0] == '[';
        node = child_of(t, node, is_element ? str_from_to(part, 1, part.n - 1) : part, is_element);
    } while (key.n > 0);
    t->v.items[node].arg = arg;
}

/* Six decimals; more digits than Trace Processor has room for only where they are needed. */
static void append_query_real(sqlite3_str *out, double v)
{
    char text[32];
    if (isnan(v))
        sqlite3_str_appendall(out, "\"NaN\"");
    else if (isinf(v))
        sqlite3_str_appendall(out, v > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else if (snprintf(text, sizeof text, "%f", v) < (int)sizeof text)
        sqlite3_str_appendall(out, text);
    else
        json_append_real(out, v);
}

static void append_arg(sqlite3_str *out, const struct string_pool *strings, const struct arg *a,
                       enum args_json_style style)
{
    switch (a->type) {
    case ARG_NULL:
        sqlite3_str_appendall(out, "null");
        break;
    case ARG_INT:
        sqlite3_str_appendf(out, "%lld", (long long)a->i);
        break;
    case ARG_UINT:
        sqlite3_str_appendf(out, "%llu", (unsigned long long)a->i);
        break;
    case ARG_POINTER:
        sqlite3_str_appendf(out, "\"0x%llx\"", (unsigned long long)a->i);
        break;
    case ARG_BOOL:
        sqlite3_str_appendall(out, a->i ? "true" : "false");
        break;
    case ARG_REAL:
        if (style == ARGS_JSON_OF_QUERY)
            append_query_real(out, a->d);
        else
            json_append_real(out, a->d);
        break;
    case ARG_STRING:
        json_append_text(out, string_pool_get(strings, a->s));
        break;
    case ARG_JSON:
        sqlite3_str_append(out, string_pool_get(strings, a->s).p,
                           (int)string_pool_get(strings, a->s).n);
        break;
    }
}

/* A node whose children are being written. */
struct open_node {
    uint32_t next; /* child */
    char close;
};

static struct open_node open_children(sqlite3_str *out, const struct json_tree *t, uint32_t node)
{
    uint32_t first = t->v.items[node].first;
    bool array = first != NONE && t->v.items[first].is_element;
    sqlite3_str_appendchar(out, 1, array ? '[' : '{');
    return (struct open_node){first, array ? ']' : '}'};
}

/* Depth first, with a stack of our own: keys come from the trace. */
static void append_tree(sqlite3_str *out, const struct json_tree *t,
                        const struct string_pool *strings, const struct arg *args,
                        enum args_json_style style)
{
    VEC(struct open_node) stack = {0};
    *vec_push(&stack) = open_children(out, t, 0);
    bool comma = false;
    while (stack.count > 0) {
        struct open_node *top = &vec_last(&stack);
        if (top->next == NONE) {
            sqlite3_str_appendchar(out, 1, top->close);
            stack.count--;
            comma = true;
            continue;
        }
        const struct node *n = &t->v.items[top->next];
        uint32_t index = top->next;
        top->next = n->next;
        sqlite3_str_appendall(out, comma ? "," : "");
        if (top->close == '}') {
            json_append_text(out, n->name);
            sqlite3_str_appendchar(out, 1, ':');
        }
        comma = n->first == NONE;
        if (comma)
            append_arg(out, strings, &args[n->arg], style);
        else
            *vec_push(&stack) = open_children(out, t, index);
    }
    vec_release(&stack);
}

/* Where an event's own args stand: other programs know them without that. */
static struct str without_origin(struct str key)
{
    if (str_starts(key, STR("debug.")))
        return str_skip(key, 6);
    return str_starts(key, STR("args.")) ? str_skip(key, 5) : key;
}

bool args_append_json(sqlite3_str *out, struct sql_session *s, uint32_t set,
                      enum args_json_style style)
{
    struct arg_list list = {0};
    args_read(&s->trace->args, set, &list);
    struct json_tree t = {0};
    *vec_push(&t.v) = (struct node){{"", 0}, false, NONE, NONE, NONE, NONE};
    for (size_t i = 0; i < list.v.count; i++) {
        struct str key = string_pool_get(&s->trace->strings, list.v.items[i].key);
        add_arg(&t, style == ARGS_JSON_OF_QUERY ? key : without_origin(key), (uint32_t)i);
    }
    bool any = list.v.count > 0;
    if (any)
        append_tree(out, &t, &s->trace->strings, list.v.items, style);
    vec_release(&t.v);
    map_release(&t.children);
    arg_list_release(&list);
    return any;
}
