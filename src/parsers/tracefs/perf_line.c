#include "parsers/tracefs/perf_line.h"

#include "core/store/table.h"
#include "parsers/text/civil_time.h"
#include "parsers/text/text_lines.h"

enum { MICROSECOND_DIGITS = 6, ADDRESS_DIGITS = 6, ADDRESS_ALONE_DIGITS = 12 };

struct str perf_line_take_last(struct str *rest)
{
    size_t end = rest->n;
    while (end > 0 && str_is_blank(rest->p[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && !str_is_blank(rest->p[start - 1]))
        start--;
    rest->n = start;
    return str_from_to((struct str){rest->p, end}, start, end);
}

/* A mode of the CPU, and what kind of record it is. */
bool perf_line_is_misc(struct str word)
{
    enum { LETTERS_MOST = 4 };
    if (word.n == 0 || word.n > LETTERS_MOST || !memchr("KUHGg", *word.p, 5))
        return false;
    for (size_t i = 1; i < word.n; i++)
        if (!(word.p[i] >= 'A' && word.p[i] <= 'Z') && word.p[i] != 'p')
            return false;
    return true;
}

static bool is_name(char c)
{
    return str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-';
}

/* "sched:sched_waking:"; without an underscore it is an event of the hardware, "cycles:u:". */
static bool is_tracepoint(struct str word)
{
    size_t colon = str_find(word, ':');
    if (colon == 0 || colon + 2 >= word.n || word.p[word.n - 1] != ':')
        return false;
    bool has_underscore = false;
    for (size_t i = 0; i + 1 < word.n; i++) {
        if (i != colon && !is_name(word.p[i]))
            return false;
        has_underscore |= word.p[i] == '_';
    }
    return has_underscore;
}

/* The event's name and what stands around it. */
static bool find_event(struct str text, struct str *before, struct trace_line *l)
{
    struct str rest = text;
    for (;;) {
        struct str word = str_take_word(&rest);
        if (word.n == 0)
            return false;
        if (!is_tracepoint(word))
            continue;
        *before = str_from_to(text, 0, (size_t)(word.p - text.p));
        l->event = str_from_to(word, str_find(word, ':') + 1, word.n - 1);
        l->args = rest;
        return true;
    }
}

bool perf_line_read_time(struct str text, int64_t *ns)
{
    double seconds;
    size_t point = str_find(text, '.');
    if (text.n - point < 1 + MICROSECOND_DIGITS || !text_seconds(text, ns))
        return false;
    if (text.n - point == 1 + MICROSECOND_DIGITS && str_to_f64(text, &seconds))
        *ns = (int64_t)(seconds * 1000 * 1000 * 1000);
    return true;
}

bool perf_line_take_day(struct str *rest, int64_t *ns)
{
    struct str before = *rest, time = perf_line_take_last(&before);
    struct str date = perf_line_take_last(&before);
    struct civil_time day;
    if (time.n == 0 || date.n == 0 || str_find(date, '-') == date.n)
        return false;
    struct str text = {date.p, (size_t)(time.p + time.n - date.p)};
    if (!civil_time_take(&text, &day) || text.n > 0)
        return false;
    *ns = civil_time_ns(&day);
    *rest = before;
    return true;
}

static bool take_time(struct str *before, struct trace_line *l)
{
    struct str rest = *before, word = perf_line_take_last(&rest);
    if (word.n > 0 && str_count_digits(word) == word.n) /* the period */
        word = perf_line_take_last(&rest);
    if (!str_ends(word, STR(":")) || !perf_line_read_time(str_from_to(word, 0, word.n - 1), &l->ts))
        return false;
    *before = rest;
    return true;
}

static bool take_cpu(struct str *before, struct trace_line *l)
{
    struct str rest = *before, word = perf_line_take_last(&rest);
    uint64_t cpu;
    if (!str_starts(word, STR("[")) || !str_ends(word, STR("]")) ||
        !str_to_u64(str_from_to(word, 1, word.n - 1), 10, &cpu) || cpu > UINT32_MAX)
        return false;
    l->cpu = (uint32_t)cpu;
    *before = rest;
    return true;
}

/* A thread's number; that of one which has ended is -1. */
static bool read_id(struct str text, uint32_t *id)
{
    uint64_t number;
    *id = UINT32_MAX;
    if (str_eq(text, STR("-1")))
        return true;
    if (text.n == 0 || !str_to_u64(text, 10, &number) || number > UINT32_MAX)
        return false;
    *id = (uint32_t)number;
    return true;
}

static bool take_ids(struct str *before, struct trace_line *l)
{
    struct str rest = *before, word = perf_line_take_last(&rest);
    if (perf_line_is_misc(word))
        word = perf_line_take_last(&rest);
    size_t slash = str_find(word, '/');
    uint32_t tgid = NULL_U32;
    if (slash < word.n && !read_id(str_from_to(word, 0, slash), &tgid))
        return false;
    if (!read_id(slash < word.n ? str_skip(word, slash + 1) : word, &l->pid))
        return false;
    l->tgid = tgid;
    *before = rest;
    return true;
}

bool perf_line_read(struct str text, struct trace_line *l)
{
    struct str before;
    int64_t day;
    *l = (struct trace_line){.kind = LINE_EVENT, .tgid = NULL_U32};
    if (!find_event(text, &before, l))
        return false;
    l->has_no_time = !take_time(&before, l);
    if (perf_line_take_day(&before, &day) && l->has_no_time) {
        l->has_no_time = false;
        l->ts = day;
    }
    l->has_no_cpu = !take_cpu(&before, l);
    l->is_of_cpu = !take_ids(&before, l);
    l->task = str_trim(before);
    l->args = perf_line_args(l->args).args;
    return true;
}

/* As perf prints it. `has_file`: what follows it tells, too, that it is one. */
static bool is_address(struct str word, bool has_file)
{
    uint64_t address;
    bool has_letter = false;
    for (size_t i = 0; i < word.n; i++)
        has_letter |= word.p[i] >= 'a' && word.p[i] <= 'f';
    if (word.n < (has_file ? ADDRESS_DIGITS : ADDRESS_ALONE_DIGITS) || str_find(word, 'x') < word.n)
        return false;
    return (has_file || has_letter) && str_to_u64(word, 16, &address);
}

/* "... (/bin/app)", "... ([kernel.kallsyms])" */
static bool ends_in_file(struct str text)
{
    size_t open = text.n;
    if (!str_ends(text, STR(")")))
        return false;
    while (open > 0 && text.p[open - 1] != '(')
        open--;
    return open > 1 && str_is_blank(text.p[open - 2]) &&
           (text.p[open] == '/' || text.p[open] == '[');
}

struct perf_line_args perf_line_args(struct str text)
{
    struct perf_line_args a = {.args = str_trim(text), .frame = {text.p, 0}};
    bool has_file = ends_in_file(a.args);
    for (struct str rest = a.args; rest.n > 0;) {
        struct str word = perf_line_take_last(&rest);
        if (is_address(word, has_file)) {
            a.frame = str_skip(a.args, (size_t)(word.p - a.args.p));
            a.args = str_trim(rest);
            return a;
        }
        if (!has_file)
            break;
    }
    return a;
}
