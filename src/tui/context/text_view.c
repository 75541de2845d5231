#include "tui/context/text_view.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tui/context/state.h"

void text_view_release(struct text_view *v)
{
    free(v->title);
    free(v->text);
    *v = (struct text_view){0};
}

void app_show_text(struct app *a, struct str title, struct str text)
{
    text_view_release(&a->text_view);
    a->help_searching = false;
    editor_set(&a->help_search, STR(""));
    a->text_view.title = alloc_copy(title.p, title.n);
    a->text_view.text = alloc_copy(text.p, text.n);
    a->overlay = OVERLAY_TEXT;
}

void text_close(struct app *a)
{
    a->overlay = OVERLAY_NONE;
    text_view_release(&a->text_view);
}
