#include "tui/app/follow.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "parsers/input/piped_file.h"
#include "tui/app/draw.h"
#include "tui/app/program.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/term/term.h"

static struct followed_file look(const struct app *a)
{
    struct stat st;
    if (stat(a->options.path, &st) != 0 || !S_ISREG(st.st_mode))
        return (struct followed_file){0};
    return (struct followed_file){.there = true,
                                  .size = (int64_t)st.st_size,
                                  .changed_ns =
                                      st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec,
                                  .device = st.st_dev,
                                  .inode = st.st_ino};
}

static bool is_same(const struct followed_file *a, const struct followed_file *b)
{
    return a->there == b->there && a->size == b->size && a->changed_ns == b->changed_ns &&
           a->device == b->device && a->inode == b->inode;
}

void follow_begin(struct app *a)
{
    struct follow *f = &a->program->follow;
    f->shown = f->seen = look(a);
    f->looked_ms = f->changed_ms = f->begun_ms = clock_now_ns() / 1000000;
    f->begun_bytes = term_stats(a->term).bytes;
}

/* Whether what was drawn since the last load began has had its time: who watches over a slow line
 * can follow then. */
static bool has_drawn_enough(const struct app *a, int64_t now)
{
    const struct follow *f = &a->program->follow;
    uint64_t ms = (term_stats(a->term).bytes - f->begun_bytes) * 1000 / FOLLOW_BYTES_A_SECOND;
    return now - f->begun_ms < (int64_t)(ms < FOLLOW_PUT_OFF_MS ? ms : FOLLOW_PUT_OFF_MS);
}

bool follow_may_show_part(const struct app *a)
{
    const struct tui_options *o = &a->options;
    bool has_all = a->opened && a->opened->asked_part == 0;
    return !has_all && !o->session && !o->follow && !o->pair.b && !o->place && !o->sql &&
           !o->show && o->debug_track_count == 0 && !o->window.has_from && !o->window.has_to &&
           !a->program->follow.no_part;
}

static uint64_t shown_part(const struct app *a)
{
    return a->opened ? a->opened->asked_part : 0;
}

uint64_t follow_part(const struct app *a)
{
    const struct tui_options *o = &a->options;
    uint64_t size = (uint64_t)a->program->follow.shown.size, shown = shown_part(a);
    if (!follow_may_show_part(a) || strcmp(o->path, "-") == 0)
        return 0;
    if (o->first_part)
        return shown == 0 && o->first_part < size ? o->first_part : 0;
    if (o->script || size < FOLLOW_LARGE)
        return 0;
    uint64_t next = shown                               ? shown * FOLLOW_SHARE
                    : size / FOLLOW_SHARE < FOLLOW_PART ? size / FOLLOW_SHARE
                                                        : FOLLOW_PART;
    return next <= size / FOLLOW_SHARE ? next : 0;
}

struct piped_wish follow_piped_wish(const struct app *a)
{
    const struct tui_options *o = &a->options;
    uint64_t shown = shown_part(a), next;
    if (!follow_may_show_part(a) || (o->first_part && shown > 0))
        return (struct piped_wish){.want = UINT64_MAX, .least = UINT64_MAX};
    if (a->program->follow.unreadable && shown == 0)
        return (struct piped_wish){.want = FOLLOW_HEAD, .least = FOLLOW_HEAD};
    if (o->first_part)
        return (struct piped_wish){.want = o->first_part, .least = o->first_part};
    if (shown == 0)
        return (struct piped_wish){FOLLOW_PART, FOLLOW_PIPED_LEAST, FOLLOW_PIPED_MS};
    next = shown * (shown < FOLLOW_PART ? 2 : FOLLOW_SHARE);
    return (struct piped_wish){.want = next, .least = next};
}

static int decimals(double bytes)
{
    return bytes < 1e7;
}

const char *follow_part_text(struct app *a)
{
    const struct follow *f = &a->program->follow;
    if (a->opened && (f->told || f->unread))
        return f->told ? "from before the file went" : "from before the file changed";
    if (!a->opened || !a->opened->part)
        return NULL;
    double part = (double)a->opened->part;
    double size = f->piped ? (double)piped_file_size(f->piped) : (double)f->shown.size;
    char *text = a->program->follow.text;
    int n = snprintf(text, sizeof f->text, "%s %.*f of %.*f MB",
                     app_reads_on(a) ? "first" : "only the first", decimals(part), part / 1e6,
                     decimals(size), size / 1e6);
    uint64_t done = atomic_load(&a->progress.done), total = atomic_load(&a->progress.total);
    if (a->loading_next && total > 0)
        snprintf(text + n, sizeof f->text - (size_t)n, "; %s %.0f %%", app_loading_phase(a),
                 100 * (double)(done < total ? done : total) / (double)total);
    return text;
}

/* What was loaded stays; a FIFO or a device in its place is not opened, which might wait. */
static void tell_missing(struct app *a, bool there)
{
    if (!there && !a->program->follow.told)
        app_complain(a, "there is no such file any more: what was loaded stays");
    a->program->follow.told = !there;
}

void follow_note_load(struct app *a, const struct status *s)
{
    a->program->follow.unread = a->options.follow && !status_ok(*s) && s->code != STATUS_CANCELLED;
    if (a->program->follow.unread)
        app_complain(a, "what was loaded stays, as the file has changed: %s", s->message);
}

int follow_look_ms(const struct app *a)
{
    return a->options.follow_whole ? FOLLOW_WHOLE_LOOK_MS : FOLLOW_LOOK_MS;
}

bool follow_look(struct app *a)
{
    struct follow *f = &a->program->follow;
    int64_t now = clock_now_ns() / 1000000;
    if (!a->options.follow || !a->opened || a->loading_next || a->next ||
        now - f->looked_ms < follow_look_ms(a) ||
        (a->options.follow_whole && has_drawn_enough(a, now)))
        return false;
    struct followed_file file = look(a);
    bool waited = now - f->changed_ms >= FOLLOW_AT_LEAST_MS;
    bool settled = is_same(&file, &f->seen), same = is_same(&file, &f->shown);
    f->looked_ms = now;
    if (same || !file.there)
        f->changed_ms = now;
    f->seen = file;
    tell_missing(a, file.there);
    if (file.there)
        f->another |= file.inode != f->shown.inode || file.device != f->shown.device ||
                      file.size < f->shown.size;
    return file.there && !same && (settled || waited || a->options.follow_whole);
}

bool follow_may_swap(const struct app *a)
{
    const struct query_pane *q = a->query;
    bool may_have_rows = a->query_open && !(a->opened->part && !q->grid);
    return a->next && a->overlay == OVERLAY_NONE && !may_have_rows;
}
