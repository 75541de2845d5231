#include "tui/app/follow.h"

#include <sys/stat.h>

#include "base/clock.h"
#include "tui/app/state.h"

static int64_t file_size(const struct app *a)
{
    struct stat st;
    return stat(a->options.path, &st) == 0 ? (int64_t)st.st_size : -1;
}

void follow_begin(struct app *a)
{
    struct follow *f = &a->follow;
    f->size_shown = f->size_seen = file_size(a);
    f->looked_ms = f->changed_ms = clock_now_ns() / 1000000;
}

bool follow_look(struct app *a)
{
    struct follow *f = &a->follow;
    int64_t now = clock_now_ns() / 1000000;
    if (!a->options.follow || !a->opened || f->loading || f->next ||
        now - f->looked_ms < FOLLOW_LOOK_MS)
        return false;
    int64_t size = file_size(a);
    bool waited = now - f->changed_ms >= FOLLOW_AT_LEAST_MS;
    bool settled = size == f->size_seen;
    f->looked_ms = now;
    if (size == f->size_shown || size < 0)
        f->changed_ms = now;
    f->size_seen = size;
    return size >= 0 && size != f->size_shown && (settled || waited);
}

bool follow_may_swap(const struct app *a)
{
    return a->follow.next && a->overlay == OVERLAY_NONE && !a->query.open;
}
