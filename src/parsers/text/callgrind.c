/* What callgrind writes, and profilers of other languages for KCachegrind (Xdebug, yappi, ...):
 *
 *     # callgrind format
 *     events: Ir
 *     fl=(1) file1.c                names of files, functions and objects, later only "(1)"
 *     fn=(1) main
 *     16 20                         line, and what it cost
 *     cfn=(2) func1
 *     calls=1 50                    the next line's cost is that of these calls
 *     16 400
 *
 * As "Callgrind Format Specification" in Valgrind's manual says. A profile for each event, whose
 * stacks are put together from what functions called (parsers/text/call_graph.h). */
#include "parsers/input/trace_format.h"
#include "parsers/text/call_graph.h"
#include "parsers/text/stack_sums.h"
#include "parsers/text/text_lines.h"

enum { EVENTS_MAX = 32 };

enum name_space { NAMES_FILE, NAMES_FUNCTION, NAMES_OBJECT, NAME_SPACES };

struct callgrind {
    struct trace *trace;
    struct call_graph graph;
    struct map names[NAME_SPACES]; /* number in brackets -> string */
    string_id events[EVENTS_MAX];
    size_t positions; /* words of a line before its costs */
    string_id file, object, callee_file, callee_object, callee_name;
    uint32_t function; /* NULL_U32 before the first */
    bool of_call;      /* the next cost is that of a call */
};

/* "(3) name", "(3)" or "name" */
static string_id read_name(struct callgrind *c, enum name_space space, struct str text)
{
    uint64_t number;
    bool inserted;
    text = str_trim(text);
    size_t close = str_find(text, ')');
    if (text.n == 0 || *text.p != '(' || close == text.n ||
        !str_to_u64(str_from_to(text, 1, close), 10, &number))
        return trace_intern(c->trace, text);
    struct str name = str_trim(str_behind(text, close));
    uint32_t *id = map_insert(&c->names[space], number, &inserted);
    if (name.n > 0)
        *id = trace_intern(c->trace, name);
    else if (inserted)
        *id = trace_intern(c->trace, text);
    return *id;
}

static void begin_function(struct callgrind *c, struct str name)
{
    string_id id = read_name(c, NAMES_FUNCTION, name);
    if (c->graph.events == 0)
        return;
    c->function = call_graph_function(&c->graph, id, c->object, c->file);
    c->of_call = false;
}

/* What stands in front of "=": true where the line was such a one. */
static bool read_assignment(struct callgrind *c, struct str key, struct str value)
{
    if (str_eq(key, STR("fl")))
        c->file = read_name(c, NAMES_FILE, value);
    else if (str_eq(key, STR("fi")) || str_eq(key, STR("fe")))
        read_name(c, NAMES_FILE, value); /* code that was put into the function */
    else if (str_eq(key, STR("ob")))
        c->object = read_name(c, NAMES_OBJECT, value);
    else if (str_eq(key, STR("fn")))
        begin_function(c, value);
    else if (str_eq(key, STR("cfi")) || str_eq(key, STR("cfl")))
        c->callee_file = read_name(c, NAMES_FILE, value);
    else if (str_eq(key, STR("cob")))
        c->callee_object = read_name(c, NAMES_OBJECT, value);
    else if (str_eq(key, STR("cfn")))
        c->callee_name = read_name(c, NAMES_FUNCTION, value);
    else if (str_eq(key, STR("calls")))
        c->of_call = true;
    else
        return false;
    return true;
}

/* The costs behind the positions go to the function, or to its call. */
static void read_costs(struct callgrind *c, struct str line)
{
    double value;
    for (size_t i = 0; i < c->positions && line.n > 0; i++)
        str_take_word(&line);
    if (c->function == NULL_U32)
        return;
    double *costs = c->graph.self.items + c->function * c->graph.events;
    if (c->of_call && c->callee_name) {
        uint32_t callee = call_graph_function(&c->graph, c->callee_name,
                                              c->callee_object ? c->callee_object : c->object,
                                              c->callee_file ? c->callee_file : c->file);
        uint32_t edge = call_graph_edge(&c->graph, c->function, callee);
        costs = c->graph.calls.items + edge * c->graph.events;
        c->callee_name = c->callee_object = c->callee_file = NULL_STRING;
    }
    c->of_call = false;
    for (size_t i = 0; i < c->graph.events && str_to_f64(str_take_word(&line), &value); i++)
        costs[i] += value > 0 ? value : 0;
}

static void read_events(struct callgrind *c, struct str names)
{
    struct str word;
    c->graph.events = 0;
    while (c->graph.events < EVENTS_MAX && (word = str_take_word(&names)).n > 0)
        c->events[c->graph.events++] = trace_intern(c->trace, word);
}

/* What else stands in front of a colon ("part:", "desc:") or "=" ("jump=", "jcnd="): a word of
 * letters. */
static bool is_other_line(struct str key, bool has_value)
{
    key = str_from_to(key, 0, str_find(key, '='));
    for (size_t i = 0; i < key.n; i++)
        if (!((key.p[i] >= 'a' && key.p[i] <= 'z') || (key.p[i] >= 'A' && key.p[i] <= 'Z')))
            return false;
    return has_value && key.n > 0;
}

static void add_line(void *self, struct str line)
{
    struct callgrind *c = self;
    line = str_trim(line);
    if (line.n == 0 || *line.p == '#')
        return;
    if (str_is_digit(*line.p) || *line.p == '+' || *line.p == '-' || *line.p == '*') {
        read_costs(c, line);
        return;
    }
    size_t equals = str_find(line, '=');
    if (equals < line.n &&
        read_assignment(c, str_from_to(line, 0, equals), str_behind(line, equals)))
        return;
    struct str value = line, key = str_cut(&value, ':');
    struct str position;
    if (str_eq(key, STR("events")) && c->function == NULL_U32) {
        read_events(c, value);
    } else if (str_eq(key, STR("positions"))) {
        for (c->positions = 0; (position = str_take_word(&value)).n > 0;)
            c->positions++;
    } else if (!is_other_line(key, equals < line.n || key.n < line.n)) {
        text_lines_unread(c->trace, line);
    }
}

static bool callgrind_sniff(struct bytes data)
{
    struct str head = trace_format_head(data), line;
    bool events = false;
    if (str_starts(head, STR("# callgrind format")))
        return true;
    while (str_next_line(&head, &line)) {
        events |= str_starts(line, STR("events: "));
        if (events && str_starts(line, STR("fn=")))
            return true;
    }
    return false;
}

static struct status callgrind_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct callgrind c = {.trace = t, .positions = 1, .function = NULL_U32};
    bool whole = text_lines_read(t, source, add_line, &c);
    for (size_t i = 0; whole && i < c.graph.events; i++) {
        struct str event = string_pool_get(&t->strings, c.events[i]);
        uint32_t profile = stack_sums_profile(t, STR("callgrind"), event, event, STR("count"));
        call_graph_add_stacks(&c.graph, t, profile, i);
    }
    call_graph_release(&c.graph);
    for (int i = 0; i < NAME_SPACES; i++)
        map_release(&c.names[i]);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format callgrind_trace_format = {
    .name = "callgrind",
    .type = "callgrind",
    .about = "callgrind.out of Valgrind, Xdebug and others: lines events:, fn= and calls=",
    .by_lines = true,
    .sniff = callgrind_sniff,
    .read_source = callgrind_import,
};
