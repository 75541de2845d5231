/* tptui TRACE: the timeline. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/alert_rules.h"
#include "cli/command.h"
#include "cli/config.h"
#include "parsers/trace_folder.h"
#include "tui/app/app.h"
#include "tui/app/bindings.h"
#include "tui/cells/cells.h"
#include "tui/cells/theme.h"

static int set_ascii(void *self, const char *value)
{
    (void)value;
    ((struct tui_options *)self)->charset = CHARSET_ASCII;
    return EXIT_DONE;
}

static int set_utf8(void *self, const char *value)
{
    (void)value;
    ((struct tui_options *)self)->charset = CHARSET_UTF8;
    return EXIT_DONE;
}

static int set_escape_delay(void *self, const char *value)
{
    uint64_t ms;
    if (!str_to_u64(str_from(value), 10, &ms) || ms > 5000)
        return usage_error("--escape-delay wants milliseconds, not %s", value);
    ((struct tui_options *)self)->escape_delay_ms = (int)ms;
    return EXIT_DONE;
}

static int set_from(void *self, const char *value)
{
    return options_from(value, &((struct tui_options *)self)->window);
}

static int set_to(void *self, const char *value)
{
    return options_to(value, &((struct tui_options *)self)->window);
}

static int set_sort_memory(void *self, const char *value)
{
    return options_sort_memory(value, &((struct tui_options *)self)->sort_memory);
}

static int set_as(void *self, const char *value)
{
    return options_format(value, &((struct tui_options *)self)->as);
}

/* Lives as long as the process. */
static struct {
    VEC(const char *) v;
} debug_tracks;

static int add_debug_track(void *self, const char *value)
{
    struct tui_options *o = self;
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1])
        return usage_error("--debug-track wants NAME=SQL, not %s", value);
    *vec_push(&debug_tracks.v) = value;
    o->debug_tracks = debug_tracks.v.items;
    o->debug_track_count = debug_tracks.v.count;
    return EXIT_DONE;
}

/* As long as the process, too. */
static struct bindings *bindings;

static int report(struct status s)
{
    if (status_ok(s))
        return EXIT_DONE;
    int status = usage_error("%s", s.message);
    status_release(&s);
    return status;
}

/* Loaded here once to be refused where it was named, which may be a line of the configuration. */
static int set_theme(void *self, const char *value)
{
    struct theme theme;
    ((struct tui_options *)self)->theme = value;
    return report(theme_load(value, &theme));
}

static int set_key(void *self, const char *value)
{
    if (!bindings)
        bindings = bindings_new();
    ((struct tui_options *)self)->bindings = bindings;
    return report(bindings_set(bindings, str_from(value), config_place()));
}

int view_check(const struct tui_options *o)
{
    return o->bindings ? report(bindings_check(o->bindings)) : EXIT_DONE;
}

static int set_align(void *self, const char *value)
{
    struct pair_options *p = &((struct tui_options *)self)->pair;
    p->shifted = str_to_i64(str_from(value), &p->shift);
    p->align = p->shifted ? NULL : value;
    return EXIT_DONE;
}

static int set_first_part(void *self, const char *value)
{
    return options_bytes(value, &((struct tui_options *)self)->first_part)
               ? EXIT_DONE
               : usage_error("--first-part wants a number of bytes, as 32M, not %s", value);
}

/* "120x36". */
static int set_size(void *self, const char *value)
{
    struct tui_options *o = self;
    struct str s = str_from(value);
    size_t x = str_find(s, 'x');
    uint64_t w, h;
    if (x == s.n || !str_to_u64(str_from_to(s, 0, x), 10, &w) ||
        !str_to_u64(str_skip(s, x + 1), 10, &h) || w < 1 || h < 1 || w > CELLS_MAX_WIDTH ||
        h > CELLS_MAX_HEIGHT)
        return usage_error("--size wants WIDTHxHEIGHT, not %s", value);
    o->width = (int)w;
    o->height = (int)h;
    return EXIT_DONE;
}

/* What the timeline and tptui sql have in common. */
#define DISPLAY_OPTIONS                                                                            \
    {.name = "theme",                                                                              \
     .value = "NAME",                                                                              \
     .help = "dark, light, contrast, colourblind, or a file in ~/.config/tptui/themes",            \
     .set = set_theme},                                                                            \
        {.name = "ascii", .help = "draw with ASCII characters only", .set = set_ascii},            \
        {.name = "utf8",                                                                           \
         .help = "draw with all characters, whatever the locale says",                             \
         .set = set_utf8},                                                                         \
        {.name = "mouse",                                                                          \
         .help = "with the mouse from the start",                                                  \
         OPTION_INTO(struct tui_options, mouse)},                                                  \
        {.name = "key",                                                                            \
         .value = "ACTION=KEYS",                                                                   \
         .help = "other keys for an action, as \"top = g g, Home\"; repeatable",                   \
         .more = "Two keys in sequence are parted by a blank, several by a comma and a blank; no " \
                 "keys take those away that it has. tptui config lists the actions.",              \
         .set = set_key},                                                                          \
        {.name = "escape-delay",                                                                   \
         .value = "MS",                                                                            \
         .help = "how long a lone Esc waits for the rest of a key (25)",                           \
         .set = set_escape_delay},                                                                 \
        ALERTS_OPTION, AS_OPTION(set_as), MEMORY_OPTION, SORT_MEMORY_OPTION(set_sort_memory),      \
        NO_VECTOR_OPTION(OPTION_INTO(struct tui_options, no_vector)),                              \
        CACHE_OPTIONS(OPTION_INTO(struct tui_options, cache.off),                                  \
                      OPTION_INTO(struct tui_options, cache.file)),                                \
        WINDOW_OPTIONS(set_from, set_to)

#define SIZE_OPTION                                                                                \
    {                                                                                              \
        .name = "size", .value = "WxH",                                                            \
        .help = "of the screen where there is no terminal (120x36)", .set = set_size               \
    }

/* Driven by a file instead of a terminal. */
#define SCRIPT_OPTIONS                                                                             \
    {.name = "script",                                                                             \
     .value = "FILE",                                                                              \
     .help = "keys and commands from a file, without a terminal",                                  \
     .more = "See SCRIPTS.",                                                                       \
     OPTION_INTO(struct tui_options, script)},                                                     \
        SIZE_OPTION

static const struct command_option options[] = {
    {.name = "goto",
     .value = "PLACE",
     .help = "start there: slice|state|sched|counter ID or time NS, and behind it, if wanted, "
             "window START DUR in ns, and the rows as y l copies them",
     .more = "The keys y l copy the command for the place of the cursor.",
     OPTION_INTO(struct tui_options, place)},
    {.name = "session",
     .value = "FILE",
     .help = "bring back what FILE says of place, rows, marks and area, and keep it there at the "
             "end",
     .more = "Without it, they are kept for each trace in $XDG_STATE_HOME/tptui, or "
             "~/.local/state/tptui; forget-session in the palette forgets them.",
     OPTION_INTO(struct tui_options, session)},
    {.name = "debug-track",
     .value = "NAME=SQL",
     .help = "make a track of the rows of a query: ts, and dur and name, or value; repeatable",
     .more =
         "A column color decides the colour. Rows with the same flow_id are joined by arrows; so "
         "are "
         "those whose ids a query yields as from_id and to_id, with from_track and to_track where "
         "the same id is on several tracks.",
     .set = add_debug_track},
    {.name = "compare",
     .value = "FILE",
     .help = "a second trace beside the first, in one timeline: A and B",
     .more = "They begin together; processes of one name stand together. D lists what differs.",
     OPTION_INTO(struct tui_options, pair.b)},
    {.name = "align",
     .value = "NAME",
     .help = "let the first slices of that name (a GLOB) begin together in traces compared",
     .more = "A number instead is added to the times of the second, in ns.",
     .set = set_align},
    {.name = "follow",
     .help = "load the trace anew as it grows",
     .more = "What is shown stays until the new one is there, and while the query pane is open; "
             "place, area, marks and filter stay, tables that a query made do not. A window at the "
             "end moves along. Where the file is gone or cannot be read any more the header says "
             "that what "
             "is shown is from before. Not for standard input.",
     OPTION_INTO(struct tui_options, follow)},
    {.name = "first-part",
     .value = "BYTES",
     .help =
         "what to read of a large trace before it is shown (a sixteenth of the file, 32M at most)",
     .more =
         "From 192M on, in formats that trim can write. The header says how much is read; findings "
         "and queries wait for all; Ctrl-C stops reading and keeps the part. Of standard input "
         "what has come is shown after 0.7 s, and again once it has doubled.",
     .set = set_first_part},
    {.name = "sql",
     .help = "start in the query pane, over the whole screen, as tptui sql does",
     OPTION_INTO(struct tui_options, sql)},
    DISPLAY_OPTIONS,
    SCRIPT_OPTIONS,
};

const struct option_table view_options = {"the timeline", options,
                                          sizeof options / sizeof *options};

static int set_trace(void *self, const char *word)
{
    struct tui_options *o = self;
    if (o->path && access(o->path, F_OK) != 0)
        return refuse_command(o->path);
    if (o->path)
        return usage_error(
            "one trace at a time: %s and %s; tptui diff shows two, tptui merge makes "
            "one of several",
            o->path, word);
    o->path = word;
    return EXIT_DONE;
}

/* Whether a word that is no file looks like a command's name rather than a file's. */
static bool looks_like_command(const char *word)
{
    return access(word, F_OK) != 0 && strcmp(word, "-") != 0 && strpbrk(word, "./ ") == NULL;
}

/* A folder, where all that is wanted of one trace can be wanted of any, or no word at all. */
static void choose_from_list(struct tui_options *o)
{
    bool of_one = o->pair.b || o->place || o->session || o->follow || o->debug_track_count > 0;
    bool wanted = o->path ? trace_folder_is(o->path)
                          : o->show || o->script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    o->list = wanted && !of_one;
}

static struct tui_options usual_options(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return (struct tui_options){.no_colour = no_colour && *no_colour};
}

static int run_view(struct tui_options *o, int argc, char **argv)
{
    int status = options_parse(&view_options, o, set_trace, argc, argv);
    if (status == EXIT_DONE)
        status = view_check(o);
    if (status != EXIT_DONE)
        return status;
    if (o->path && !*o->path)
        return usage_error("which trace?");
    if (o->path && looks_like_command(o->path))
        return refuse_command(o->path);
    choose_from_list(o);
    if (!o->path && !o->list)
        return usage_error("which trace?");
    struct status s;
    o->alerts = alert_rules(&s);
    o->foreign_sql = alert_rules_foreign();
    status = report(s);
    if (status != EXIT_DONE)
        return status;
    if ((o->pair.align || o->pair.shifted) && !o->pair.b)
        return usage_error("--align is for two traces: --compare names the second");
    if (o->pair.b && (o->follow || strcmp(o->path, "-") == 0 || strcmp(o->pair.b, "-") == 0))
        return usage_error("--compare wants two files that do not grow");
    o->pair.a = o->path;
    if (o->follow && o->path && strcmp(o->path, "-") == 0)
        return usage_error("--follow wants a file that grows, not standard input");
    return tui_main(o);
}

int view_command(int argc, char **argv)
{
    struct tui_options o = usual_options();
    struct text_file config;
    int status = config_read(&view_options, &view_options, &o, &config);
    if (status == EXIT_DONE)
        status = run_view(&o, argc, argv);
    text_file_release(&config);
    return status;
}

int view_live(const char *path, const char *script)
{
    struct tui_options o = usual_options();
    struct text_file config;
    int status = config_read(&view_options, &view_options, &o, &config);
    o.path = o.pair.a = path;
    o.script = script;
    o.follow = o.follow_whole = o.cache.off = true;
    if (status == EXIT_DONE)
        status = view_check(&o);
    if (status == EXIT_DONE) {
        struct status s;
        o.alerts = alert_rules(&s);
        o.foreign_sql = alert_rules_foreign();
        status = report(s);
    }
    if (status == EXIT_DONE)
        status = tui_main(&o);
    text_file_release(&config);
    return status;
}

static const struct command_option sql_table[] = {DISPLAY_OPTIONS, SCRIPT_OPTIONS};
static const struct option_table sql_options = {"sql", sql_table,
                                                sizeof sql_table / sizeof *sql_table};

/* In a pipe what stands there are statements, and rows come out. */
static int run_in_pipe(const struct tui_options *o)
{
    char memory[40];
    const char *words[12] = {"query", o->path, "--file", "-"};
    char *copies[12] = {0};
    int n = 4;
    snprintf(memory, sizeof memory, "--sort-memory=%" PRIu64, o->sort_memory);
    if (o->sort_memory > 0)
        words[n++] = memory;
    if (o->as) {
        words[n++] = "--as";
        words[n++] = trace_format_key(o->as);
    }
    if (o->cache.off)
        words[n++] = "--no-cache";
    if (o->cache.file) {
        words[n++] = "--cache";
        words[n++] = o->cache.file;
    }
    for (int i = 0; i < n; i++) /* getopt_long moves them */
        copies[i] = alloc_copy(words[i], strlen(words[i]));
    char *moved[12];
    memcpy(moved, copies, sizeof moved);
    int status = query_cmd.run(n, moved);
    for (int i = 0; i < n; i++)
        free(copies[i]);
    return status;
}

static int run_sql(struct tui_options *o, int argc, char **argv)
{
    int status = options_parse(&sql_options, o, set_trace, argc, argv);
    if (status == EXIT_DONE)
        status = view_check(o);
    if (status != EXIT_DONE)
        return status;
    if (!o->path)
        return usage_error("sql needs a trace");
    bool terminal = isatty(STDOUT_FILENO) && (isatty(STDIN_FILENO) || strcmp(o->path, "-") == 0);
    if (!terminal && !o->script)
        return run_in_pipe(o);
    struct status s;
    o->alerts = alert_rules(&s);
    o->foreign_sql = alert_rules_foreign();
    status = report(s);
    if (status != EXIT_DONE)
        return status;
    o->sql = o->below_prompt = true;
    return tui_main(o);
}

static int sql_command(int argc, char **argv)
{
    struct tui_options o = usual_options();
    struct text_file config;
    int status = config_read(&sql_options, &view_options, &o, &config);
    if (status == EXIT_DONE)
        status = run_sql(&o, argc, argv);
    text_file_release(&config);
    return status;
}

const struct command sql_cmd = {
    .name = "sql",
    .usage = "TRACE\0write SQL and look at rows, below the prompt; in a pipe, as query -f -\0",
    .options = &sql_options,
    .run = sql_command,
};

static const struct command_option show_table[] = {
    {.name = "at",
     .value = "TIME",
     .help =
         "a fiftieth of the trace around that time from the start (614.037 (ms), 1.2s, 1:02:03), "
         "and below it all that happens then, also in what is folded",
     OPTION_INTO(struct tui_options, at)},
    {.name = "goto",
     .value = "PLACE",
     .help = "with the cursor there: slice|state|sched|counter ID or time NS",
     OPTION_INTO(struct tui_options, place)},
    {.name = "ascii", .help = "with ASCII characters only", .set = set_ascii},
    SIZE_OPTION,
    ALERTS_OPTION,
    AS_OPTION(set_as),
    CACHE_OPTIONS(OPTION_INTO(struct tui_options, cache.off),
                  OPTION_INTO(struct tui_options, cache.file)),
    WINDOW_OPTIONS(set_from, set_to),
};

static const struct option_table show_options = {"show", show_table,
                                                 sizeof show_table / sizeof *show_table};

/* What is kept of the trace is neither read nor changed. */
static int show_command(int argc, char **argv)
{
    struct tui_options o = usual_options();
    o.charset = CHARSET_UTF8;
    int status = options_parse(&show_options, &o, set_trace, argc, argv);
    if (status != EXIT_DONE)
        return status;
    o.script = "";
    o.show = standard_output();
    choose_from_list(&o);
    if (o.path ? !*o.path : !o.list)
        return usage_error("which trace?");
    struct status s;
    o.alerts = alert_rules(&s);
    status = report(s);
    o.pair.a = o.path;
    return status == EXIT_DONE ? tui_main(&o) : status;
}

const struct command show_cmd = {
    .name = "show",
    .usage = "[TRACE|FOLDER]\0what the first screen shows, as text, from top to bottom\0",
    .options = &show_options,
    .run = show_command,
};
