/* Colour themes: what each role of the cell buffer looks like, at any number of colours. */
#ifndef TPTUI_TUI_CELLS_THEME_H
#define TPTUI_TUI_CELLS_THEME_H

#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "tui/cells/cells.h"

/* `index` is one of the 256 terminal colours, or COLOUR_NONE for the terminal's own; `rgb` is
 * 0xRRGGBB, always set: what the index stands for, or what the theme says for pictures. `exact`:
 * the theme names `rgb` alone, and the index is the nearest one. */
enum { COLOUR_NONE = -1 };
struct colour {
    int16_t index;
    bool exact;
    uint32_t rgb;
};

struct role_style {
    struct colour fg, bg;
    uint8_t attrs; /* CELL_BOLD, CELL_REVERSE, CELL_UNDERLINE, CELL_FAINT */
    uint8_t mono;  /* those to add where there are no colours */
};

enum { THEME_NAME_MAX = 32 };
struct theme {
    char name[THEME_NAME_MAX];
    struct role_style roles[ROLE_COUNT];
    struct colour shades[ROLE_COUNT]; /* of the backgrounds; where there are 256 colours */
    struct role_style roles_of_16[ROLE_COUNT], roles_of_8[ROLE_COUNT]; /* with fewer colours */
};

/* The text format, one role a line, '#' starts a comment where it is the first character:
 *     ROLE = FG BG [bold] [reverse] [underline] [faint] [mono:bold] [mono:reverse] ...
 * A colour is `-` (the terminal's own), an index 0..255, or an index and how pictures show it:
 * `208/#ff8700`, `-/#101010`; or `#ff8700` alone: that very colour where the terminal has 24 bits
 * for each, else the nearest of 16..255. `mono:` attributes count where there are no colours, and
 * where a ground becomes the screen's with fewer. `ROLE@16` and `ROLE@8` say what the role looks
 * like on terminals of so many colours; without such a line its colours are reduced. A role not
 * named is like the one before its last point (`header` for `header.warning`), else like `default`;
 * names that do not exist, colours out of range and lines of another form are errors with `path`
 * and the line. */
struct status theme_parse(struct str text, const char *path, struct theme *out);

/* By name: NAME.theme in $XDG_CONFIG_HOME/tptui/themes (~/.config by default), else built in
 * ("dark", "light"). The error lists what there is. */
struct status theme_load(const char *name, struct theme *out);

/* The built-in theme number `i`, or NULL past the last; 0 is the default one. */
const char *theme_builtin_name(int i);

/* What a terminal can colour. The numbers are its colours. */
enum colour_depth {
    DEPTH_MONO = 0,
    DEPTH_8 = 8,
    DEPTH_16 = 16,
    DEPTH_256 = 256,
    DEPTH_RGB = 1 << 24
};

/* How the cell is to be shown: its role, ground and attributes put together, colours reduced to
 * `depth`. Text stays readable: where reducing leaves less than three to one between both colours,
 * the foreground becomes black or white. `exact` is only for those who have DEPTH_RGB. In mono both
 * colours are COLOUR_NONE and the attributes carry the meaning. */
struct role_style theme_style(const struct theme *t, struct cell cell, enum colour_depth depth);

#endif
