/* The smallest program on tui/term: the end-to-end tests drive it in a real terminal. Shows the
 * last key, the size and a dense field that pans; h and l pan, m toggles the mouse, y copies,
 * c crashes, a aborts, e leaves by exit(), S stops, r redraws, q quits. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/term/term.h"

struct demo {
    struct term *term;
    struct cells cells;
    long offset;
    char last[160];
    bool quit;
};

static void draw_field(struct demo *d)
{
    static const char *const names[] = {"traversal", "binder transaction", "doFrame", "d"};
    for (int y = 3; y < d->cells.height - 1; y++) {
        long at = -(d->offset % 40) - y;
        for (int i = 0; at < d->cells.width; i++) {
            long which = (i + y + d->offset / 40) % 4;
            int width = (int)(4 + 7 * ((which + y) % 3));
            cells_fill(&d->cells, (struct rect){(int)at, y, width, 1}, ' ',
                       role_slice((uint64_t)(which * 5 + y)), 0);
            cells_put_text(&d->cells, (int)at, y, width - 1, str_from(names[which]),
                           role_slice((uint64_t)(which * 5 + y)), 0);
            cells_put(&d->cells, (int)at + width - 1, y, U'▏', role_slice((uint64_t)(which + y)),
                      CELL_SOLID);
            at += width;
        }
    }
}

static bool draw(struct demo *d)
{
    struct term_size size = term_size(d->term);
    struct term_stats stats = term_stats(d->term);
    if (d->cells.width != size.width || d->cells.height != size.height)
        cells_resize(&d->cells, size.width, size.height);
    cells_clear(&d->cells);
    cells_put_format(&d->cells, 0, 0, size.width, ROLE_HEADER, 0, "demo %dx%d %s", size.width,
                     size.height, term_look(d->term).ascii ? "ascii" : "utf8 µ▸│");
    cells_put_format(&d->cells, 0, 1, size.width, ROLE_DEFAULT, 0, "key %s", d->last);
    cells_put_text(&d->cells, 0, 2, size.width, STR("evil \x1b]0;owned\x07 \xff 日本"), ROLE_DIM,
                   0);
    draw_field(d);
    cells_put_format(&d->cells, 0, size.height - 1, size.width, ROLE_HINT, 0, "skipped %s",
                     stats.skipped ? "some" : "none");
    return term_draw(d->term, &d->cells, 4, 1);
}

static void crash(void)
{
    volatile int *volatile nowhere = NULL; /* not known to the compiler */
    *nowhere = 1;
}

static void act(struct demo *d, struct key_event e)
{
    char name[KEY_NAME_MAX];
    int n = snprintf(d->last, sizeof d->last, "<%s> at %d,%d ", key_text(e.key, name), e.x, e.y);
    if (e.key == TK_PASTE)
        snprintf(d->last + n, sizeof d->last - (size_t)n, "%.*s",
                 e.text.n > 60 ? 60 : (int)e.text.n, e.text.p);
    switch (e.key) {
    case 'q':
        d->quit = true;
        break;
    case 'h':
        d->offset--;
        break;
    case 'l':
        d->offset++;
        break;
    case 'm':
        term_set_mouse(d->term, !term_mouse(d->term));
        break;
    case 'y':
        snprintf(d->last, sizeof d->last, "copied %d",
                 (int)term_copy(d->term, STR("text from the demo")));
        break;
    case 'c':
        crash();
        break;
    case 'a':
        abort();
    case 'e':
        exit(7);
    case 'r':
        term_redraw(d->term);
        break;
    case 'S':
    case TK_CTRL | 'z':
        term_stop(d->term);
        break;
    default:
        break;
    }
}

static void run(struct demo *d)
{
    struct key_event events[16];
    bool shown = draw(d);
    while (!d->quit) {
        struct pollfd fds[2] = {
            {.fd = term_input_fd(d->term),
             .events = (short)(POLLIN | (term_unsent(d->term) ? POLLOUT : 0))},
            {.fd = term_signal_fd(d->term), .events = POLLIN},
        };
        if (poll(fds, 2, term_timeout(d->term)) < 0 && errno != EINTR)
            break;
        bool dirty = !shown && term_flush(d->term);
        if (fds[0].revents & POLLOUT)
            dirty |= term_flush(d->term);
        unsigned signals = term_read_signals(d->term);
        if (signals & TERM_QUIT)
            break;
        if (signals & TERM_STOP)
            term_stop(d->term);
        dirty |= signals != 0;
        for (size_t n; (n = term_read_keys(d->term, events, 16)) > 0;)
            for (size_t i = 0; i < n; i++, dirty = true)
                act(d, events[i]);
        if (dirty)
            shown = draw(d);
    }
}

int main(int argc, char **argv)
{
    struct demo d = {.last = "none"};
    struct theme theme;
    struct term_options options = {.theme = &theme};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--ascii") == 0)
            options.charset = CHARSET_ASCII;
        else if (strcmp(argv[i], "--utf8") == 0)
            options.charset = CHARSET_UTF8;
    }
    struct status s = theme_load("dark", &theme);
    if (status_ok(s))
        s = term_open(&options, &d.term);
    if (!status_ok(s)) {
        fprintf(stderr, "term_demo: %s\n", s.message);
        status_release(&s);
        return 3;
    }
    if (term_notice(d.term))
        snprintf(d.last, sizeof d.last, "%s", term_notice(d.term));
    cells_init(&d.cells, 1, 1);
    run(&d);
    struct term_stats stats = term_stats(d.term);
    term_close(d.term);
    cells_release(&d.cells);
    printf("frames %lu writes %lu bytes %lu\n", (unsigned long)stats.frames,
           (unsigned long)stats.writes, (unsigned long)stats.bytes);
    return 0;
}
