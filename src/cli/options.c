#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "text/edits.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/shell.h"
#include "text/time_text.h"
#include "sql/export/result_writer.h"
#include "parsers/formats.h"

enum {
    HELP_WIDTH = 80,
    HELP_COLUMN = 21, /* where what an option does begins */
    FIRST_CODE = 256, /* getopt's code of option i is FIRST_CODE + i: no letter */
};

/* A table as getopt_long() wants it. */
struct getopt_tables {
    struct option *names;
    char *letters;
};

static struct getopt_tables make_getopt_tables(const struct option_table *table, const char *mode)
{
    struct getopt_tables t = {
        .names = alloc_array(table->count + 1, sizeof *t.names), /* the last one is all 0 */
        .letters = alloc_bytes(2 * table->count + 3),
    };
    char *letter = t.letters;
    while (*mode)
        *letter++ = *mode++;
    for (size_t i = 0; i < table->count; i++) {
        const struct command_option *o = &table->options[i];
        t.names[i] = (struct option){o->name, o->value ? required_argument : no_argument, NULL,
                                     FIRST_CODE + (int)i};
        if (!o->letter)
            continue;
        *letter++ = o->letter;
        if (o->value)
            *letter++ = ':';
    }
    *letter = 0;
    return t;
}

/* The option that getopt_long() gave this code for; NULL: none of the table. */
static const struct command_option *find_option(const struct option_table *table, int code)
{
    for (size_t i = 0; i < table->count; i++)
        if (code == FIRST_CODE + (int)i || (code > 0 && code == table->options[i].letter))
            return &table->options[i];
    return NULL;
}

/* Whether the program is called as trace_processor_shell is: that has the option. */
static bool shell_is_meant_by(const struct option_table *table, const char *word)
{
    const struct option_table *shell = &shell_classic_options;
    for (size_t i = 0; i < shell->count && table == &view_options; i++) {
        const struct command_option *o = &shell->options[i];
        if (strncmp(word, "--", 2) == 0 ? strcmp(word + 2, o->name) == 0 : word[1] == o->letter)
            return true;
    }
    return false;
}

const char *options_nearest(const struct option_table *table, const char *wanted)
{
    const char *nearest = NULL;
    int least = EDITS_MAX_LENGTH;
    for (size_t i = 0; i < table->count; i++) {
        int edits = edits_between(wanted, table->options[i].name);
        if (edits >= least || !edits_are_slip(wanted, edits))
            continue;
        least = edits;
        nearest = table->options[i].name;
    }
    return nearest;
}

static int refuse_unknown(const struct option_table *table, const char *word)
{
    char wanted[EDITS_MAX_LENGTH + 1];
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(word, "="), word);
    if (shell_is_meant_by(table, wanted))
        return usage_error("%s has no option %s; trace_processor_shell has, a link to this program",
                           table->owner, wanted);
    const char *nearest = word[1] == '-' ? options_nearest(table, wanted + 2) : NULL;
    if (nearest)
        return usage_error("%s has no option %s: did you mean --%s?", table->owner, wanted,
                           nearest);
    return usage_error("%s has no option %s", table->owner, wanted);
}

/* Why getopt_long() refused the word before optind. */
static int explain_refusal(const struct option_table *table, int code, char **argv)
{
    const struct command_option *o = find_option(table, optopt);
    if (o && code == ':')
        return usage_error("--%s needs a value", o->name);
    if (o)
        return usage_error("--%s takes no value", o->name);
    char letter[] = {'-', (char)optopt, 0};
    if (optopt)
        return refuse_unknown(table, letter);
    return refuse_unknown(table, argv[optind - 1]);
}

/* Whether what looks like an option is SQL that begins with a comment: no option has a blank in its
 * name. */
static bool is_sql_comment(const char *word)
{
    char end = word[strcspn(word, "= \t\r\n")];
    return strncmp(word, "--", 2) == 0 && end && end != '=';
}

int option_take(const struct command_option *o, void *self, const char *value)
{
    if (o->set)
        return o->set(self, value);
    char *member = (char *)self + o->offset;
    if (o->member == OPTION_MEMBER_BOOL)
        *(bool *)(void *)member = true;
    else
        *(const char **)(void *)member = value;
    return EXIT_DONE;
}

/* As getopt_long() with words in their place, for which - is a word in every C library: musl's
 * ends there. */
static int next_in_place(int argc, char **argv, const struct getopt_tables *t)
{
    int code = getopt_long(argc, argv, t->letters, t->names, NULL);
    bool at_dash = code == -1 && optind < argc && strcmp(argv[optind], "-") == 0;
    if (!at_dash || strcmp(argv[optind - 1], "--") == 0)
        return code;
    optarg = argv[optind++];
    return 1;
}

int options_walk(const struct option_table *table, void *self,
                 int (*take)(const struct command_option *option, void *self, const char *value),
                 int (*add)(void *self, const char *word), int argc, char **argv)
{
    /* Words come in their place, whatever POSIXLY_CORRECT says, and a missing value is told from an
     * unknown option. */
    struct getopt_tables t = make_getopt_tables(table, "-:");
    int status = EXIT_DONE, code;
    optind = 0; /* from the start, whoever called getopt before */
    opterr = 0;
    while (status == EXIT_DONE && (code = next_in_place(argc, argv, &t)) != -1) {
        const struct command_option *o = find_option(table, code);
        if (o)
            status = take(o, self, optarg);
        else if (code == 1)
            status = add(self, optarg);
        else if (optind > 0 && is_sql_comment(argv[optind - 1]))
            status = add(self, argv[optind - 1]);
        else
            status = explain_refusal(table, code, argv);
    }
    while (status == EXIT_DONE && optind < argc)
        status = add(self, argv[optind++]);
    free(t.names);
    free(t.letters);
    return status;
}

int options_parse(const struct option_table *table, void *self,
                  int (*add)(void *self, const char *word), int argc, char **argv)
{
    return options_walk(table, self, option_take, add, argc, argv);
}

int options_parse_usual(const struct option_table *table, void *self, int argc, char **argv)
{
    struct getopt_tables t = make_getopt_tables(table, "");
    int code;
    bool refused = false;
    optind = 0;
    opterr = 1;
    while (!refused && (code = getopt_long(argc, argv, t.letters, t.names, NULL)) != -1) {
        const struct command_option *o = find_option(table, code);
        refused = !o || option_take(o, self, optarg) != EXIT_DONE;
    }
    free(t.names);
    free(t.letters);
    return refused ? -1 : optind;
}

/* Writes `text` from column `at` on, in lines that begin at HELP_COLUMN. */
static void print_wrapped(const char *text, size_t at, FILE *f)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > HELP_COLUMN && at + 1 + n >= HELP_WIDTH) {
            fprintf(f, "\n%*s", HELP_COLUMN, "");
            at = HELP_COLUMN;
        } else if (at > HELP_COLUMN) {
            fputc(' ', f);
            at++;
        }
        fwrite(text, 1, n, f);
        at += n;
        text += n + (text[n] == ' ');
    }
    fputc('\n', f);
}

void options_print_help(const struct option_table *table, FILE *f)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct command_option *o = &table->options[i];
        int n = fprintf(f, "  ");
        if (o->letter)
            n += fprintf(f, "-%c, ", o->letter);
        n += fprintf(f, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (n + 1 < HELP_COLUMN)
            fprintf(f, "%*s", HELP_COLUMN - n, "");
        else
            fprintf(f, "\n%*s", HELP_COLUMN, "");
        print_wrapped(o->help, HELP_COLUMN, f);
    }
}

void options_print_list(const struct option_table *table, FILE *f)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct command_option *o = &table->options[i];
        fprintf(f, "%s\t", table->owner);
        if (o->letter)
            fprintf(f, "-%c", o->letter);
        fprintf(f, "\t--%s\t%s\t%s\t%s\n", o->name, o->value ? o->value : "", o->help,
                o->more ? o->more : "");
    }
}

static bool read_bytes(struct str digits, uint64_t *out)
{
    static const char units[] = "kmg";
    const char *unit = digits.n > 0 ? strchr(units, digits.p[digits.n - 1] | 0x20) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    digits.n -= unit != NULL;
    if (!str_to_u64(digits, 10, out) || *out > UINT64_MAX >> shift)
        return false;
    *out <<= shift;
    return *out > 0;
}

int options_result_format(const char *value, const struct result_format **format)
{
    *format = result_format_find(value);
    if (*format)
        return EXIT_DONE;
    return usage_error("--format %s: expected %s", value, RESULT_FORMAT_NAMES);
}

int options_seconds(const char *option, const char *value, double *seconds)
{
    char *end;
    *seconds = strtod(value, &end);
    if (!*end && end != value && *seconds > 0 && *seconds < 1e9)
        return EXIT_DONE;
    return usage_error("--%s %s: expected a number of seconds", option, value);
}

bool options_bytes(const char *value, uint64_t *bytes)
{
    return read_bytes(str_from(value), bytes);
}

int options_memory(void *self, const char *value)
{
    uint64_t bytes;
    (void)self;
    if (!options_bytes(value, &bytes))
        return usage_error("--memory wants bytes, as 500M, not %s", value);
    block_store_fix_limit(bytes);
    return EXIT_DONE;
}

int options_sort_memory(const char *value, uint64_t *bytes)
{
    if (options_bytes(value, bytes))
        return EXIT_DONE;
    return usage_error("--sort-memory wants bytes, as 500M, not %s", value);
}

static int read_time(const char *option, const char *value, struct time_text *out)
{
    if (time_text_read(str_from(value), out))
        return EXIT_DONE;
    return usage_error("--%s wants a time, as 614.037 (ms), 1.5s, 300us, 1:02:03 or ns of the "
                       "trace clock, not %s",
                       option, value);
}

int options_from(const char *value, struct time_window *window)
{
    window->has_from = true;
    int status = read_time("from", value, &window->from);
    if (status == EXIT_DONE && window->from.origin == TIME_RELATIVE)
        return usage_error("--from wants a time without a sign, not %s", value);
    return status;
}

int options_to(const char *value, struct time_window *window)
{
    window->has_to = true;
    return read_time("to", value, &window->to);
}

int options_format(const char *value, const struct trace_format **format)
{
    *format = trace_format_named(value);
    if (*format)
        return EXIT_DONE;
    return usage_error("--as %s: expected a format that `tptui formats` lists", value);
}
