#include "tui/input/picker.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

void picker_init(struct picker *p)
{
    *p = (struct picker){.kind = PICK_NONE};
    arena_init(&p->arena);
}

void picker_release(struct picker *p)
{
    arena_release(&p->arena);
    vec_release(&p->items);
    vec_release(&p->shown);
    editor_release(&p->filter);
}

void picker_open(struct picker *p, enum picker_kind kind, const struct picker_column *columns,
                 int count, bool filtering)
{
    arena_release(&p->arena);
    arena_init(&p->arena);
    p->kind = kind;
    p->write = NULL;
    p->title[0] = '\0';
    p->items.count = p->shown.count = 0;
    p->selected = p->top = 0;
    p->filtering = filtering;
    p->column_count = count;
    p->sorted_by = -1;
    for (int i = 0; i < count; i++)
        p->columns[i] = columns[i];
    editor_set(&p->filter, STR(""));
}

void picker_close(struct picker *p)
{
    p->kind = PICK_NONE;
}

struct picker_item *picker_add(struct picker *p, uint32_t value)
{
    struct picker_item *item = vec_push(&p->items);
    *item = (struct picker_item){.value = value};
    return item;
}

void picker_set(struct picker *p, struct picker_item *item, int column, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t size = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    item->text[column] = arena_copy(&p->arena, (struct str){text, size});
}

static struct picker_item *written(struct picker *p, struct picker_item *item)
{
    if (p->write && !item->written)
        p->write(p->owner, p, item);
    item->written = true;
    return item;
}

static void write_all(struct picker *p)
{
    for (size_t i = 0; p->write && i < p->items.count; i++)
        written(p, &p->items.items[i]);
}

static int compare_items(const void *a, const void *b, void *ctx)
{
    const struct picker *p = ctx;
    const struct picker_item *x = a, *y = b;
    int column = p->sorted_by;
    if (p->columns[column].numeric) {
        if (x->number[column] != y->number[column])
            return x->number[column] > y->number[column] ? -1 : 1;
        return x->value < y->value ? -1 : x->value > y->value;
    }
    size_t n = x->text[column].n < y->text[column].n ? x->text[column].n : y->text[column].n;
    int d = n ? compare_any_case_n(x->text[column].p, y->text[column].p, n) : 0;
    if (d)
        return d;
    return x->text[column].n < y->text[column].n ? -1 : x->text[column].n > y->text[column].n;
}

void picker_sort(struct picker *p, int column)
{
    if (column >= 0 && column < p->column_count && p->items.count) {
        p->sorted_by = column;
        if (!p->columns[column].numeric)
            write_all(p);
        qsort_r(p->items.items, p->items.count, sizeof *p->items.items, compare_items, p);
    }
    picker_filter(p);
}

static bool contains(struct str text, struct str word)
{
    for (size_t i = 0; i + word.n <= text.n; i++)
        if (compare_any_case_n(text.p + i, word.p, word.n) == 0)
            return true;
    return word.n == 0;
}

/* Every word typed occurs in some column. */
static bool matches(const struct picker *p, const struct picker_item *item)
{
    struct str rest = editor_text(&p->filter);
    while (rest.n > 0) {
        struct str word = str_cut(&rest, ' ');
        bool found = false;
        for (int i = 0; i < p->column_count && !found; i++)
            found = contains(item->text[i], word);
        if (!found)
            return false;
    }
    return true;
}

/* How well what was typed names an item; the best come first. */
enum rank { RANK_IS, RANK_BEGINS, RANK_CONTAINS, RANK_WORDS, RANK_COUNT };

/* A path is known by its last name, too; a number, as a tid, only as a whole. */
static enum rank rank_of(const struct picker *p, const struct picker_item *item)
{
    struct str typed = str_trim(editor_text(&p->filter)), name = item->text[0];
    bool ranks = p->kind == PICK_TRACK || p->kind == PICK_ACTION || p->kind == PICK_OBJECT;
    const char *slash = name.n > 0 ? memrchr(name.p, '/', name.n) : NULL;
    struct str last = slash ? str_skip(name, (size_t)(slash + 1 - name.p)) : name;
    if (!ranks || typed.n == 0)
        return RANK_WORDS;
    for (int i = 1; i < p->column_count && str_is_digit(typed.p[0]); i++)
        if (str_eq(item->text[i], typed))
            return RANK_IS;
    if ((name.n == typed.n && contains(name, typed)) ||
        (last.n == typed.n && contains(last, typed)))
        return RANK_IS;
    if (name.n > typed.n && compare_any_case_n(name.p, typed.p, typed.n) == 0)
        return RANK_BEGINS;
    return contains(name, typed) ? RANK_CONTAINS : RANK_WORDS;
}

void picker_filter(struct picker *p)
{
    VEC(uint32_t) found[RANK_COUNT] = {0};
    p->shown.count = 0;
    p->selected = p->top = 0;
    if (p->filter.text.count > 0)
        write_all(p);
    for (uint32_t i = 0; i < p->items.count; i++)
        if (matches(p, &p->items.items[i]))
            *vec_push(&found[rank_of(p, &p->items.items[i])]) = i;
    for (int rank = 0; rank < RANK_COUNT; rank++) {
        for (size_t i = 0; i < found[rank].count; i++)
            *vec_push(&p->shown) = found[rank].items[i];
        vec_release(&found[rank]);
    }
}

struct picker_item *picker_chosen(struct picker *p)
{
    return p->selected < p->shown.count ? &p->items.items[p->shown.items[p->selected]] : NULL;
}

void picker_move(struct picker *p, int64_t by)
{
    int64_t at = (int64_t)p->selected + by, last = (int64_t)p->shown.count - 1;
    p->selected = (uint32_t)(at > last ? (last < 0 ? 0 : last) : at < 0 ? 0 : at);
}

static int column_width(const struct picker *p, int column, int width)
{
    if (p->columns[column].width > 0)
        return p->columns[column].width;
    int fixed = 0, open = 0;
    for (int i = 0; i < p->column_count; i++) {
        fixed += p->columns[i].width + 2;
        open += p->columns[i].width == 0;
    }
    return open && width - fixed > 4 * open ? (width - fixed) / open : 4;
}

static void draw_item(struct cells *c, struct rect area, const struct picker *p,
                      const struct picker_item *item)
{
    cells_put(c, area.x + 1, area.y, item->marked ? '*' : ' ', ROLE_STRONG, 0);
    int x = area.x + 3;
    for (int i = 0; i < p->column_count; i++) {
        int w = column_width(p, i, area.w - 4), pad = 0;
        if (p->columns[i].numeric && (int)item->text[i].n < w)
            pad = w - (int)item->text[i].n;
        cells_put_text(c, x + pad, area.y, w - pad, item->text[i],
                       i == 0 ? ROLE_DEFAULT : ROLE_VALUE, 0);
        x += w + 2;
    }
}

bool picker_point(struct picker *p, int y)
{
    uint32_t at = p->top + (uint32_t)(y - p->drawn_y);
    if (y < p->drawn_y || at >= p->shown.count)
        return false;
    p->selected = at;
    return true;
}

struct editor_caret picker_draw(struct cells *c, struct rect area, struct picker *p)
{
    uint32_t page = area.h > 2 ? (uint32_t)area.h - 2 : 1;
    p->drawn_y = area.y + 2;
    if (p->selected < p->top)
        p->top = p->selected;
    if (p->selected >= p->top + page)
        p->top = p->selected - page + 1;
    cells_fill(c, area, ' ', ROLE_DEFAULT, 0);
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, U'─', ROLE_BORDER, 0);
    int x = area.x + 1 +
            cells_put_format(c, area.x + 1, area.y, area.w - 2, ROLE_TAB_ACTIVE, 0,
                             " %s: %zu of %zu ", p->title, p->shown.count, p->items.count);
    struct editor_caret caret = {area.x + 1, area.y + 2 + (int)(p->selected - p->top)};
    if (p->filtering || p->filter.text.count) {
        cells_put(c, x + 1, area.y, '/', ROLE_PROMPT, 0);
        struct rect box = {x + 2, area.y, area.w - (x - area.x) - 3, 1};
        cells_fill(c, box, ' ', ROLE_DEFAULT, 0);
        struct editor_caret typed = editor_draw(c, box, &p->filter);
        caret = p->filtering ? typed : caret;
    }
    cells_fill(c, (struct rect){area.x, area.y + 1, area.w, 1}, ' ', ROLE_GRID_HEADER, 0);
    int hx = area.x + 3;
    for (int i = 0; i < p->column_count; i++) {
        int w = column_width(p, i, area.w - 4), pad = 0;
        int n = (int)strlen(p->columns[i].name);
        if (p->columns[i].numeric && n < w)
            pad = w - n;
        cells_put_text(c, hx + pad, area.y + 1, w - pad, str_from(p->columns[i].name),
                       ROLE_GRID_HEADER, i == p->sorted_by ? CELL_UNDERLINE : 0);
        hx += w + 2;
    }
    for (uint32_t i = 0; i < page && p->top + i < p->shown.count; i++) {
        struct rect line = {area.x, area.y + 2 + (int)i, area.w, 1};
        draw_item(c, line, p, written(p, &p->items.items[p->shown.items[p->top + i]]));
        if (p->top + i == p->selected)
            cells_set_role(c, line, ROLE_SELECTION);
    }
    return caret;
}
