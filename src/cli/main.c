#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "tui/app/app.h"

static const char help[] =
    "Usage: tptui TRACE                       open the timeline\n"
    "       tptui query TRACE SQL             print the rows of a query\n"
    "       tptui query TRACE -f FILE         the same from a file; - is stdin; repeatable\n"
    "\n"
    "Options of query:\n"
    "  --format csv|tsv|json|jsonl|markdown|table\n"
    "                     table on a terminal, csv otherwise\n"
    "  --timeout SECONDS  stop the queries after that time\n"
    "  --add-sql-package DIR[@NAME]\n"
    "                     let queries include DIR's modules as NAME.file\n"
    "  --override-stdlib DIR\n"
    "                     modules from DIR in place of the built-in ones\n"
    "  --allow-sql-file-access\n"
    "                     let queries write files and ATTACH databases\n"
    "\n"
    "Options of the timeline:\n"
    "  --goto PLACE       start there: slice|state|sched|counter ID or time NS, and\n"
    "                     behind it, if wanted, window START DUR in ns\n"
    "  --theme NAME       dark, light, or a file in ~/.config/tptui/themes\n"
    "  --ascii, --utf8    which characters to draw with\n"
    "  --mouse            with the mouse from the start\n"
    "  --escape-delay MS  how long a lone Esc waits (25)\n"
    "  --script FILE      keys and commands from a file, without a terminal\n"
    "  --size WxH         of the screen that a script sees (120x36)\n"
    "\n"
    "Other:\n"
    "  --help, --version\n"
    "  --keys             the keys of the timeline: keys, action, what it does,\n"
    "                     group\n"
    "\n"
    "Exit status: 0 done, 1 SQL error, 2 usage, 3 the trace cannot be read.\n";

int usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("tptui: ", stderr);
    vfprintf(stderr, format, args);
    fputs("\ntry: tptui --help\n", stderr);
    va_end(args);
    return EXIT_USAGE;
}

/* A file opened later must not become stdin, stdout or stderr because those were closed. */
static void hold_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int print(const char *text)
{
    if (fputs(text, stdout) == EOF || fflush(stdout) == EOF) {
        perror("tptui: cannot write to stdout");
        return EXIT_SQL;
    }
    return EXIT_DONE;
}

/* Blocks of their own for all that grows large, which then moves by remapping and leaves no holes:
 * by itself the allocator gives that up for sizes up to the largest block that was ever freed,
 * which cost 3 MB of the 47 that a trace took. */
static void keep_large_blocks_apart(void)
{
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int main(int argc, char **argv)
{
    keep_large_blocks_apart();
    hold_standard_files();
    if (argc < 2)
        return usage_error("which trace?");
    bool query = strcmp(argv[1], "query") == 0;
    if (asks_for_help(argv[1]) || (query && argc > 2 && asks_for_help(argv[2])))
        return print(help);
    if (query)
        return query_command(argc - 2, argv + 2);
    if (strcmp(argv[1], "--keys") == 0) {
        char *keys = tui_list_actions();
        int status = print(keys);
        free(keys);
        return status;
    }
    if (strcmp(argv[1], "--version") == 0)
        return print("tptui " TPTUI_VERSION "\n");
    return view_command(argc - 1, argv + 1);
}
