#include "tui/timeline/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/time.h"
#include "tui/context/state.h"
#include "tui/input/pattern.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/timeline_lists.h"
#include "tui/timeline/timeline_view.h"

enum { HITS_MAX = 200000 };

struct search_job {
    struct job job;
    const struct timeline *tl;
    char pattern[128];
    char error[160];
    VEC(struct search_hit) hits;
    VEC(string_id) names;
};

/* Each name is matched once: of strings by number, what is known of them. */
enum known { NOT_YET, NO_HIT, HIT };

static bool is_hit(struct search_job *s, struct pattern *m, uint8_t *known, string_id name)
{
    if (known[name] == NOT_YET) {
        known[name] = pattern_matches(m, timeline_str(s->tl, name)) ? HIT : NO_HIT;
        if (known[name] == HIT)
            *vec_push(&s->names) = name;
    }
    return known[name] == HIT;
}

/* In the order of rows, since reading names in any other takes ten times as long. */
static void search_slices(struct search_job *s, struct pattern *m, struct worker *w)
{
    const struct timeline *tl = s->tl;
    const struct table *slices = &tl->trace->tables.slice;
    const string_id *names = table_u32(slices, slice_col_name);
    uint32_t strings = __atomic_load_n(&tl->trace->strings.count, __ATOMIC_ACQUIRE);
    uint8_t *known = alloc_array((size_t)strings + 1, sizeof *known);
    for (uint32_t row = 0; row < slices->rows && s->hits.count < HITS_MAX; row++) {
        if (worker_cancelled(w))
            break;
        if (names[row] != NULL_STRING && names[row] < strings && is_hit(s, m, known, names[row]))
            *vec_push(&s->hits) =
                (struct search_hit){event_of(&slice_events, row), NO_NODE, slice_ts(tl, row),
                                    time_minus(slice_end_ts(tl, row), slice_ts(tl, row))};
    }
    free(known);
}

static int compare_hits(const void *a, const void *b)
{
    const struct search_hit *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->event.row < y->event.row ? -1 : x->event.row > y->event.row;
}

static int compare_names(const void *a, const void *b)
{
    const string_id *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void run_search(struct job *job, struct worker *w)
{
    struct search_job *s = (struct search_job *)job;
    struct pattern *m = pattern_new(s->pattern, s->error, sizeof s->error);
    if (!m)
        return;
    search_slices(s, m, w);
    pattern_free(m);
    if (s->hits.count)
        qsort(s->hits.items, s->hits.count, sizeof *s->hits.items, compare_hits);
    if (s->names.count)
        qsort(s->names.items, s->names.count, sizeof *s->names.items, compare_names);
}

/* Names of threads and processes: few enough for the screen's thread, which owns the tree. */
static void search_tracks(struct app *a, struct search_job *s)
{
    const struct track_tree *t = app_tree(a);
    struct pattern *m = pattern_new(s->pattern, s->error, sizeof s->error);
    if (!m)
        return;
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        const struct track_node *n = &t->nodes.items[i];
        if ((n->kind == NODE_THREAD || n->kind == NODE_PROCESS) &&
            pattern_matches(m, str_from(n->label)))
            *vec_push(&s->hits) = (struct search_hit){NO_EVENT, i, INT64_MAX, -1};
    }
    pattern_free(m);
}

static effects finish_search(struct job *job, struct app *a)
{
    struct search_job *s = (struct search_job *)job;
    if (a) {
        a->view->search.running = false;
        if (*s->error) {
            app_complain(a, "/%s: %s", s->pattern, s->error);
        } else {
            search_tracks(a, s);
            search_release(&a->view->search);
            a->view->search.hits.items = s->hits.items;
            a->view->search.hits.count = s->hits.count;
            a->view->search.hits.cap = s->hits.cap;
            a->view->search.names.items = s->names.items;
            a->view->search.names.count = s->names.count;
            a->view->search.names.cap = s->names.cap;
            a->view->search.at = 0;
            s->hits.items = NULL;
            s->names.items = NULL;
            memcpy(a->view->search.pattern, s->pattern, sizeof s->pattern);
            app_list_hits(a);
            if (a->view->search.hits.count == 0)
                app_say(a, "/%s: no hits", s->pattern);
        }
    }
    vec_release(&s->hits);
    vec_release(&s->names);
    free(s);
    return EFFECT_NONE;
}

void search_release(struct search *s)
{
    vec_release(&s->hits);
    vec_release(&s->names);
}

void app_search(struct app *a, struct str pattern)
{
    if (pattern.n == 0) {
        search_release(&a->view->search);
        return;
    }
    struct search_job *s = alloc_array(1, sizeof *s);
    s->job.run = run_search;
    s->job.done = finish_search;
    s->tl = app_timeline(a);
    snprintf(s->pattern, sizeof s->pattern, "%.*s", (int)(pattern.n < 127 ? pattern.n : 127),
             pattern.p);
    a->view->search.running = true;
    worker_push(a->helper, &s->job);
}

effects app_visit_hit(struct app *a, uint32_t index)
{
    const struct search_hit *hit = &a->view->search.hits.items[index];
    a->view->search.at = index + 1;
    effects e = hit->event.kind ? app_jump(a, hit->event) : app_jump_node(a, hit->node);
    app_say(a, "hit %u of %zu", index + 1, a->view->search.hits.count);
    return e;
}

effects app_next_hit(struct app *a, int direction, int64_t steps)
{
    uint32_t count = (uint32_t)a->view->search.hits.count, at = a->view->search.at;
    if (count == 0) {
        app_say(a, "no hits: / searches");
        return EFFECT_NONE;
    }
    if (at == 0 && direction > 0) {
        while (at < count && a->view->search.hits.items[at].ts < a->view->cursor.ts)
            at++;
        at = at == count ? 0 : at;
    } else {
        at = direction > 0 ? at % count : (at + count - 2) % count;
    }
    uint32_t further = (uint32_t)((steps > 1 ? steps - 1 : 0) % count);
    at = (direction > 0 ? at + further : at + count - further) % count;
    return app_visit_hit(a, at);
}
