#include "sql_fixture.h"
#include "sql_random.h"

#include "base/vec.h"
#include "core/store/rows.h"

enum { TRACKS = 4, TIME_MAX = 60 };

/* A slice before it has its row: parents are numbers in the list while it grows. */
struct made_slice {
    int64_t ts, dur;
    uint32_t track, depth, parent, number, row;
};

struct made_slices {
    VEC(struct made_slice) v;
};

/* Slices one behind the other in [from, to), others inside them. */
static void make_slices(struct made_slices *m, uint32_t track, uint32_t depth, uint32_t parent,
                        int64_t from, int64_t to)
{
    for (int64_t at = from + next_random(6); at < to; at += next_random(5)) {
        int64_t end = at + next_random(18);
        uint32_t number = (uint32_t)m->v.count;
        end = end < to ? end : to;
        *vec_push(&m->v) = (struct made_slice){at, end - at, track, depth, parent, number, 0};
        if (depth < 3)
            make_slices(m, track, depth + 1, number, at, end);
        at = end;
    }
}

static int compare_slices(const void *a, const void *b)
{
    const struct made_slice *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* All of them in the order of the table, the same each time. */
static struct made_slices all_slices(void)
{
    struct made_slices m = {0};
    random_state = 31;
    for (uint32_t track = 0; track < TRACKS; track++)
        make_slices(&m, track, 0, NULL_U32, 0, TIME_MAX);
    uint32_t *row_of = alloc_array(m.v.count + 1, sizeof *row_of);
    qsort(m.v.items, m.v.count, sizeof *m.v.items, compare_slices);
    for (uint32_t i = 0; i < m.v.count; i++)
        row_of[m.v.items[i].number] = i;
    for (uint32_t i = 0; i < m.v.count; i++)
        if (m.v.items[i].parent != NULL_U32)
            m.v.items[i].parent = row_of[m.v.items[i].parent];
    free(row_of);
    return m;
}

static bool is_unfinished(const struct made_slice *s)
{
    return s->depth == 0 && s->ts + s->dur == TIME_MAX;
}

static void fill(struct trace *t)
{
    struct made_slices m = all_slices();
    for (uint32_t i = 0; i < TRACKS; i++) {
        struct track_row row = track_row_null();
        track_append(&t->tables.track, &row);
    }
    for (uint32_t i = 0; i < m.v.count; i++) {
        const struct made_slice *s = &m.v.items[i];
        struct slice_row row = slice_row_null();
        row.ts = s->ts;
        row.dur = is_unfinished(s) ? -1 : s->dur;
        row.track_id = s->track;
        row.depth = s->depth;
        row.parent_id = s->parent;
        slice_append(&t->tables.slice, &row);
    }
    vec_release(&m.v);
}

static int setup(void **state)
{
    return fixture_open(state, fill);
}

/* A slice without a parent and those below it: how long and how high they are. */
struct heap {
    int64_t ts, end;
    uint32_t height, at;
};

static bool touch(const struct heap *open, const struct heap *h, uint32_t at)
{
    return open->end > h->ts && open->at < at + h->height && at < open->at + open->height;
}

/* Each heap of slices takes the lowest row where it touches no earlier one. */
static void test_layout_is_the_lowest_that_fits(void **state)
{
    struct made_slices made = all_slices();
    struct made_slice *s = made.v.items;
    size_t n = made.v.count;
    struct heap *heaps = alloc_array(n, sizeof *heaps);
    assert_true(n > 60);
    for (uint32_t i = 0; i < n; i++) {
        int64_t end = is_unfinished(&s[i]) ? INT64_MAX : s[i].ts + s[i].dur;
        s[i].row = s[i].parent == NULL_U32 ? i : s[s[i].parent].row;
        struct heap *h = &heaps[s[i].row];
        if (s[i].parent == NULL_U32)
            *h = (struct heap){s[i].ts, end, 0, 0};
        h->height = s[i].depth + 1 > h->height ? s[i].depth + 1 : h->height;
    }
    sqlite3_str *want = sqlite3_str_new(NULL);
    for (uint32_t i = 0; i < n; i++) {
        struct heap *h = &heaps[i];
        bool free_row = false;
        while (s[i].parent == NULL_U32 && s[i].track != 2 && !free_row) {
            free_row = true;
            for (uint32_t k = 0; k < i && free_row; k++)
                free_row =
                    s[k].parent != NULL_U32 || s[k].track == 2 || !touch(&heaps[k], h, h->at);
            h->at += !free_row;
        }
        if (s[i].track != 2)
            sqlite3_str_appendf(want, "%u|%u\n", i, heaps[s[i].row].at + s[i].depth);
    }
    char *rows = sqlite3_str_finish(want);
    expect_rows(session_of(state), "SELECT * FROM experimental_slice_layout('3,0, 1,0')", rows);
    expect_rows(session_of(state), "SELECT * FROM experimental_slice_layout('77')", "");
    sqlite3_free(rows);
    free(heaps);
    vec_release(&made.v);
}

static void test_flat_slices_are_the_deepest_of_each_unit(void **state)
{
    expect_same(
        session_of(state),
        "WITH RECURSIVE t(n) AS (SELECT 7 UNION ALL SELECT n + 1 FROM t WHERE n < 52)"
        " SELECT track_id, n, source_id FROM t JOIN experimental_flat_slice(7, 53) ON n >= ts AND"
        " n < ts + dur ORDER BY 1, 2",
        "WITH RECURSIVE t(n) AS (SELECT 7 UNION ALL SELECT n + 1 FROM t WHERE n < 52)"
        " SELECT track.id, n, (SELECT id FROM slice s WHERE s.track_id = track.id AND ts <= n AND"
        " (dur < 0 OR n < ts + dur) ORDER BY depth DESC, id DESC LIMIT 1) FROM t JOIN track"
        " ORDER BY 1, 2");
    expect_rows(session_of(state),
                "SELECT count(*) FROM (SELECT *, lead(ts) OVER (PARTITION BY track_id ORDER BY ts)"
                " AS next FROM experimental_flat_slice(7, 53)) WHERE ts + dur <> next",
                "0\n");
}

/* The rows of each step that begins in the window, the one before the window with the first. */
#define STEPS                                                                                      \
    "WITH w(start, stop, step) AS (VALUES (13, 47, 9)), timed AS (SELECT *, ts AS t FROM p WHERE"  \
    " ts >= (SELECT start FROM w) UNION ALL SELECT *, (SELECT start FROM w) FROM (SELECT * FROM p" \
    " WHERE ts < (SELECT start FROM w) AND NOT EXISTS (SELECT 1 FROM p q WHERE q.ts = (SELECT"     \
    " start FROM w) AND q.depth = p.depth) GROUP BY depth HAVING id = max(id))), stepped AS ("     \
    "SELECT *, (t - start) / step AS number FROM timed, w WHERE t - (t - start) % step < stop) "

static void test_mipmaps_agree_with_grouping(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE TABLE p AS SELECT id, ts, dur, depth FROM slice WHERE track_id <> 1 AND"
                " dur >= 0 AND (depth <> 1 OR ts <> 13) AND (depth <> 0 OR ts < 15 OR ts > 30);"
                "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT * FROM p))",
                "");
    expect_same(s, "SELECT depth, ts, id, count, dur FROM m(13, 47, 9)",
                STEPS "SELECT depth, ts, id, (SELECT count(*) FROM stepped x WHERE x.depth ="
                      " stepped.depth AND x.number = stepped.number), dur FROM stepped WHERE id ="
                      " (SELECT x.id FROM stepped x WHERE x.depth = stepped.depth AND x.number ="
                      " stepped.number ORDER BY x.dur DESC, x.id LIMIT 1) ORDER BY depth, number");
    expect_rows(s,
                "DELETE FROM p WHERE depth > 0;"
                "CREATE VIRTUAL TABLE c USING __intrinsic_counter_mipmap((SELECT ts, dur FROM p))",
                "");
    expect_same(s, "SELECT * FROM c(13, 47, 9)",
                STEPS
                "SELECT low, high, p.ts, p.dur * 1.0 FROM (SELECT number, min(dur) * 1.0 AS low,"
                " max(dur) * 1.0 AS high, max(id) AS last FROM stepped GROUP BY number) JOIN p"
                " ON p.id = last ORDER BY number");
    char *got = sql_rows(s, "SELECT * FROM c(0, 10, 0)");
    assert_non_null(strstr(got, "the step must be above 0"));
    sqlite3_free(got);
    expect_same(s, "SELECT count(*) FROM c(0, 9223372036854775807, 1)",
                "SELECT count(DISTINCT ts) FROM p");
    expect_same(s, "SELECT *, in_window_start FROM c(13, 47, 9) WHERE in_window_start = 13",
                "SELECT *, 13 FROM c(13, 47, 9)");
    expect_rows(s, "SELECT * FROM c(13, 47, 9) WHERE in_window_start = 12", "");
}

static void test_windows(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE VIRTUAL TABLE w USING __intrinsic_window(100, 25, 10);"
                "SELECT *, quantum, window_start, window_dur FROM w WHERE ts > 100 ORDER BY ts",
                "110|10|1|10|100|25\n120|10|2|10|100|25\n");
    expect_rows(s, "CREATE VIRTUAL TABLE one USING __intrinsic_window(5, 7, 0); SELECT * FROM one",
                "5|7|0\n");
    expect_rows(s,
                "CREATE VIRTUAL TABLE none USING __intrinsic_window(0, 0, 1); SELECT * FROM none",
                "");
    char *got = sql_rows(s, "CREATE VIRTUAL TABLE back USING __intrinsic_window(5, -1, 1)");
    assert_non_null(strstr(got, "not below 0"));
    sqlite3_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_layout_is_the_lowest_that_fits),
        SQL_TEST(test_flat_slices_are_the_deepest_of_each_unit),
        SQL_TEST(test_mipmaps_agree_with_grouping),
        SQL_TEST(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
