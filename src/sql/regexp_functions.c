/* Regular expressions (PCRE2). The last few compiled patterns are kept. Limits
 * keep a bad pattern from running away. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/internal.h"

enum { KEPT = 8, MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KIB = 16 * 1024 };

struct expression {
    char *pattern;
    size_t pattern_size;
    uint32_t options;
    pcre2_code *code;
};

/* One a function: the latest expressions, and what matching needs. */
struct regexp {
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
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, options, &error, &at, NULL);
    if (!code) {
        char text[128];
        pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text);
        char *message = sqlite3_mprintf("regular expression '%.*s': %s at character %d",
                                        (int)pattern.n, pattern.p, text, (int)at);
        sqlite3_result_error(ctx, message, -1);
        sqlite3_free(message);
        return false;
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* slower without, not wrong */
    *out = (struct expression){alloc_copy(pattern.p, pattern.n), pattern.n, options, code};
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
    release_expression(e);
    *e = made;
    return e;
}

/* At least 0: matched. Reports an error other than "no match". */
static int match(sqlite3_context *ctx, struct regexp *r, const struct expression *e, struct str s)
{
    int n = pcre2_match(e->code, (PCRE2_SPTR)s.p, s.n, 0, 0, r->match, r->limits);
    if (n < 0 && n != PCRE2_ERROR_NOMATCH)
        sqlite3_result_error(ctx, "regular expression: too complex for this text", -1);
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
            options |= flags.p[i] == 'i' ? PCRE2_CASELESS : 0;
    }
    const struct expression *e = expression_of(ctx, r, argv[0], options);
    if (!e)
        return;
    int n = match(ctx, r, e, value_str(argv[1]));
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
    int n = match(ctx, r, e, s);
    if (n < 0)
        return;
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(r->match) + (n > 1 ? 2 : 0);
    if (at[0] == PCRE2_UNSET || at[1] < at[0])
        return;
    sqlite3_result_text64(ctx, s.p + at[0], at[1] - at[0], SQLITE_TRANSIENT, SQLITE_UTF8);
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
    uint32_t options =
        PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_LITERAL | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
    PCRE2_SIZE n = s.n + with.n + 64;
    for (int attempt = 0; attempt < 2; attempt++) {
        char *out = alloc_bytes(n + 1);
        int rc = pcre2_substitute(e->code, (PCRE2_SPTR)s.p, s.n, 0, options, r->match, r->limits,
                                  (PCRE2_SPTR)with.p, with.n, (PCRE2_UCHAR *)out, &n);
        if (rc >= 0) {
            sqlite3_result_text64(ctx, out, n, free, SQLITE_UTF8);
            return;
        }
        free(out);
        if (rc != PCRE2_ERROR_NOMEMORY)
            break;
    }
    sqlite3_result_error(ctx, "regular expression: too complex for this text", -1);
}

int regexp_functions_register(struct sql_session *s)
{
    static const struct {
        const char *name;
        int argc;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"regexp", 2, fn_regexp},
        {"__intrinsic_regexp", 2, fn_regexp},
        {"regexp", 3, fn_regexp},
        {"__intrinsic_regexp_with_flags", 3, fn_regexp},
        {"regexp_extract", 2, fn_regexp_extract},
        {"__intrinsic_regexp_extract", 2, fn_regexp_extract},
        {"regexp_replace_simple", 3, fn_regexp_replace},
        {"__intrinsic_regexp_replace_simple", 3, fn_regexp_replace},
    };
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof *functions; i++) {
        struct regexp *r = alloc_array(1, sizeof *r);
        r->match = pcre2_match_data_create(16, NULL);
        r->limits = pcre2_match_context_create(NULL);
        pcre2_set_match_limit(r->limits, MATCH_LIMIT);
        pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
        pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
        rc = sqlite3_create_function_v2(s->db, functions[i].name, functions[i].argc, flags, r,
                                        functions[i].call, NULL, NULL, free_regexp);
    }
    return rc;
}
