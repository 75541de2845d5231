/* The cell buffer that every view draws into: characters with roles, no colours and no terminal.
 * A theme (theme.h) turns roles into colours when the buffer is shown or made a picture. */
#ifndef TPTUI_TUI_CELLS_CELLS_H
#define TPTUI_TUI_CELLS_CELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>

#include "base/str.h"

/* What a cell is for: X(enumerator, the name used by themes and role dumps, the letter that stands
 * for it in a role dump, which no other has). Slices have twelve colours: A to F and I to N,
 * counters six: c and 6 to 9 and $. A
 * theme that does not name a role shows the role that it refines (theme.h). */
#define CELL_ROLES(X)                                                                              \
    X(DEFAULT, "default", '.')                                                                     \
    X(DIM, "dim", ',')                                                                             \
    X(STRONG, "strong", '!')                                                                       \
    X(HEADER, "header", 'h')                                                                       \
    X(HEADER_WARNING, "header.warning", 'W')                                                       \
    X(RULER, "ruler", 'r')                                                                         \
    X(OVERVIEW, "overview", 'o')                                                                   \
    X(OVERVIEW_WINDOW, "overview.window", 'O')                                                     \
    X(BORDER, "border", '|')                                                                       \
    X(GUTTER, "gutter", 'g')                                                                       \
    X(GUTTER_GROUP, "gutter.group", 'G')                                                           \
    X(GUTTER_LINKED, "gutter.linked", '&')                                                         \
    X(GUTTER_PINNED, "gutter.pinned", '^')                                                         \
    X(CURSOR, "cursor", '@')                                                                       \
    X(CURSOR_ROW, "cursor.row", '_')                                                               \
    X(SELECTION, "selection", '*')                                                                 \
    X(AREA, "area", '%')                                                                           \
    X(VSYNC, "vsync", 'z')                                                                         \
    X(MARK, "mark", 'v')                                                                           \
    X(MATCH, "match", '/')                                                                         \
    X(ARROW, "arrow", '>')                                                                         \
    X(SLICE_0, "slice.0", 'A')                                                                     \
    X(SLICE_1, "slice.1", 'B')                                                                     \
    X(SLICE_2, "slice.2", 'C')                                                                     \
    X(SLICE_3, "slice.3", 'D')                                                                     \
    X(SLICE_4, "slice.4", 'E')                                                                     \
    X(SLICE_5, "slice.5", 'F')                                                                     \
    X(SLICE_6, "slice.6", 'I')                                                                     \
    X(SLICE_7, "slice.7", 'J')                                                                     \
    X(SLICE_8, "slice.8", 'K')                                                                     \
    X(SLICE_9, "slice.9", 'L')                                                                     \
    X(SLICE_10, "slice.10", 'M')                                                                   \
    X(SLICE_11, "slice.11", 'N')                                                                   \
    X(FRAME_GOOD, "frame.good", 'a')                                                               \
    X(FRAME_JANK, "frame.jank", 'j')                                                               \
    X(FRAME_OTHER, "frame.other", 'b')                                                             \
    X(FRAME_SMOOTH, "frame.smooth", 'l')                                                           \
    X(FRAME_LOST, "frame.lost", 'q')                                                               \
    X(INSTANT, "instant", 'i')                                                                     \
    X(STATE_RUNNING, "state.running", '#')                                                         \
    X(STATE_RUNNABLE, "state.runnable", '+')                                                       \
    X(STATE_SLEEPING, "state.sleeping", 's')                                                       \
    X(STATE_DSTATE, "state.dstate", 'd')                                                           \
    X(STATE_OTHER, "state.other", 'x')                                                             \
    X(COUNTER, "counter", 'c')                                                                     \
    X(COUNTER_1, "counter.1", '6')                                                                 \
    X(COUNTER_2, "counter.2", '7')                                                                 \
    X(COUNTER_3, "counter.3", '8')                                                                 \
    X(COUNTER_4, "counter.4", '9')                                                                 \
    X(COUNTER_5, "counter.5", '$')                                                                 \
    X(LOAD_1, "load.1", '1')                                                                       \
    X(LOAD_2, "load.2", '2')                                                                       \
    X(LOAD_3, "load.3", '3')                                                                       \
    X(LOAD_4, "load.4", '4')                                                                       \
    X(LOAD_5, "load.5", '5')                                                                       \
    X(TAB, "tab", 't')                                                                             \
    X(TAB_ACTIVE, "tab.active", 'T')                                                               \
    X(KEY, "key", 'k')                                                                             \
    X(VALUE, "value", '=')                                                                         \
    X(LINK, "link", '~')                                                                           \
    X(GRID_HEADER, "grid.header", 'H')                                                             \
    X(GRID_NULL, "grid.null", '0')                                                                 \
    X(SQL_KEYWORD, "sql.keyword", 'w')                                                             \
    X(SQL_STRING, "sql.string", '"')                                                               \
    X(SQL_NUMBER, "sql.number", 'n')                                                               \
    X(SQL_COMMENT, "sql.comment", '-')                                                             \
    X(STATUS, "status", 'u')                                                                       \
    X(HINT, "hint", 'y')                                                                           \
    X(HINT_KEY, "hint.key", 'Y')                                                                   \
    X(PROMPT, "prompt", ':')                                                                       \
    X(PROGRESS, "progress", 'p')                                                                   \
    X(ERROR, "error", 'e')

#define CELL_ROLE_ENUM(enumerator, name, letter) ROLE_##enumerator,
enum cell_role { CELL_ROLES(CELL_ROLE_ENUM) ROLE_COUNT };
#undef CELL_ROLE_ENUM

enum { SLICE_ROLES = 12, COUNTER_ROLES = 6 };

/* The role of slice colour `n`, any number: colours repeat after SLICE_ROLES. */
static inline uint16_t role_slice(uint64_t n)
{
    return (uint16_t)(ROLE_SLICE_0 + n % SLICE_ROLES);
}

/* The same of a counter's colour. */
static inline uint16_t role_counter(uint64_t n)
{
    return (uint16_t)(ROLE_COUNTER + n % COUNTER_ROLES);
}

static inline bool role_is_slice(uint16_t role)
{
    return role >= ROLE_SLICE_0 && role < ROLE_SLICE_0 + SLICE_ROLES;
}

const char *role_name(uint16_t role);
/* The role of that name, or -1. */
int role_find(struct str name);

/* Attributes add to those the theme gives the role. CELL_SOLID draws the character in the role's
 * background colour: block elements at a slice's fractional edges, filled bars; CELL_SHADED with it
 * puts that on a shade of the same colour, where there is no other ground. */
enum cell_attr {
    CELL_BOLD = 1,
    CELL_REVERSE = 2,
    CELL_UNDERLINE = 4,
    CELL_FAINT = 8,
    CELL_SOLID = 16,
    CELL_SHADED = 32,
};

/* Marks over and under a character that a cell keeps, as many as curses takes. */
enum { CELL_MARKS = 4 };

/* `ch` is 0 in the right half of a wide character. `marks` ends with a 0 if there are fewer; blanks
 * and right halves have none. `ground` is the role whose background shows
 * where the cell's own role has none, and behind solid cells; ROLE_DEFAULT is the screen's own. */
struct cell {
    char32_t ch;
    uint16_t role;
    uint8_t attrs;
    uint8_t ground;
    char32_t marks[CELL_MARKS];
};

struct rect {
    int x, y, w, h;
};

/* Everything drawn outside `clip` (or the buffer) is cut off silently, so views need no checks. */
struct cells {
    int width, height;
    struct rect clip;
    struct cell *items; /* row after row */
};

/* What the screen can show; views choose their glyphs by it. Without colours slices are drawn as
 * "[name ]"; without UTF-8 every glyph needs an ASCII form (cells_make_ascii knows the usual). */
struct look {
    bool ascii;
    bool mono;
};

/* Sizes are clamped to 1..CELLS_MAX_WIDTH and 1..CELLS_MAX_HEIGHT. Starts out as blanks. */
enum { CELLS_MAX_WIDTH = 2000, CELLS_MAX_HEIGHT = 1000 };
void cells_init(struct cells *c, int width, int height);
void cells_release(struct cells *c);
/* Another size, all blanks. */
void cells_resize(struct cells *c, int width, int height);
/* All blanks in the default role, nothing clipped. */
void cells_clear(struct cells *c);

/* Restricts drawing to `r` within the buffer and returns the former clip, to be set again. */
struct rect cells_clip(struct cells *c, struct rect r);

/* The cell at x, y, or NULL outside the buffer. For tests and overlays. */
struct cell *cells_at(const struct cells *c, int x, int y);
/* Whether the row is the same in two pictures of one width. */
bool cells_same_row(const struct cells *a, const struct cells *b, int y);

/* A cell's character with its marks in UTF-8; returns the bytes, 0 for a right half. No NUL. */
enum { CELL_BYTES_MAX = (1 + CELL_MARKS) * 4 };
size_t cell_print(const struct cell *cell, char out[CELL_BYTES_MAX]);

/* One character. A wide one takes two cells and becomes a blank where only half of it fits;
 * one of no width is not drawn; one that is not printable becomes '?'. Overwriting half of a wide
 * character blanks the other half. */
void cells_put(struct cells *c, int x, int y, char32_t ch, uint16_t role, uint8_t attrs);

/* Text, escaped as by text_escape_next; a mark without a character before it stands on a dotted
 * circle. At most `max` cells; what is longer ends in '~' (one cell) so that a cut is always
 * visible. Returns the cells used, also of those clipped. */
int cells_put_text(struct cells *c, int x, int y, int max, struct str text, uint16_t role,
                   uint8_t attrs);
/* The same for a NUL-terminated string of our own, with printf formats. */
__attribute__((format(printf, 7, 8))) int cells_put_format(struct cells *c, int x, int y, int max,
                                                           uint16_t role, uint8_t attrs,
                                                           const char *format, ...);

void cells_fill(struct cells *c, struct rect r, char32_t ch, uint16_t role, uint8_t attrs);
/* A frame of line-drawing characters around the rectangle's inside edge; title may be empty. */
void cells_box(struct cells *c, struct rect r, struct str title, uint16_t role);
/* Change what lies there already: the roles, more attributes, the ground. */
void cells_set_role(struct cells *c, struct rect r, uint16_t role);
void cells_add_attrs(struct cells *c, struct rect r, uint8_t attrs);
void cells_set_ground(struct cells *c, struct rect r, uint16_t ground);

/* Copies all of `from` to x, y of `to`, within `to`'s clip. */
void cells_copy(struct cells *to, int x, int y, const struct cells *from);

/* An eighth block for a bar of `eighths` (0..8): ' ', '▁'..'█' upwards, ' ', '▏'..'█' from the
 * left. In ASCII the first is one of " .:-=+*#" and '#'. */
char32_t glyph_bar(int eighths, bool ascii);
char32_t glyph_left(int eighths, bool ascii);
/* `part` of `whole`, at most all of it, as a bar in text of at most `width` cells, in eighths; what
 * is more than nothing has one. `out` has room for BAR_BYTES_MAX; `width` is at most BAR_MAX. */
enum { BAR_MAX = 40, BAR_BYTES_MAX = BAR_MAX * 3 + 1 };
void bar_text(uint64_t part, uint64_t whole, int width, char *out);
/* The ASCII character for a glyph: bars, lines, arrows, triangles, braille; '?' for others. */
char32_t glyph_ascii(char32_t ch);
/* Replaces every character outside ASCII; marks go. */
void cells_make_ascii(struct cells *c);

/* The planes as text, a line a row, for goldens; blanks (in the role plane: default roles) at
 * the ends of lines are left out. For free(). The role plane has the letters of CELL_ROLES. */
char *cells_text(const struct cells *c);
char *cells_roles(const struct cells *c);

struct theme;
/* A picture: an SVG document in the theme's colours with block, braille and line-drawing cells as
 * shapes, since fonts do not tile. The cursor is marked where `cursor_x` is not negative. Text in
 * a monospace font, each run pinned to its cells. For free(). */
char *cells_svg(const struct cells *c, const struct theme *theme, int cursor_x, int cursor_y);

/* How the theme shows each cell where there are all colours, for goldens: a character a cell, then
 * a line for each of them: "! = 231/#ffffff - bold". For free(). */
char *cells_colours(const struct cells *c, const struct theme *theme);

#endif
