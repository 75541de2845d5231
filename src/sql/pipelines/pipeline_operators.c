/* The operators of pipelines, INTERVAL INTERSECTION OF, INTERVAL FLATTEN and TREE ACCUMULATE, as
 * SELECTs from functions of ours. */
#include "sql/pipelines/pipeline_state.h"

/* What the intervals' and the trees' functions take. */
enum { OPERANDS_MAX = 15, PER_MAX = 4, SUMS_MAX = 18 };

/* COUNT(*) or SUM(column), and the name of what it gives. */
struct pipe_aggregate {
    bool is_count;
    uint32_t slot;
    struct str name;
};

struct pipe_aggregates {
    VEC(struct pipe_aggregate) v;
};

/* `PER a, b` */
struct per {
    struct token names[PER_MAX];
    size_t count;
};

static struct status read_per(struct pipeline *p, const struct sql_node *names, struct per *out)
{
    out->count = 0;
    for (uint32_t i = 0; names && i < names->count; i++) {
        struct token name = pipe_token(p, names->part[i]);
        if (out->count == PER_MAX)
            return token_error(name, "PER takes up to %d columns", PER_MAX);
        out->names[out->count++] = name;
    }
    return status_ok_value();
}

struct operands {
    struct pipe_source v[OPERANDS_MAX];
    size_t count;
};

static struct status read_operand(struct pipeline *p, const struct sql_node *n, struct operands *o)
{
    struct token first = pipe_token(p, n);
    if (o->count == OPERANDS_MAX)
        return token_error(first, "INTERVAL INTERSECTION takes up to %d sources", OPERANDS_MAX);
    struct pipe_source *source = &o->v[o->count++];
    struct status s = pipeline_read_source(p, n, source);
    if (!status_ok(s))
        return s;
    if (source->alias.n == 0)
        return token_error(first,
                           "a source of INTERVAL INTERSECTION needs an alias: (...) AS name");
    for (size_t i = 0; i + 1 < o->count; i++)
        if (str_eq_any_case(o->v[i].alias, source->alias))
            return token_error(first, "two sources are called %.*s: give one an alias with AS",
                               (int)source->alias.n, source->alias.p);
    return s;
}

static struct status need_column(const struct pipe_source *source, struct token at,
                                 const char *name)
{
    if (pipe_columns_find(&source->columns, str_from(name)))
        return status_ok_value();
    return token_error(at, "%.*s has no column %s, which INTERVAL INTERSECTION needs",
                       (int)source->alias.n, source->alias.p, name);
}

static struct status check_operand(const struct pipe_source *source, const struct per *per)
{
    struct status s = need_column(source, source->first, "ts");
    if (status_ok(s))
        s = need_column(source, source->first, "dur");
    for (size_t k = 0; k < per->count && status_ok(s); k++)
        if (!pipe_columns_find(&source->columns, token_name(per->names[k])))
            s = token_error(per->names[k], "%.*s has no column %.*s", (int)source->alias.n,
                            source->alias.p, (int)per->names[k].text.n, per->names[k].text.p);
    return s;
}

static struct status read_operands(struct pipeline *p, const struct sql_node *n, struct operands *o,
                                   struct per *per)
{
    const struct sql_node *sources = n->part[0];
    struct status s = status_ok_value();
    for (uint32_t i = 0; i < sources->count && status_ok(s); i++)
        s = read_operand(p, sources->part[i], o);
    if (status_ok(s) && o->count < 2) {
        const struct token *close = &p->rewriting->tree.tokens->v.items[sources->span.end];
        while (token_is_blank(*close))
            close++;
        s = token_error(*close, "INTERVAL INTERSECTION needs two sources or more");
    }
    if (status_ok(s))
        s = read_per(p, n->part[1], per);
    for (size_t i = 0; i < o->count && status_ok(s); i++)
        s = check_operand(&o->v[i], per);
    return s;
}

/* The columns of a source's rows, which start at slot `first`. */
static uint32_t source_slot(const struct pipe_source *source, uint32_t first, struct str name)
{
    return first + pipe_columns_find(&source->columns, name)->slot;
}

/* A set of the source's intervals, known by their rows' numbers. */
static void put_interval_set(struct pipeline *p, const struct pipe_source *source, size_t number,
                             uint32_t first, const struct per *per)
{
    uint32_t ts = source_slot(source, first, STR("ts"));
    uint32_t dur = source_slot(source, first, STR("dur"));
    pipeline_put(p,
                 "(SELECT __intrinsic_interval_tree_intervals_agg(\"tptui_row\", \"tptui_%u\", "
                 "\"tptui_%u\"",
                 ts, dur);
    for (size_t k = 0; k < per->count; k++)
        pipeline_put(p, ", 'k%d', \"tptui_%u\"", (int)k,
                     source_slot(source, first, token_name(per->names[k])));
    pipeline_put(
        p,
        ") FROM (SELECT * FROM \"tptui_in%d\" WHERE \"tptui_%u\" IS NOT NULL AND \"tptui_%u\" IS "
        "NOT NULL ORDER BY \"tptui_%u\")), ",
        (int)number, ts, dur, ts);
}

/* The regions with their rows' numbers, and those rows. */
static void put_intersection(struct pipeline *p, const struct operands *o, const struct per *per)
{
    uint32_t firsts[OPERANDS_MAX];
    for (size_t i = 0; i < o->count; i++) {
        const struct pipe_source *source = &o->v[i];
        firsts[i] = p->slots;
        pipeline_put(
            p, "%s\"tptui_in%d\" AS MATERIALIZED (SELECT row_number() OVER () AS \"tptui_row\", ",
            i ? ", " : "WITH ", (int)i);
        pipeline_put_columns(p, source);
        pipeline_put(p, " FROM ");
        pipeline_put_tokens(p, &source->tokens);
        pipeline_put(p, ")");
        p->slots += (uint32_t)source->columns.v.count;
    }
    pipeline_put(p, " SELECT \"tptui_met\".c0 AS \"tptui_0\", \"tptui_met\".c1 AS \"tptui_1\"");
    for (uint32_t slot = 2; slot < p->slots; slot++)
        pipeline_put(p, ", \"tptui_%u\"", slot);
    pipeline_put(p, " FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(");
    for (size_t i = 0; i < o->count; i++)
        put_interval_set(p, &o->v[i], i, firsts[i], per);
    pipeline_put(p, "'");
    for (size_t k = 0; k < per->count; k++)
        pipeline_put(p, "%sk%d", k ? "," : "", (int)k);
    pipeline_put(p, "')) AS \"tptui_met\"");
    for (size_t i = 0; i < o->count; i++)
        pipeline_put(
            p, " CROSS JOIN \"tptui_in%d\" ON \"tptui_in%d\".\"tptui_row\" = \"tptui_met\".c%d",
            (int)i, (int)i, 2 + (int)i);
    pipeline_put(p, " WHERE __intrinsic_table_ptr_bind(\"tptui_met\".c0, 'ts')"
                    " AND __intrinsic_table_ptr_bind(\"tptui_met\".c1, 'dur')");
    for (size_t i = 0; i < o->count; i++)
        pipeline_put(p, " AND __intrinsic_table_ptr_bind(\"tptui_met\".c%d, 'id_%d')", 2 + (int)i,
                     (int)i);
}

static bool is_per(const struct per *per, struct str name)
{
    for (size_t k = 0; k < per->count; k++)
        if (str_eq_any_case(token_name(per->names[k]), name))
            return true;
    return false;
}

/* Without alias only the region's own time and the first source's PER columns can be read. */
static void name_intersection(struct pipeline *p, const struct operands *o, const struct per *per)
{
    uint32_t slot = 0;
    pipe_columns_add(&p->row.columns, STR("ts"), slot++, false);
    pipe_columns_add(&p->row.columns, STR("dur"), slot++, false);
    for (size_t i = 0; i < o->count; i++) {
        size_t first = p->row.columns.v.count;
        for (size_t k = 0; k < o->v[i].columns.v.count; k++) {
            struct str name = o->v[i].columns.v.items[k].name;
            pipe_columns_add(&p->row.columns, name, slot++, i > 0 || !is_per(per, name));
        }
        pipe_row_bind(&p->row, o->v[i].alias, first);
    }
}

/* INTERVAL INTERSECTION OF (a, b AS c, ...) PER d, e */
struct status pipeline_intersection(struct pipeline *p, const struct sql_node *n)
{
    struct operands o = {0};
    struct per per = {.count = 0};
    struct status s = read_operands(p, n, &o, &per);
    if (status_ok(s)) {
        p->slots = 2;
        put_intersection(p, &o, &per);
        name_intersection(p, &o, &per);
    }
    for (size_t i = 0; i < o.count; i++)
        pipe_source_release(&o.v[i]);
    return s;
}

static struct status read_aggregate(struct pipeline *p, const struct sql_node *item, bool may_count,
                                    struct pipe_aggregates *out)
{
    const char *what = may_count ? "SUM(column) or COUNT(*)" : "SUM(column)";
    const struct sql_node *call = item->part[0];
    struct pipe_aggregate a = {0};
    struct pipe_column column = {0};
    struct token name = pipe_token(p, item);
    if (!sql_is(item, SQL_RESULT) || !sql_is(call, SQL_CALL))
        return expected_error(name, what);
    const struct sql_node *arguments = call->part[CALL_ARGUMENTS];
    const struct sql_node *first = arguments->count == 1 ? arguments->part[0] : NULL;
    a.is_count = may_count && token_is_word(name, "COUNT");
    if (!a.is_count && !token_is_word(name, "SUM"))
        return token_error(name, "aggregate %.*s is not supported yet: expected %s",
                           (int)name.text.n, name.text.p, what);
    if (!first || call->op || call->part[CALL_ORDER] || call->part[CALL_FILTER] ||
        call->part[CALL_OVER] || (a.is_count && !sql_is(first, SQL_STAR)))
        return expected_error(name, what);
    if (!a.is_count && !sql_is(first, SQL_COLUMN))
        return token_error(pipe_token(p, first), "only columns can be summed");
    struct status s = a.is_count ? status_ok_value() : pipe_column_of(p, first, &column);
    if (status_ok(s) && !item->part[RESULT_NAME])
        return token_error(name, "expected AS and a name for the result behind this");
    a.slot = column.slot;
    a.name = pipe_result_name(p, item, STR(""));
    *vec_push(&out->v) = a;
    return s;
}

static struct status read_aggregates(struct pipeline *p, const struct sql_node *items,
                                     bool may_count, struct pipe_aggregates *out)
{
    struct status s = status_ok_value();
    for (uint32_t i = 0; i < items->count && status_ok(s); i++) {
        if (out->v.count == SUMS_MAX)
            return token_error(pipe_token(p, items->part[i]), "one stage gives up to %d results",
                               SUMS_MAX);
        s = read_aggregate(p, items->part[i], may_count, out);
    }
    return s;
}

/* The bare column that an operator works with. */
static struct status find_operand(struct pipeline *p, const char *name, uint32_t *slot)
{
    size_t at;
    if (pipe_row_count(&p->row, str_from(name), &at) != 1)
        return token_error(p->stage, "this stage needs one column called %s", name);
    *slot = p->row.columns.v.items[at].slot;
    return status_ok_value();
}

static void put_tree_totals(struct pipeline *p, uint32_t id, uint32_t parent, const char *way,
                            const struct pipe_aggregates *sums)
{
    uint32_t rows = pipeline_end_stage(p, true);
    pipeline_put(p, "SELECT \"tptui_stage%u\".*", rows);
    for (size_t i = 0; i < sums->v.count; i++)
        pipeline_put(p, ", \"tptui_met\".c%d AS \"tptui_%u\"", 1 + (int)i, p->slots + (uint32_t)i);
    pipeline_put(p,
                 " FROM __intrinsic_table_ptr(__intrinsic_tree_accumulate((SELECT "
                 "__intrinsic_tree_from_table('id', \"tptui_%u\", 'parent_id', \"tptui_%u\"",
                 id, parent);
    for (size_t i = 0; i < sums->v.count; i++)
        pipeline_put(p, ", 's%d', \"tptui_%u\"", (int)i, sums->v.items[i].slot);
    pipeline_put(p,
                 ") FROM \"tptui_stage%u\"), '%s')) AS \"tptui_met\" CROSS JOIN \"tptui_stage%u\" "
                 "ON \"tptui_stage%u\".\"tptui_%u\" = \"tptui_met\".c0 WHERE "
                 "__intrinsic_table_ptr_bind(\"tptui_met\".c0, 'id')",
                 rows, way, rows, rows, id);
    for (size_t i = 0; i < sums->v.count; i++)
        pipeline_put(p, " AND __intrinsic_table_ptr_bind(\"tptui_met\".c%d, 's%d')", 1 + (int)i,
                     (int)i);
}

/* TREE ACCUMULATE UP|DOWN SUM(column) AS name, ... */
struct status pipeline_tree(struct pipeline *p, const struct sql_node *stage)
{
    uint32_t id = 0, parent = 0;
    struct status s = find_operand(p, "id", &id);
    if (status_ok(s))
        s = find_operand(p, "parent_id", &parent);
    struct pipe_aggregates sums = {0};
    if (status_ok(s))
        s = read_aggregates(p, stage->part[STAGE_ITEMS], false, &sums);
    if (status_ok(s)) {
        put_tree_totals(p, id, parent, stage->op2 == SQL_OP_UP ? "up" : "down", &sums);
        for (size_t i = 0; i < sums.v.count; i++)
            pipe_columns_add(&p->row.columns, sums.v.items[i].name, p->slots++, false);
        p->order.v.count = 0;
    }
    vec_release(&sums.v);
    return s;
}

/* What INTERVAL FLATTEN works with; the slots that it makes are ts, dur, the columns of PER and the
 * aggregates, from the next free one on. */
struct flatten {
    uint32_t ts, dur, per[PER_MAX];
    struct str names[PER_MAX];
    size_t per_count;
    struct pipe_aggregates aggregates;
};

static void put_flatten(struct pipeline *p, const struct flatten *f)
{
    const struct pipe_aggregates *a = &f->aggregates;
    int columns = 2 + (int)f->per_count + (int)a->v.count;
    uint32_t rows = pipeline_end_stage(p, false);
    pipeline_put(p, "SELECT ");
    for (int i = 0; i < columns; i++)
        pipeline_put(p, "%sc%d AS \"tptui_%u\"", i ? ", " : "", i, p->slots + (uint32_t)i);
    pipeline_put(
        p,
        " FROM __intrinsic_table_ptr((SELECT __intrinsic_interval_flatten_agg(%d, \"tptui_%u\", "
        "\"tptui_%u\"",
        (int)f->per_count, f->ts, f->dur);
    for (size_t k = 0; k < f->per_count; k++)
        pipeline_put(p, ", \"tptui_%u\"", f->per[k]);
    for (size_t i = 0; i < a->v.count; i++)
        if (a->v.items[i].is_count)
            pipeline_put(p, ", 1");
        else
            pipeline_put(p, ", \"tptui_%u\"", a->v.items[i].slot);
    pipeline_put(p, ") FROM (SELECT * FROM \"tptui_stage%u\" ORDER BY ", rows);
    for (size_t k = 0; k < f->per_count; k++)
        pipeline_put(p, "\"tptui_%u\", ", f->per[k]);
    pipeline_put(p, "\"tptui_%u\"))) WHERE ", f->ts);
    for (int i = 0; i < columns; i++)
        pipeline_put(p, "%s__intrinsic_table_ptr_bind(c%d, 'f%d')", i ? " AND " : "", i, i);
}

static void name_flatten(struct pipeline *p, const struct flatten *f)
{
    pipe_row_unbind(&p->row);
    p->row.columns.v.count = 0;
    pipe_columns_add(&p->row.columns, STR("ts"), p->slots++, false);
    pipe_columns_add(&p->row.columns, STR("dur"), p->slots++, false);
    for (size_t k = 0; k < f->per_count; k++)
        pipe_columns_add(&p->row.columns, f->names[k], p->slots++, false);
    for (size_t i = 0; i < f->aggregates.v.count; i++)
        pipe_columns_add(&p->row.columns, f->aggregates.v.items[i].name, p->slots++, false);
}

static struct status find_per(struct pipeline *p, const struct per *per, struct flatten *f)
{
    for (f->per_count = 0; f->per_count < per->count; f->per_count++) {
        size_t at;
        struct token name = per->names[f->per_count];
        struct status s = pipe_row_find(&p->row, name, &at);
        if (!status_ok(s))
            return s;
        f->per[f->per_count] = p->row.columns.v.items[at].slot;
        f->names[f->per_count] = token_name(name);
    }
    return status_ok_value();
}

static struct status read_flatten(struct pipeline *p, const struct sql_node *stage,
                                  struct flatten *f)
{
    struct per per = {.count = 0};
    struct status s = find_operand(p, "ts", &f->ts);
    if (status_ok(s))
        s = find_operand(p, "dur", &f->dur);
    if (status_ok(s))
        s = read_per(p, stage->part[STAGE_PER], &per);
    if (status_ok(s))
        s = find_per(p, &per, f);
    return status_ok(s) ? read_aggregates(p, stage->part[STAGE_AGGREGATES], true, &f->aggregates)
                        : s;
}

/* INTERVAL FLATTEN PER a, b AGGREGATE COUNT(*) AS name, ... */
struct status pipeline_flatten(struct pipeline *p, const struct sql_node *stage)
{
    struct flatten f = {0};
    struct status s = read_flatten(p, stage, &f);
    if (status_ok(s)) {
        put_flatten(p, &f);
        name_flatten(p, &f);
        p->order.v.count = 0;
    }
    vec_release(&f.aggregates.v);
    return s;
}
