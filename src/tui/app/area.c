#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tui/app/state.h"
#include "tui/view/time_format.h"

static void show_area(struct app *a)
{
    a->tab = &area_tab;
    a->details_stale = true;
    a->details_line = a->details_top = 0;
    app_update(a);
}

void app_area_of_event(struct app *a)
{
    struct event_span span = event_times(app_timeline(a), app_tree(a), a->cursor.event);
    if (!a->cursor.event.kind || span.end <= span.ts) {
        app_say(a, "no event with a length under the cursor");
        return;
    }
    a->area = (struct area){true, span.ts, span.end};
    a->choosing = false;
    show_area(a);
}

void app_area_start(struct app *a)
{
    if (a->choosing) {
        app_area_end(a, true);
        return;
    }
    a->choosing = true;
    a->area_anchor = a->cursor.ts;
    app_say(a, "area from here: move, . , snap to events, o swaps the edges, v or Enter ends");
    app_area_follow(a);
    show_area(a);
}

void app_area_follow(struct app *a)
{
    int64_t other = a->cursor.ts;
    if (!a->choosing)
        return;
    a->area.on = true;
    a->area.from = other < a->area_anchor ? other : a->area_anchor;
    a->area.to = other < a->area_anchor ? a->area_anchor : other;
    if (a->area.to == a->area.from && a->area.to < INT64_MAX)
        a->area.to++;
}

void app_area_swap(struct app *a)
{
    int64_t ts = a->cursor.ts;
    app_reveal(a, a->area_anchor);
    app_select_at(a, a->area_anchor);
    a->cursor.ts = a->area_anchor;
    a->goal_ts = a->area_anchor;
    a->area_anchor = ts;
    app_update(a);
}

void app_area_end(struct app *a, bool keep)
{
    a->choosing = false;
    a->area.on &= keep;
    if (!keep && a->tab == &area_tab)
        a->tab = &event_tab;
    a->details_stale = true;
    app_update(a);
}

static bool contains(const char *text, struct str word)
{
    for (; *text; text++)
        if (strncasecmp(text, word.p, word.n) == 0)
            return true;
    return word.n == 0;
}

/* A track stays where its own name, one above it or one below it has the text in it. */
void app_filter(struct app *a, struct str text)
{
    struct track_tree *t = app_tree(a);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->nodes.count; i++)
        t->nodes.items[i].filtered = text.n > 0;
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        struct track_node *n = &t->nodes.items[i];
        char number[24] = "";
        if (n->number >= 0)
            snprintf(number, sizeof number, "%lld", (long long)n->number);
        bool named = contains(n->label, text) || (text.n && str_eq(str_from(number), text));
        bool inherited = n->parent != NO_NODE && t->nodes.items[n->parent].matched;
        n->matched = text.n > 0 && (named || inherited); /* parents come before their children */
        kept += named;
        for (uint32_t up = i; n->matched && up != NO_NODE; up = t->nodes.items[up].parent)
            t->nodes.items[up].filtered = false;
    }
    app_update(a);
    if (text.n > 0)
        app_say(a, "%u tracks are called like that; & and Enter shows all again", kept);
    else
        app_say(a, "all tracks");
}

void app_mark(struct app *a, struct str text)
{
    struct note *note = vec_push(&a->notes);
    char distance[40];
    *note = (struct note){.mark = {a->cursor.ts, (char)('A' + (a->notes.count - 1) % 26)},
                          .cursor = a->cursor};
    if (text.n > 0)
        snprintf(note->text, sizeof note->text, "%.*s", (int)(text.n < 79 ? text.n : 79), text.p);
    else
        event_name(app_timeline(a), app_tree(a), a->cursor.event, note->text, sizeof note->text);
    *vec_push(&a->marks) = note->mark;
    if (a->notes.count < 2) {
        app_say(a, "mark A; the next one shows the distance");
        return;
    }
    const struct note *before = note - 1;
    format_exact(distance, sizeof distance, note->mark.ts - before->mark.ts);
    app_say(a, "%c..%c %s", before->mark.letter, note->mark.letter, distance);
}
