#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "explain/report.h"
#include "text/time.h"

/* Breaks what is written to it into lines of a width, at blanks; escapes what is no text. */
static void put_wrapped(FILE *f, const char *text, size_t n, int width, const char *first,
                        const char *rest)
{
    struct str left = {text, n};
    int column = 0;
    for (bool begun = false; left.n > 0;) {
        struct str word = str_cut(&left, ' ');
        int cells = text_width(word);
        bool breaks = begun && column + 1 + cells > width;
        if (!begun || breaks) {
            const char *indent = begun ? rest : first;
            fprintf(f, "%s%s", begun ? "\n" : "", indent);
            column = (int)strlen(indent);
        } else {
            fputc(' ', f);
            column++;
        }
        char *shown = text_escape(word);
        fputs(shown, f);
        free(shown);
        column += cells;
        begun = true;
    }
    fputc('\n', f);
}

/* A line that is printed first, then broken. */
struct wrapped {
    FILE *f;
    char *text;
    size_t size;
};

static FILE *line_begin(struct wrapped *w)
{
    w->f = open_memstream(&w->text, &w->size);
    if (!w->f)
        alloc_fail();
    return w->f;
}

static void line_end(struct wrapped *w, FILE *f, int width, const char *first, const char *rest)
{
    if (fclose(w->f) != 0)
        alloc_fail();
    put_wrapped(f, w->text, w->size, width, first, rest);
    free(w->text);
}

static void print_beliefs(const struct explanation *e, int width, FILE *f)
{
    char dur[32];
    report_time(dur, sizeof dur, time_minus(e->end, e->start));
    fprintf(f, "What was recorded: %s\n", dur);
    for (size_t i = 0; i < e->found.beliefs.count; i++) {
        const struct belief *b = &e->found.beliefs.items[i];
        struct wrapped w;
        fprintf(line_begin(&w), "%.*s: %.*s", (int)b->kind.n, b->kind.p, (int)b->text.n, b->text.p);
        line_end(&w, f, width, "  ", "    ");
    }
    for (size_t i = 0; i < e->found.failed.count; i++) {
        struct str s = e->found.failed.items[i];
        struct wrapped w;
        fprintf(line_begin(&w), "not asked: %.*s", (int)s.n, s.p);
        line_end(&w, f, width, "  ", "    ");
    }
}

/* Whole per cent that add up to 100: those with the largest rest are rounded up. */
static void put_percents(const struct problem *p, FILE *f)
{
    double rests[CAUSE_KIND_COUNT] = {0};
    int percents[CAUSE_KIND_COUNT] = {0}, left = 100;
    for (int k = CAUSE_RAN; k < CAUSE_KIND_COUNT; k++) {
        double percent = 100.0 * (double)p->kinds[k] / (double)p->walked;
        percents[k] = (int)percent;
        rests[k] = percent - percents[k];
        left -= percents[k];
    }
    for (; left > 0; left--) {
        int most = CAUSE_RAN;
        for (int k = CAUSE_RAN; k < CAUSE_KIND_COUNT; k++)
            most = rests[k] > rests[most] ? k : most;
        percents[most]++;
        rests[most] = 0;
    }
    for (int k = CAUSE_RAN; k < CAUSE_KIND_COUNT; k++)
        if (p->kinds[k] > 0)
            fprintf(f, " %s %d %%", cause_kind_word((enum cause_kind)k), percents[k]);
}

static void print_kinds(const struct problem *p, int width, FILE *f)
{
    struct wrapped w;
    FILE *line = line_begin(&w);
    fputs("time:", line);
    put_percents(p, line);
    line_end(&w, f, width, "     ", "       ");
}

static void print_problem(const struct explanation *e, const struct report_options *o, size_t i,
                          FILE *f)
{
    const struct problem *p = &e->problems.items[i];
    const struct symptom *s = p->worst;
    struct wrapped w;
    char dur[32], number[32];
    snprintf(number, sizeof number, "%2zu. ", i + 1);
    FILE *line = line_begin(&w);
    fprintf(line, "[%s] %.*s", explain_level_word(p->level), (int)s->rule->name.n, s->rule->name.p);
    report_extent(line, p);
    fprintf(line, ": %s%.*s", p->is_certain ? "" : "perhaps ", (int)p->cause.n, p->cause.p);
    line_end(&w, f, o->width, number, "    ");

    line = line_begin(&w);
    fprintf(line, "%s%.*s", p->count > 1 ? "worst: " : "", (int)s->name.n, s->name.p);
    report_duration(line, e, s);
    if (s->limit > 0) {
        report_time(dur, sizeof dur, s->limit);
        fprintf(line, " (limit %s)", dur);
    }
    report_time(dur, sizeof dur, time_minus(s->ts, e->start));
    if (s->ts >= e->start)
        fprintf(line, ", at %s", dur);
    line_end(&w, f, o->width, "     ", "       ");

    const struct cause_step *last = p->step_count ? &p->steps[p->step_count - 1] : NULL;
    for (int k = 0; k < p->step_count; k++) {
        report_step(line_begin(&w), k > 0 ? &p->steps[k - 1] : NULL, &p->steps[k]);
        line_end(&w, f, o->width, "     > ", "       ");
    }
    for (int k = 0; p->part_count > 1 && k < p->part_count; k++) {
        report_step(line_begin(&w), last, &p->parts[k]);
        line_end(&w, f, o->width, "       + ", "         ");
    }
    if (p->step_count + p->part_count > 0)
        print_kinds(p, o->width, f);
    if (o->path) {
        fputs("     ", f);
        report_command(f, p, o->path);
        fputc('\n', f);
    }
    if (o->sql) {
        fputs("\n", f);
        report_sql(f, p);
    }
    fputc('\n', f);
}

static void print_text(const struct explanation *e, const struct report_options *o, FILE *f)
{
    size_t shown = o->problems && o->problems < e->problems.count ? o->problems : e->problems.count;
    print_beliefs(e, o->width, f);
    report_heading(f, e, "\n", "\n\n");
    for (size_t i = 0; i < shown; i++)
        print_problem(e, o, i, f);
    if (shown < e->problems.count)
        fprintf(f, "%zu more (--limit 0 shows all)\n", e->problems.count - shown);
}

const struct report_format text_report = {"text", print_text, comparison_print_text};
