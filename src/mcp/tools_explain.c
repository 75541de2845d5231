/* explain and compare. */
#include <stdlib.h>
#include <string.h>

#include "core/trace_builder.h"
#include "explain/question.h"
#include "explain/report.h"
#include "mcp/request.h"
#include "mcp/tools.h"

enum { PROBLEMS_USUAL = 5, PROBLEMS_MOST = 50, WIDTH = 160, RECORDINGS_MAX = 40 };

#define QUESTION_PARAM(id, word, value, help) {word, MCP_TEXT, false, help},

static const struct report_format *format_of(const struct mcp_call *c, struct status *s)
{
    char *name = mcp_text_member(c->arguments, "format");
    const struct report_format *format = name ? report_format_find(name) : &text_report;
    if (!format)
        *s = status_error(STATUS_USAGE, "format is " REPORT_FORMAT_NAMES ", not %s", name);
    free(name);
    return format;
}

static char *question_of(const struct mcp_call *c)
{
    static const char *const words[] = {
#define QUESTION_WORD(id, word, value, help) word,
        QUESTIONS(QUESTION_WORD)
#undef QUESTION_WORD
    };
    char *sql = NULL;
    for (int i = 0; i < QUESTION_COUNT && !sql; i++) {
        char *value = mcp_text_member(c->arguments, words[i]);
        sql = value ? question_sql((enum question)i, value) : NULL;
        free(value);
    }
    return sql;
}

static struct status run_explain(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct explanation e;
    struct status s = status_ok_value();
    const struct report_format *format = format_of(c, &s);
    if (status_ok(s))
        s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    char *sql = question_of(c);
    mcp_call_running(c, t->session);
    s = explain_trace(&e, &t->trace, t->session, &(struct explain_request){.sql = sql});
    mcp_call_running(c, NULL);
    const struct report_options options = {
        .width = WIDTH,
        .problems = (uint32_t)mcp_call_number(c, "limit", PROBLEMS_USUAL, 1, PROBLEMS_MOST),
        .path = t->path,
    };
    if (status_ok(s)) {
        format->print(&e, &options, c->out);
        if (format == &text_report)
            fputs("next: timeline shows a place (what stands behind --goto); explain with slice "
                  "looks "
                  "into one; query counts\n",
                  c->out);
    }
    explanation_release(&e);
    free(sql);
    return s;
}

const struct mcp_tool explain_tool = {
    .name = "explain",
    .description = "Says what can be believed of a trace, then what is wrong in it and why, worst "
                   "first: each problem with the chain across threads of what its time went to.",
    .params = {{"trace", MCP_TEXT, false, "path of the trace; the one used last by itself"},
               {"limit", MCP_NUMBER, false, "problems told of: 5 by itself, up to 50"},
               {"format", MCP_TEXT, false, "text, markdown or json"},
               QUESTIONS(QUESTION_PARAM)},
    .run = run_explain,
};

static struct status add_side(struct mcp_call *c, struct comparison *comparison, int side,
                              const char *name)
{
    static const struct import_options import = {0};
    struct str list = mcp_raw_member(c->arguments, name);
    struct status s = status_ok_value();
    size_t at = 0;
    int n = 0;
    for (char *path; status_ok(s) && (path = mcp_next_text(list, &at)); n++) {
        char *resolved = NULL;
        s = n < RECORDINGS_MAX
                ? mcp_traces_resolve(c->traces, path, &resolved)
                : status_error(STATUS_USAGE, "%d recordings a side at most", RECORDINGS_MAX);
        if (status_ok(s))
            s = comparison_add_file(comparison, side, resolved, NULL, &import,
                                    &c->traces->work.progress);
        free(resolved);
        free(path);
    }
    if (status_ok(s) && n == 0)
        s = status_error(STATUS_USAGE, "%s is a list of one path or more", name);
    return s;
}

static struct status run_compare(struct mcp_call *c)
{
    struct comparison comparison;
    struct status s = status_ok_value();
    const struct report_format *format = format_of(c, &s);
    if (!status_ok(s))
        return s;
    comparison_init(&comparison);
    s = add_side(c, &comparison, 0, "before");
    if (status_ok(s))
        s = add_side(c, &comparison, 1, "after");
    if (status_ok(s)) {
        comparison_finish(&comparison);
        format->compare(&comparison, (uint32_t)mcp_call_number(c, "limit", 10, 1, PROBLEMS_MOST),
                        c->out);
    }
    comparison_release(&comparison);
    return s;
}

const struct mcp_tool compare_tool = {
    .name = "compare",
    .description =
        "Compares two groups of recordings: causes that appeared, vanished, became more or "
        "less, and measures, with the chance of such a difference where there is none. "
        "Four recordings a side or more tell something.",
    .params = {{"before", MCP_TEXTS, true, "paths of recordings"},
               {"after", MCP_TEXTS, true, "paths of recordings"},
               {"limit", MCP_NUMBER, false, "causes told of: 10 by itself, up to 50"},
               {"format", MCP_TEXT, false, "text, markdown or json"}},
    .run = run_compare,
};
