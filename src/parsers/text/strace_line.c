#include "parsers/text/strace_line.h"

#include <string.h>

#include "parsers/text/text_lines.h"

/* Smaller ones are no dates, longer runs of digits no pids. */
#define EARLIEST_EPOCH_NS (INT64_C(100000000) * 1000000000)
enum { EPOCH_DIGITS = 10, MICROSECOND_DIGITS = 6 };

/* The next word, behind which `rest` begins. */
static struct str take_word(struct str *rest)
{
    *rest = str_trim(*rest);
    struct str word = str_from_to(*rest, 0, str_find(*rest, ' '));
    *rest = str_trim(str_skip(*rest, word.n));
    return word;
}

static bool read_pid(struct str text, uint32_t *pid)
{
    uint64_t v;
    if (text.n == 0 || text.n >= EPOCH_DIGITS || !str_to_u64(text, 10, &v) || v > UINT32_MAX)
        return false;
    *pid = (uint32_t)v;
    return true;
}

/* A pid, where `until` follows it or, with -Y, its thread's name in brackets; what is behind those
 * is left in `rest`. */
static bool take_named_pid(struct str *rest, char until, struct strace_line *l)
{
    size_t digits = 0, end;
    while (digits < rest->n && str_is_digit(rest->p[digits]))
        digits++;
    bool has_name = digits < rest->n && rest->p[digits] == '<';
    end = digits;
    if (has_name)
        while (end < rest->n && !(rest->p[end] == until && rest->p[end - 1] == '>'))
            end++;
    if (end >= rest->n || rest->p[end] != until ||
        !read_pid(str_from_to(*rest, 0, digits), &l->pid))
        return false;
    if (has_name)
        l->thread_name = str_from_to(*rest, digits + 1, end - 1);
    *rest = str_trim(str_skip(*rest, end + 1));
    l->has_pid = true;
    return true;
}

static bool take_pid(struct str *rest, struct strace_line *l)
{
    struct str bracket = STR("[pid ");
    if (!str_starts(*rest, bracket)) {
        take_named_pid(rest, ' ', l);
        return true;
    }
    *rest = str_trim(str_skip(*rest, bracket.n));
    l->has_brackets = take_named_pid(rest, ']', l);
    return l->has_brackets;
}

/* "14:32:01" or "14:32:01.123456". */
static bool read_time_of_day(struct str text, int64_t *ns)
{
    enum { CLOCK = 8, SECONDS_AT = 6 };
    int64_t seconds;
    uint64_t hour, minute;
    if (text.n < CLOCK || text.p[2] != ':' || text.p[5] != ':' ||
        !str_to_u64(str_from_to(text, 0, 2), 10, &hour) ||
        !str_to_u64(str_from_to(text, 3, 5), 10, &minute) || hour > 24 || minute > 59)
        return false;
    struct str rest = str_skip(text, SECONDS_AT);
    uint64_t whole;
    if (str_to_u64(rest, 10, &whole) && whole <= 60)
        seconds = (int64_t)whole * 1000000000;
    else if (!text_seconds(rest, &seconds))
        return false;
    *ns = (int64_t)(hour * 60 + minute) * 60 * 1000000000 + seconds;
    return true;
}

static void take_time(struct str *rest, struct strace_line *l)
{
    struct str after = *rest, word = take_word(&after), more = STR("(+");
    uint64_t seconds;
    if (read_time_of_day(word, &l->ns)) {
        l->time = STRACE_OF_DAY;
    } else if (text_seconds(word, &l->ns)) {
        l->time = l->ns >= EARLIEST_EPOCH_NS ? STRACE_EPOCH : STRACE_RELATIVE;
    } else if (word.n == EPOCH_DIGITS && str_to_u64(word, 10, &seconds) &&
               seconds <= INT64_MAX / 1000000000) {
        l->ns = (int64_t)seconds * 1000000000;
        l->time = STRACE_EPOCH;
    } else {
        return;
    }
    *rest = after;
    l->is_coarse = word.n - str_find(word, '.') < 1 + MICROSECOND_DIGITS;
    size_t close = str_find(after, ')');
    if (str_starts(after, more) && close < after.n)
        *rest = str_trim(str_skip(after, close + 1));
}

/* What -i and -n print in brackets: where the call was made, and the call's number. */
static void take_place(struct str *rest, struct strace_line *l)
{
    enum { SHORTEST_ADDRESS = 8 };
    while (rest->n && *rest->p == '[') {
        size_t close = str_find(*rest, ']');
        if (close == rest->n)
            return;
        struct str inside = str_trim(str_from_to(*rest, 1, close));
        uint64_t v;
        if (inside.n >= SHORTEST_ADDRESS && str_to_u64(inside, 16, &v))
            l->address = inside;
        *rest = str_trim(str_skip(*rest, close + 1));
    }
}

static bool is_name(struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!(c == '_' || str_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            return false;
    }
    return text.n > 0;
}

/* The last ") = " separates args from what was returned: both may hold brackets. */
static size_t find_result(struct str text)
{
    for (size_t i = text.n; i-- > 0;) {
        if (text.p[i] != ')')
            continue;
        struct str behind = str_trim(str_skip(text, i + 1));
        if (str_starts(behind, STR("= ")))
            return i;
    }
    return text.n;
}

/* "3 <0.000012>": the time in the call comes last. */
static struct str take_duration(struct str result, int64_t *dur)
{
    if (!str_ends(result, STR(">")))
        return result;
    size_t open = result.n;
    while (open > 0 && result.p[open - 1] != '<')
        open--;
    if (open == 0 || !text_seconds(str_from_to(result, open, result.n - 1), dur))
        return result;
    return str_trim(str_from_to(result, 0, open - 1));
}

static bool find_text(struct str s, struct str what, size_t *at)
{
    const char *hit = s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    *at = hit ? (size_t)(hit - s.p) : s.n;
    return hit;
}

/* Behind "name(" or "<... name resumed>". */
static bool read_args(struct str rest, struct strace_line *l)
{
    size_t end;
    if (find_text(rest, STR("<unfinished ...>"), &end) ||
        find_text(rest, STR("<detached ...>"), &end)) {
        l->unfinished = true;
        rest = str_trim(str_from_to(rest, 0, end));
        while (rest.n && rest.p[rest.n - 1] == ',')
            rest.n--;
        l->args = str_trim(rest);
        return true;
    }
    end = find_result(rest);
    if (end == rest.n)
        return false;
    l->args = str_trim(str_from_to(rest, 0, end));
    struct str result = str_trim(str_skip(rest, end + 1));
    l->result = take_duration(str_trim(str_skip(result, 1)), &l->dur);
    return true;
}

static bool read_call(struct str rest, struct strace_line *l)
{
    struct str resumed = STR("<... ");
    if (str_starts(rest, resumed)) {
        rest = str_skip(rest, resumed.n);
        l->name = take_word(&rest);
        struct str end = STR("resumed>");
        if (!str_starts(rest, end))
            return false;
        l->resumed = true;
        rest = str_skip(rest, end.n);
    } else {
        size_t open = str_find(rest, '(');
        if (open == rest.n)
            return false;
        l->name = str_from_to(rest, 0, open);
        rest = str_skip(rest, open + 1);
    }
    return is_name(l->name) && read_args(str_trim(rest), l);
}

/* What stands between the dashes or crosses. */
static struct str inside_marks(struct str rest, struct str mark)
{
    rest = str_trim(str_skip(rest, mark.n));
    if (str_ends(rest, mark))
        rest.n -= mark.n;
    return str_trim(rest);
}

/* "Process 1001 attached", which newer ones begin with "strace: ", perhaps behind half a call. */
static bool read_attach(struct str rest, struct strace_line *l)
{
    struct str program = STR("strace: "), process = STR("Process ");
    size_t at;
    if (find_text(rest, program, &at)) {
        l->args = str_from_to(rest, 0, at);
        rest = str_skip(rest, at + program.n);
    }
    if (!str_starts(rest, process))
        return false;
    rest = str_skip(rest, process.n);
    bool has_pid = read_pid(take_word(&rest), &l->pid);
    return has_pid && str_starts(rest, STR("attached"));
}

static enum strace_line_kind read_rest(struct str rest, struct strace_line *l)
{
    struct str dashes = STR("---"), crosses = STR("+++");
    if (str_starts(rest, dashes)) {
        l->name = inside_marks(rest, dashes);
        if (str_starts(l->name, STR("SIG"))) {
            l->args = l->name;
            l->name = take_word(&l->args);
        }
        return l->name.n ? STRACE_SIGNAL : STRACE_OTHER;
    }
    if (str_starts(rest, crosses)) {
        l->name = inside_marks(rest, crosses);
        return l->name.n ? STRACE_EXIT : STRACE_OTHER;
    }
    if (read_call(rest, l))
        return STRACE_CALL;
    return is_name(str_from_to(rest, 0, str_find(rest, '('))) && str_find(rest, '(') < rest.n
               ? STRACE_PART
               : STRACE_OTHER;
}

bool strace_line_goes_on(struct str text)
{
    struct str rest = str_trim(text);
    if (str_starts(rest, STR("<unfinished ...>")))
        return true;
    return str_starts(rest, STR(")")) && str_starts(str_trim(str_skip(rest, 1)), STR("= "));
}

struct strace_line strace_line_read(struct str text)
{
    struct strace_line l = {.kind = STRACE_OTHER};
    struct str frame = STR(" > "), rest = str_trim(text);
    if (str_starts(text, frame)) {
        l.kind = STRACE_STACK;
        l.args = str_trim(str_skip(text, frame.n));
        return l;
    }
    if (read_attach(rest, &l)) {
        l.kind = STRACE_ATTACH;
        return l;
    }
    l.args = (struct str){0};
    if (!take_pid(&rest, &l))
        return l;
    take_time(&rest, &l);
    take_place(&rest, &l);
    l.kind = read_rest(rest, &l);
    if (l.kind == STRACE_PART)
        l.args = text;
    return l;
}
