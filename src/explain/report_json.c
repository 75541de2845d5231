#include <inttypes.h>
#include <stdlib.h>

#include "explain/report.h"
#include "base/json_escape.h"

static void put_member(FILE *f, const char *name, struct str value)
{
    if (value.n == 0)
        return;
    fprintf(f, ", \"%s\": ", name);
    json_put_text(f, value);
}

static void put_id(FILE *f, const char *name, uint32_t id)
{
    if (id != NULL_U32)
        fprintf(f, ", \"%s\": %u", name, id);
}

static void put_step(FILE *f, const struct cause_step *s)
{
    fprintf(f, "{\"kind\": \"%s\", \"ns\": %" PRId64 ", \"ts\": %" PRId64, cause_kind_word(s->kind),
            s->ns, s->ts);
    put_id(f, "utid", s->utid);
    put_member(f, "thread", s->thread);
    put_id(f, "other_utid", s->other);
    put_member(f, "other_thread", s->for_thread);
    put_member(f, "name", s->name);
    if (s->place.kind[0])
        fprintf(f, ", \"place\": \"%s %u\"", s->place.kind, s->place.row);
    fputc('}', f);
}

static void put_steps(FILE *f, const char *name, const struct cause_step *steps, int count)
{
    fprintf(f, ", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        fputs(i ? ",\n      " : "\n      ", f);
        put_step(f, &steps[i]);
    }
    fputc(']', f);
}

static void put_printed(FILE *f, const char *name, const struct problem *p,
                        void (*print)(FILE *f, const struct problem *p))
{
    char *text = report_text_of(p, print);
    put_member(f, name, str_from(text));
    free(text);
}

static void put_problem(FILE *f, const struct problem *p)
{
    const struct symptom *s = p->worst;
    fprintf(f, "{\"level\": \"%s\"", explain_level_word(p->level));
    put_member(f, "symptom", s->rule->name);
    put_member(f, "name", s->name);
    put_member(f, "cause", p->cause);
    put_member(f, "key", p->key);
    fprintf(f,
            ", \"count\": %u, \"cost_ns\": %" PRId64 ", \"ts\": %" PRId64 ", \"dur\": %" PRId64
            ", \"certain\": %s, \"explained_percent\": %d, \"unknown_percent\": %d",
            p->count, p->cost, s->ts, s->dur, p->is_certain ? "true" : "false", p->share,
            p->unknown);
    if (s->limit > 0)
        fprintf(f, ", \"limit_ns\": %" PRId64, s->limit);
    put_id(f, "utid", s->utid);
    put_id(f, "upid", s->upid);
    put_printed(f, "place", p, report_place);
    put_printed(f, "sql", p, report_sql);
    fprintf(f, ",\n    \"walked_ns\": %" PRId64 ", \"time_ns\": {", p->walked);
    const char *comma = "";
    for (int k = CAUSE_RAN; k < CAUSE_KIND_COUNT; k++)
        if (p->kinds[k] > 0) {
            fprintf(f, "%s\"%s\": %" PRId64, comma, cause_kind_word((enum cause_kind)k),
                    p->kinds[k]);
            comma = ", ";
        }
    fputc('}', f);
    put_steps(f, "chain", p->steps, p->step_count);
    put_steps(f, "parts", p->parts, p->part_count);
    fputc('}', f);
}

static void print_json(const struct explanation *e, const struct report_options *o, FILE *f)
{
    size_t shown = o->problems && o->problems < e->problems.count ? o->problems : e->problems.count;
    fprintf(f, "{\"schema\": 1, \"start\": %" PRId64 ", \"end\": %" PRId64, e->start, e->end);
    fputs(", \"beliefs\": [", f);
    for (size_t i = 0; i < e->found.beliefs.count; i++) {
        fputs(i ? ",\n    {\"kind\": " : "\n    {\"kind\": ", f);
        json_put_text(f, e->found.beliefs.items[i].kind);
        put_member(f, "text", e->found.beliefs.items[i].text);
        fputc('}', f);
    }
    fputs("],\n  \"not_asked\": [", f);
    for (size_t i = 0; i < e->found.failed.count; i++) {
        fputs(i ? ", " : "", f);
        json_put_text(f, e->found.failed.items[i]);
    }
    fprintf(f, "],\n  \"problem_count\": %zu, \"problems\": [", e->problems.count);
    for (size_t i = 0; i < shown; i++) {
        fputs(i ? ",\n    " : "\n    ", f);
        put_problem(f, &e->problems.items[i]);
    }
    fputs("]}\n", f);
}

const struct report_format json_report = {"json", print_json, comparison_print_json};
