#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "explain/report.h"
#include "text/time.h"

/* A comment on a pull request may have 60,000: of them so many for problems with their chains, and
 * for these with the headlines of others. */
enum { CHARACTERS_OF_CHAINS = 44000, CHARACTERS_OF_PROBLEMS = 54000 };

/* Text that markdown does not take for anything else. */
static void put_text(FILE *f, struct str s)
{
    char *shown = text_escape(s);
    for (const char *p = shown; *p; p++) {
        if (*p == '<')
            fputs("&lt;", f);
        else if (*p == '&')
            fputs("&amp;", f);
        else
            fprintf(f, "%s%c", strchr("\\`*_[]|#!@>~", *p) ? "\\" : "", *p);
    }
    free(shown);
}

static void put_step(FILE *f, const char *indent, const struct cause_step *before,
                     const struct cause_step *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        alloc_fail();
    report_step(out, before, s);
    if (fclose(out) != 0)
        alloc_fail();
    fputs(indent, f);
    put_text(f, (struct str){text, size});
    fputc('\n', f);
    free(text);
}

static void put_headline(const struct explanation *e, const struct report_options *o, size_t i,
                         FILE *f)
{
    const struct problem *p = &e->problems.items[i];
    (void)o;
    fprintf(f, "%zu. **%s**: ", i + 1, explain_level_word(p->level));
    put_text(f, p->worst->rule->name);
    report_extent(f, p);
    fprintf(f, ": %s", p->is_certain ? "" : "perhaps ");
    put_text(f, p->cause);
    fputc('\n', f);
}

static void put_problem(const struct explanation *e, const struct report_options *o, size_t i,
                        FILE *f)
{
    const struct problem *p = &e->problems.items[i];
    const struct symptom *s = p->worst;
    put_headline(e, o, i, f);
    fputs("\n   <details><summary>", f);
    put_text(f, s->name);
    report_duration(f, e, s);
    fprintf(f, ", %d %% explained, %d %% unknown</summary>\n\n", p->share, p->unknown);
    const struct cause_step *last = p->step_count ? &p->steps[p->step_count - 1] : NULL;
    for (int k = 0; k < p->step_count; k++)
        put_step(f, "   - ", k > 0 ? &p->steps[k - 1] : NULL, &p->steps[k]);
    for (int k = 0; p->part_count > 1 && k < p->part_count; k++)
        put_step(f, "     - ", last, &p->parts[k]);
    if (o->path) {
        fputs("\n   ```sh\n   ", f);
        report_command(f, p, o->path);
        fputs("\n   ```\n", f);
    }
    if (o->sql) {
        fputs("\n   ```sql\n", f);
        report_sql(f, p);
        fputs("\n   ```\n", f);
    }
    fputs("   </details>\n\n", f);
}

static bool is_lost(const struct belief *b)
{
    return str_eq(b->kind, STR("lost"));
}

/* What is missing is not folded away. */
static void put_beliefs(const struct explanation *e, FILE *f)
{
    char dur[32];
    for (size_t i = 0; i < e->found.beliefs.count; i++) {
        if (!is_lost(&e->found.beliefs.items[i]))
            continue;
        fputs("lost: ", f);
        put_text(f, e->found.beliefs.items[i].text);
        fputs("\n\n", f);
    }
    report_time(dur, sizeof dur, time_minus(e->end, e->start));
    fprintf(f, "<details><summary>Recorded: %s</summary>\n\n", dur);
    for (size_t i = 0; i < e->found.beliefs.count; i++) {
        if (is_lost(&e->found.beliefs.items[i]))
            continue;
        fputs("- ", f);
        put_text(f, e->found.beliefs.items[i].kind);
        fputs(": ", f);
        put_text(f, e->found.beliefs.items[i].text);
        fputc('\n', f);
    }
    fputs("</details>\n\n", f);
}

/* Puts problems from `first` on, but none that would make it more than `room` characters in all.
 * Returns the first that is left. */
static size_t put_while_room(const struct explanation *e, const struct report_options *o,
                             size_t first, size_t end, size_t room, size_t *used,
                             void (*put)(const struct explanation *e,
                                         const struct report_options *o, size_t i, FILE *f),
                             FILE *f)
{
    for (; first < end; first++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (!out)
            alloc_fail();
        put(e, o, first, out);
        if (fclose(out) != 0)
            alloc_fail();
        bool fits = *used + size <= room;
        if (fits)
            fwrite(text, 1, size, f);
        *used += fits ? size : 0;
        free(text);
        if (!fits)
            break;
    }
    return first;
}

static void print_markdown(const struct explanation *e, const struct report_options *o, FILE *f)
{
    size_t used = 0, all = e->problems.count;
    size_t wanted = o->problems && o->problems < all ? o->problems : all;
    put_beliefs(e, f);
    if (all == 0)
        report_heading(f, e, "", "\n");
    size_t shown = put_while_room(e, o, 0, wanted, CHARACTERS_OF_CHAINS, &used, put_problem, f);
    if (shown == all)
        return;
    fprintf(f, "<details><summary>%zu more</summary>\n\n", all - shown);
    shown = put_while_room(e, o, shown, all, CHARACTERS_OF_PROBLEMS, &used, put_headline, f);
    if (shown < all)
        fprintf(f, "\nand %zu more.\n", all - shown);
    fputs("</details>\n", f);
}

const struct report_format markdown_report = {"markdown", print_markdown,
                                              comparison_print_markdown};
