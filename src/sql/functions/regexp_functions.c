/* Regular expressions (PCRE2). The last few compiled patterns are kept. Limits keep a bad pattern
 * from running away from one place of a text; in a long text, matches are looked for in windows
 * that take some milliseconds each, between which an interruption is seen. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

enum { KEPT = 16, MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KIB = 16 * 1024 };
enum { SHORT = 4096, FIRST_WINDOW = 1, MOST_WINDOW = 1 << 10 };
enum { QUICK_NS = 1000000, SLOW_NS = 8000000 };

struct expression {
    char *pattern;
    size_t pattern_size;
    uint32_t options;
    pcre2_code *code;
    bool from_start; /* \G: where looking begins makes a difference */
};

/* The latest expressions of a session, and what matching needs. */
struct regexp {
    const struct sql_session *session;
    size_t window; /* starting places that are tried in one go */
    pcre2_match_data *match;
    pcre2_match_context *limits;
    struct expression kept[KEPT];
    unsigned next; /* the one to replace */
};

static void release_expression(struct expression *e)
{
    pcre2_code_free(e->code);
    free(e->pattern);
    *e = (struct expression){0};
}

static void free_regexp(void *p)
{
    struct regexp *r = p;
    for (unsigned i = 0; i < KEPT; i++)
        release_expression(&r->kept[i]);
    pcre2_match_data_free(r->match);
    pcre2_match_context_free(r->limits);
    free(r);
}

static bool compile(sqlite3_context *ctx, struct str pattern, uint32_t options,
                    struct expression *out)
{
    int error;
    PCRE2_SIZE at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n,
                                     options | PCRE2_USE_OFFSET_LIMIT, &error, &at, NULL);
    if (!code) {
        char text[128];
        pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text);
        result_error(ctx, "regular expression '%.*s': %s at character %d", (int)pattern.n,
                     pattern.p, text, (int)at);
        return false;
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* slower without, not wrong */
    *out = (struct expression){alloc_copy(pattern.p, pattern.n), pattern.n, options, code,
                               memmem(pattern.p, pattern.n, "\\G", 2) != NULL};
    return true;
}

/* The compiled pattern; NULL after reporting an error. */
static const struct expression *expression_of(sqlite3_context *ctx, struct regexp *r,
                                              sqlite3_value *value, uint32_t options)
{
    struct str pattern = value_str(value);
    for (unsigned i = 0; i < KEPT; i++) {
        const struct expression *e = &r->kept[i];
        if (e->code && e->options == options && e->pattern_size == pattern.n &&
            memcmp(e->pattern, pattern.p, pattern.n) == 0)
            return e;
    }
    struct expression made;
    if (!compile(ctx, pattern, options, &made))
        return NULL;
    struct expression *e = &r->kept[r->next++ % KEPT];
    r->window = FIRST_WINDOW;
    release_expression(e);
    *e = made;
    return e;
}

static bool is_cancelled(const struct regexp *r)
{
    return atomic_load_explicit(&r->session->cancel, memory_order_relaxed);
}

/* A match that begins in bytes [from, from + r->window], whose size follows the time it takes. */
static int match_window(struct regexp *r, const struct expression *e, struct str s, size_t from,
                        uint32_t options)
{
    int64_t begin = clock_now_ns();
    pcre2_set_offset_limit(r->limits, from + r->window);
    int n = pcre2_match(e->code, (PCRE2_SPTR)s.p, s.n, from, options, r->match, r->limits);
    int64_t took = clock_now_ns() - begin;
    if (took < QUICK_NS && r->window < MOST_WINDOW)
        r->window *= 2;
    else if (took > SLOW_NS)
        r->window = r->window / 8 + 1;
    return n;
}

/* At least 0: matched from byte `from` on. Reports an error other than "no match". */
static int match(sqlite3_context *ctx, struct regexp *r, const struct expression *e, struct str s,
                 size_t from, uint32_t options)
{
    int n = PCRE2_ERROR_NOMATCH;
    while (n == PCRE2_ERROR_NOMATCH && s.n - from > SHORT && !e->from_start && !is_cancelled(r)) {
        size_t next = from + r->window + 1;
        n = match_window(r, e, s, from, options);
        from = next < s.n ? next : s.n;
        options = 0;
    }
    if (n == PCRE2_ERROR_NOMATCH && is_cancelled(r)) {
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
        return PCRE2_ERROR_CALLOUT;
    }
    if (n == PCRE2_ERROR_NOMATCH) {
        pcre2_set_offset_limit(r->limits, PCRE2_UNSET);
        n = pcre2_match(e->code, (PCRE2_SPTR)s.p, s.n, from, options, r->match, r->limits);
    }
    if (n < 0 && n != PCRE2_ERROR_NOMATCH)
        result_error(ctx, "regular expression: too complex for this text");
    return n;
}

static bool any_null(int argc, sqlite3_value **argv)
{
    for (int i = 0; i < argc; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            return true;
    return false;
}

/* regexp(pattern, text [, flags]); `text REGEXP pattern` calls it too. */
static void fn_regexp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct regexp *r = sqlite3_user_data(ctx);
    uint32_t options = 0;
    if (any_null(argc, argv))
        return;
    if (argc > 2) {
        struct str flags = value_str(argv[2]);
        for (size_t i = 0; i < flags.n; i++)
            options = flags.p[i] == 'i'   ? PCRE2_CASELESS
                      : flags.p[i] == 'c' ? 0 /* cases are told apart: the last one counts */
                                          : options;
    }
    const struct expression *e = expression_of(ctx, r, argv[0], options);
    if (!e)
        return;
    int n = match(ctx, r, e, value_str(argv[1]), 0, 0);
    if (n >= 0 || n == PCRE2_ERROR_NOMATCH)
        sqlite3_result_int(ctx, n >= 0);
}

/* regexp_extract(text, pattern): the first group, or the whole match where there is no group. */
static void fn_regexp_extract(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct regexp *r = sqlite3_user_data(ctx);
    if (any_null(argc, argv))
        return;
    const struct expression *e = expression_of(ctx, r, argv[1], 0);
    if (!e)
        return;
    struct str s = value_str(argv[0]);
    int n = match(ctx, r, e, s, 0, 0);
    if (n < 0)
        return;
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->match) + (n > 1 ? 2 : 0);
    if (at[0] == PCRE2_UNSET || at[1] < at[0])
        return;
    sqlite3_result_text64(ctx, s.p + at[0], at[1] - at[0], SQLITE_TRANSIENT, SQLITE_UTF8);
}

struct replaced {
    VEC(char) v;
};

static void append(struct replaced *out, struct str s)
{
    vec_append(&out->v, s.p, s.n);
}

/* regexp_replace_simple(text, pattern, replacement): every match; the replacement is plain text. */
static void fn_regexp_replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct regexp *r = sqlite3_user_data(ctx);
    if (any_null(argc, argv))
        return;
    const struct expression *e = expression_of(ctx, r, argv[1], 0);
    if (!e)
        return;
    struct str s = value_str(argv[0]), with = value_str(argv[2]);
    size_t most = (size_t)sqlite3_limit(r->session->db, SQLITE_LIMIT_LENGTH, -1), from = 0;
    struct replaced out = {0};
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->match);
    uint32_t options = 0;
    int n;
    while ((n = match(ctx, r, e, s, from, options)) >= 0 && out.v.count <= most) {
        if (at[0] < from || at[1] < at[0]) { /* \K in an assertion */
            result_error(ctx, "regular expression: a match ends before it begins");
            vec_release(&out.v);
            return;
        }
        append(&out, str_from_to(s, from, at[0]));
        append(&out, with);
        from = at[1];
        options = at[0] == at[1] ? PCRE2_NOTEMPTY_ATSTART : 0;
    }
    if (n < 0 && n != PCRE2_ERROR_NOMATCH) {
        vec_release(&out.v);
    } else if (out.v.count + s.n - from > most) {
        vec_release(&out.v);
        sqlite3_result_error_toobig(ctx);
    } else {
        append(&out, str_skip(s, from));
        sqlite3_result_text64(ctx, out.v.items, out.v.count, free, SQLITE_UTF8);
    }
}

static void *make_regexp(struct sql_session *s)
{
    struct regexp *r = alloc_array(1, sizeof *r);
    r->session = s;
    r->match = pcre2_match_data_create(16, NULL);
    r->limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(r->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
    pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
    return r;
}

static const struct native_function functions[] = {
    SQL_PURE("regexp", 2, fn_regexp),
    SQL_PURE("__intrinsic_regexp", 2, fn_regexp),
    SQL_PURE("regexp", 3, fn_regexp),
    SQL_PURE("__intrinsic_regexp_with_flags", 3, fn_regexp),
    SQL_PURE("regexp_extract", 2, fn_regexp_extract),
    SQL_PURE("__intrinsic_regexp_extract", 2, fn_regexp_extract),
    SQL_PURE("regexp_replace_simple", 3, fn_regexp_replace),
    SQL_PURE("__intrinsic_regexp_replace_simple", 3, fn_regexp_replace),
    {0},
};

const struct sql_family regexp_functions_family = {.functions = functions,
                                                   .init = make_regexp,
                                                   .release = free_regexp};
