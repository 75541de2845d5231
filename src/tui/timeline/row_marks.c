#include "tui/timeline/row_marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"

/* What nodes are called by the kind of what they show; the others by their number. */
static const char *const words[] = {
    [NODE_CPUS] = "cpus",       [NODE_CPU] = "cpu",       [NODE_GROUP] = NULL,
    [NODE_PROCESS] = "process", [NODE_THREAD] = "thread", [NODE_COUNTERS] = "counters",
    [NODE_COUNTER] = "track",   [NODE_TRACKS] = "track",  [NODE_DEBUG] = NULL,
};

/* Where the cursor is in a timeline without rows. */
static const char no_row[] = "none";

bool row_marks_remade(const struct debug_track *d)
{
    return d->sql && d->sql[0] && !strchr(d->label, '=');
}

/* Its number among the tracks of queries, 0 for the alerts; -1: it is neither. */
static int64_t query_number(const struct track_tree *t, uint32_t debug)
{
    const struct debug_track *d = t->debug.items[debug];
    int64_t number = 1;
    if (!d->result)
        return -1;
    for (uint32_t i = 0; i < debug; i++)
        number += row_marks_remade(t->debug.items[i]);
    return row_marks_remade(d) ? number : d->kind == &alert_events ? 0 : -1;
}

static uint32_t find_query(const struct track_tree *t, uint64_t number)
{
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        const struct track_node *n = &t->nodes.items[i];
        if (n->kind == NODE_DEBUG && query_number(t, n->id) == (int64_t)number)
            return i;
    }
    return NO_NODE;
}

static void print_node(FILE *f, const struct track_tree *t, uint32_t node)
{
    if (node == NO_NODE) {
        fputs(no_row, f);
        return;
    }
    const struct track_node *n = &t->nodes.items[node];
    int64_t query = n->kind == NODE_DEBUG ? query_number(t, n->id) : -1;
    if (query >= 0)
        fprintf(f, "query:%" PRId64, query);
    else if (words[n->kind])
        fprintf(f, "%s:%" PRIu32, words[n->kind], n->id);
    else
        fprintf(f, "node:%" PRIu32, node);
}

/* The node of "process:12"; NO_NODE where there is none. */
static uint32_t find_node(const struct app *a, struct str word)
{
    const struct track_tree *t = &a->opened->tree;
    const struct tables *tables = &a->opened->trace.tables;
    size_t colon = str_find(word, ':');
    struct str kind = str_from_to(word, 0, colon);
    uint64_t id;
    if (colon == word.n || !str_to_u64(str_skip(word, colon + 1), 10, &id) || id >= NULL_U32)
        return NO_NODE;
    if (str_eq(kind, STR("cpus")))
        return track_tree_cpus(t, id);
    if (str_eq(kind, STR("cpu")))
        return id < a->opened->timeline.sched.lane_count ? t->cpu_node[id] : NO_NODE;
    if (str_eq(kind, STR("process")))
        return id < tables->process.rows ? t->process_node[id] : NO_NODE;
    if (str_eq(kind, STR("thread")))
        return id < tables->thread.rows ? t->thread_node[id] : NO_NODE;
    if (str_eq(kind, STR("track")))
        return id < tables->track.rows ? t->track_node[id] : NO_NODE;
    if (str_eq(kind, STR("query")))
        return find_query(t, id);
    if (str_eq(kind, STR("node")))
        return id < t->nodes.count ? (uint32_t)id : NO_NODE;
    if (!str_eq(kind, STR("counters")))
        return NO_NODE;
    for (uint32_t i = 0; i < t->nodes.count; i++)
        if (t->nodes.items[i].kind == NODE_COUNTERS && t->nodes.items[i].id == id)
            return i;
    return NO_NODE;
}

static void print_marks(FILE *f, const struct track_tree *t, uint32_t node)
{
    static const char folds[] = {
        [FOLD_AUTO] = 0, [FOLD_CLOSED] = '-', [FOLD_OPEN] = '+', [FOLD_ALL] = '*'};
    const struct track_node *n = &t->nodes.items[node];
    bool looks = n->look.lines > 1 || n->look.scale || n->look.mode;
    if (n->fold == FOLD_AUTO && !n->hidden && !looks)
        return;
    print_node(f, t, node);
    if (folds[n->fold])
        fputc(folds[n->fold], f);
    if (n->fold == FOLD_OPEN && n->shown > 0 && n->shown < SHOWN_ALL)
        fprintf(f, "%" PRIu32, n->shown);
    if (n->hidden)
        fputc('~', f);
    if (looks)
        fprintf(f, "=%u/%u/%u%s", n->look.lines, n->look.scale, n->look.mode,
                n->kind == NODE_COUNTER && n->shown > 0 ? "+" : "");
    fputc(' ', f);
}

char *row_marks_print(const struct app *a)
{
    const struct track_tree *t = &a->opened->tree;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    for (uint32_t i = 0; i < t->nodes.count; i++)
        print_marks(f, t, i);
    for (size_t i = 0; i < t->pinned.count; i++) {
        print_node(f, t, t->pinned.items[i]);
        fputs("^ ", f);
    }
    fprintf(f, "top:%" PRIu32, a->view->top);
    fclose(f);
    return text;
}

/* "3/0/2", "6/0/0+" */
static void parse_look(struct track_node *n, struct str text)
{
    uint64_t values[3] = {0};
    bool filled = str_ends(text, STR("+"));
    text.n -= filled;
    for (int i = 0; i < 3; i++) {
        if (!str_to_u64(str_cut(&text, '/'), 10, &values[i]))
            return;
    }
    if (n->kind != NODE_COUNTER || values[0] > COUNTER_LINES_MAX || values[1] >= SCALE_COUNT ||
        values[2] >= COUNTER_MODE_COUNT)
        return;
    n->look = (struct counter_look){(uint8_t)values[0], (uint8_t)values[1], (uint8_t)values[2]};
    n->shown = filled ? n->look.lines : 0;
}

/* The number at the begin, 0 where there is none. */
static uint32_t parse_shown(struct str text)
{
    size_t end = 0;
    uint64_t shown;
    while (end < text.n && text.p[end] >= '0' && text.p[end] <= '9')
        end++;
    return str_to_u64(str_from_to(text, 0, end), 10, &shown) && shown < SHOWN_ALL ? (uint32_t)shown
                                                                                  : 0;
}

static void apply_marks(struct app *a, uint32_t node, struct str marks)
{
    struct track_node *n = &app_tree(a)->nodes.items[node];
    for (; marks.n > 0; marks = str_skip(marks, 1)) {
        switch (marks.p[0]) {
        case '+':
            n->fold = FOLD_OPEN;
            n->shown = parse_shown(str_skip(marks, 1));
            break;
        case '*':
            n->fold = FOLD_ALL;
            break;
        case '-':
            n->fold = FOLD_CLOSED;
            break;
        case '~':
            n->hidden = true;
            break;
        case '^':
            track_tree_pin(app_tree(a), node, true);
            break;
        case '=':
            parse_look(n, str_skip(marks, 1));
            return;
        default:
            break;
        }
    }
}

static void apply_word(struct app *a, struct str word)
{
    size_t end = 0;
    uint64_t top;
    if (str_starts(word, STR("top:"))) {
        if (str_to_u64(str_skip(word, 4), 10, &top) && top < NO_TOP)
            a->view->wanted_top = (uint32_t)top;
        return;
    }
    while (end < word.n && !memchr("+*-~^=", word.p[end], 6))
        end++;
    uint32_t node = find_node(a, str_from_to(word, 0, end));
    if (node != NO_NODE)
        apply_marks(a, node, str_skip(word, end));
}

void row_marks_apply(struct app *a, struct str text)
{
    struct track_tree *t = app_tree(a);
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        struct track_node *n = &t->nodes.items[i];
        n->fold = FOLD_AUTO;
        n->shown = 0;
        n->hidden = false;
        n->look = (struct counter_look){0};
        if (n->kind != NODE_DEBUG)
            track_tree_pin(t, i, false);
    }
    while (text.n > 0) {
        apply_word(a, str_cut(&text, ' '));
    }
}

void row_word_print(const struct app *a, const struct row_id *row, char out[ROW_WORD_MAX])
{
    char node[48] = "";
    FILE *f = fmemopen(node, sizeof node, "w");
    if (f) {
        print_node(f, &a->opened->tree, row->node);
        fclose(f);
    }
    const char *pinned = row->place == PLACE_PINNED ? "^" : "";
    if (row->kind == ROW_DEPTH)
        snprintf(out, ROW_WORD_MAX, "%s%s/%" PRIu32 "/%" PRIu32, node, pinned, row->track,
                 row->depth);
    else
        snprintf(out, ROW_WORD_MAX, "%s%s", node, pinned);
}

bool row_word_parse(const struct app *a, struct str word, struct row_id *out)
{
    struct str rest = word, name = str_cut(&rest, '/');
    bool pinned = str_ends(name, STR("^"));
    name.n -= pinned;
    uint64_t track, depth;
    *out = (struct row_id){.node = find_node(a, name), .place = pinned ? PLACE_PINNED : PLACE_TREE};
    if (out->node == NO_NODE)
        return str_eq(name, str_from(no_row));
    size_t slash = str_find(rest, '/');
    if (rest.n > 0 && str_to_u64(str_from_to(rest, 0, slash), 10, &track) && slash < rest.n &&
        str_to_u64(str_skip(rest, slash + 1), 10, &depth) && track < NULL_U32 && depth < NULL_U32) {
        out->kind = ROW_DEPTH;
        out->track = (uint32_t)track;
        out->depth = (uint32_t)depth;
    }
    return true;
}
