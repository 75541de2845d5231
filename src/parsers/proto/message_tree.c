#define PB_READS_LITTLE
#include "parsers/proto/message_tree.h"

#include "base/bisect.h"

enum { NODE_COST = 64, FIELD_WORK = 8, MESSAGE_SIZE_BYTES = 4 };
/* Lengths of messages are written in four bytes. */
enum { LIMIT_MAX = 1 << 27 };
enum { FIELD_NUMBER_MAX = (1 << 29) - 1 };

static struct tree_node *node_at(const struct message_tree *t, uint32_t node)
{
    return &t->nodes.items[node];
}

/* Nodes count with a fixed size, bytes with their own. */
static bool tree_charge(struct message_tree *t, size_t bytes)
{
    if (bytes > t->limit - t->used)
        return false;
    t->used += bytes;
    return true;
}

static bool spend(struct message_tree *t, uint64_t work)
{
    if (work > *t->work) {
        *t->work = 0;
        return false;
    }
    *t->work -= work;
    return true;
}

static size_t bytes_of(const struct tree_node *n)
{
    return n->kind == TREE_FIELD && n->field.data ? (size_t)n->field.value : 0;
}

static bool has_children(const struct tree_node *n)
{
    return n->kind >= TREE_MESSAGE;
}

static bool can_be_message(const struct tree_node *n)
{
    return n->kind == TREE_EMPTY || n->kind == TREE_MESSAGE ||
           (n->kind == TREE_FIELD && n->field.data);
}

/* An empty node, or TREE_NOWHERE where the limit is reached. */
static uint32_t node_new(struct message_tree *t)
{
    if (!spend(t, NODE_COST) || !tree_charge(t, NODE_COST))
        return TREE_NOWHERE;
    uint32_t node;
    if (t->free_nodes) {
        node = t->free_nodes - 1;
        t->free_nodes = node_at(t, node)->unused.next;
    } else {
        node = (uint32_t)t->nodes.count;
        vec_push(&t->nodes);
    }
    *node_at(t, node) = (struct tree_node){.kind = TREE_EMPTY};
    return node;
}

/* Frees what is below a node and makes it empty. */
static void node_clear(struct message_tree *t, uint32_t node)
{
    size_t from = t->path.count;
    *vec_push(&t->path) = node;
    while (t->path.count > from) {
        uint32_t at = t->path.items[--t->path.count];
        struct tree_node *n = node_at(t, at);
        t->used -= bytes_of(n);
        if (has_children(n)) {
            for (size_t i = 0; i < n->children.count; i++)
                *vec_push(&t->path) = n->children.items[i].node;
            vec_release(&n->children);
        }
        *n = (struct tree_node){.kind = TREE_EMPTY};
        if (at != node) {
            n->unused.next = t->free_nodes;
            t->free_nodes = at + 1;
            t->used -= NODE_COST;
        }
    }
}

static void node_free(struct message_tree *t, uint32_t node)
{
    node_clear(t, node);
    node_at(t, node)->unused.next = t->free_nodes;
    t->free_nodes = node + 1;
    t->used -= NODE_COST;
}

/* The index of the first child whose key is not less. */
static size_t child_place(const struct tree_node *n, uint64_t key)
{
    size_t count = n->children.count;
    if (count > 0 && n->children.items[count - 1].key < key)
        return count;
    return BISECT(i, 0, count, n->children.items[i].key < key);
}

static uint32_t child_find(const struct message_tree *t, uint32_t node, uint64_t key)
{
    const struct tree_node *n = node_at(t, node);
    size_t at = child_place(n, key);
    return at < n->children.count && n->children.items[at].key == key ? n->children.items[at].node
                                                                      : TREE_NOWHERE;
}

/* False where there is such a child already, or too much was moved. */
static bool child_add(struct message_tree *t, uint32_t node, uint64_t key, uint32_t child)
{
    struct tree_node *n = node_at(t, node);
    size_t at = child_place(n, key), behind = n->children.count - at;
    if ((behind > 0 && n->children.items[at].key == key) ||
        !spend(t, behind * sizeof(struct tree_child)))
        return false;
    vec_push(&n->children);
    struct tree_child *place = &n->children.items[at];
    if (behind > 0)
        memmove(place + 1, place, behind * sizeof *place);
    *place = (struct tree_child){key, child};
    t->changed = true;
    return true;
}

/* A new empty child; TREE_NOWHERE where a limit is reached. */
static uint32_t child_new(struct message_tree *t, uint32_t node, uint64_t key)
{
    uint32_t child = node_new(t);
    if (child == TREE_NOWHERE || child_add(t, node, key, child))
        return child;
    node_free(t, child);
    return TREE_NOWHERE;
}

static void child_remove(struct message_tree *t, uint32_t node, uint64_t key)
{
    struct tree_node *n = node_at(t, node);
    size_t at = child_place(n, key);
    uint32_t child = n->children.items[at].node;
    size_t behind = n->children.count - at - 1;
    if (behind > 0)
        memmove(&n->children.items[at], &n->children.items[at + 1],
                behind * sizeof(struct tree_child));
    n->children.count--;
    /* What was moved is paid for, but moving it cannot be refused. */
    spend(t, behind * sizeof(struct tree_child));
    node_free(t, child);
    t->changed = true;
}

static bool node_set_field(struct message_tree *t, uint32_t node, const struct pb_field *f)
{
    size_t bytes = f->data ? (size_t)f->value : 0;
    if (!tree_charge(t, bytes))
        return false;
    node_clear(t, node);
    struct tree_node *n = node_at(t, node);
    n->kind = TREE_FIELD;
    n->field = *f;
    t->changed = true;
    return true;
}

/* Moves what a node is into a new first child of it. */
static bool node_wrap(struct message_tree *t, uint32_t node, enum tree_kind kind, uint64_t key)
{
    uint32_t inner = node_new(t);
    if (inner == TREE_NOWHERE)
        return false;
    *node_at(t, inner) = *node_at(t, node);
    *node_at(t, node) = (struct tree_node){.kind = kind};
    *vec_push(&node_at(t, node)->children) = (struct tree_child){key, inner};
    return true;
}

static bool make_list(struct message_tree *t, uint32_t node)
{
    struct tree_node *n = node_at(t, node);
    if (n->kind == TREE_LIST)
        return true;
    if (n->kind == TREE_MAP)
        return false;
    if (n->kind != TREE_EMPTY)
        return node_wrap(t, node, TREE_LIST, 0);
    n->kind = TREE_LIST;
    return true;
}

static bool list_append(struct message_tree *t, uint32_t list, const struct pb_field *f)
{
    uint32_t child = child_new(t, list, node_at(t, list)->children.count);
    return child != TREE_NOWHERE && node_set_field(t, child, f);
}

static bool message_add(struct message_tree *t, uint32_t message, const struct pb_field *f)
{
    uint32_t child = child_find(t, message, f->number);
    if (child != TREE_NOWHERE)
        return make_list(t, child) && list_append(t, child, f);
    child = child_new(t, message, f->number);
    return child != TREE_NOWHERE && node_set_field(t, child, f);
}

static enum tree_status make_message(struct message_tree *t, uint32_t node)
{
    struct tree_node *n = node_at(t, node);
    if (n->kind == TREE_MESSAGE)
        return TREE_OK;
    if (!can_be_message(n))
        return TREE_ABORT;
    struct pb_field whole = n->kind == TREE_FIELD ? n->field : (struct pb_field){0};
    bool changed = t->changed;
    t->used -= bytes_of(n);
    *n = (struct tree_node){.kind = TREE_MESSAGE};
    struct pb_reader r = pb_message(&whole);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (!spend(t, FIELD_WORK) || !message_add(t, node, &f))
            return TREE_ABORT;
    t->changed = changed;
    return TREE_OK;
}

/* The number that a message has in a field. */
static bool key_of(struct message_tree *t, uint32_t node, uint32_t key_field, uint64_t *key)
{
    const struct tree_node *n = node_at(t, node);
    if (n->kind == TREE_MESSAGE) {
        uint32_t child = child_find(t, node, key_field);
        if (child == TREE_NOWHERE)
            return false;
        n = node_at(t, child);
        *key = n->kind == TREE_FIELD ? n->field.value : 0;
        return n->kind == TREE_FIELD && !n->field.data;
    }
    if (n->kind != TREE_FIELD || !n->field.data)
        return false;
    struct pb_reader r = pb_message(&n->field);
    struct pb_field f;
    while (spend(t, FIELD_WORK) && pb_next(&r, &f)) {
        if (f.number == key_field) {
            *key = f.value;
            return !f.data;
        }
    }
    return false;
}

/* Where two have the same key, the first one stays. */
static bool list_to_map(struct message_tree *t, uint32_t node, uint32_t key_field)
{
    struct tree_node list = *node_at(t, node);
    *node_at(t, node) = (struct tree_node){.kind = TREE_MAP};
    bool good = true;
    for (size_t i = 0; i < list.children.count; i++) {
        uint64_t key;
        uint32_t child = list.children.items[i].node;
        good = good && key_of(t, child, key_field, &key);
        if (!good || !child_add(t, node, key, child))
            node_free(t, child);
    }
    vec_release(&list.children);
    return good;
}

static bool make_map(struct message_tree *t, uint32_t node, uint32_t key_field)
{
    struct tree_node *n = node_at(t, node);
    uint64_t key;
    switch (n->kind) {
    case TREE_MAP:
        return true;
    case TREE_EMPTY:
        n->kind = TREE_MAP;
        return true;
    case TREE_LIST:
        return list_to_map(t, node, key_field);
    case TREE_FIELD:
    case TREE_MESSAGE:
        return key_of(t, node, key_field, &key) && node_wrap(t, node, TREE_MAP, key);
    }
    return false;
}

void message_tree_init(struct message_tree *t, size_t limit)
{
    *t = (struct message_tree){.limit = limit < LIMIT_MAX ? limit : LIMIT_MAX};
    *vec_push(&t->nodes) = (struct tree_node){.kind = TREE_EMPTY};
}

void message_tree_release(struct message_tree *t)
{
    node_clear(t, 0);
    vec_release(&t->nodes);
    vec_release(&t->path);
}

bool message_tree_set(struct message_tree *t, const uint8_t *p, size_t n)
{
    struct pb_field whole = {.wire_type = PB_WIRE_LEN, .value = n, .data = p};
    node_clear(t, 0);
    return n == 0 || node_set_field(t, 0, &whole);
}

/* A message that is being written: which child comes next, and where its length stands. */
struct open_message {
    uint32_t node, field; /* the field it is; 0 where children are fields by their keys */
    size_t next, length_at;
};

static void write_field(struct pb_bytes *out, uint32_t field, const struct pb_field *f)
{
    switch (f->wire_type) {
    case PB_WIRE_LEN:
        pb_put_str(out, field, pb_str(f));
        break;
    case PB_WIRE_I64:
        pb_put_fixed64(out, field, f->value);
        break;
    case PB_WIRE_I32:
        pb_put_fixed32(out, field, (uint32_t)f->value);
        break;
    default:
        pb_put_uint(out, field, f->value);
    }
}

/* The length is known once the message is written; it is a varint of fixed size. */
static size_t begin_length(struct pb_bytes *out, uint32_t field)
{
    static const uint8_t nothing[MESSAGE_SIZE_BYTES] = {0};
    pb_put_tag(out, field, PB_WIRE_LEN);
    pb_put_raw(out, nothing, sizeof nothing);
    return out->v.count;
}

static void end_length(struct pb_bytes *out, size_t start)
{
    size_t n = out->v.count - start;
    uint8_t *p = out->v.items + start - MESSAGE_SIZE_BYTES;
    for (int i = 0; i < MESSAGE_SIZE_BYTES; i++)
        p[i] = (uint8_t)((n >> 7 * i & 0x7f) | (i < MESSAGE_SIZE_BYTES - 1 ? 0x80 : 0));
}

void message_tree_write(struct message_tree *t, struct pb_bytes *out)
{
    VEC(struct open_message) open = {0};
    const struct tree_node *root = node_at(t, 0);
    if (root->kind == TREE_FIELD)
        pb_put_raw(out, root->field.data, bytes_of(root));
    if (root->kind == TREE_MESSAGE)
        *vec_push(&open) = (struct open_message){0};
    while (open.count > 0) {
        struct open_message *m = &vec_last(&open);
        const struct tree_node *n = node_at(t, m->node);
        if (m->next == n->children.count) {
            if (m->length_at)
                end_length(out, m->length_at);
            open.count--;
            continue;
        }
        const struct tree_child *c = &n->children.items[m->next++];
        const struct tree_node *child = node_at(t, c->node);
        uint32_t field = m->field ? m->field : (uint32_t)c->key;
        if (child->kind == TREE_FIELD)
            write_field(out, field, &child->field);
        else if (child->kind == TREE_MESSAGE)
            *vec_push(&open) = (struct open_message){c->node, 0, 0, begin_length(out, field)};
        else if (child->kind != TREE_EMPTY)
            *vec_push(&open) = (struct open_message){c->node, field, 0, 0};
    }
    vec_release(&open);
}

struct tree_cursor message_tree_root(void)
{
    return (struct tree_cursor){.node = 0, .parent = TREE_NOWHERE};
}

static enum tree_status enter_child(struct tree_cursor *c, uint32_t parent, uint64_t key,
                                    uint32_t child)
{
    if (child == TREE_NOWHERE)
        return TREE_ABORT;
    *c = (struct tree_cursor){child, parent, key};
    return TREE_OK;
}

/* The field of the message at the cursor. */
static enum tree_status find_field(struct message_tree *t, const struct tree_cursor *c,
                                   uint32_t field, bool create, uint32_t *child)
{
    if (c->node == TREE_NOWHERE || field == 0 || field > FIELD_NUMBER_MAX ||
        make_message(t, c->node) != TREE_OK)
        return TREE_ABORT;
    *child = child_find(t, c->node, field);
    if (*child != TREE_NOWHERE)
        return TREE_OK;
    if (!create)
        return TREE_ERROR;
    *child = child_new(t, c->node, field);
    return *child == TREE_NOWHERE ? TREE_ABORT : TREE_OK;
}

enum tree_status tree_enter(struct message_tree *t, struct tree_cursor *c, uint32_t field,
                            bool create)
{
    uint32_t child;
    enum tree_status s = find_field(t, c, field, create, &child);
    if (s != TREE_OK)
        return s;
    enum tree_kind kind = node_at(t, child)->kind;
    if (kind == TREE_LIST || kind == TREE_MAP)
        return TREE_ABORT;
    return enter_child(c, c->node, field, child);
}

enum tree_status tree_enter_index(struct message_tree *t, struct tree_cursor *c, uint32_t field,
                                  uint32_t index)
{
    uint32_t list;
    enum tree_status s = find_field(t, c, field, true, &list);
    if (s != TREE_OK)
        return s;
    if (!make_list(t, list))
        return TREE_ABORT;
    uint32_t child = child_find(t, list, index);
    if (child == TREE_NOWHERE && index > node_at(t, list)->children.count)
        return TREE_ABORT;
    if (child == TREE_NOWHERE)
        child = child_new(t, list, index);
    return enter_child(c, list, index, child);
}

enum tree_status tree_enter_key(struct message_tree *t, struct tree_cursor *c, uint32_t field,
                                uint32_t key_field, uint64_t key, bool create)
{
    uint32_t map;
    enum tree_status s = find_field(t, c, field, create, &map);
    if (s != TREE_OK)
        return s;
    if (!make_map(t, map, key_field))
        return TREE_ABORT;
    uint32_t child = child_find(t, map, key);
    if (child == TREE_NOWHERE)
        child = child_new(t, map, key);
    return enter_child(c, map, key, child);
}

enum tree_status tree_find_list(struct message_tree *t, uint32_t message, uint32_t field,
                                uint32_t *list)
{
    struct tree_cursor c = {.node = message, .parent = TREE_NOWHERE};
    enum tree_status s = find_field(t, &c, field, false, list);
    if (s == TREE_ERROR) {
        *list = TREE_NOWHERE;
        return TREE_OK;
    }
    return s == TREE_OK && make_list(t, *list) ? TREE_OK : TREE_ABORT;
}

uint32_t tree_list_item(const struct message_tree *t, uint32_t list, uint32_t place)
{
    if (list == TREE_NOWHERE || place >= node_at(t, list)->children.count)
        return TREE_NOWHERE;
    return node_at(t, list)->children.items[place].node;
}

bool tree_number(const struct message_tree *t, uint32_t node, struct pb_field *out)
{
    if (node == TREE_NOWHERE || node_at(t, node)->kind != TREE_FIELD)
        return false;
    *out = node_at(t, node)->field;
    return !out->data;
}

enum tree_status tree_set(struct message_tree *t, uint32_t node, const struct pb_field *value)
{
    if (node == TREE_NOWHERE)
        return TREE_ABORT;
    const struct tree_node *n = node_at(t, node);
    bool is_number = n->kind == TREE_FIELD && !n->field.data;
    if (value->data ? !can_be_message(n) : n->kind != TREE_EMPTY && !is_number)
        return TREE_ABORT;
    return node_set_field(t, node, value) ? TREE_OK : TREE_ABORT;
}

static bool merge_field(struct message_tree *t, uint32_t node, const struct pb_field *f,
                        struct tree_merge how)
{
    uint32_t old = child_find(t, node, f->number);
    if (old == TREE_NOWHERE)
        return message_add(t, node, f);
    struct tree_node *n = node_at(t, old);
    if (how.keep_messages && n->kind == TREE_MESSAGE)
        return true;
    if (how.empty_deletes && f->data && f->value == 0) {
        child_remove(t, node, f->number);
        return true;
    }
    if (n->kind == TREE_MAP)
        return false;
    if (n->kind != TREE_LIST)
        return node_set_field(t, old, f);
    if (!n->replaced) {
        node_clear(t, old);
        *node_at(t, old) = (struct tree_node){.kind = TREE_LIST, .replaced = true};
    }
    return list_append(t, old, f);
}

enum tree_status tree_merge(struct message_tree *t, uint32_t node, const struct pb_field *from,
                            struct tree_merge how)
{
    if (node == TREE_NOWHERE || !from->data || !can_be_message(node_at(t, node)))
        return TREE_ABORT;
    if (from->value == 0)
        return TREE_OK;
    if (make_message(t, node) != TREE_OK)
        return TREE_ABORT;
    struct pb_reader r = pb_message(from);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (!spend(t, FIELD_WORK) || !merge_field(t, node, &f, how))
            return TREE_ABORT;
    struct tree_node *n = node_at(t, node);
    for (size_t i = 0; i < n->children.count; i++)
        node_at(t, n->children.items[i].node)->replaced = false;
    return spend(t, n->children.count) ? TREE_OK : TREE_ABORT;
}

enum tree_status tree_delete(struct message_tree *t, struct tree_cursor *c)
{
    if (c->node == TREE_NOWHERE)
        return TREE_ABORT;
    t->changed = true;
    if (c->parent == TREE_NOWHERE) {
        node_clear(t, c->node);
        return TREE_OK;
    }
    child_remove(t, c->parent, c->key);
    c->node = TREE_NOWHERE;
    return TREE_OK;
}
