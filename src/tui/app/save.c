#include "tui/app/save.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "sql/export/result_writer.h"
#include "tui/app/draw.h"
#include "tui/context/state.h"
#include "tui/tabs/area_tables.h"
#include "tui/timeline/timeline_view.h"

static void say_written(struct app *a, FILE *f, const char *path)
{
    struct status s = output_close(f, path, status_ok_value());
    if (status_ok(s))
        app_say(a, "written: %s", path);
    else
        app_complain(a, "%s", s.message);
    status_release(&s);
}

static void save_screen(struct app *a, FILE *f, const char *path, bool svg)
{
    app_draw(a); /* without the prompt */
    char *text =
        svg ? cells_svg(&a->cells, &a->theme, a->caret_x, a->caret_y) : cells_text(&a->cells);
    fputs(text, f);
    free(text);
    say_written(a, f, path);
}

static void write_rows(struct result_writer *w, const struct area_tables *t)
{
    struct sql_sink sink = result_writer_sink(w);
    const struct answer *g = t->levels[0].grid;
    uint32_t columns = g->columns;
    const char **names = alloc_array((size_t)columns + 1, sizeof *names);
    struct sql_value *values = alloc_array((size_t)columns + 1, sizeof *values);
    for (uint32_t i = 0; i < columns; i++)
        names[i] = answer_name(g, i);
    bool ok = sink_begin(&sink, (int)columns, names);
    for (size_t row = 0; ok && row < t->order.count; row++) {
        if (t->order.items[row].level > 0)
            continue; /* it has other columns, and is part of one that is written */
        for (uint32_t i = 0; i < columns; i++)
            values[i] = answer_value(g, t->order.items[row].row, i);
        ok = sink.row(sink.self, (int)columns, values);
    }
    if (ok)
        sink_end(&sink);
    free(names);
    free(values);
}

static void save_table(struct app *a, FILE *f, const char *path, const struct result_format *format)
{
    struct result_writer *w = result_writer_new(f, format, false);
    write_rows(w, a->area_tables);
    result_writer_free(w);
    say_written(a, f, path);
}

effects app_save(struct app *a, struct str path)
{
    bool svg = str_ends(path, STR(".svg")), text = str_ends(path, STR(".txt"));
    const struct result_format *format = svg || text ? NULL : result_format_of_file(path);
    if (!svg && !text && !format) {
        app_complain(a, "a file's name ends in .svg or .txt for the screen, in another "
                        "of " RESULT_FORMAT_ENDINGS "for the area's table");
        return EFFECT_NONE;
    }
    if (format && (!a->view->area.on || !a->area_tables->levels[0].grid)) {
        app_complain(a, "no table of an area: r, R or v and tab Area make one");
        return EFFECT_NONE;
    }
    char *name = alloc_copy(path.p, path.n);
    FILE *f = fopen(name, "wxe"); /* never over what is there */
    if (!f)
        app_complain(a, "%s: %s", name, strerror(errno));
    else if (format)
        save_table(a, f, name, format);
    else
        save_screen(a, f, name, svg);
    free(name);
    return EFFECT_NONE;
}
