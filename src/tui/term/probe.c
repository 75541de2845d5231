#include "tui/term/probe.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/embedded_file.h"
#include "base/utf8.h"
#include "tui/term/private_folder.h"
#include "tui/term/terminfo.h"

/* The LC_CTYPE of C.UTF-8 in a static build, else empty. */
extern const struct embedded_file locale_files[];

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static bool is_set(const char *name)
{
    return environment(name)[0] != 0;
}

__attribute__((format(printf, 2, 3))) static void notice_add(struct probe *p, const char *format,
                                                             ...)
{
    size_t used = strlen(p->notice);
    if (used && used + 2 < sizeof p->notice) {
        memcpy(p->notice + used, "; ", 3);
        used += 2;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(p->notice + used, sizeof p->notice - used, format, args);
    va_end(args);
}

/* ---- character set ---- */

static bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool try_utf8_locales(void)
{
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_CTYPE, names[i]) && locale_is_utf8())
            return true;
    return false;
}

static bool add_locale(const struct private_folder *folder, const struct embedded_file *f)
{
    uLongf size = f->unpacked_size;
    void *bytes = alloc_array(size, 1);
    bool added = uncompress(bytes, &size, f->bytes, f->size) == Z_OK &&
                 private_folder_add(folder, "C.utf8", f->name, bytes, size);
    free(bytes);
    return added;
}

/* Also on a machine without locales, where the binary carries one (as static ones do). */
static bool set_utf8_locale(void)
{
    if (try_utf8_locales())
        return true;
    const struct embedded_file *f = &locale_files[0];
    struct private_folder folder = {0};
    bool set = f->name && private_folder_make(&folder, "LOCPATH") && add_locale(&folder, f) &&
               try_utf8_locales();
    private_folder_remove(&folder);
    return set;
}

/* Whether the user's locale names another character set ("de_DE.ISO-8859-1"), installed or not.
 * "C", or nothing, says nothing about the terminal. */
static bool other_charset_is_named(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = "";
    for (size_t i = 0; i < 3 && !value[0]; i++)
        value = environment(variables[i]);
    const char *dot = strchr(value, '.');
    return dot && compare_any_case_n(dot, ".utf8", 5) != 0 &&
           compare_any_case_n(dot, ".utf-8", 6) != 0;
}

static void probe_charset(struct probe *p, enum term_charset wanted)
{
    const char *locale = setlocale(LC_CTYPE, "");
    if (wanted == CHARSET_ASCII)
        return;
    p->utf8 = locale && locale_is_utf8();
    if (p->utf8)
        return;
    bool plain = !locale || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0;
    if (wanted == CHARSET_UTF8 || (plain && !other_charset_is_named()))
        p->utf8 = set_utf8_locale();
    if (!p->utf8 && wanted == CHARSET_UTF8)
        notice_add(p, "there is no UTF-8 locale on this machine, using ASCII");
    else if (!p->utf8)
        notice_add(p, "the locale is not UTF-8, using ASCII (--utf8 overrules)");
}

/* ---- description ---- */

/* "xterm-direct", and "xterm-direct16", which has as many numbers beside its colours. */
static bool is_direct(const char *name)
{
    const char *end = strstr(name, "-direct");
    return end && end[7 + strspn(end + 7, "0123456789")] == '\0';
}

/* Terminals of the kind xterm-direct know the sequences of xterm-256color. */
static const char *wanted_name(void)
{
    const char *name = environment("TERM");
    return is_direct(name) ? "xterm-256color" : name;
}

static struct status probe_name(struct probe *p)
{
    static const char *const fallbacks[] = {"xterm-256color", "ansi"};
    const char *wanted = wanted_name();
    if (strcmp(wanted, "dumb") == 0)
        return status_error(STATUS_IO, "TERM=dumb: this terminal cannot place the cursor; `tptui "
                                       "query` needs none");
    if (wanted[0] && strlen(wanted) < TERM_NAME_MAX && terminfo_find(wanted)) {
        snprintf(p->name, sizeof p->name, "%s", wanted);
        return status_ok_value();
    }
    char *shown = text_fit(str_from(wanted), 40);
    struct status s =
        status_error(STATUS_IO,
                     "TERM=%s: no terminal description that can place the cursor was found", shown);
    for (size_t i = 0; i < 2 && !status_ok(s); i++) {
        if (!terminfo_find(fallbacks[i]))
            continue;
        snprintf(p->name, sizeof p->name, "%s", fallbacks[i]);
        notice_add(p, "TERM=%s is not known here, using %s", shown, p->name);
        status_release(&s);
        s = status_ok_value();
    }
    free(shown);
    return s;
}

/* ---- abilities ---- */

/* Whether a version "3.4", "3.3a" is at least major.minor. */
static bool version_at_least(const char *version, long major, long minor)
{
    char *end;
    long first = strtol(version, &end, 10);
    long second = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return first > major || (first == major && second >= minor);
}

/* Terminals that end a frame marked so in one repaint; the others would ignore the marks, but may
 * not have been tried. Inside tmux only tmux counts: the rest is about the terminal outside. */
static bool probe_synchronised(void)
{
    static const char *const terms[] = {"xterm-kitty", "kitty",   "alacritty",    "foot",
                                        "wezterm",     "contour", "xterm-ghostty"};
    static const char *const programs[] = {"WezTerm", "iTerm.app", "ghostty", "contour"};
    if (is_set("TMUX"))
        return strcmp(environment("TERM_PROGRAM"), "tmux") == 0 &&
               version_at_least(environment("TERM_PROGRAM_VERSION"), 3, 4);
    if (is_set("STY")) /* GNU screen */
        return false;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++)
        if (strncmp(environment("TERM"), terms[i], strlen(terms[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(environment("TERM_PROGRAM"), programs[i]) == 0)
            return true;
    return is_set("KITTY_WINDOW_ID") || is_set("WEZTERM_PANE");
}

/* The variable comes from the terminal outside: tmux takes what it cannot pass on as the nearest
 * colour, GNU screen as blinking and the like. */
static bool probe_rgb(void)
{
    const char *said = environment("COLORTERM");
    if (is_set("STY"))
        return false;
    return strcmp(said, "truecolor") == 0 || strcmp(said, "24bit") == 0 ||
           is_direct(environment("TERM"));
}

struct status probe_terminal(const struct term_options *options, struct probe *out)
{
    *out = (struct probe){.no_colour = options->no_colour || is_set("NO_COLOR")};
    probe_charset(out, options->charset);
    struct status s = probe_name(out);
    out->in_tmux = is_set("TMUX");
    out->rgb = probe_rgb();
    out->synchronised = probe_synchronised();
    return s;
}

void probe_finish(void)
{
    terminfo_finish();
}
