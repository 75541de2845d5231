#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/command.h"
#include "tui/app/app.h"
#include "tui/cells/cells.h"

/* "120x36". */
static bool parse_size(const char *text, int *width, int *height)
{
    struct str s = str_from(text);
    size_t x = str_find(s, 'x');
    uint64_t w, h;
    if (x == s.n || !str_to_u64(str_from_to(s, 0, x), 10, &w) ||
        !str_to_u64(str_skip(s, x + 1), 10, &h) || w < 1 || h < 1 || w > CELLS_MAX_WIDTH ||
        h > CELLS_MAX_HEIGHT)
        return false;
    *width = (int)w;
    *height = (int)h;
    return true;
}

/* An option that takes a value: the value, and `i` moves onto it; NULL where it is another one. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n) != 0)
        return NULL;
    if (argv[*i][n] == '=')
        return argv[*i] + n + 1;
    return argv[*i][n] == '\0' && *i + 1 < argc ? argv[++*i] : NULL;
}

int view_command(int argc, char **argv)
{
    const char *no_colour = getenv("NO_COLOR");
    struct tui_options o = {.no_colour = no_colour && *no_colour};
    for (int i = 0; i < argc; i++) {
        const char *value;
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            if (o.path && access(o.path, F_OK) != 0)
                return usage_error("there is no file and no command %s", o.path);
            if (o.path)
                return usage_error("one trace at a time: %s and %s", o.path, argv[i]);
            o.path = argv[i];
        } else if (strcmp(argv[i], "--ascii") == 0) {
            o.charset = TUI_CHARSET_ASCII;
        } else if (strcmp(argv[i], "--utf8") == 0) {
            o.charset = TUI_CHARSET_UTF8;
        } else if (strcmp(argv[i], "--mouse") == 0) {
            o.mouse = true;
        } else if ((value = value_of("--script", argc, argv, &i))) {
            o.script = value;
        } else if ((value = value_of("--goto", argc, argv, &i))) {
            o.place = value;
        } else if ((value = value_of("--theme", argc, argv, &i))) {
            o.theme = value;
        } else if ((value = value_of("--size", argc, argv, &i))) {
            if (!parse_size(value, &o.width, &o.height))
                return usage_error("--size wants WIDTHxHEIGHT, not %s", value);
        } else if ((value = value_of("--escape-delay", argc, argv, &i))) {
            uint64_t ms;
            if (!str_to_u64(str_from(value), 10, &ms) || ms > 5000)
                return usage_error("--escape-delay wants milliseconds, not %s", value);
            o.escape_delay_ms = (int)ms;
        } else {
            return usage_error("there is no option %s", argv[i]);
        }
    }
    return o.path ? tui_main(&o) : usage_error("which trace?");
}
