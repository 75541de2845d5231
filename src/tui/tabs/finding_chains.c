#include "tui/tabs/finding_chains.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "explain/report.h"
#include "tui/context/state.h"
#include "tui/tabs/findings.h"
#include "tui/view/event_kind.h"

enum { PROBLEMS_MAX = 5 };

struct printed {
    FILE *f;
    char *text;
    size_t size;
};

static FILE *print_begin(struct printed *p)
{
    p->f = open_memstream(&p->text, &p->size);
    if (!p->f)
        alloc_fail();
    return p->f;
}

static struct str print_end(struct app *a, struct printed *p)
{
    if (fclose(p->f) != 0)
        alloc_fail();
    struct str kept = arena_copy(&a->findings->arena, (struct str){p->text, p->size});
    free(p->text);
    return kept;
}

static struct event_ref event_at(struct app *a, struct str kind_name, int64_t row)
{
    const struct event_kind *kind = event_kind_find(kind_name);
    return kind && row >= 0 && row < kind->count(app_timeline(a)) ? event_of(kind, (uint32_t)row)
                                                                  : NO_EVENT;
}

static void add_step(struct app *a, uint32_t of, const char *mark, const char *sql,
                     const struct cause_step *before, const struct cause_step *s)
{
    struct printed p;
    fputs(mark, print_begin(&p));
    report_step(p.f, before, s);
    *vec_push(&a->findings->v) = (struct finding){
        .event = event_at(a, str_from(s->place.kind), s->place.row),
        .ts = s->ts,
        .kind = "",
        .sql = sql,
        .text = print_end(a, &p),
        .dur = s->ns,
        .utid = NULL_U32,
        .of = of,
    };
}

static void add_problem(struct app *a, const struct problem *p)
{
    const struct symptom *s = p->worst;
    uint32_t at = (uint32_t)a->findings->v.count;
    struct printed text, sql;
    report_sql(print_begin(&sql), p);
    report_words(print_begin(&text), p);
    struct finding f = {
        .event = event_at(a, s->ref, s->ref_id),
        .ts = s->ts,
        .kind = explain_level_word(p->level),
        .sql = print_end(a, &sql).p,
        .dur = p->cost,
        .utid = s->ref.n ? NULL_U32 : s->utid, /* of what is no event, a thread's time */
        .of = NULL_U32,
        .has_chain = p->step_count + p->part_count > 0,
    };
    f.text = print_end(a, &text);
    *vec_push(&a->findings->v) = f;
    for (int k = 0; k < p->step_count; k++)
        add_step(a, at, "> ", f.sql, k > 0 ? &p->steps[k - 1] : NULL, &p->steps[k]);
    const struct cause_step *last = p->step_count ? &p->steps[p->step_count - 1] : NULL;
    for (int k = 0; p->part_count > 1 && k < p->part_count; k++)
        add_step(a, at, "  + ", f.sql, last, &p->parts[k]);
}

void finding_chains_add(struct app *a, const struct explanation *e)
{
    for (size_t i = 0; i < e->problems.count && i < PROBLEMS_MAX; i++)
        if (e->problems.items[i].level != LEVEL_NOTE)
            add_problem(a, &e->problems.items[i]);
}
