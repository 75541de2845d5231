/* __intrinsic_flamegraph_config('view', ..., 'value', ...): tags, each with its arguments, in any
 * order and any number of times. */
#include "sql/operators/flamegraph_config.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/values/values.h"

static void free_config(void *p)
{
    struct flamegraph_config *c = p;
    free(c->pattern.text);
    free(c->pattern.flags);
    for (size_t i = 0; i < c->filters.count; i++) {
        free(c->filters.items[i].pattern.text);
        free(c->filters.items[i].pattern.flags);
    }
    for (size_t i = 0; i < c->groups.count; i++)
        free(c->groups.items[i]);
    for (size_t i = 0; i < c->values.count; i++)
        free(c->values.items[i]);
    for (size_t i = 0; i < c->aggregates.count; i++) {
        free(c->aggregates.items[i].in);
        free(c->aggregates.items[i].out);
    }
    vec_release(&c->filters);
    vec_release(&c->groups);
    vec_release(&c->values);
    vec_release(&c->aggregates);
    free(c);
}

static char *copy_text(sqlite3_value *v)
{
    struct str s = value_str(v);
    return alloc_copy(s.p, s.n);
}

/* The number of a word in a list that ends with NULL, or -1. */
static int number_of(sqlite3_value *v, const char *const *words)
{
    const char *text = (const char *)sqlite3_value_text(v);
    for (int i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

static const char *const views[] = {"TOP_DOWN", "BOTTOM_UP", "PIVOT", "FROM_FRAME", NULL};
static const char *const filters[] = {"SHOW_STACK", "HIDE_STACK", "HIDE_FRAME", NULL};
static const char *const aggregates[] = {"SUM", "ONE_OR_SUMMARY", "CONCAT_WITH_COMMA", NULL};

enum { TAG_VIEW, TAG_PATTERN, TAG_FILTER, TAG_GROUPING, TAG_VALUE, TAG_AGGREGATE };

static const struct tag {
    const char *name;
    int arguments;
    const char *usage;
} tags[] = {
    [TAG_VIEW] = {"view", 1, "'view', 'TOP_DOWN', 'BOTTOM_UP', 'PIVOT' or 'FROM_FRAME'"},
    [TAG_PATTERN] = {"view_pattern", 2, "'view_pattern', a regular expression, flags"},
    [TAG_FILTER] = {"filter", 3,
                    "'filter', 'SHOW_STACK', 'HIDE_STACK' or 'HIDE_FRAME', a regular expression, "
                    "flags"},
    [TAG_GROUPING] = {"grouping", 1, "'grouping', a column"},
    [TAG_VALUE] = {"value", 1, "'value', a column"},
    [TAG_AGGREGATE] = {"aggregate", 3,
                       "'aggregate', 'SUM', 'ONE_OR_SUMMARY' or 'CONCAT_WITH_COMMA', a column, a "
                       "column"},
};

/* Takes the arguments of one tag; false where they are wrong. */
static bool take_tag(struct flamegraph_config *c, int tag, sqlite3_value **argv)
{
    int kind;
    switch (tag) {
    case TAG_VIEW:
        kind = number_of(argv[0], views);
        c->view = kind < 0 ? FLAMEGRAPH_TOP_DOWN : (enum flamegraph_view)kind;
        return kind >= 0;
    case TAG_PATTERN:
        free(c->pattern.text);
        free(c->pattern.flags);
        c->pattern = (struct flamegraph_pattern){copy_text(argv[0]), copy_text(argv[1])};
        return true;
    case TAG_FILTER:
        kind = number_of(argv[0], filters);
        if (kind >= 0)
            *vec_push(&c->filters) =
                (struct flamegraph_filter){(enum flamegraph_filter_kind)kind,
                                           {copy_text(argv[1]), copy_text(argv[2])}};
        return kind >= 0;
    case TAG_GROUPING:
        *vec_push(&c->groups) = copy_text(argv[0]);
        return true;
    case TAG_VALUE:
        *vec_push(&c->values) = copy_text(argv[0]);
        return true;
    default:
        kind = number_of(argv[0], aggregates);
        if (kind >= 0)
            *vec_push(&c->aggregates) =
                (struct flamegraph_aggregate){(enum flamegraph_summary)kind, copy_text(argv[1]),
                                              copy_text(argv[2])};
        return kind >= 0;
    }
}

static int find_tag(sqlite3_value *v)
{
    const char *text = (const char *)sqlite3_value_text(v);
    for (size_t i = 0; text && i < sizeof tags / sizeof *tags; i++)
        if (strcmp(tags[i].name, text) == 0)
            return (int)i;
    return -1;
}

static void fn_config(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct flamegraph_config *c = alloc_array(1, sizeof *c);
    for (int i = 0; i < argc;) {
        int tag = find_tag(argv[i++]);
        if (tag >= 0 && tags[tag].arguments <= argc - i && take_tag(c, tag, argv + i)) {
            i += tags[tag].arguments;
            continue;
        }
        result_error(ctx, "__intrinsic_flamegraph_config: argument %d: expected %s", i,
                     tag < 0 ? "one of 'view', 'view_pattern', 'filter', 'grouping', "
                               "'value', 'aggregate'"
                             : tags[tag].usage);
        free_config(c);
        return;
    }
    result_pointer(ctx, c, FLAMEGRAPH_CONFIG_TYPE, free_config);
}

const char *flamegraph_view_name(enum flamegraph_view view)
{
    return views[view];
}

static const struct native_function functions[] = {
    SQL_FUNCTION("__intrinsic_flamegraph_config", -1, fn_config),
    {0},
};

const struct sql_family flamegraph_config_family = {.functions = functions};
