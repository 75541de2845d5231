#include "tui/view/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { STACK_DEPTH_MAX = 1024 };

void flame_stacks_init(struct flame_stacks *s)
{
    *s = (struct flame_stacks){0};
    arena_init(&s->arena);
}

void flame_stacks_release(struct flame_stacks *s)
{
    vec_release(&s->v);
    vec_release(&s->names);
    map_release(&s->index);
    arena_release(&s->arena);
}

static uint32_t intern(struct flame_stacks *s, struct str name)
{
    bool is_new;
    for (uint64_t key = hash_bytes(name.p, name.n, 0);; key++) {
        uint32_t *at = map_insert(&s->index, key, &is_new);
        if (!is_new && str_eq(s->names.items[*at], name))
            return *at;
        if (!is_new)
            continue; /* another name of the same hash */
        *at = (uint32_t)s->names.count;
        *vec_push(&s->names) = arena_copy(&s->arena, name);
        return *at;
    }
}

void flame_stacks_add(struct flame_stacks *s, int64_t id, int64_t parent_id, struct str name,
                      double value)
{
    const double most = 1e290; /* so that the sum of all is a number, too */
    uint32_t known = intern(s, name);
    *vec_push(&s->v) = (struct flame_stack){.id = id,
                                            .parent_id = parent_id,
                                            .name = known,
                                            .caller = NO_FRAME,
                                            .value = value > most ? most : value};
}

/* Following callers ends: those of a circle lose theirs. */
static void break_circles(struct flame_stacks *s)
{
    uint32_t *seen = alloc_array(s->v.count + 1, sizeof *seen); /* by which walk, from 1 on */
    for (uint32_t i = 0; i < s->v.count; i++) {
        uint32_t at = i, last = NO_FRAME;
        while (at != NO_FRAME && seen[at] == 0) {
            seen[at] = i + 1;
            last = at;
            at = s->v.items[at].caller;
        }
        if (at != NO_FRAME && seen[at] == i + 1)
            s->v.items[last].caller = NO_FRAME;
    }
    free(seen);
}

void flame_stacks_finish(struct flame_stacks *s)
{
    struct map rows = {0};
    for (uint32_t i = 0; i < s->v.count; i++)
        map_set(&rows, (uint64_t)s->v.items[i].id, i);
    for (uint32_t i = 0; i < s->v.count; i++) {
        struct flame_stack *stack = &s->v.items[i];
        const uint32_t *caller =
            stack->parent_id == INT64_MIN ? NULL : map_find(&rows, (uint64_t)stack->parent_id);
        stack->caller = caller ? *caller : NO_FRAME;
    }
    map_release(&rows);
    break_circles(s);
}

void flame_stacks_append(struct flame_stacks *s, const struct flame_stacks *from, bool base)
{
    uint32_t *moved = alloc_array(from->v.count + 1, sizeof *moved), at = (uint32_t)s->v.count;
    for (uint32_t i = 0; i < from->v.count; i++)
        moved[i] = from->v.items[i].base ? NO_FRAME : at++;
    for (uint32_t i = 0; i < from->v.count; i++) {
        struct flame_stack stack = from->v.items[i];
        if (stack.base)
            continue;
        stack.base = base;
        stack.name = intern(s, from->names.items[stack.name]);
        stack.caller = stack.caller == NO_FRAME ? NO_FRAME : moved[stack.caller];
        *vec_push(&s->v) = stack;
    }
    free(moved);
}

void flame_stacks_renew(struct flame_stacks *s, const struct flame_stacks *from)
{
    s->v.count = 0;
    flame_stacks_append(s, from, false);
}

/* A flamegraph while it is built: the frame of a name under a parent, all below a root. */
struct builder {
    struct flame *flame;
    uint32_t root;
    struct map children;
};

static uint32_t child_of(struct builder *b, uint32_t parent, uint32_t name)
{
    bool is_new;
    uint32_t *at = map_insert(&b->children, (uint64_t)parent << 32 | name, &is_new);
    if (is_new) {
        *at = (uint32_t)b->flame->frames.count;
        uint32_t depth = b->flame->frames.items[parent].depth + 1;
        *vec_push(&b->flame->frames) =
            (struct flame_frame){name, parent, NO_FRAME, NO_FRAME, depth, 0, 0, 0};
    }
    return *at;
}

/* The frames on the way from a stack's outermost frame to it, into `path`; how many. */
static uint32_t callers_of(const struct flame_stacks *s, uint32_t stack,
                           uint32_t path[STACK_DEPTH_MAX])
{
    uint32_t n = 0;
    for (; stack != NO_FRAME && n < STACK_DEPTH_MAX; stack = s->v.items[stack].caller)
        path[n++] = stack;
    return n;
}

struct wanted_stacks {
    bool inverted;
    const bool *keep;
    uint32_t of;
};

/* The part of the path that is wanted: from the outermost frame of a function inwards, or outwards.
 */
static uint32_t cut_path(const struct flame_stacks *s, const struct wanted_stacks *w,
                         uint32_t path[STACK_DEPTH_MAX], uint32_t n)
{
    uint32_t at = n;
    while (at > 0 && s->v.items[path[at - 1]].name != w->of)
        at--;
    if (at > 0 && w->inverted)
        memmove(path, path + at - 1, (n - at + 1) * sizeof *path);
    return at > 0 && w->inverted ? n - at + 1 : at;
}

static void add_stack(struct builder *b, const struct flame_stacks *s, uint32_t stack,
                      const struct wanted_stacks *w)
{
    uint32_t path[STACK_DEPTH_MAX], n = callers_of(s, stack, path), frame = b->root;
    const bool *keep = w->keep;
    bool inverted = w->inverted;
    bool kept = !keep;
    for (uint32_t i = 0; i < n && !kept; i++)
        kept = keep[s->v.items[path[i]].name];
    if (kept && w->of != NO_FRAME)
        n = cut_path(s, w, path, n);
    if (!kept || n == 0)
        return;
    bool base = s->v.items[stack].base;
    double value = base ? 0 : s->v.items[stack].value;
    double before = base ? s->v.items[stack].value : 0;
    b->flame->frames.items[frame].total += value;
    b->flame->frames.items[frame].base += before;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = inverted ? path[i] : path[n - 1 - i];
        frame = child_of(b, frame, s->v.items[at].name);
        b->flame->frames.items[frame].total += value;
        b->flame->frames.items[frame].base += before;
    }
    b->flame->frames.items[frame].self += value;
}

static int compare_frames(const void *a, const void *b, void *ctx)
{
    const struct flame *f = ctx;
    const struct flame_frame *x = &f->frames.items[*(const uint32_t *)a];
    const struct flame_frame *y = &f->frames.items[*(const uint32_t *)b];
    if (x->total != y->total)
        return x->total < y->total ? -1 : 1;
    return x->name != y->name ? (x->name > y->name ? -1 : 1) : 0;
}

/* Links children to their parents, the largest first. */
static void link_children(struct flame *f)
{
    uint32_t count = (uint32_t)f->frames.count;
    uint32_t *order = alloc_array((size_t)count + 1, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_frames, f);
    for (uint32_t i = 0; i < count; i++) { /* the smallest first: each is put before the last */
        struct flame_frame *frame = &f->frames.items[order[i]];
        if (frame->parent == NO_FRAME)
            continue;
        frame->next = f->frames.items[frame->parent].first_child;
        f->frames.items[frame->parent].first_child = order[i];
    }
    free(order);
}

/* Adds a root and what is wanted below it. */
static void build_below(struct flame *f, const struct flame_stacks *s, struct wanted_stacks wanted)
{
    struct builder b = {.flame = f, .root = (uint32_t)f->frames.count};
    *vec_push(&f->frames) =
        (struct flame_frame){NO_FRAME, NO_FRAME, NO_FRAME, NO_FRAME, 0, 0, 0, 0};
    for (uint32_t i = 0; i < s->v.count; i++)
        if (s->v.items[i].value > 0)
            add_stack(&b, s, i, &wanted);
    map_release(&b.children);
}

void flame_build(struct flame *f, const struct flame_stacks *s, bool inverted, const bool *keep,
                 uint32_t of)
{
    f->frames.count = 0;
    f->callers = NO_FRAME;
    build_below(f, s, (struct wanted_stacks){inverted && of == NO_FRAME, keep, of});
    uint32_t second = (uint32_t)f->frames.count;
    if (of != NO_FRAME && second > 1) {
        build_below(f, s, (struct wanted_stacks){true, keep, of});
        f->callers = second + 1; /* the function again, behind its root */
    }
    link_children(f);
}

double flame_share_change(const struct flame *f, double total, double base)
{
    const struct flame_frame *all = &f->frames.items[0];
    return (all->total > 0 ? 100 * total / all->total : 0) -
           (all->base > 0 ? 100 * base / all->base : 0);
}

double flame_change(const struct flame *f, uint32_t frame)
{
    return flame_share_change(f, f->frames.items[frame].total, f->frames.items[frame].base);
}

void flame_release(struct flame *f)
{
    vec_release(&f->frames);
}

static int compare_boxes(const void *a, const void *b)
{
    const struct flame_box *x = a, *y = b;
    return x->row != y->row ? x->row - y->row : x->x - y->x;
}

static bool called_by_itself(const struct flame *f, uint32_t frame)
{
    for (uint32_t up = f->frames.items[frame].parent; up != NO_FRAME;
         up = f->frames.items[up].parent)
        if (f->frames.items[up].name == f->frames.items[frame].name)
            return true;
    return false;
}

struct flame_function *flame_functions(const struct flame *f, const struct flame_stacks *s)
{
    struct flame_function *all = alloc_array(s->names.count + 1, sizeof *all);
    for (uint32_t i = 0; i < s->names.count; i++)
        all[i].name = i;
    for (uint32_t i = 1; i < f->frames.count; i++) {
        const struct flame_frame *frame = &f->frames.items[i];
        all[frame->name].self += frame->self;
        if (called_by_itself(f, i))
            continue;
        all[frame->name].total += frame->total;
        all[frame->name].base += frame->base;
    }
    return all;
}

struct span_of_frame {
    uint32_t frame;
    int row;
    double from, to; /* cells */
};

/* The one that has all but `rest` of what `first` takes, among those that `frame` calls; NO_FRAME:
 * there is none. What is compared with a base takes all, there, too: a box has one difference. */
static uint32_t next_of_trunk(const struct flame *f, uint32_t first, uint32_t frame, double rest)
{
    const struct flame_frame *all = f->frames.items;
    uint32_t child = all[frame].first_child; /* the largest */
    bool whole = child != NO_FRAME && all[child].base >= all[first].base &&
                 all[child].total >= all[first].total - (all[0].base > 0 ? 0 : rest);
    return whole ? child : NO_FRAME;
}

/* The box of a frame that is so many cells wide, with those that it does little but call: what else
 * it does would not be seen. */
static struct flame_box box_from(const struct flame *f, uint32_t frame, uint32_t focus,
                                 double cells)
{
    struct flame_box box = {.frame = frame, .last = frame, .count = 1};
    double rest = cells > 1 ? f->frames.items[frame].total / cells / 2 : 0;
    uint32_t next, last = frame, count = 0;
    for (uint32_t at = frame; (next = next_of_trunk(f, frame, at, rest)) != NO_FRAME;
         at = next, count++)
        last = at;
    if (frame != focus && frame != 0 && count >= FLAME_TRUNK) {
        box.last = last;
        box.count = count;
    }
    return box;
}

/* Those that call the focus, as wide as all; returns the row below them. */
static int layout_callers(struct flame_boxes *b, const struct flame *f, uint32_t focus, int width)
{
    uint32_t depth = f->frames.items[focus].depth, up = f->frames.items[focus].parent;
    bool fold = depth > FLAME_TRUNK; /* all but the root */
    uint32_t last = up, first = focus;
    int row = fold ? 1 : (int)depth - 1;
    for (; up != NO_FRAME; up = f->frames.items[up].parent) {
        if (up != 0)
            first = up;
        if (!fold || up == 0)
            *vec_push(&b->v) = (struct flame_box){up, up, 1, 0, width, up == 0 ? 0 : row--};
    }
    if (!fold)
        return (int)depth;
    *vec_push(&b->v) = (struct flame_box){first, last, depth - 1, 0, width, 1};
    return 2;
}

/* A frame and what it calls, each `step` lines from the one before. */
static void layout_below(struct flame_boxes *b, const struct flame *f, uint32_t focus,
                         struct span_of_frame first, int step)
{
    VEC(struct span_of_frame) todo = {0};
    *vec_push(&todo) = first;
    while (todo.count > 0) {
        struct span_of_frame s = todo.items[--todo.count];
        struct flame_box box = box_from(f, s.frame, focus, s.to - s.from);
        double total = f->frames.items[s.frame].total;
        box.x = (int)(s.from + 0.5);
        box.w = (int)(s.to + 0.5) - box.x;
        box.row = s.row;
        if (box.w <= 0)
            continue;
        if (s.frame != f->callers) /* which stands there already */
            *vec_push(&b->v) = box;
        double x = s.from, scale = total > 0 ? (s.to - s.from) / total : 0;
        for (uint32_t c = f->frames.items[box.last].first_child; c != NO_FRAME;
             c = f->frames.items[c].next) {
            double w = f->frames.items[c].total * scale;
            *vec_push(&todo) = (struct span_of_frame){c, s.row + step, x, x + w};
            x += w;
        }
    }
    vec_release(&todo);
}

static void layout_both_ways(struct flame_boxes *b, const struct flame *f, int width)
{
    uint32_t function = f->frames.items[0].first_child;
    layout_below(b, f, function, (struct span_of_frame){function, 0, 0, width}, 1);
    layout_below(b, f, f->callers, (struct span_of_frame){f->callers, 0, 0, width}, -1);
    int least = 0;
    for (size_t i = 0; i < b->v.count; i++)
        least = b->v.items[i].row < least ? b->v.items[i].row : least;
    for (size_t i = 0; i < b->v.count; i++)
        b->v.items[i].row -= least;
}

void flame_layout(struct flame_boxes *b, const struct flame *f, uint32_t focus, int width)
{
    b->v.count = 0;
    if (f->callers != NO_FRAME)
        layout_both_ways(b, f, width);
    else
        layout_below(b, f, focus,
                     (struct span_of_frame){focus, layout_callers(b, f, focus, width), 0, width},
                     1);
    if (b->v.count > 1)
        qsort(b->v.items, b->v.count, sizeof *b->v.items, compare_boxes);
}
