/* instr() and replace(): SQLite's own compare the pattern at every byte, for minutes on some long
 * texts, and cannot be interrupted meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

enum { WINDOW = 1 << 22 }; /* bytes between looks at the interruption */

static bool is_cancelled(const struct sql_session *s)
{
    return atomic_load_explicit(&s->cancel, memory_order_relaxed);
}

/* Where `what`, which is not empty, is next from byte `at` on: s.n where it is not. Also when
 * interrupted. */
static size_t find_from(const struct sql_session *session, struct str s, size_t at, struct str what)
{
    size_t step = what.n > WINDOW ? what.n : WINDOW;
    while (s.n - at >= what.n) {
        size_t n = s.n - at - what.n < step ? s.n - at : step + what.n - 1;
        const char *hit = memmem(s.p + at, n, what.p, what.n);
        if (hit)
            return (size_t)(hit - s.p);
        if (n == s.n - at || is_cancelled(session))
            break;
        at += step;
    }
    return s.n;
}

static bool inside_character(struct str s, size_t at)
{
    return at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80;
}

static int64_t characters(struct str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += !inside_character(s, i);
    return n;
}

/* instr(text, part): the first character of the first occurrence, from 1; 0 where there is none. In
 * bytes where both are blobs. */
static void fn_instr(SQL_FUNCTION_ARGS)
{
    const struct sql_session *session = sqlite3_user_data(ctx);
    int type = sqlite3_value_type(argv[0]), part_type = sqlite3_value_type(argv[1]);
    if (type == SQLITE_NULL || part_type == SQLITE_NULL)
        return;
    bool bytes = type == SQLITE_BLOB && part_type == SQLITE_BLOB;
    struct str s = value_str(argv[0]), part = value_str(argv[1]);
    size_t at = 0;
    if (part.n > 0)
        at = find_from(session, s, 0, part);
    while (!bytes && inside_character(s, at))
        at = find_from(session, s, at + 1, part);
    if (is_cancelled(session))
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    else if (at == s.n && part.n > 0)
        sqlite3_result_int(ctx, 0);
    else
        sqlite3_result_int64(ctx, 1 + (bytes ? (int64_t)at : characters(str_from_to(s, 0, at))));
}

/* replace(text, part, with) */
static void fn_replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct sql_session *session = sqlite3_user_data(ctx);
    size_t most = (size_t)sqlite3_limit(session->db, SQLITE_LIMIT_LENGTH, -1), from = 0, at;
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    struct str s = value_str(argv[0]), part = value_str(argv[1]), with = value_str(argv[2]);
    if (part.n == 0 || part.p[0] == 0) { /* as SQLite has it, also where `with` is NULL */
        if (sqlite3_value_type(argv[0]) == SQLITE_BLOB)
            sqlite3_result_text64(ctx, s.p, s.n, SQLITE_TRANSIENT, SQLITE_UTF8);
        else
            result_value(ctx, argv[0]);
        return;
    }
    if (sqlite3_value_type(argv[2]) == SQLITE_NULL)
        return;
    VEC(char) out = {0};
    uint32_t steps = 0;
    while ((at = find_from(session, s, from, part)) < s.n && out.count <= most &&
           !session_poll(session, &steps)) {
        vec_reserve(&out, out.count + at - from + with.n + 1);
        memcpy(out.items + out.count, s.p + from, at - from);
        memcpy(out.items + out.count + at - from, with.p, with.n);
        out.count += at - from + with.n;
        from = at + part.n;
    }
    if (is_cancelled(session)) {
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    } else if (out.count + s.n - from > most) {
        sqlite3_result_error_toobig(ctx);
    } else if (from == 0) {
        sqlite3_result_text64(ctx, s.p, s.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    } else {
        vec_reserve(&out, out.count + s.n - from + 1);
        memcpy(out.items + out.count, s.p + from, s.n - from);
        sqlite3_result_text64(ctx, out.items, out.count + s.n - from, free, SQLITE_UTF8);
        return;
    }
    vec_release(&out);
}

static const struct native_function functions[] = {
    SQL_PURE("instr", 2, fn_instr),
    SQL_PURE("replace", 3, fn_replace),
    {0},
};

const struct sql_family replace_functions_family = {.functions = functions};
