/* The table that strace -c and ltrace -c print: how often which call was made, and how long all of
 * them took. Sums: rows of __intrinsic_aggregate_profile, one for the time, the calls and the
 * errors each.
 *
 *     % time     seconds  usecs/call     calls    errors syscall
 *     ------ ----------- ----------- --------- --------- ----------------
 *      85.16    0.001257         209         6         3 wait4
 *       7.25    0.000107         107         1           clone
 *     ------ ----------- ----------- --------- --------- ----------------
 *     100.00    0.001476          16        92        22 total
 *
 * Calls that are not of the machine's own kind have a table of their own: "System call usage
 * summary for 32 bit mode:" stands in front of it.
 *
 * As strace(1) says of the option --summary-only. */
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { NS_PER_SECOND = 1000000000, WORDS_MOST = 12 };

/* The values that are kept, each a profile of its own. */
enum kind { KIND_TIME, KIND_CALLS, KIND_ERRORS, KIND_COUNT };

struct call_summary {
    struct trace *trace;
    uint32_t profiles[KIND_COUNT], mapping;
    size_t column[KIND_COUNT]; /* place of its word in a line; 0: it is not there */
    size_t columns;            /* of the header, of which only errors may be missing in a line */
};

/* The words of a line; at most WORDS_MOST. */
static size_t split(struct str line, struct str *words)
{
    size_t n = 0;
    while (n < WORDS_MOST && (words[n] = str_take_word(&line)).n > 0)
        n++;
    return n;
}

/* "% time     seconds  usecs/call     calls    errors syscall" */
static bool is_header(struct str line)
{
    struct str words[WORDS_MOST];
    size_t n = split(line, words);
    return n > 4 && str_eq(words[0], STR("%")) && str_eq(words[1], STR("time")) &&
           str_eq(words[2], STR("seconds")) &&
           (str_eq(words[n - 1], STR("syscall")) || str_eq(words[n - 1], STR("function")));
}

static bool is_title(struct str line)
{
    return str_starts(line, STR("System call usage summary for "));
}

static bool is_no_row(struct str line, const struct str *words, size_t n)
{
    return n == 0 || str_starts(words[0], STR("---")) || str_eq(words[n - 1], STR("total")) ||
           is_title(line);
}

static void read_header(struct call_summary *s, struct str line)
{
    static const struct str names[] = {
        [KIND_TIME] = {"seconds", 7}, [KIND_CALLS] = {"calls", 5}, [KIND_ERRORS] = {"errors", 6}};
    struct str words[WORDS_MOST];
    size_t n = split(line, words);
    s->columns = n - 1; /* "% time" is one */
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        s->column[kind] = 0;
        for (size_t i = 2; i < n; i++)
            if (str_eq(words[i], names[kind]))
                s->column[kind] = i - 1;
    }
}

static uint32_t profile_of(struct call_summary *s, enum kind kind)
{
    static const struct str types[] = {
        [KIND_TIME] = {"time", 4}, [KIND_CALLS] = {"calls", 5}, [KIND_ERRORS] = {"errors", 6}};
    if (s->profiles[kind] != NULL_U32)
        return s->profiles[kind];
    return s->profiles[kind] =
               stack_sums_profile(s->trace, STR("call_summary"), types[kind], types[kind],
                                  kind == KIND_TIME ? STR("nanoseconds") : STR("count"));
}

static void add_value(struct call_summary *s, enum kind kind, uint32_t callsite, struct str text)
{
    double value;
    if (!str_to_f64(text, &value) || !(value > 0))
        return;
    stack_sums_add(s->trace, profile_of(s, kind), callsite,
                   kind == KIND_TIME ? value * NS_PER_SECOND : value);
}

static void add_line(void *self, struct str line)
{
    struct call_summary *s = self;
    struct str words[WORDS_MOST];
    double percent;
    if (is_header(line)) {
        read_header(s, line);
        return;
    }
    size_t n = split(line, words);
    bool lacks_errors = s->column[KIND_ERRORS] && n + 1 == s->columns;
    if (n < 2 || (n != s->columns && !lacks_errors) || !str_to_f64(words[0], &percent)) {
        if (!is_no_row(line, words, n))
            text_lines_unread(s->trace, line);
        return;
    }
    if (str_eq(words[n - 1], STR("total")))
        return;
    struct trace *t = s->trace;
    uint32_t frame = stack_frame_intern_source(t, s->mapping, trace_intern(t, words[n - 1]),
                                               NULL_STRING, NULL_U32);
    uint32_t callsite = stack_callsite_intern(t, NULL_U32, frame);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (s->column[kind] && !(kind == KIND_ERRORS && lacks_errors))
            add_value(s, kind, callsite, words[s->column[kind]]);
}

static bool call_summary_sniff(struct bytes data)
{
    struct str head = trace_format_head(data);
    for (struct str line; str_next_line(&head, &line);) {
        if (str_trim(line).n > 0 && !is_title(line))
            return is_header(line);
    }
    return false;
}

static struct status call_summary_import(struct trace *t, const char *name,
                                         struct byte_source *source)
{
    struct call_summary s = {.trace = t,
                             .profiles = {NULL_U32, NULL_U32, NULL_U32},
                             .mapping = stack_mapping_append_source(t, STR("[calls]"))};
    return text_lines_read(t, source, add_line, &s) ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format call_summary_trace_format = {
    .name = "summary of calls",
    .type = "call_summary",
    .about = "the table of strace -c and ltrace -c: begins with \"% time     seconds\"",
    .by_lines = true,
    .sniff = call_summary_sniff,
    .read_source = call_summary_import,
};
