#include "tui/term/screen.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "tui/term/moves.h"
#include "tui/term/row_shift.h"
#include "tui/term/sgr.h"

/* A role, its ground and attributes as curses has them. */
struct look_cache {
    uint32_t key; /* 0: free */
    attr_t attrs;
    int pair;
};

enum { CACHE_SIZE = 1024, MODES_MAX = 512 };

struct screen {
    SCREEN *curses;
    FILE *file; /* the memory file that curses writes frames to */
    FILE *none; /* curses reads no keys */
    VEC(char) frame, shorter;
    struct cells last; /* the frame that curses has, if it is known */
    bool last_known;
    int at_x, at_y;              /* where it left the cursor */
    const char *cup, *dch, *ich; /* what moves rows sideways; NULL: the terminal cannot */
    bool moves_on_row;           /* by ESC [ column G */
    struct theme theme;
    enum colour_depth depth;
    int cursor_shown; /* 1, 0, or -1 where unknown */
    bool plain;       /* the last frame left the terminal without colours */
    VEC(cchar_t) row;
    sgr_palette palette; /* where the terminal has colours of 24 bits */
    bool used[256];      /* the theme's roles have it as a number */
    struct look_cache cache[CACHE_SIZE];
    char enter[MODES_MAX], leave[MODES_MAX], leave_lines[MODES_MAX], back[MODES_MAX];
    size_t enter_size, leave_size, leave_lines_size, back_size;
};

/* ---- the strings around it all ---- */

struct mode_string {
    char *text;
    size_t n;
};

static void mode_add(struct mode_string *m, const char *text)
{
    if (!text || text == (const char *)-1)
        return;
    size_t n = strlen(text);
    if (n > MODES_MAX - m->n)
        return;
    memcpy(m->text + m->n, text, n);
    m->n += n;
}

static void mode_add_capability(struct mode_string *m, const char *name)
{
    mode_add(m, tigetstr(name));
}

/* Begins with what ends any sequence that a cut-off frame may have left open. */
static void mode_add_ends(struct mode_string *m)
{
    mode_add(m, "\x1b\\");
    mode_add(m, "\x1b[?2026l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?2004l\x1b[?25h");
    mode_add_capability(m, "sgr0");
    mode_add_capability(m, "oc");
    mode_add_capability(m, "rmkx");
}

static void mode_add_back(struct mode_string *m)
{
    const char *smcup = tigetstr("smcup"), *cup = tigetstr("cup");
    if (cup && cup != (const char *)-1) /* where there is no other screen to go back to */
        mode_add(m, tiparm(cup, 998, 0));
    mode_add_capability(m, "rmcup");
    if (!smcup || smcup == (const char *)-1)
        mode_add(m, "\r\n");
}

static size_t make_leave(char out[MODES_MAX])
{
    struct mode_string m = {out, 0};
    mode_add_ends(&m);
    mode_add_back(&m);
    return m.n;
}

static size_t make_leave_lines(char out[MODES_MAX])
{
    struct mode_string m = {out, 0};
    mode_add_ends(&m);
    mode_add(&m, "\r\x1b[J");
    return m.n;
}

static size_t make_back(char out[MODES_MAX])
{
    struct mode_string m = {out, 0};
    mode_add_capability(&m, "sgr0");
    mode_add_back(&m);
    return m.n;
}

static size_t make_enter(char out[MODES_MAX])
{
    struct mode_string m = {out, 0};
    mode_add_capability(&m, "smcup");
    mode_add_capability(&m, "sgr0");
    mode_add(&m, "\x1b[r"); /* margins that somebody left */
    mode_add_capability(&m, "smkx");
    mode_add(&m, "\x1b[?2004h");
    return m.n;
}

struct str screen_enter_bytes(const struct screen *s)
{
    return (struct str){s->enter, s->enter_size};
}

struct str screen_leave_bytes(const struct screen *s)
{
    return (struct str){s->leave, s->leave_size};
}

struct str screen_leave_lines_bytes(const struct screen *s)
{
    return (struct str){s->leave_lines, s->leave_lines_size};
}

struct str screen_back_bytes(const struct screen *s)
{
    return (struct str){s->back, s->back_size};
}

/* ---- open and close ---- */

static enum colour_depth depth_of_terminal(const struct probe *probe)
{
    int colours = probe->no_colour ? 0 : tigetnum("colors");
    if (colours >= 256)
        return probe->rgb ? DEPTH_RGB : DEPTH_256;
    return colours >= 16 ? DEPTH_16 : colours >= 8 ? DEPTH_8 : DEPTH_MONO;
}

static struct status open_files(struct screen *s)
{
    int memory = memfd_create("tptui-frame", MFD_CLOEXEC);
    if (memory < 0)
        return status_error(STATUS_IO, "memfd_create: %s", strerror(errno));
    s->file = fdopen(memory, "w");
    s->none = fopen("/dev/null", "re");
    if (s->file && s->none)
        return status_ok_value();
    if (!s->file)
        close(memory);
    return status_error(STATUS_IO, "/dev/null: %s", strerror(errno));
}

/* Takes what curses wrote. */
static void collect_frame(struct screen *s)
{
    fflush(s->file);
    int fd = fileno(s->file);
    off_t size = lseek(fd, 0, SEEK_CUR);
    s->frame.count = 0;
    if (size <= 0)
        return;
    vec_reserve(&s->frame, (size_t)size);
    ssize_t n = pread(fd, s->frame.items, (size_t)size, 0);
    s->frame.count = n > 0 ? (size_t)n : 0;
    if (lseek(fd, 0, SEEK_SET) != 0 || ftruncate(fd, 0) != 0)
        s->frame.count = 0; /* cannot happen on a memory file */
}

static void start_colours(struct screen *s, const struct probe *probe)
{
    s->depth = depth_of_terminal(probe);
    if (s->depth == DEPTH_MONO)
        return;
    if (start_color() != OK || use_default_colors() != OK)
        s->depth = DEPTH_MONO;
}

static void note_used(struct screen *s, struct colour c)
{
    if (c.index >= 0 && !c.exact)
        s->used[c.index] = true;
}

static void start_palette(struct screen *s)
{
    memset(s->used, 0, sizeof s->used);
    for (int i = 0; i < 256; i++)
        s->palette[i] = SGR_INDEX;
    for (int i = 0; i < ROLE_COUNT; i++) {
        note_used(s, s->theme.roles[i].fg);
        note_used(s, s->theme.roles[i].bg);
        note_used(s, s->theme.shades[i]);
    }
}

void screen_set_theme(struct screen *s, const struct theme *theme)
{
    s->theme = *theme;
    memset(s->cache, 0, sizeof s->cache);
    s->last_known = false;
    start_palette(s);
}

/* Without a delay, for which only tputs() knows the characters; else NULL. */
static const char *undelayed(const char *name)
{
    const char *text = tigetstr(name);
    return text && text != (const char *)-1 && !strstr(text, "$<") ? text : NULL;
}

static void find_moves(struct screen *s)
{
    const char *column = undelayed("hpa");
    s->cup = undelayed("cup");
    s->dch = undelayed("dch");
    s->ich = undelayed("ich");
    s->moves_on_row = column && strcmp(column, "\x1b[%i%p1%dG") == 0;
}

struct status screen_open(const struct probe *probe, const struct theme *theme, int width,
                          int height, struct screen **out)
{
    struct screen *s = alloc_array(1, sizeof *s);
    screen_set_theme(s, theme);
    struct status status = open_files(s);
    if (status_ok(status)) {
        s->curses = newterm(probe->name, s->file, s->none);
        if (!s->curses)
            status = status_error(STATUS_IO, "curses cannot use the terminal description '%s'",
                                  probe->name);
    }
    if (!status_ok(status)) {
        screen_close(s);
        return status;
    }
    start_colours(s, probe);
    find_moves(s);
    typeahead(-1);
    resize_term(height, width); /* whatever LINES, COLUMNS and the description say */
    /* What curses sends at first is dropped in favour of our own, which can be sent again. */
    doupdate();
    collect_frame(s);
    s->enter_size = make_enter(s->enter);
    s->leave_size = make_leave(s->leave);
    s->leave_lines_size = make_leave_lines(s->leave_lines);
    s->back_size = make_back(s->back);
    screen_forget(s);
    *out = s;
    return status_ok_value();
}

void screen_close(struct screen *s)
{
    if (s->curses) {
        endwin(); /* into the memory file */
        delscreen(s->curses);
    }
    if (s->file)
        fclose(s->file);
    if (s->none)
        fclose(s->none);
    vec_release(&s->frame);
    vec_release(&s->shorter);
    vec_release(&s->row);
    cells_release(&s->last);
    free(s);
}

enum colour_depth screen_depth(const struct screen *s)
{
    return s->depth;
}

void screen_resize(struct screen *s, int width, int height)
{
    resize_term(height, width);
    s->last_known = false;
    screen_forget(s);
}

void screen_forget(struct screen *s)
{
    clearok(curscr, TRUE);
    s->plain = false;
    s->cursor_shown = -1;
}

/* ---- frames ---- */

/* The number that curses is to know it by. Curses has 256 at most, whatever the terminal has:
 * exact colours take those that no role uses, and what curses writes of them is written anew. */
static int number_of(struct screen *s, struct colour c)
{
    if (s->depth != DEPTH_RGB || !c.exact)
        return c.index;
    int unused = -1;
    for (int i = 255; i >= 16; i--) {
        if (s->palette[i] == c.rgb)
            return i;
        if (s->palette[i] == SGR_INDEX && !s->used[i])
            unused = i;
    }
    if (unused < 0)
        return c.index;
    s->palette[unused] = c.rgb;
    return unused;
}

static struct look_cache look_of(struct screen *s, const struct cell *cell)
{
    uint32_t key =
        1u << 31 | (uint32_t)cell->role << 16 | (uint32_t)cell->ground << 8 | (uint32_t)cell->attrs;
    struct look_cache *slot = &s->cache[(key * 2654435761u) >> 22];
    _Static_assert(CACHE_SIZE == 1 << 10, "the hash above keeps ten bits");
    if (slot->key == key)
        return *slot;
    struct role_style style = theme_style(&s->theme, *cell, s->depth);
    slot->key = key;
    slot->attrs =
        (style.attrs & CELL_BOLD ? A_BOLD : 0) | (style.attrs & CELL_REVERSE ? A_REVERSE : 0) |
        (style.attrs & CELL_UNDERLINE ? A_UNDERLINE : 0) | (style.attrs & CELL_FAINT ? A_DIM : 0);
    slot->pair = 0;
    if (s->depth != DEPTH_MONO && (style.fg.index >= 0 || style.bg.index >= 0)) {
        int pair = alloc_pair(number_of(s, style.fg), number_of(s, style.bg));
        slot->pair = pair > 0 ? pair : 0;
    }
    return *slot;
}

/* What curses is given for the character: '?' where it and libc would see another width, since
 * the whole row would shift. */
static wchar_t shown_character(char32_t ch)
{
    if (ch < 0x7F)
        return (wchar_t)ch;
    return wcwidth((wchar_t)ch) == utf8_width(ch) ? (wchar_t)ch : L'?';
}

/* Behind the character; those that libc gives a width are left out. */
static void add_marks(const struct cell *cell, wchar_t text[2 + CELL_MARKS])
{
    size_t n = 1;
    for (int i = 0; i < CELL_MARKS && cell->marks[i]; i++)
        if (wcwidth((wchar_t)cell->marks[i]) == 0)
            text[n++] = (wchar_t)cell->marks[i];
    text[n] = 0;
}

static void draw_row(struct screen *s, const struct cells *c, int y, int width)
{
    s->row.count = 0;
    for (int x = 0; x < width; x++) {
        const struct cell *cell = cells_at(c, x, y);
        const struct cell *next = cells_at(c, x + 1, y);
        bool wide = next && next->ch == 0 && x + 1 < width;
        bool half = cell->ch == 0 || (utf8_width(cell->ch) == 2 && !wide);
        wchar_t text[2 + CELL_MARKS] = {half ? L' ' : shown_character(cell->ch), 0};
        if (text[0] == (wchar_t)cell->ch)
            add_marks(cell, text);
        struct look_cache look = look_of(s, cell);
        cchar_t shown;
        setcchar(&shown, text, look.attrs, 0, &look.pair);
        *vec_push(&s->row) = shown;
        if (!wide)
            continue;
        x++;
        if (wcwidth(text[0]) != 2) /* replaced: fill both cells */
            *vec_push(&s->row) = shown;
    }
    mvadd_wchnstr(y, 0, s->row.items, (int)s->row.count);
}

/* ---- rows that move sideways ---- */

/* Goes in front of the frame. */
static void send_capability(struct screen *s, const char *text)
{
    vec_append(&s->shorter, text, strlen(text));
}

static void place_cursor(struct screen *s, int y, int x)
{
    send_capability(s, tiparm(s->cup, y, x));
}

/* Moves the cells in the terminal, and in what curses takes for its contents. */
static void shift_row(struct screen *s, int y, struct row_shift shift)
{
    int n = s->last.width - shift.from, by = shift.by < 0 ? -shift.by : shift.by;
    bool left = shift.by > 0;
    place_cursor(s, y, shift.from);
    send_capability(s, tiparm(left ? s->dch : s->ich, by));
    cchar_t blank;
    setcchar(&blank, L" ", A_NORMAL, 0, NULL);
    vec_reserve(&s->row, (size_t)n + 1); /* curses ends them by one more */
    mvwin_wchnstr(curscr, y, shift.from, s->row.items, n);
    mvwadd_wchnstr(curscr, y, shift.from + (left ? 0 : by), s->row.items + (left ? by : 0), n - by);
    for (int i = 0; i < by; i++)
        mvwadd_wchnstr(curscr, y, shift.from + (left ? n - by : 0) + i, &blank, 1);
    wtouchln(newscr, y, 1, 1);
}

/* Whether curses has the rows of the last frame, and they are as many and as long. */
static bool follows_last(const struct screen *s, const struct cells *c)
{
    return s->last_known && s->last.width == c->width && s->last.height == c->height;
}

/* Of a frame that follows the last one, on a terminal that was left without colours. */
static bool can_shift(const struct screen *s, const struct cells *c)
{
    return s->plain && follows_last(s, c) && c->width == COLS && s->cup && s->dch && s->ich;
}

/* The distance is that of the row which differs most; the frame that curses makes is of what is
 * left to write. */
static void shift_rows(struct screen *s, const struct cells *c, int height)
{
    if (!can_shift(s, c))
        return;
    int by = row_shift_find(&s->last, c, row_shift_most(&s->last, c), 0).by;
    for (int y = 0; y < height && by != 0; y++) {
        struct row_shift shift = row_shift_find(&s->last, c, y, by);
        if (shift.by != 0)
            shift_row(s, y, shift);
    }
    if (s->shorter.count > 0)
        place_cursor(s, s->at_y, s->at_x);
}

/* Gives curses the rows that differ from the last frame. */
static void draw_rows(struct screen *s, const struct cells *c, int width, int height)
{
    bool follows = follows_last(s, c);
    if (!follows) {
        erase();
        cells_resize(&s->last, c->width, c->height);
    }
    for (int y = 0; y < height; y++) {
        if (follows && cells_same_row(&s->last, c, y))
            continue;
        draw_row(s, c, y, width);
        memcpy(cells_at(&s->last, 0, y), cells_at(c, 0, y), (size_t)c->width * sizeof *c->items);
    }
    s->last_known = true;
}

/* What curses wrote, shorter, behind what rows were moved by. */
static struct str finish_frame(struct screen *s)
{
    bool rgb = s->depth == DEPTH_RGB;
    if (s->moves_on_row)
        s->frame.count = moves_shorten(s->frame.items, s->frame.count, s->last.width);
    struct str frame = {s->frame.items, s->frame.count};
    vec_reserve(&s->shorter, s->shorter.count + frame.n * (rgb ? SGR_GROWTH : 1));
    char *out = s->shorter.items + s->shorter.count;
    size_t n = frame.n ? sgr_shorten(frame, rgb ? s->palette : NULL, &s->plain, out) : 0;
    if (n == 0 && frame.n > 0)
        memcpy(out, frame.p, n = frame.n);
    return (struct str){s->shorter.items, s->shorter.count + n};
}

struct str screen_render(struct screen *s, const struct cells *c, int cursor_x, int cursor_y)
{
    int width = c->width < COLS ? c->width : COLS;
    int height = c->height < LINES ? c->height : LINES;
    s->shorter.count = 0;
    shift_rows(s, c, height);
    draw_rows(s, c, width, height);
    int show = cursor_x >= 0 && cursor_x < width && cursor_y >= 0 && cursor_y < height;
    if (show)
        move(cursor_y, cursor_x);
    if (show != s->cursor_shown)
        curs_set(show);
    s->cursor_shown = show;
    wnoutrefresh(stdscr);
    doupdate();
    collect_frame(s);
    getyx(newscr, s->at_y, s->at_x);
    return finish_frame(s);
}
