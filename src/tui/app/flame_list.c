#include "tui/app/flame_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/function_name.h"
#include "tui/app/flame_source.h"
#include "tui/app/state.h"

enum { VALUE_WIDTH = 12, SHARE_WIDTH = 7, NAME_WIDTH = 160 };

/* Values may be any numbers; the list sorts by whole ones. */
static int64_t whole(double value)
{
    return value < 9e18 ? (int64_t)value : INT64_MAX;
}

static void put_value(struct app *a, struct picker_item *item, int column, double value, double all)
{
    struct picker *p = &a->picker;
    char text[48];
    flame_print_value(a, value, text, sizeof text);
    picker_set(p, item, column, "%s", text);
    picker_set(p, item, column + 1, "%.1f%%", all > 0 ? 100 * value / all : 0);
    item->number[column] = item->number[column + 1] = whole(value);
}

/* Of the share of all, in per cent of that. */
static void put_change(struct picker *p, struct picker_item *item, const struct flame_function *f,
                       const struct flame *flame)
{
    double change = flame_share_change(flame, f->total, f->base);
    picker_set(p, item, 5, "%+.1f", change);
    item->number[5] = (int64_t)(change * 1000);
}

effects flame_list_functions(struct app *a)
{
    static const struct picker_column columns[] = {
        {"function", 0, false},       {"own", VALUE_WIDTH, true},    {"of all", SHARE_WIDTH, true},
        {"total", VALUE_WIDTH, true}, {"of all", SHARE_WIDTH, true}, {"change", SHARE_WIDTH, true}};
    const struct flame_stacks *s = &a->flame.stacks;
    struct picker *p = &a->picker;
    struct flame flame = {0};
    if (s->v.count == 0)
        return EFFECT_NONE;
    flame_build(&flame, s, false, NULL, NO_FRAME);
    struct flame_function *functions = flame_functions(&flame, s);
    double all = flame.frames.items[0].total;
    bool compared = flame.frames.items[0].base > 0;
    picker_open(p, PICK_FUNCTION, columns, compared ? 6 : 5, false);
    snprintf(p->title, sizeof p->title, "functions, < > sort, Enter shows one alone");
    for (uint32_t i = 0; i < s->names.count; i++) {
        char name[512];
        if (!(functions[i].total > 0) && !(functions[i].base > 0))
            continue; /* of what is not in the area */
        struct picker_item *item = picker_add(p, i);
        function_name_cut(s->names.items[i], NAME_WIDTH, name, sizeof name);
        picker_set(p, item, 0, "%s", name);
        put_value(a, item, 1, functions[i].self, all);
        put_value(a, item, 3, functions[i].total, all);
        if (compared)
            put_change(p, item, &functions[i], &flame);
    }
    picker_sort(p, 1);
    a->overlay = OVERLAY_PICKER;
    free(functions);
    flame_release(&flame);
    return EFFECT_NONE;
}
