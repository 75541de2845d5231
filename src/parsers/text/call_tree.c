/* Trees of calls with what each call and those below it took, the deeper the further right: what
 * sample and spindump of macOS write, Instruments copies (Deep Copy), and pmcstat -G prints.
 *
 *     Call graph:                                                       sample
 *         2569 Thread_1447670   DispatchQueue_1: com.apple.main-thread  (serial)
 *         + 2569 start  (in libdyld.dylib) + 1  [0x7fff7c65f3d5]
 *         +   2000 main  (in app) + 8535  [0x1078cb667]
 *
 *     1001  start + 6992 (dyld + 130560) [0x18ca8fe00]                  spindump
 *
 *     Weight	Self Weight		Symbol Names                     Instruments: tabs, and
 *     17.68 s  100.0%	0 s	 	app (12345)                      blanks before the name
 *
 *     20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko         pmcstat: callers below
 *      100.0%  [7447]      zio_compress_data
 *
 * As sample(1), spindump(8), Instruments' help ("Deep Copy") and pmcstat(8) show. What a call took
 * by itself is what those below it have not taken. */
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { DEPTH_MAX = 1 << 12 };

enum call_tree_kind { TREE_NONE, TREE_SAMPLE, TREE_SPINDUMP, TREE_INSTRUMENTS, TREE_PMCSTAT };

struct tree_call {
    size_t column; /* where it stands in its line */
    double value;  /* that none of the calls below it has taken so far */
    string_id function, file;
};

/* A line of a tree; strings are within it. */
struct tree_line {
    size_t column;
    double value;
    struct str function, file;
};

struct call_tree {
    struct trace *trace;
    enum call_tree_kind kind;
    struct str unit;  /* of Instruments' values; a constant */
    uint32_t profile; /* NULL_U32: none yet */
    string_id name;   /* of the profile */
    bool in_tree;
    VEC(struct tree_call) open; /* outermost first, of pmcstat innermost */
};

static const struct {
    struct str suffix;
    double factor;
    struct str unit;
} units[] = {
    {{"ns", 2}, 1, {"nanoseconds", 11}},     {{"\xc2\xb5s", 3}, 1e3, {"nanoseconds", 11}},
    {{"us", 2}, 1e3, {"nanoseconds", 11}},   {{"ms", 2}, 1e6, {"nanoseconds", 11}},
    {{"min", 3}, 6e10, {"nanoseconds", 11}}, {{"s", 1}, 1e9, {"nanoseconds", 11}},
    {{"h", 1}, 3.6e12, {"nanoseconds", 11}}, {{"Bytes", 5}, 1, {"bytes", 5}},
    {{"KB", 2}, 1024, {"bytes", 5}},         {{"MB", 2}, 1 << 20, {"bytes", 5}},
    {{"GB", 2}, 1 << 30, {"bytes", 5}},      {{"KiB", 3}, 1024, {"bytes", 5}},
    {{"MiB", 3}, 1 << 20, {"bytes", 5}},     {{"GiB", 3}, 1 << 30, {"bytes", 5}},
    {{"cycles", 6}, 1, {"cycles", 6}},       {{"Kc", 2}, 1e3, {"cycles", 6}},
    {{"kc", 2}, 1e3, {"cycles", 6}},         {{"Mc", 2}, 1e6, {"cycles", 6}},
    {{"Gc", 2}, 1e9, {"cycles", 6}},
};

/* Leading blanks, and of sample the marks of its branches. */
static size_t indent_of(struct str line, bool marks)
{
    size_t n = 0;
    while (n < line.n && (line.p[n] == ' ' || (marks && memchr("+!:|", line.p[n], 4))))
        n++;
    return n;
}

/* Where the first `mark`, as "  (in ", begins; s.n where there is none. */
static size_t find_mark(struct str s, struct str mark)
{
    const char *hit = s.n ? memmem(s.p, s.n, mark.p, mark.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

static bool take_count(struct str *line, double *value)
{
    uint64_t count;
    if (!str_to_u64(str_take_word(line), 10, &count))
        return false;
    *value = (double)count;
    *line = str_trim(*line);
    return line->n > 0;
}

/* "main  (in app) + 8535  [0x1078cb667]", "???  (in app)  load address 0x1 + 0x2  [0x3]" */
static bool read_sample(struct str line, struct tree_line *out)
{
    out->column = indent_of(line, true);
    struct str rest = str_skip(line, out->column), in = STR("  (in ");
    if (!take_count(&rest, &out->value))
        return false;
    size_t at = find_mark(rest, in);
    out->function = str_trim(str_from_to(rest, 0, at));
    struct str behind = str_skip(rest, at < rest.n ? at + in.n : at);
    out->file = str_cut(&behind, ')');
    return out->function.n > 0;
}

/* "start + 6992 (dyld + 130560) [0x18ca8fe00]" */
static bool read_spindump(struct str line, struct tree_line *out)
{
    out->column = indent_of(line, false);
    struct str rest = str_skip(line, out->column), plus = STR(" + ");
    while (rest.n && *rest.p == '*') /* of the kernel */
        rest = str_skip(rest, 1);
    if (!take_count(&rest, &out->value))
        return false;
    size_t end = rest.n;
    while (end > 0 && rest.p[end - 1] != '(')
        end--;
    out->file = str_from_to(line, 0, 0);
    out->function = rest;
    if (end < 2)
        return true;
    struct str file = str_skip(rest, end);
    out->file = str_from_to(file, 0, find_mark(file, plus));
    out->function = str_trim(str_from_to(rest, 0, end - 1));
    out->function = str_from_to(out->function, 0, find_mark(out->function, plus));
    return out->function.n > 0 && find_mark(file, plus) < file.n;
}

/* "17.68 s", "27630.0ms" */
static bool read_weight(struct str text, double *value, struct str *unit)
{
    size_t n = 0;
    text = str_trim(text);
    while (n < text.n && (str_is_digit(text.p[n]) || text.p[n] == '.'))
        n++;
    struct str suffix = str_trim(str_skip(text, n));
    if (!str_to_f64(str_from_to(text, 0, n), value))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (str_eq(suffix, units[i].suffix)) {
            *value *= units[i].factor;
            *unit = units[i].unit;
            return true;
        }
    }
    return suffix.n == 0;
}

/* Fields between tabs: weight and share, the weight itself, marks, and the name behind blanks. */
static bool read_instruments(struct call_tree *c, struct str line, struct tree_line *out)
{
    struct str rest = line, weight = str_cut(&rest, '\t'), name = rest;
    for (size_t tab; (tab = str_find(name, '\t')) < name.n;)
        name = str_behind(name, tab);
    size_t percent = find_mark(weight, STR("%"));
    while (percent > 0 && weight.p[percent - 1] != ' ')
        percent--;
    out->column = indent_of(name, false);
    out->function = str_trim(name);
    out->file = str_from_to(line, 0, 0);
    return rest.n > 0 && out->function.n > 0 &&
           read_weight(str_from_to(weight, 0, percent), &out->value, &c->unit);
}

/* "20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko" */
static bool read_pmcstat(struct str line, struct tree_line *out)
{
    double share;
    struct str rest = line, at = STR(" @ ");
    out->column = indent_of(line, false);
    struct str percent = str_take_word(&rest), count = str_take_word(&rest);
    uint64_t n;
    if (!str_ends(percent, STR("%")) || count.n < 3 || *count.p != '[' ||
        !str_to_f64(str_from_to(percent, 0, percent.n - 1), &share) ||
        !str_to_u64(str_from_to(count, 1, count.n - 1), 10, &n))
        return false;
    rest = str_trim(rest);
    size_t end = find_mark(rest, at);
    out->value = (double)n;
    out->function = str_from_to(rest, 0, end);
    out->file = str_skip(rest, end < rest.n ? end + at.n : end);
    return out->function.n > 0;
}

static uint32_t profile_of(struct call_tree *c)
{
    bool counted = c->unit.n == 0;
    struct trace *t = c->trace;
    if (c->profile == NULL_U32)
        c->profile = stack_sums_profile(t, STR("call_tree"),
                                        c->name ? string_pool_get(&t->strings, c->name)
                                                : STR("call_tree samples"),
                                        counted ? STR("samples") : STR("weight"),
                                        counted ? STR("count") : c->unit);
    return c->profile;
}

static uint32_t callsite_of(struct call_tree *c)
{
    struct string_pool *strings = &c->trace->strings;
    uint32_t callsite = NULL_U32;
    for (size_t i = 0; i < c->open.count; i++) {
        bool outermost_last = c->kind == TREE_PMCSTAT;
        const struct tree_call *call = &c->open.items[outermost_last ? c->open.count - 1 - i : i];
        callsite =
            stack_sums_call(c->trace, callsite,
                            call->file ? string_pool_get(strings, call->file) : STR("[call_tree]"),
                            string_pool_get(strings, call->function));
    }
    return callsite;
}

/* Ends the calls from this column on. */
static void close_to(struct call_tree *c, size_t column)
{
    const double least = 1e-6; /* what is left over of fractions */
    for (; c->open.count > 0 && vec_last(&c->open).column >= column; c->open.count--)
        if (vec_last(&c->open).value > least)
            stack_sums_add(c->trace, profile_of(c), callsite_of(c), vec_last(&c->open).value);
}

static void open_call(struct call_tree *c, const struct tree_line *l)
{
    close_to(c, l->column);
    if (c->open.count == DEPTH_MAX)
        return;
    if (c->open.count > 0)
        vec_last(&c->open).value -= l->value;
    *vec_push(&c->open) = (struct tree_call){
        .column = l->column,
        .value = l->value,
        .function = trace_intern(c->trace, l->function),
        .file = l->file.n ? trace_intern(c->trace, l->file) : NULL_STRING,
    };
}

static bool read_line(struct call_tree *c, struct str line, struct tree_line *out)
{
    switch (c->kind) {
    case TREE_SAMPLE:
        return read_sample(line, out);
    case TREE_SPINDUMP:
        return read_spindump(line, out);
    case TREE_INSTRUMENTS:
        return read_instruments(c, line, out);
    case TREE_PMCSTAT:
        return read_pmcstat(line, out);
    case TREE_NONE:
        break;
    }
    return false;
}

/* Which tree begins in the line. */
static enum call_tree_kind kind_of(struct str line)
{
    if (str_starts(line, STR("Call graph:")))
        return TREE_SAMPLE;
    if (str_starts(str_trim(line), STR("Thread 0x")) && find_mark(line, STR(" samples (")) < line.n)
        return TREE_SPINDUMP;
    if (str_ends(str_trim(line), STR("Symbol Names")) ||
        str_ends(str_trim(line), STR("Symbol Name")))
        return str_find(line, '\t') < line.n ? TREE_INSTRUMENTS : TREE_NONE;
    return *line.p == '@' && find_mark(line, STR(" samples]")) < line.n ? TREE_PMCSTAT : TREE_NONE;
}

/* "Thread 0x1ba0    DispatchQueue "main"(1)    1001 samples (1-1001)": the name, and the count. */
static bool read_thread(struct str line, struct tree_line *out)
{
    line = str_trim(line);
    line.n = find_mark(line, STR(" samples ("));
    size_t at = line.n;
    while (at > 0 && !str_is_blank(line.p[at - 1]))
        at--;
    uint64_t count;
    if (!str_to_u64(str_skip(line, at), 10, &count))
        return false;
    *out = (struct tree_line){.value = (double)count,
                              .function = str_trim(str_from_to(line, 0, at)),
                              .file = {line.p, 0}};
    return out->function.n > 0;
}

/* The thread that the tree is of, or what was counted, is in its first line. */
static void begin_tree(struct call_tree *c, enum call_tree_kind kind, struct str line)
{
    struct tree_line thread;
    c->kind = kind;
    c->in_tree = true;
    if (kind == TREE_SPINDUMP && read_thread(line, &thread)) {
        open_call(c, &thread);
    } else if (kind == TREE_PMCSTAT) {
        struct str name = str_trim(str_skip(line, 1));
        c->name = trace_intern(c->trace, str_from_to(name, 0, str_find(name, ' ')));
        c->profile = NULL_U32;
    }
}

static void add_line(void *self, struct str line)
{
    struct call_tree *c = self;
    struct tree_line l = {0};
    if (str_trim(line).n == 0)
        return;
    enum call_tree_kind kind = kind_of(line);
    if (kind != TREE_NONE) {
        close_to(c, 0);
        begin_tree(c, kind, line);
        return;
    }
    if (c->in_tree && read_line(c, line, &l))
        open_call(c, &l);
    else if (c->kind == TREE_SAMPLE || c->kind == TREE_SPINDUMP)
        c->in_tree = false; /* "Total number in stack" and what else follows the tree */
}

static bool is_comment(struct str line)
{
    return str_starts(line, STR("#")) || str_starts(line, STR("//"));
}

/* A tree begins, and its next line is one of its lines. */
static bool call_tree_sniff(struct bytes data)
{
    struct str text = {(const char *)data.p, data.n}, line;
    struct call_tree c = {.kind = TREE_NONE};
    enum { HEAD = 1 << 16 };
    text.n = text.n < HEAD ? text.n : HEAD;
    while (str_next_line(&text, &line)) {
        struct tree_line l;
        if (str_trim(line).n == 0 || is_comment(line))
            continue;
        if (c.kind != TREE_NONE && read_line(&c, line, &l))
            return true;
        c.kind = kind_of(line);
    }
    return false;
}

static struct status call_tree_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct call_tree c = {.trace = t, .profile = NULL_U32};
    bool whole = text_lines_read(t, source, add_line, &c);
    close_to(&c, 0);
    vec_release(&c.open);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format call_tree_trace_format = {
    .name = "tree of calls",
    .type = "call_tree",
    .about = "trees of calls of macOS's sample and spindump, of Instruments (Deep Copy), and of "
             "pmcstat -G",
    .by_lines = true,
    .sniff = call_tree_sniff,
    .read_source = call_tree_import,
};
