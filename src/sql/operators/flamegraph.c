#include "sql/operators/flamegraph.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/poll_sort.h"
#include "sql/engine/session_state.h"

/* The parents of the first nodes, which are none. */
#define ROOT_DOWN TREE_NO_ROW
#define ROOT_UP   (TREE_NO_ROW - 1)
#define NOT_SHOWN (TREE_NO_ROW - 2)

/* Upwards each row gives a frame for each of its ancestors: a deep tree gives more than there is
 * memory for. */
enum { NODES_UP_MAX = 1 << 24, PARTS_UP_MAX = 1 << 26 };

struct making {
    const struct flamegraph_query *q;
    struct flamegraph *out;
    struct map by_key; /* hash of parent and key: node + 1 of the newest in a chain */
    VEC(uint32_t) same_hash;
    uint64_t *keys;          /* of each row: hash of name and groups */
    uint32_t *owner;         /* the row itself, or the visible one above that has its values */
    uint32_t *up;            /* the visible row above a visible row */
    bool *hidden, *excluded; /* frames; values of the row's own stack */
    bool *alive;             /* visible, with a value that counts at or below */
    struct flamegraph_amount *own; /* value_count for each row, what hidden frames gave included */
    uint32_t steps;
};

static bool poll_steps(struct making *m)
{
    return session_poll(m->q->session, &m->steps);
}

struct flamegraph_amount flamegraph_sum(struct flamegraph_amount a, struct flamegraph_amount b)
{
    return (struct flamegraph_amount){(int64_t)((uint64_t)a.i + (uint64_t)b.i), a.d + b.d};
}

static const struct column *column_of(const struct flamegraph_query *q, uint32_t column)
{
    return &q->tree->table->table->columns[column];
}

/* A number that is the same for equal values. */
static uint64_t value_key(const struct column *c, uint32_t row)
{
    if (column_is_null(c, row))
        return 0;
    if (c->def->type == COLUMN_TYPE_F64)
        return hash_u64(key_of_f64(column_f64(c, row)));
    return hash_u64(key_of_int(column_int(c, row)));
}

static bool same_value(const struct column *c, uint32_t a, uint32_t b)
{
    if (column_is_null(c, a) || column_is_null(c, b))
        return column_is_null(c, a) && column_is_null(c, b);
    if (c->def->type == COLUMN_TYPE_F64)
        return key_of_f64(column_f64(c, a)) == key_of_f64(column_f64(c, b));
    return column_int(c, a) == column_int(c, b);
}

static bool same_key(const struct flamegraph_query *q, uint32_t a, uint32_t b)
{
    bool same = same_value(column_of(q, q->name), a, b);
    for (size_t i = 0; i < q->group_count && same; i++)
        same = same_value(column_of(q, q->groups[i]), a, b);
    return same;
}

/* Asks SQL's regexp() whether a row's name or one of its groups matches; each value once. */
struct matcher {
    sqlite3_stmt *stmt;
    struct map known[2]; /* value's key -> matched; of texts, of numbers */
};

static struct status matcher_start(struct making *m, const struct flamegraph_pattern *p,
                                   struct matcher *out)
{
    sqlite3 *db = m->q->session->db;
    *out = (struct matcher){0};
    if (sqlite3_prepare_v2(db, "SELECT regexp(?1, CAST(?2 AS TEXT), ?3)", -1, &out->stmt, NULL) !=
        SQLITE_OK)
        return status_error(STATUS_SQL, "flamegraph: %s", sqlite3_errmsg(db));
    sqlite3_bind_text(out->stmt, 1, p->text, -1, SQLITE_STATIC);
    sqlite3_bind_text(out->stmt, 3, p->flags, -1, SQLITE_STATIC);
    return status_ok_value();
}

static void matcher_end(struct matcher *m)
{
    sqlite3_finalize(m->stmt);
    map_release(&m->known[0]);
    map_release(&m->known[1]);
}

static struct status match_value(struct making *m, struct matcher *matcher, const struct column *c,
                                 uint32_t row, bool *matched)
{
    bool inserted, text = c->def->type == COLUMN_TYPE_STR;
    if (column_is_null(c, row))
        return status_ok_value();
    uint32_t *known = map_insert(&matcher->known[!text], value_key(c, row), &inserted);
    if (inserted) {
        sqlite3_stmt *stmt = matcher->stmt;
        struct str s =
            text ? string_pool_get(&m->q->session->trace->strings, column_str(c, row)) : STR("");
        if (text)
            sqlite3_bind_text64(stmt, 2, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
        else if (c->def->type == COLUMN_TYPE_F64)
            sqlite3_bind_double(stmt, 2, column_f64(c, row));
        else
            sqlite3_bind_int64(stmt, 2, column_int(c, row));
        int rc = sqlite3_step(stmt);
        *known = rc == SQLITE_ROW && sqlite3_column_int(stmt, 0);
        sqlite3_reset(stmt);
        if (rc == SQLITE_INTERRUPT)
            return interrupted();
        if (rc != SQLITE_ROW)
            return status_error(STATUS_SQL, "flamegraph: %s", sqlite3_errmsg(m->q->session->db));
    }
    *matched |= *known;
    return status_ok_value();
}

static struct status match_row(struct making *m, struct matcher *matcher, uint32_t row,
                               bool *matched)
{
    *matched = false;
    struct status status = match_value(m, matcher, column_of(m->q, m->q->name), row, matched);
    for (size_t i = 0; i < m->q->group_count && status_ok(status) && !*matched; i++)
        status = match_value(m, matcher, column_of(m->q, m->q->groups[i]), row, matched);
    return status;
}

/* Who has each row's values while the frames in `hidden` are. */
static void find_owners(struct making *m)
{
    const struct tree *t = m->q->tree;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t row = t->order[i], parent = t->parent[row];
        m->up[row] = parent == TREE_NO_ROW ? TREE_NO_ROW : m->owner[parent];
        m->owner[row] = m->hidden[row] ? m->up[row] : row;
    }
}

static struct status apply_filter(struct making *m, const struct flamegraph_filter *filter)
{
    const struct tree *t = m->q->tree;
    bool *hit = alloc_array(t->count + (size_t)1, sizeof *hit);
    struct matcher matcher;
    struct status status = matcher_start(m, &filter->pattern, &matcher);
    for (uint32_t i = 0; i < t->count && status_ok(status); i++) {
        uint32_t row = t->order[i], owner = m->owner[row];
        bool in_stack = owner != TREE_NO_ROW && owner != row && hit[owner];
        if (owner == row) {
            uint32_t up = m->up[row];
            status = match_row(m, &matcher, row, &hit[row]);
            if (filter->kind == FLAMEGRAPH_HIDE_FRAME) {
                m->hidden[row] = hit[row];
                continue;
            }
            in_stack = hit[row] = hit[row] || (up != TREE_NO_ROW && hit[up]);
        }
        if (filter->kind != FLAMEGRAPH_HIDE_FRAME)
            m->excluded[row] |= in_stack == (filter->kind == FLAMEGRAPH_HIDE_STACK);
    }
    matcher_end(&matcher);
    free(hit);
    if (filter->kind == FLAMEGRAPH_HIDE_FRAME)
        find_owners(m);
    return status;
}

static struct flamegraph_amount amount_of(const struct column *c, uint32_t row)
{
    if (column_is_null(c, row))
        return (struct flamegraph_amount){0, 0};
    if (c->def->type == COLUMN_TYPE_F64)
        return (struct flamegraph_amount){0, column_f64(c, row)};
    int64_t v = column_int(c, row);
    return (struct flamegraph_amount){v, (double)v};
}

/* Gives the values to those who have them, and marks what is on the way to them. */
static struct status collect_values(struct making *m)
{
    const struct tree *t = m->q->tree;
    size_t n = m->q->value_count;
    for (uint32_t row = 0; row < t->count; row++) {
        uint32_t owner = m->owner[row];
        if (m->excluded[row])
            continue;
        if (owner != TREE_NO_ROW)
            m->alive[owner] = true;
        for (size_t v = 0; v < n; v++) {
            struct flamegraph_amount a = amount_of(column_of(m->q, m->q->values[v]), row);
            if (!(a.d >= 0))
                return status_error(STATUS_SQL, "flamegraph: value columns must be non-negative");
            m->out->total[v] = flamegraph_sum(m->out->total[v], a);
            if (owner != TREE_NO_ROW)
                m->own[owner * n + v] = flamegraph_sum(m->own[owner * n + v], a);
        }
    }
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t row = t->order[i];
        if (m->owner[row] == row && m->alive[row] && m->up[row] != TREE_NO_ROW)
            m->alive[m->up[row]] = true;
    }
    return status_ok_value();
}

static void list_given(struct making *m)
{
    struct flamegraph *f = m->out;
    uint32_t n = m->q->tree->count;
    f->first_given = alloc_array(n + (size_t)1, sizeof *f->first_given);
    f->next_given = alloc_array(n + (size_t)1, sizeof *f->next_given);
    for (uint32_t i = 0; i < n; i++)
        f->first_given[i] = TREE_NO_ROW;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t owner = m->owner[i];
        if (owner == i || owner == TREE_NO_ROW)
            continue;
        f->next_given[i] = f->first_given[owner];
        f->first_given[owner] = i;
    }
}

static void add_part(struct flamegraph *f, struct flamegraph_node *node, uint32_t row)
{
    uint32_t part = (uint32_t)f->parts.count;
    if (node->last_part != TREE_NO_ROW && f->parts.items[node->last_part].row == row)
        return;
    *vec_push(&f->parts) = (struct flamegraph_part){row, TREE_NO_ROW};
    if (node->last_part == TREE_NO_ROW)
        node->first_part = part;
    else
        f->parts.items[node->last_part].next = part;
    node->last_part = part;
}

/* The node below (or above) `parent` that the row belongs to. */
static uint32_t node_for(struct making *m, uint32_t parent, uint32_t row)
{
    struct flamegraph *f = m->out;
    bool inserted;
    uint32_t *newest = map_insert(&m->by_key, hash_mix(m->keys[row], parent), &inserted);
    uint32_t at = *newest;
    while (at > 0 && !(f->nodes.items[at - 1].parent == parent &&
                       same_key(m->q, f->nodes.items[at - 1].row, row)))
        at = m->same_hash.items[at - 1];
    if (at == 0) {
        int32_t depth = parent == ROOT_DOWN                ? 1
                        : parent == ROOT_UP                ? -1
                        : f->nodes.items[parent].depth > 0 ? f->nodes.items[parent].depth + 1
                                                           : f->nodes.items[parent].depth - 1;
        *vec_push(&f->nodes) =
            (struct flamegraph_node){parent, row, depth, TREE_NO_ROW, TREE_NO_ROW, {0, 0}};
        for (size_t v = 0; v < m->q->value_count; v++) {
            *vec_push(&f->self) = (struct flamegraph_amount){0, 0};
            *vec_push(&f->cumulative) = (struct flamegraph_amount){0, 0};
        }
        *vec_push(&m->same_hash) = *newest;
        *newest = at = (uint32_t)f->nodes.count;
    }
    add_part(f, &f->nodes.items[at - 1], row);
    return at - 1;
}

static void add_amounts(struct flamegraph_amount *to, const struct flamegraph_amount *from,
                        size_t n)
{
    for (size_t v = 0; v < n; v++)
        to[v] = flamegraph_sum(to[v], from[v]);
}

/* Merges the tree from its roots, or from the rows in `starts`, downwards. */
static struct status merge_down(struct making *m, const bool *starts)
{
    const struct tree *t = m->q->tree;
    size_t n = m->q->value_count;
    uint32_t *node = alloc_array(t->count + (size_t)1, sizeof *node);
    struct status status = status_ok_value();
    for (uint32_t i = 0; i < t->count && status_ok(status); i++) {
        uint32_t row = t->order[i], up = m->up[row];
        node[row] = NOT_SHOWN;
        if (m->owner[row] != row || !m->alive[row])
            continue;
        uint32_t parent = up == TREE_NO_ROW ? NOT_SHOWN : node[up];
        if (parent == NOT_SHOWN && (starts ? starts[row] : up == TREE_NO_ROW))
            parent = ROOT_DOWN;
        if (parent == NOT_SHOWN)
            continue;
        node[row] = node_for(m, parent, row);
        add_amounts(&m->out->self.items[node[row] * n], &m->own[row * n], n);
        if (poll_steps(m))
            status = interrupted();
    }
    free(node);
    for (size_t v = 0; v < m->out->self.count; v++)
        m->out->cumulative.items[v] = m->out->self.items[v];
    for (size_t i = m->out->nodes.count; i-- > 0;) {
        uint32_t parent = m->out->nodes.items[i].parent;
        if (parent != ROOT_DOWN)
            add_amounts(&m->out->cumulative.items[parent * n], &m->out->cumulative.items[i * n], n);
    }
    return status;
}

/* The row and those above it, which get its amounts. */
static struct status merge_up(struct making *m, uint32_t row,
                              const struct flamegraph_amount *amounts)
{
    size_t n = m->q->value_count;
    uint32_t parent = ROOT_UP;
    for (uint32_t at = row; at != TREE_NO_ROW; at = m->up[at]) {
        parent = node_for(m, parent, at);
        add_amounts(&m->out->cumulative.items[parent * n], amounts, n);
        if (at == row)
            add_amounts(&m->out->self.items[parent * n], amounts, n);
        if (m->out->nodes.count > NODES_UP_MAX || m->out->parts.count > PARTS_UP_MAX)
            return status_error(STATUS_SQL, "flamegraph: the stacks are too deep and too many to "
                                            "be shown upwards: filter them, or use TOP_DOWN");
        if (poll_steps(m))
            return interrupted();
    }
    return status_ok_value();
}

static bool is_nothing(const struct flamegraph_amount *amounts, size_t n)
{
    for (size_t v = 0; v < n; v++)
        if (amounts[v].d > 0)
            return false;
    return true;
}

static struct status merge_bottom_up(struct making *m)
{
    const struct tree *t = m->q->tree;
    size_t n = m->q->value_count;
    struct status status = status_ok_value();
    for (uint32_t i = 0; i < t->count && status_ok(status); i++) {
        uint32_t row = t->order[i];
        if (m->owner[row] == row && !is_nothing(&m->own[row * n], n))
            status = merge_up(m, row, &m->own[row * n]);
    }
    return status;
}

/* Marks the visible rows that match the view's pattern and have none above them that does. */
static struct status find_starts(struct making *m, bool *starts)
{
    const struct tree *t = m->q->tree;
    bool *inside = alloc_array(t->count + (size_t)1, sizeof *inside);
    struct matcher matcher;
    struct status status = matcher_start(m, m->q->pattern, &matcher);
    for (uint32_t i = 0; i < t->count && status_ok(status); i++) {
        uint32_t row = t->order[i], up = m->up[row];
        if (m->owner[row] != row)
            continue;
        inside[row] = up != TREE_NO_ROW && inside[up];
        if (!inside[row])
            status = match_row(m, &matcher, row, &starts[row]);
        inside[row] |= starts[row];
    }
    matcher_end(&matcher);
    free(inside);
    return status;
}

/* From each start upwards with all that is below it. */
static struct status merge_starts_up(struct making *m, const bool *starts)
{
    const struct tree *t = m->q->tree;
    size_t n = m->q->value_count;
    struct flamegraph_amount *below = alloc_try_array(t->count * n + 1, sizeof *below);
    struct status status = status_ok_value();
    if (!below)
        return interrupted();
    for (size_t i = 0; i < t->count * n; i++)
        below[i] = m->own[i];
    for (uint32_t i = t->count; i-- > 0;) {
        uint32_t row = t->order[i];
        if (m->owner[row] == row && m->up[row] != TREE_NO_ROW)
            add_amounts(&below[m->up[row] * n], &below[row * n], n);
    }
    for (uint32_t i = 0; i < t->count && status_ok(status); i++) {
        uint32_t row = t->order[i];
        if (starts[row] && m->alive[row])
            status = merge_up(m, row, &below[row * n]);
    }
    free(below);
    return status;
}

static struct status merge(struct making *m)
{
    if (m->q->view == FLAMEGRAPH_TOP_DOWN)
        return merge_down(m, NULL);
    if (m->q->view == FLAMEGRAPH_BOTTOM_UP)
        return merge_bottom_up(m);
    bool *starts = alloc_array(m->q->tree->count + (size_t)1, sizeof *starts);
    struct status status = find_starts(m, starts);
    if (status_ok(status))
        status = merge_down(m, starts);
    if (status_ok(status) && m->q->view == FLAMEGRAPH_PIVOT)
        status = merge_starts_up(m, starts);
    free(starts);
    return status;
}

/* What sorting sees of a node. */
struct place {
    uint32_t node, parent;
    int32_t depth;
    double width, start;
};

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Siblings together, the widest first. */
static int compare_siblings(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (abs(x->depth) != abs(y->depth))
        return abs(x->depth) - abs(y->depth);
    if (x->parent != y->parent)
        return compare_numbers(x->parent, y->parent);
    if (x->width != y->width)
        return -compare_doubles(x->width, y->width);
    return compare_numbers(x->node, y->node);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (abs(x->depth) != abs(y->depth))
        return abs(x->depth) - abs(y->depth);
    if (x->start != y->start)
        return compare_doubles(x->start, y->start);
    if (x->depth != y->depth)
        return y->depth - x->depth;
    return compare_numbers(x->node, y->node);
}

/* Siblings one behind the other, the first where the parent starts. */
static bool place_nodes(const struct sql_session *s, struct flamegraph *f)
{
    size_t n = f->nodes.count;
    struct place *places = alloc_array(n + 1, sizeof *places);
    struct flamegraph_amount next = {0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct flamegraph_node *node = &f->nodes.items[i];
        places[i] = (struct place){i, node->parent, node->depth,
                                   f->cumulative.items[i * f->value_count].d, 0};
    }
    bool done = poll_sort(&s->cancel, places, n, sizeof *places, compare_siblings);
    for (size_t i = 0; i < n && done; i++) {
        struct place *p = &places[i];
        if (i == 0 || p->parent != places[i - 1].parent) {
            bool root = p->parent == ROOT_DOWN || p->parent == ROOT_UP;
            next = root ? (struct flamegraph_amount){0, 0} : f->nodes.items[p->parent].start;
        }
        f->nodes.items[p->node].start = next;
        p->start = next.d;
        next = flamegraph_sum(next, f->cumulative.items[p->node * f->value_count]);
    }
    done = done && poll_sort(&s->cancel, places, n, sizeof *places, compare_places);
    f->shown = alloc_array(n + 1, sizeof *f->shown);
    for (size_t i = 0; i < n && done; i++) {
        f->shown[i] = places[i].node;
        if (places[i].parent == ROOT_UP)
            f->nodes.items[places[i].node].parent = TREE_NO_ROW;
    }
    free(places);
    return done;
}

static void hash_rows(struct making *m)
{
    const struct flamegraph_query *q = m->q;
    for (uint32_t row = 0; row < q->tree->count; row++) {
        m->keys[row] = value_key(column_of(q, q->name), row);
        for (size_t i = 0; i < q->group_count; i++)
            m->keys[row] = hash_mix(m->keys[row], value_key(column_of(q, q->groups[i]), row));
    }
}

struct status flamegraph_make(const struct flamegraph_query *q, struct flamegraph *out)
{
    size_t n = q->tree->count + (size_t)1;
    *out = (struct flamegraph){.value_count = q->value_count};
    out->total = alloc_array(q->value_count, sizeof *out->total);
    struct making m = {
        .q = q,
        .out = out,
        .keys = alloc_array(n, sizeof *m.keys),
        .owner = alloc_array(n, sizeof *m.owner),
        .up = alloc_array(n, sizeof *m.up),
        .hidden = alloc_array(n, sizeof *m.hidden),
        .excluded = alloc_array(n, sizeof *m.excluded),
        .alive = alloc_array(n, sizeof *m.alive),
        .own = alloc_try_array(n * q->value_count, sizeof *m.own),
    };
    struct status status = m.own ? status_ok_value() : interrupted();
    hash_rows(&m);
    find_owners(&m);
    for (size_t i = 0; i < q->filter_count && status_ok(status); i++)
        status = apply_filter(&m, &q->filters[i]);
    list_given(&m);
    if (status_ok(status))
        status = collect_values(&m);
    if (status_ok(status))
        status = merge(&m);
    if (status_ok(status) && !place_nodes(q->session, out))
        status = interrupted();
    map_release(&m.by_key);
    vec_release(&m.same_hash);
    free(m.keys);
    free(m.owner);
    free(m.up);
    free(m.hidden);
    free(m.excluded);
    free(m.alive);
    free(m.own);
    return status;
}

void flamegraph_release(struct flamegraph *f)
{
    vec_release(&f->nodes);
    vec_release(&f->self);
    vec_release(&f->cumulative);
    vec_release(&f->parts);
    free(f->shown);
    free(f->first_given);
    free(f->next_given);
    free(f->total);
}
