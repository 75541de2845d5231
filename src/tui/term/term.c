#include "tui/term/term.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"
#include "tui/term/clipboard.h"
#include "tui/term/lines.h"
#include "tui/term/probe.h"
#include "tui/term/restore.h"
#include "tui/term/screen.h"
#include "tui/term/tty.h"

enum { ESCAPE_DELAY_MS = 25 };

struct pushed_key {
    struct key_event event;
    char *text; /* owned; of a paste */
};

struct term {
    struct screen *screen;    /* NULL: headless */
    struct term_lines *lines; /* below the prompt; NULL: the screen is always taken */
    bool taken;               /* the screen is */
    struct probe probe;
    struct look look;
    struct term_size real;
    int fd;
    struct termios saved;
    struct tty_writer writer;
    bool armed;   /* signal handlers are installed */
    bool entered; /* the terminal is ours */
    bool mouse;
    bool continued; /* to be told by term_read_signals */
    struct key_decoder *keys;
    int escape_delay_ms;
    int64_t last_input_ms;
    VEC(char) out; /* waits for the terminal from `sent` on */
    size_t sent;
    bool blocked;         /* the terminal did not take all of it */
    struct cells scratch; /* the frame as sent, where it is not the caller's own */
    struct term_stats stats;

    /* Headless. */
    struct cells shown;
    VEC(char) printed;
    VEC(struct pushed_key) pushed;
    size_t pushed_at;
    char *pushed_text;
};

/* ---- output ---- */

static void out_add(struct term *t, struct str bytes)
{
    if (bytes.n == 0)
        return;
    vec_append(&t->out, bytes.p, bytes.n);
}

bool term_unsent(const struct term *t)
{
    return t->sent < t->out.count;
}

/* What was just added may wait for a moment, what was left over from that never does. */
static ssize_t write_out(struct term *t, bool left_over)
{
    enum { ALWAYS_FITS = 2048 };
    const char *p = t->out.items + t->sent;
    size_t n = t->out.count - t->sent;
    t->stats.writes++;
    if (left_over || n <= ALWAYS_FITS || t->writer.fd < 0)
        return write(t->fd, p, n);
    ssize_t written = tty_writer_write(&t->writer, p, n);
    if (written < 0 && errno == EINTR)
        errno = EAGAIN;
    return written;
}

bool term_flush(struct term *t)
{
    while (t->entered && term_unsent(t)) {
        ssize_t n = write_out(t, t->blocked);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            t->blocked = true;
            return false;
        }
        if (n < 0) { /* gone */
            restore_raise(TERM_QUIT);
            break;
        }
        t->stats.bytes += (uint64_t)n;
        t->sent += (size_t)n;
        t->blocked = true; /* if this was not all of it */
    }
    t->out.count = t->sent = 0;
    t->blocked = false;
    return true;
}

static void out_add_mouse(struct term *t, bool on)
{
    out_add(t, on ? STR("\x1b[?1000h\x1b[?1002h\x1b[?1006h")
                  : STR("\x1b[?1006l\x1b[?1002l\x1b[?1000l"));
}

/* ---- open and close ---- */

static struct term *term_new(void)
{
    struct term *t = alloc_array(1, sizeof *t);
    t->fd = -1;
    t->writer.fd = -1;
    t->keys = key_decoder_new();
    t->escape_delay_ms = ESCAPE_DELAY_MS;
    return t;
}

/* The handlers come before curses, which else would install its own. */
static struct status open_screen(struct term *t, const struct theme *theme)
{
    struct status s = tty_open(&t->fd, &t->saved);
    if (!status_ok(s))
        return s;
    t->armed = restore_arm(t->fd, &t->saved);
    if (!t->armed)
        return status_error(STATUS_IO, "pipe: %s", strerror(errno));
    tty_writer_open(&t->writer, t->fd);
    t->real = tty_size(t->fd);
    return screen_open(&t->probe, theme, t->real.width, t->real.height, &t->screen);
}

struct status term_open(const struct term_options *options, struct term **out)
{
    struct term *t = term_new();
    if (options->escape_delay_ms > 0)
        t->escape_delay_ms = options->escape_delay_ms;
    struct status s = probe_terminal(options, &t->probe);
    if (status_ok(s))
        s = open_screen(t, options->theme);
    probe_finish();
    if (!status_ok(s)) {
        term_close(t);
        return s;
    }
    t->look.ascii = !t->probe.utf8;
    t->look.mono = screen_depth(t->screen) == DEPTH_MONO;
    t->mouse = options->mouse;
    t->taken = !options->below_prompt;
    if (options->below_prompt)
        t->lines = term_lines_new(options->theme, screen_depth(t->screen));
    cells_init(&t->scratch, 1, 1);
    term_enter(t);
    *out = t;
    return status_ok_value();
}

struct term *term_open_headless(int width, int height, struct look look)
{
    struct term *t = term_new();
    t->look = look;
    t->taken = true;
    t->real = (struct term_size){width, height};
    cells_init(&t->scratch, 1, 1);
    cells_init(&t->shown, width, height);
    return t;
}

void term_close(struct term *t)
{
    if (!t)
        return;
    term_leave(t);
    if (t->screen)
        screen_close(t->screen);
    if (t->armed)
        restore_disarm();
    tty_writer_close(&t->writer);
    if (t->fd >= 0)
        close(t->fd);
    key_decoder_free(t->keys);
    for (size_t i = t->pushed_at; i < t->pushed.count; i++)
        free(t->pushed.items[i].text);
    vec_release(&t->pushed);
    free(t->pushed_text);
    vec_release(&t->out);
    cells_release(&t->scratch);
    cells_release(&t->shown);
    vec_release(&t->printed);
    term_lines_free(t->lines);
    free(t);
}

static void resize(struct term *t)
{
    screen_resize(t->screen, t->real.width, t->real.height);
    if (t->lines)
        term_lines_resize(t->lines, t->real.width, t->real.height);
}

static void enter_screen(struct term *t)
{
    out_add(t, screen_enter_bytes(t->screen));
    if (t->mouse)
        out_add_mouse(t, true);
}

void term_enter(struct term *t)
{
    if (!t->screen || t->entered)
        return;
    restore_expect(t->taken ? screen_leave_bytes(t->screen) : screen_leave_lines_bytes(t->screen));
    tty_make_raw(t->fd, &t->saved);
    t->entered = true;
    t->real = tty_size(t->fd); /* may have changed while somebody else had it */
    t->out.count = t->sent = 0;
    t->blocked = false;
    if (t->lines)
        term_lines_forget(t->lines);
    resize(t);
    if (!t->taken)
        out_add(t, STR("\x1b[?2004h"));
    else
        enter_screen(t);
}

void term_leave(struct term *t)
{
    if (!t->screen || !t->entered)
        return;
    if (!t->taken) {
        out_add(t, term_lines_erase(t->lines));
        term_flush(t);
    }
    t->entered = false;
    t->out.count = t->sent = 0;
    restore_now();
}

void term_stop(struct term *t)
{
    if (!t->screen)
        return;
    term_leave(t);
    restore_stop();
    term_enter(t);
    t->continued = true;
    restore_raise(restore_take_signals() & ~(unsigned)TERM_CONTINUED);
}

/* ---- what it is ---- */

const char *term_notice(const struct term *t)
{
    return t->probe.notice[0] ? t->probe.notice : NULL;
}

struct look term_look(const struct term *t)
{
    return t->look;
}

void term_set_theme(struct term *t, const struct theme *theme)
{
    if (t->screen)
        screen_set_theme(t->screen, theme);
    if (t->lines)
        term_lines_set_theme(t->lines, theme);
}

static bool too_small(const struct term *t)
{
    return t->taken && (t->real.width < TERM_MIN_WIDTH || t->real.height < TERM_MIN_HEIGHT);
}

struct term_size term_size(const struct term *t)
{
    struct term_size size = t->real;
    if (size.width < TERM_MIN_WIDTH)
        size.width = TERM_MIN_WIDTH;
    if (size.height < TERM_MIN_HEIGHT)
        size.height = TERM_MIN_HEIGHT;
    return size;
}

struct term_stats term_stats(const struct term *t)
{
    return t->stats;
}

/* ---- input ---- */

int term_input_fd(const struct term *t)
{
    return t->fd;
}

int term_signal_fd(const struct term *t)
{
    return t->screen ? restore_signal_fd() : -1;
}

int term_timeout(const struct term *t)
{
    if (!key_decoder_waiting(t->keys))
        return -1;
    int64_t left = t->last_input_ms + t->escape_delay_ms - clock_now_ns() / 1000000;
    return left > 0 ? (int)left : 0;
}

/* After a stop that nobody announced (SIGSTOP) the shell has changed the settings, and others may
 * have written to the screen. */
static void take_over_again(struct term *t)
{
    t->entered = false;
    term_enter(t);
}

unsigned term_read_signals(struct term *t)
{
    if (!t->screen)
        return 0;
    unsigned signals = restore_take_signals();
    if (t->continued && !(signals & TERM_CONTINUED)) {
        t->continued = false;
        signals |= TERM_CONTINUED;
    } else if (signals & TERM_CONTINUED) {
        take_over_again(t);
    } else if (signals & TERM_RESIZED) {
        t->real = tty_size(t->fd);
        resize(t);
    }
    return signals;
}

/* Takes in what has arrived, but not for ever: a paste of megabytes comes in several calls. */
static void read_input(struct term *t)
{
    enum { AT_ONCE = 64 * 1024 };
    char bytes[4096];
    for (size_t total = 0; total < AT_ONCE;) {
        ssize_t n = read(t->fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (n < 0 && errno != EAGAIN))
            restore_raise(TERM_QUIT); /* hung up */
        if (n <= 0)
            return;
        key_decoder_feed(t->keys, bytes, (size_t)n);
        t->last_input_ms = clock_now_ns() / 1000000;
        total += (size_t)n;
    }
}

static size_t take_pushed(struct term *t, struct key_event *out)
{
    if (t->pushed_at == t->pushed.count)
        return 0;
    struct pushed_key *k = &t->pushed.items[t->pushed_at++];
    free(t->pushed_text);
    t->pushed_text = k->text;
    *out = k->event;
    if (t->pushed_at == t->pushed.count)
        t->pushed_at = t->pushed.count = 0;
    return 1;
}

size_t term_read_keys(struct term *t, struct key_event *out, size_t max)
{
    if (max == 0)
        return 0;
    if (!t->screen)
        return take_pushed(t, out);
    if (!t->entered)
        return 0;
    read_input(t);
    if (key_decoder_waiting(t->keys) && term_timeout(t) == 0)
        key_decoder_expire(t->keys);
    size_t n = 0;
    while (n < max && key_decoder_next(t->keys, &out[n]))
        if (out[n++].key == TK_PASTE)
            break; /* its text lives until the decoder's next call */
    return n;
}

/* ---- drawing ---- */

/* What is shown instead where the views have no room. */
static void draw_too_small(struct term *t)
{
    struct cells *c = &t->scratch;
    cells_resize(c, t->real.width, t->real.height);
    cells_put_format(c, 0, 0, c->width, ROLE_ERROR, 0, "%dx%d is too small:", t->real.width,
                     t->real.height);
    cells_put_format(c, 0, 1, c->width, ROLE_DEFAULT, 0, "at least %dx%d", TERM_MIN_WIDTH,
                     TERM_MIN_HEIGHT);
}

/* The frame as this terminal can show it. */
static const struct cells *prepare_frame(struct term *t, const struct cells *c)
{
    if (too_small(t)) {
        draw_too_small(t);
        return &t->scratch;
    }
    if (!t->look.ascii)
        return c;
    if (t->scratch.width != c->width || t->scratch.height != c->height)
        cells_resize(&t->scratch, c->width, c->height);
    cells_copy(&t->scratch, 0, 0, c);
    cells_make_ascii(&t->scratch);
    return &t->scratch;
}

static void send_frame(struct term *t, const struct cells *c, int cursor_x, int cursor_y)
{
    struct str frame = t->taken ? screen_render(t->screen, c, cursor_x, cursor_y)
                                : term_lines_draw(t->lines, c, cursor_x, cursor_y);
    if (frame.n && t->probe.synchronised)
        out_add(t, STR("\x1b[?2026h"));
    out_add(t, frame);
    if (frame.n && t->probe.synchronised)
        out_add(t, STR("\x1b[?2026l"));
    term_flush(t);
}

bool term_draw(struct term *t, const struct cells *c, int cursor_x, int cursor_y)
{
    if (t->screen && (!t->entered || (t->blocked && !term_flush(t)))) {
        t->stats.skipped++;
        return false;
    }
    const struct cells *frame = prepare_frame(t, c);
    t->stats.frames++;
    if (frame != c && too_small(t))
        cursor_x = -1;
    if (t->screen) {
        send_frame(t, frame, cursor_x, cursor_y);
        return true;
    }
    if (t->shown.width != frame->width || t->shown.height != frame->height)
        cells_resize(&t->shown, frame->width, frame->height);
    cells_copy(&t->shown, 0, 0, frame);
    return true;
}

void term_redraw(struct term *t)
{
    if (!t->screen)
        return;
    screen_forget(t->screen);
    if (!t->taken && t->entered) { /* as shells do */
        out_add(t, STR("\x1b[H\x1b[2J"));
        term_lines_forget(t->lines);
    }
}

void term_take_screen(struct term *t, bool take)
{
    if (take == t->taken || (t->screen && !t->lines))
        return;
    t->taken = take;
    if (!t->screen || !t->entered)
        return;
    if (take) {
        restore_expect(screen_leave_bytes(t->screen));
        enter_screen(t);
        screen_forget(t->screen);
        return;
    }
    if (t->mouse)
        out_add_mouse(t, false);
    out_add(t, screen_back_bytes(t->screen));
    restore_expect(screen_leave_lines_bytes(t->screen));
}

/* For scripts: the lines as text. */
static void remember_printed(struct term *t, const struct cells *c)
{
    char *text = cells_text(c);
    size_t n = strlen(text);
    if (t->printed.count > 0)
        t->printed.count--; /* the NUL */
    vec_reserve(&t->printed, t->printed.count + n + 1);
    memcpy(t->printed.items + t->printed.count, text, n + 1);
    t->printed.count += n + 1;
    free(text);
}

void term_print(struct term *t, const struct cells *c)
{
    if (!t->screen)
        remember_printed(t, c);
    if (!t->screen || !t->entered || t->taken)
        return;
    out_add(t, term_lines_print(t->lines, prepare_frame(t, c)));
    term_flush(t);
}

/* ---- mouse, clipboard ---- */

void term_set_mouse(struct term *t, bool on)
{
    if (t->mouse == on)
        return;
    t->mouse = on;
    if (t->entered && t->taken)
        out_add_mouse(t, on);
}

bool term_mouse(const struct term *t)
{
    return t->mouse;
}

enum term_copied term_copy(struct term *t, struct str text)
{
    if (!t->screen || text.n == 0 || text.n > TERM_COPY_MAX)
        return COPIED_NOT;
    if (t->probe.in_tmux)
        return clipboard_tmux(text) ? COPIED_TMUX : COPIED_NOT;
    char *sequence = clipboard_osc52(text);
    out_add(t, str_from(sequence));
    free(sequence);
    return COPIED_OSC52;
}

/* ---- headless ---- */

const struct cells *term_shown(const struct term *t)
{
    return t->screen ? NULL : &t->shown;
}

const char *term_printed(const struct term *t)
{
    return t->printed.count > 0 ? t->printed.items : "";
}

void term_push_key(struct term *t, struct key_event key)
{
    struct pushed_key k = {.event = key};
    if (t->screen)
        return;
    if (key.key == TK_PASTE) {
        k.text = alloc_copy(key.text.p, key.text.n);
        k.event.text.p = k.text;
    }
    *vec_push(&t->pushed) = k;
}
