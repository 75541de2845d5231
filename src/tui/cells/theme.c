#include "tui/cells/theme.h"

#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "base/user_path.h"
#include "base/utf8.h"
#include "base/whole_file.h"

/* The columns of themes/built-in.themes, at build time. */
extern const struct embedded_file theme_files[];

enum { RGB_UNSET = 0x1000000, RGB_FG = 0xd0d0d0, RGB_BG = 0x101010 };
enum { ATTRS = CELL_BOLD | CELL_REVERSE | CELL_UNDERLINE | CELL_FAINT };

/* ---- colours ---- */

static uint32_t index_rgb(int index)
{
    static const uint32_t first[16] = {
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
        0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    };
    static const uint8_t steps[6] = {0, 95, 135, 175, 215, 255};
    if (index < 16)
        return first[index];
    if (index >= 232) {
        uint32_t grey = 8 + 10 * (uint32_t)(index - 232);
        return grey << 16 | grey << 8 | grey;
    }
    int cube = index - 16;
    return (uint32_t)steps[cube / 36] << 16 | (uint32_t)steps[cube / 6 % 6] << 8 | steps[cube % 6];
}

static int channel(uint32_t rgb, int shift)
{
    return (int)(rgb >> shift & 0xFF);
}

/* 0 to 255, as the eye weighs it. */
static int luminance(uint32_t rgb)
{
    return (channel(rgb, 16) * 54 + channel(rgb, 8) * 183 + channel(rgb, 0) * 19) / 256;
}

/* One of the 8 or 16 basic colours, by hue: the nearest by distance would turn all pastels grey. */
static int16_t reduce_colour(uint32_t rgb, enum colour_depth depth)
{
    enum { GREY_SPREAD = 36 };
    int r = channel(rgb, 16), g = channel(rgb, 8), b = channel(rgb, 0);
    int high = r > g ? r : g, low = r < g ? r : g;
    high = high > b ? high : b;
    low = low < b ? low : b;
    if (high - low < GREY_SPREAD) {
        int level = luminance(rgb);
        if (depth == DEPTH_8)
            return level < 96 ? 0 : 7;
        return level < 48 ? 0 : level < 152 ? 8 : level < 236 ? 7 : 15;
    }
    int middle = low + (high - low) / 2;
    int hue = (r >= middle ? 1 : 0) | (g >= middle ? 2 : 0) | (b >= middle ? 4 : 0);
    return (int16_t)(depth == DEPTH_16 && high > 0xB0 ? hue + 8 : hue);
}

/* The relative luminance, with a gamma of 2 for the 2.4 of sRGB: 0 to 1,000,000. */
static int light_of(uint32_t rgb)
{
    int r = channel(rgb, 16), g = channel(rgb, 8), b = channel(rgb, 0);
    return (int)((213 * (int64_t)r * r + 715 * (int64_t)g * g + 72 * (int64_t)b * b) * 1000 /
                 65025);
}

/* Whether text of the one stands out from the other by less than three to one. */
static bool too_close(uint32_t a, uint32_t b)
{
    enum { GLARE = 50000 };
    int x = light_of(a) + GLARE, y = light_of(b) + GLARE;
    return (x > y ? x : y) < 3 * (x > y ? y : x);
}

static struct colour reduced(struct colour c, enum colour_depth depth)
{
    if (c.index >= (int)depth)
        c.index = reduce_colour(c.rgb, depth);
    return c;
}

static struct colour basic_colour(int16_t index)
{
    return (struct colour){.index = index, .rgb = index_rgb(index)};
}

/* Greys between black and white, of which eight colours have none. */
static bool is_middle_grey(struct colour c)
{
    return c.index != COLOUR_NONE && reduce_colour(c.rgb, DEPTH_16) == 8;
}

/* What the role looks like with fewer colours where the theme does not say. What has become the
 * screen's colour shows by the attributes that it has without colours. */
static struct role_style reduced_style(struct role_style s, uint32_t screen_rgb,
                                       enum colour_depth depth)
{
    bool has_ground = s.bg.index != COLOUR_NONE;
    if (depth == DEPTH_8 && !has_ground && is_middle_grey(s.fg)) {
        s.fg.index = COLOUR_NONE;
        s.attrs |= CELL_FAINT;
    }
    s.fg = reduced(s.fg, depth);
    s.bg = reduced(s.bg, depth);
    if (has_ground && s.bg.index == reduce_colour(screen_rgb, depth))
        s.attrs |= s.mono;
    return s;
}

/* Black or white, whichever stands out more from this ground, on the Linux console and in xterm,
 * where bright black is light enough for both. */
static int16_t text_on(int16_t ground, enum colour_depth depth)
{
    enum { BRIGHT_BLACK = 8 };
    if (ground != BRIGHT_BLACK && light_of(index_rgb(ground)) > 150000)
        return 0;
    return depth == DEPTH_8 ? 7 : 15;
}

/* Where text is hardly seen: black or white on a ground of the role's, the terminal's own on the
 * terminal's. */
static void keep_readable(struct role_style *s, uint32_t screen_rgb, enum colour_depth depth)
{
    if (s->bg.index == COLOUR_NONE) {
        if (s->fg.index != COLOUR_NONE && s->fg.index == reduce_colour(screen_rgb, depth))
            s->fg.index = COLOUR_NONE;
        return;
    }
    uint32_t ground = index_rgb(s->bg.index);
    if (s->fg.index == s->bg.index ||
        (s->fg.index != COLOUR_NONE && too_close(index_rgb(s->fg.index), ground)))
        s->fg = basic_colour(text_on(s->bg.index, depth));
}

/* Terminals of few colours often show bold black as dark grey. */
static void keep_black(struct role_style *s)
{
    bool reverse = s->attrs & CELL_REVERSE;
    if ((reverse ? s->bg.index : s->fg.index) == 0 && s->bg.index != COLOUR_NONE)
        s->attrs &= (uint8_t)~CELL_BOLD;
}

static const struct role_style *looks_at(const struct theme *t, enum colour_depth depth)
{
    return depth == DEPTH_16 ? t->roles_of_16 : depth == DEPTH_8 ? t->roles_of_8 : t->roles;
}

struct role_style theme_style(const struct theme *t, struct cell cell, enum colour_depth depth)
{
    const struct role_style *looks = looks_at(t, depth);
    const struct role_style *base = &looks[ROLE_DEFAULT];
    const struct role_style *own = cell.role < ROLE_COUNT ? &looks[cell.role] : base;
    const struct role_style *ground = cell.ground < ROLE_COUNT ? &looks[cell.ground] : base;
    struct role_style s = *own;
    s.attrs |= cell.attrs & ATTRS;
    if (cell.attrs & CELL_SOLID) {
        s.fg = own->bg.index == COLOUR_NONE ? own->fg : own->bg;
        s.bg = cell.attrs & CELL_SHADED && depth >= DEPTH_256 && ground == base &&
                       cell.role < ROLE_COUNT
                   ? t->shades[cell.role]
                   : ground->bg;
        s.attrs &= (uint8_t)~CELL_FAINT;
    } else if (own->bg.index == COLOUR_NONE) {
        s.bg = ground->bg;
    }
    if (depth == DEPTH_MONO) {
        s.attrs |= s.mono;
        if (cell.ground != ROLE_DEFAULT)
            s.attrs |= ground->mono;
        s.fg.index = s.bg.index = COLOUR_NONE;
    }
    if (depth == DEPTH_8 || depth == DEPTH_16) {
        keep_readable(&s, t->roles[ROLE_DEFAULT].bg.rgb, depth);
        keep_black(&s);
    }
    return s;
}

/* ---- the text format ---- */

/* "#ff8700". */
static bool parse_rgb(struct str word, uint32_t *out)
{
    uint64_t number;
    if (word.n != 7 || word.p[0] != '#' || !str_to_u64(str_skip(word, 1), 16, &number))
        return false;
    *out = (uint32_t)number;
    return true;
}

/* Of the 240 that look the same on all terminals. */
static int16_t nearest_index(uint32_t rgb)
{
    int best = 16, least = INT_MAX;
    for (int i = 16; i < 256; i++) {
        int r = channel(rgb, 16) - channel(index_rgb(i), 16),
            g = channel(rgb, 8) - channel(index_rgb(i), 8),
            b = channel(rgb, 0) - channel(index_rgb(i), 0), distance = r * r + g * g + b * b;
        best = distance < least ? i : best;
        least = distance < least ? distance : least;
    }
    return (int16_t)best;
}

static bool parse_colour(struct str word, struct colour *out)
{
    size_t slash = str_find(word, '/');
    struct str index = {word.p, slash};
    uint64_t number = 0;
    uint32_t whole;
    if (str_eq(index, STR("-")))
        *out = (struct colour){.index = COLOUR_NONE, .rgb = RGB_UNSET};
    else if (parse_rgb(word, &whole))
        *out = (struct colour){.index = nearest_index(whole), .exact = true, .rgb = whole};
    else if (index.n <= 3 && str_to_u64(index, 10, &number) && number < 256)
        *out = (struct colour){.index = (int16_t)number, .rgb = index_rgb((int)number)};
    else
        return false;
    if (slash == word.n)
        return true;
    return parse_rgb(str_skip(word, slash + 1), &out->rgb);
}

static uint8_t attr_of(struct str word)
{
    static const struct {
        const char *name;
        uint8_t attr;
    } attrs[] = {{"bold", CELL_BOLD},
                 {"reverse", CELL_REVERSE},
                 {"underline", CELL_UNDERLINE},
                 {"faint", CELL_FAINT}};
    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++)
        if (str_eq(word, str_from(attrs[i].name)))
            return attrs[i].attr;
    return 0;
}

static bool parse_attr(struct str word, struct role_style *style)
{
    bool mono = str_starts(word, STR("mono:"));
    uint8_t attr = attr_of(mono ? str_skip(word, 5) : word);
    if (mono)
        style->mono |= attr;
    else
        style->attrs |= attr;
    return attr != 0;
}

/* An error about `what` (shown escaped: a theme is a file like any other). */
static struct status line_error(const char *path, int number, const char *problem, struct str what)
{
    char *shown = text_fit(what, 60);
    struct status s = status_error(STATUS_FORMAT, "%s:%d: %s: '%s'", path, number, problem, shown);
    free(shown);
    return s;
}

/* What the lines of a theme have named, of each number of colours. */
struct named_roles {
    bool all[ROLE_COUNT], of_16[ROLE_COUNT], of_8[ROLE_COUNT];
};

/* Splits "slice.0@16": the role is left in `name`; the number of colours, DEPTH_256 where none is
 * named, or false where it is none for which looks can differ. */
static bool take_depth(struct str *name, enum colour_depth *depth)
{
    size_t at = str_find(*name, '@');
    struct str number = str_skip(*name, at);
    *depth = DEPTH_256;
    if (number.n == 0)
        return true;
    *name = (struct str){name->p, at};
    *depth = str_eq(number, STR("@16")) ? DEPTH_16 : DEPTH_8;
    return *depth == DEPTH_16 || str_eq(number, STR("@8"));
}

static void set_look(struct theme *out, struct named_roles *named, enum colour_depth depth,
                     int role, const struct role_style *style)
{
    struct role_style *looks = depth == DEPTH_16  ? out->roles_of_16
                               : depth == DEPTH_8 ? out->roles_of_8
                                                  : out->roles;
    bool *names = depth == DEPTH_16 ? named->of_16 : depth == DEPTH_8 ? named->of_8 : named->all;
    looks[role] = *style;
    names[role] = true;
}

static struct status parse_line(struct str line, const char *path, int number, struct theme *out,
                                struct named_roles *named)
{
    struct str name = str_take_word(&line), shown = name;
    if (name.n == 0 || name.p[0] == '#')
        return status_ok_value();
    enum colour_depth depth;
    if (!take_depth(&name, &depth))
        return line_error(path, number, "expected @16 or @8 after the role, found", shown);
    int role = role_find(name);
    if (role < 0)
        return line_error(path, number, "there is no role of that name", name);
    struct str equals = str_take_word(&line);
    if (!str_eq(equals, STR("=")))
        return line_error(path, number, "expected '=' after the role, found", equals);
    struct role_style style = {0};
    struct str fg = str_take_word(&line), bg = str_take_word(&line);
    if (!parse_colour(fg, &style.fg))
        return line_error(path, number, "not a foreground colour", fg);
    if (!parse_colour(bg, &style.bg))
        return line_error(path, number, "not a background colour", bg);
    for (struct str word = str_take_word(&line); word.n; word = str_take_word(&line))
        if (!parse_attr(word, &style))
            return line_error(path, number, "not an attribute", word);
    set_look(out, named, depth, role, &style);
    return status_ok_value();
}

/* The role that one which no line named looks like: "header" for "header.warning", the default for
 * "header". */
static int base_role(int role)
{
    struct str name = str_from(role_name((uint16_t)role));
    while (name.n && name.p[name.n - 1] != '.')
        name.n--;
    int base = name.n ? role_find((struct str){name.p, name.n - 1}) : -1;
    return base < 0 ? ROLE_DEFAULT : base;
}

/* Gives roles that no line named the looks of others, and every colour one for pictures. */
static void theme_complete(struct theme *t, const bool seen[ROLE_COUNT])
{
    struct role_style *base = &t->roles[ROLE_DEFAULT];
    if (!seen[ROLE_DEFAULT])
        *base = (struct role_style){.fg = {.index = COLOUR_NONE, .rgb = RGB_UNSET},
                                    .bg = {.index = COLOUR_NONE, .rgb = RGB_UNSET}};
    if (base->fg.rgb == RGB_UNSET)
        base->fg.rgb = RGB_FG;
    if (base->bg.rgb == RGB_UNSET)
        base->bg.rgb = RGB_BG;
    for (int i = 0; i < ROLE_COUNT; i++) {
        struct role_style *s = &t->roles[i];
        int like = i;
        while (!seen[like] && like != ROLE_DEFAULT)
            like = base_role(like);
        *s = t->roles[like];
        if (s->fg.rgb == RGB_UNSET)
            s->fg.rgb = base->fg.rgb;
        if (s->bg.rgb == RGB_UNSET)
            s->bg.rgb = base->bg.rgb;
    }
}

/* Makes what roles look like with 16 and 8 colours where no line says it. */
static void theme_reduce(struct theme *t, const struct named_roles *named)
{
    uint32_t screen = t->roles[ROLE_DEFAULT].bg.rgb;
    for (int i = 0; i < ROLE_COUNT; i++) {
        t->roles_of_16[i] =
            reduced_style(named->of_16[i] ? t->roles_of_16[i] : t->roles[i], screen, DEPTH_16);
        t->roles_of_8[i] =
            reduced_style(named->of_8[i] ? t->roles_of_8[i] : t->roles[i], screen, DEPTH_8);
    }
}

/* Next to the screen's colour, of the same hue: from the cube of 256 colours, whose greys would be
 * nearer by distance. */
static struct colour shade_of(uint32_t rgb, uint32_t screen)
{
    int r = channel(rgb, 16), g = channel(rgb, 8), b = channel(rgb, 0);
    int high = r > g ? r : g, low = r < g ? r : g;
    high = high > b ? high : b;
    low = low < b ? low : b;
    int middle = low + (high - low) / 2, base = luminance(screen) < 128 ? 0 : 4;
    int index =
        16 + 36 * (base + (r >= middle)) + 6 * (base + (g >= middle)) + (base + (b >= middle));
    return (struct colour){.index = (int16_t)index, .rgb = index_rgb(index)};
}

static void theme_shade(struct theme *t)
{
    for (int i = 0; i < ROLE_COUNT; i++)
        t->shades[i] = t->roles[i].bg.index == COLOUR_NONE
                           ? t->roles[ROLE_DEFAULT].bg
                           : shade_of(t->roles[i].bg.rgb, t->roles[ROLE_DEFAULT].bg.rgb);
}

struct status theme_parse(struct str text, const char *path, struct theme *out)
{
    struct named_roles named = {0};
    struct str line;
    for (int number = 1; str_next_line(&text, &line); number++) {
        struct status s = parse_line(line, path, number, out, &named);
        if (!status_ok(s))
            return s;
    }
    theme_complete(out, named.all);
    theme_reduce(out, &named);
    theme_shade(out);
    return status_ok_value();
}

/* ---- where themes come from ---- */

enum { THEME_FILE_MAX = 64 * 1024, PATH_LENGTH = 4096 };

/* A name is one path component, so that --theme cannot leave the folder. */
static bool name_is_plain(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < THEME_NAME_MAX && name[0] != '.' && !strchr(name, '/');
}

static bool theme_path(const char *name, char path[PATH_LENGTH])
{
    char file[THEME_NAME_MAX + sizeof "themes/.theme"];
    snprintf(file, sizeof file, "themes/%s.theme", name);
    return user_path(USER_CONFIG, file, path, PATH_LENGTH, false);
}

static struct status read_theme(int fd, const char *path, struct theme *out)
{
    char *text;
    size_t n;
    struct status s = whole_file_read(fd, path, THEME_FILE_MAX, &text, &n);
    if (status_ok(s))
        s = theme_parse((struct str){text, n}, path, out);
    free(text);
    return s;
}

const char *theme_builtin_name(int i)
{
    for (int at = 0; theme_files[at].name; at++)
        if (at == i)
            return theme_files[at].name;
    return NULL;
}

static struct status theme_load_builtin(const char *name, struct theme *out)
{
    for (const struct embedded_file *f = theme_files; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return theme_parse((struct str){(const char *)f->bytes, f->size}, name, out);
    char list[256] = "";
    size_t used = 0;
    for (const struct embedded_file *f = theme_files; f->name && used < sizeof list; f++)
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", f->name);
    char *shown = text_fit(str_from(name), 60);
    struct status s = status_error(STATUS_USAGE,
                                   "there is no theme '%s'; built in are:%s; others are looked "
                                   "for in $XDG_CONFIG_HOME/tptui/themes/NAME.theme",
                                   shown, list);
    free(shown);
    return s;
}

struct status theme_load(const char *name, struct theme *out)
{
    char path[PATH_LENGTH];
    *out = (struct theme){0};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (!name_is_plain(name) || !theme_path(name, path))
        return theme_load_builtin(name, out);
    if (access(path, R_OK) != 0)
        return theme_load_builtin(name, out);
    int fd;
    struct status s = whole_file_open(path, &fd);
    return status_ok(s) ? read_theme(fd, path, out) : s;
}
