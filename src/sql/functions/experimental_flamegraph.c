/* experimental_flamegraph(profile_type, ts, ts_constraint, upid, upid_group, focus_str): the tree
 * of a 'native' heap profile up to ts, of 'perf' samples, or of the heap 'graph' at ts. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/values/values.h"
#include "core/profile_tree.h"

enum { TYPE, TS, TS_CONSTRAINT, UPID, UPID_GROUP, FOCUS };

static bool is_null(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL;
}

/* A query's rows (callsite, count, size) become the nodes' own. */
static struct status add_rows(struct profile_tree *t, struct sql_session *s, const uint32_t *nodes,
                              sqlite3_stmt *stmt)
{
    uint32_t sites = s->trace->tables.stack_profile_callsite.rows;
    int rc;
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t site = sqlite3_column_int64(stmt, 0);
        if (site < 0 || site >= sites)
            continue;
        int64_t *own = t->nodes.items[nodes[site]].own;
        int64_t count = sqlite3_column_int64(stmt, 1), size = sqlite3_column_int64(stmt, 2);
        profile_add(&own[PROFILE_COUNT], count);
        profile_add(&own[PROFILE_SIZE], size);
        profile_add(&own[PROFILE_ALLOC_COUNT], count > 0 ? count : 0);
        profile_add(&own[PROFILE_ALLOC_SIZE], size > 0 ? size : 0);
    }
    if (rc == SQLITE_INTERRUPT)
        return interrupted();
    return rc == SQLITE_DONE
               ? status_ok_value()
               : status_error(STATUS_SQL, "experimental_flamegraph: %s", sqlite3_errmsg(s->db));
}

/* ">=10,<20" as conditions on `ts` behind the query's own. */
static struct status add_conditions(sqlite3_str *query, const char *text)
{
    while (*text) {
        size_t n = strspn(text, "<>=");
        char *end;
        long long ts = strtoll(text + n, &end, 10);
        bool known =
            (n == 1 && strchr("<>=", *text)) || (n == 2 && strchr("<>", *text) && text[1] == '=');
        if (!known || end == text + n)
            return status_error(STATUS_SQL,
                                "experimental_flamegraph: ts_constraint '%s': expected as in "
                                "'>=10,<20'",
                                text);
        sqlite3_str_appendf(query, " AND s.ts %.*s %lld", (int)n, text, ts);
        text = end + strspn(end, ", ");
    }
    return status_ok_value();
}

/* "1,2" as a condition on `upid`. */
static struct status add_processes(sqlite3_str *query, const char *text)
{
    sqlite3_str_appendall(query, " AND t.upid IN (");
    for (const char *comma = ""; *text; comma = ",") {
        char *end;
        long long upid = strtoll(text, &end, 10);
        if (end == text)
            return status_error(STATUS_SQL,
                                "experimental_flamegraph: upid_group '%s': expected as in '1,2'",
                                text);
        sqlite3_str_appendf(query, "%s%lld", comma, upid);
        text = end + strspn(end, ", ");
    }
    sqlite3_str_appendall(query, ")");
    return status_ok_value();
}

static struct status perf_conditions(sqlite3_str *query, sqlite3_value **argv)
{
    struct status status = status_ok_value();
    if (!is_null(argv[TS_CONSTRAINT]))
        status = add_conditions(query, (const char *)sqlite3_value_text(argv[TS_CONSTRAINT]));
    else if (!is_null(argv[TS]))
        sqlite3_str_appendf(query, " AND s.ts <= %lld", sqlite3_value_int64(argv[TS]));
    if (status_ok(status) && !is_null(argv[UPID_GROUP]))
        status = add_processes(query, (const char *)sqlite3_value_text(argv[UPID_GROUP]));
    else if (!is_null(argv[UPID]))
        sqlite3_str_appendf(query, " AND t.upid = %lld", sqlite3_value_int64(argv[UPID]));
    return status;
}

static struct status add_stacks(struct profile_tree *t, struct sql_session *s, sqlite3_value **argv,
                                bool perf)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    struct status status = status_ok_value();
    if (perf) {
        sqlite3_str_appendall(text, "SELECT s.callsite_id, 1, 1 FROM perf_sample s JOIN"
                                    " __intrinsic_thread t ON t.id = s.utid WHERE s.callsite_id IS"
                                    " NOT NULL");
        status = perf_conditions(text, argv);
    } else {
        sqlite3_str_appendf(text,
                            "SELECT callsite_id, count, size FROM heap_profile_allocation WHERE"
                            " upid = %lld AND ts <= %lld",
                            sqlite3_value_int64(argv[UPID]), sqlite3_value_int64(argv[TS]));
    }
    char *query = sqlite3_str_finish(text);
    sqlite3_stmt *stmt = NULL;
    if (status_ok(status) && sqlite3_prepare_v2(s->db, query, -1, &stmt, NULL) != SQLITE_OK)
        status = status_error(STATUS_SQL, "experimental_flamegraph: %s", sqlite3_errmsg(s->db));
    if (status_ok(status)) {
        uint32_t *nodes = profile_callsite_nodes(t, s->trace);
        status = nodes ? add_rows(t, s, nodes, stmt) : interrupted();
        free(nodes);
    }
    sqlite3_finalize(stmt);
    sqlite3_free(query);
    return status;
}

static struct status add_heap(struct profile_tree *t, struct sql_session *s, sqlite3_value **argv)
{
    bool done = profile_add_heap(t, s->trace, &s->cancel, sqlite3_value_int64(argv[TS]),
                                 sqlite3_value_int64(argv[UPID]));
    return done ? status_ok_value() : interrupted();
}

static struct status fill_tree(struct profile_tree *t, struct sql_session *s, sqlite3_value **argv)
{
    const char *type = (const char *)sqlite3_value_text(argv[TYPE]);
    bool perf = type && strcmp(type, "perf") == 0, graph = type && strcmp(type, "graph") == 0;
    bool native = type && strcmp(type, "native") == 0;
    if (!perf && !graph && !native)
        return status_error(STATUS_SQL, "experimental_flamegraph: profile_type is 'native', 'perf' "
                                        "or 'graph'");
    if (perf ? is_null(argv[UPID]) && is_null(argv[UPID_GROUP])
             : is_null(argv[UPID]) || is_null(argv[TS]))
        return status_error(STATUS_SQL, "experimental_flamegraph: '%s' needs %s", type,
                            perf ? "a upid or a upid_group" : "a ts and a upid");
    return graph ? add_heap(t, s, argv) : add_stacks(t, s, argv, perf);
}

/* Whether the text has these letters somewhere, small or capital. */
static bool has_letters(struct str text, struct str letters)
{
    for (; text.n >= letters.n; text = str_skip(text, 1)) {
        size_t i = 0;
        while (i < letters.n && lower_case(text.p[i]) == lower_case(letters.p[i]))
            i++;
        if (i == letters.n)
            return true;
    }
    return false;
}

/* Leaves of each stack only what counts when the name of one of its functions must have these
 * letters: sets `shown` of nodes that have such a name above, below or in themselves. What others
 * have is not summed up. */
static void focus(struct profile_tree *t, const struct sql_session *s, struct str letters,
                  bool *shown)
{
    bool *inside = alloc_array(t->nodes.count + 1, sizeof *inside);
    for (size_t i = 0; i < t->nodes.count; i++) {
        struct profile_node *n = &t->nodes.items[i];
        inside[i] = (n->parent != NULL_U32 && inside[n->parent]) ||
                    has_letters(string_pool_get(&s->trace->strings, n->name), letters);
        shown[i] = inside[i];
    }
    for (size_t i = t->nodes.count; i-- > 0;) {
        if (!shown[i])
            memset(t->nodes.items[i].own, 0, sizeof t->nodes.items[i].own);
        else if (t->nodes.items[i].parent != NULL_U32)
            shown[t->nodes.items[i].parent] = true;
    }
    free(inside);
}

static void put_node(struct table_builder *b, const struct profile_node *n, uint32_t id,
                     uint32_t parent, sqlite3_value *ts)
{
    table_builder_put(b, cell_int(id), cell_int(sqlite3_value_int64(ts)), cell_int(n->depth),
                      cell_text(n->name), cell_text(n->mapping));
    for (int k = 0; k < PROFILE_AMOUNTS; k++) {
        table_builder_put(b, cell_int(n->own[k]), cell_int(n->all[k]));
    }
    table_builder_row(b, cell_id(parent), cell_text(n->source_file), cell_id(n->line));
}

static struct status fill(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    struct profile_tree t = {0};
    struct status status = fill_tree(&t, s, argv);
    struct str letters = value_str(argv[FOCUS]);
    bool *shown = letters.n == 0 ? NULL : alloc_array(t.nodes.count + 1, sizeof *shown);
    uint32_t *id = alloc_array(t.nodes.count + 1, sizeof *id), count = 0;
    if (status_ok(status) && shown)
        focus(&t, s, letters, shown);
    profile_sum_up(&t);
    for (size_t i = 0; status_ok(status) && i < t.nodes.count; i++) {
        const struct profile_node *n = &t.nodes.items[i];
        id[i] = count;
        if (shown && !shown[i])
            continue;
        put_node(b, n, count++, n->parent == NULL_U32 ? NULL_U32 : id[n->parent], argv[TS]);
    }
    profile_tree_release(&t);
    free(shown);
    free(id);
    return status;
}

static const struct table_function table_functions[] = {
    {.name = "experimental_flamegraph",
     .columns = "id LONG, ts LONG, depth LONG, name STRING, map_name STRING, count LONG, "
                "cumulative_count LONG, size LONG, cumulative_size LONG, alloc_count LONG, "
                "cumulative_alloc_count LONG, alloc_size LONG, cumulative_alloc_size LONG, "
                "parent_id LONG, source_file STRING, line_number LONG",
     .parameters = "profile_type, ts_in, ts_constraint, upid, upid_group, focus_str",
     .fill = fill},
    {0},
};

const struct sql_family experimental_flamegraph_family = {.table_functions = table_functions};
