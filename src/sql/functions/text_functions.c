/* Scalar functions on text, bytes and numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/little_endian.h"
#include "text/demangle.h"
#include "text/name_family.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

enum { PIECE = 1 << 20 }; /* of a long text, between looks at the interruption */

static void result_owned(sqlite3_context *ctx, char *text, size_t n)
{
    sqlite3_result_text64(ctx, text, n, free, SQLITE_UTF8);
}

/* Loops over long texts ask session_poll; the function whose loop was cut short then ends here. */
static bool was_interrupted(sqlite3_context *ctx)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    bool cancelled = atomic_load_explicit(&s->cancel, memory_order_relaxed);
    if (cancelled)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    return cancelled;
}

/* hash(x, ...): FNV-1a over the arguments' bytes, one behind the other; integers have
 * eight, the lowest first. */
static void fn_hash(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    uint64_t hash = FNV_START;
    for (int i = 0; i < argc; i++) {
        int type = sqlite3_value_type(argv[i]);
        uint64_t number = le64((uint64_t)sqlite3_value_int64(argv[i]));
        if (type == SQLITE_INTEGER) {
            hash = fnv1a(hash, &number, sizeof number);
        } else if (type == SQLITE_TEXT) {
            struct str s = value_str(argv[i]);
            for (; s.n > PIECE && !was_interrupted(ctx); s = str_skip(s, PIECE))
                hash = fnv1a(hash, s.p, PIECE);
            hash = fnv1a(hash, s.p, s.n < PIECE ? s.n : PIECE);
        } else {
            result_error(ctx, "hash: takes integers and text only");
            return;
        }
    }
    if (!was_interrupted(ctx))
        sqlite3_result_int64(ctx, (int64_t)hash);
}

static size_t find_bytes(struct str s, struct str what)
{
    const char *hit = memmem(s.p, s.n, what.p, what.n);
    return hit ? (size_t)(hit - s.p) : s.n;
}

/* str_split(text, delimiter, n): the n-th part from 0, NULL where there are fewer. */
static void fn_str_split(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "str_split", "tti", argv))
        return;
    for (int i = 0; i < 3; i++)
        if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
            return;
    struct str s = value_str(argv[0]), delimiter = value_str(argv[1]);
    int64_t field = sqlite3_value_int64(argv[2]);
    if (delimiter.n == 0) {
        result_error(ctx, "str_split: the delimiter is empty");
        return;
    }
    if (field < 0) {
        result_error(ctx, "str_split: fields count from 0");
        return;
    }
    const struct sql_session *session = sqlite3_user_data(ctx);
    uint32_t steps = 0;
    for (; !session_poll(session, &steps); field--) {
        size_t n = find_bytes(s, delimiter);
        if (field == 0) {
            sqlite3_result_text64(ctx, s.p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
            return;
        }
        if (n == s.n)
            return;
        s = str_skip(s, n + delimiter.n);
    }
    was_interrupted(ctx);
}

/* Characters in reverse order; bytes of one UTF-8 character stay together. */
static void fn_reverse(SQL_FUNCTION_ARGS)
{
    if (!arguments_known(ctx, "reverse", "t", argv))
        return;
    struct str s = value_str(argv[0]);
    char *out = alloc_bytes(s.n + 1);
    const struct sql_session *session = sqlite3_user_data(ctx);
    size_t end = s.n;
    uint32_t steps = 0;
    for (size_t i = 0; i < s.n && !session_poll(session, &steps);) {
        size_t n = 1;
        while (i + n < s.n && ((unsigned char)s.p[i + n] & 0xc0) == 0x80)
            n++;
        end -= n;
        memcpy(out + end, s.p + i, n);
        i += n;
    }
    if (was_interrupted(ctx))
        free(out);
    else
        result_owned(ctx, out, s.n);
}

static bool is_space(char c)
{
    static const char spaces[] = {' ', '\t', '\n', '\r', '\f', '\v'};
    return memchr(spaces, c, sizeof spaces) != NULL;
}

/* The number that hexadecimal digits say, with a sign or 0x in front and blanks around. */
static bool hex_to_i64(struct str s, int64_t *out)
{
    while (s.n && is_space(*s.p))
        s = str_skip(s, 1);
    while (s.n && is_space(s.p[s.n - 1]))
        s.n--;
    bool prefixed = str_starts(s, STR("0x")) || str_starts(s, STR("0X"));
    s = str_skip(s, prefixed ? 2 : 0);
    bool negative = s.n > 0 && s.p[0] == '-';
    s = str_skip(s, negative ? 1 : 0);
    uint64_t magnitude;
    if (str_starts(s, STR("0x")) || str_starts(s, STR("0X")) || !str_to_u64(s, 16, &magnitude) ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

static void fn_unhex(SQL_FUNCTION_ARGS)
{
    if (!arguments_known(ctx, "unhex", "t", argv))
        return;
    int64_t v;
    if (hex_to_i64(value_str(argv[0]), &v))
        sqlite3_result_int64(ctx, v);
    else
        result_error(ctx, "unhex: not a hexadecimal number of up to 63 bits");
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void fn_base64_encode(SQL_FUNCTION_ARGS)
{
    if (!arguments_known(ctx, "base64_encode", "b", argv))
        return;
    struct str s = value_str(argv[0]);
    const struct sql_session *session = sqlite3_user_data(ctx);
    size_t n = (s.n + 2) / 3 * 4, at = 0;
    char *out = alloc_bytes(n + 1);
    uint32_t steps = 0;
    for (size_t i = 0; i < s.n && !session_poll(session, &steps); i += 3) {
        uint32_t word = 0;
        size_t have = s.n - i < 3 ? s.n - i : 3;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (k < have ? (unsigned char)s.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            out[at++] = k <= have ? base64_digits[word >> (18 - 6 * k) & 63] : '=';
    }
    if (was_interrupted(ctx))
        free(out);
    else
        result_owned(ctx, out, n);
}

static int base64_value(char c)
{
    const char *hit = c ? strchr(base64_digits, c) : NULL;
    if (hit)
        return (int)(hit - base64_digits);
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/* NULL where the text is not base64. */
static void fn_base64_decode(SQL_FUNCTION_ARGS)
{
    int type = sqlite3_value_type(argv[0]);
    bool empty = type == SQLITE_BLOB && sqlite3_value_bytes(argv[0]) == 0;
    if (type == SQLITE_NULL || (!empty && !arguments_fit(ctx, "base64_decode", "t", argv)))
        return;
    struct str s = value_str(argv[0]);
    while (s.n > 0 && s.p[s.n - 1] == '=')
        s.n--;
    const struct sql_session *session = sqlite3_user_data(ctx);
    char *out = alloc_bytes(s.n + 1);
    size_t n = 0;
    uint32_t word = 0, steps = 0;
    for (size_t i = 0; i < s.n && !session_poll(session, &steps); i++) {
        int v = base64_value(s.p[i]);
        if (v < 0 || s.n % 4 == 1) {
            free(out);
            return;
        }
        word = word << 6 | (uint32_t)v;
        if (i % 4 != 0)
            out[n++] = (char)(word >> (6 - 2 * (i % 4)));
    }
    if (was_interrupted(ctx))
        free(out);
    else
        sqlite3_result_blob64(ctx, out, n, free);
}

static bool is_hex_letter(char c)
{
    return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
    return str_is_digit(c) || is_hex_letter(c);
}

/* The run of hexadecimal digits that begins at `at`, which may be empty: whether it holds a decimal
 * digit. */
static size_t hex_run(struct str s, size_t at, bool *digit)
{
    size_t n = 0;
    for (; at + n < s.n && is_hex(s.p[at + n]); n++)
        *digit = *digit || str_is_digit(s.p[at + n]);
    return n;
}

/* __intrinsic_strip_hex(text, n): runs of hexadecimal digits become "<num>", where a run holds a
 * decimal digit, or follows "0x", and is at least n long. A run begins at the start, behind what is
 * no letter, behind "0x" or at a decimal digit: of "Thread12" it is only the 12. */
static void fn_strip_hex(SQL_FUNCTION_ARGS)
{
    if (!arguments_known(ctx, "__intrinsic_strip_hex", "ti", argv))
        return;
    struct str s = value_str(argv[0]);
    int64_t least = sqlite3_value_int64(argv[1]);
    if (least < 0) {
        result_error(ctx, "__intrinsic_strip_hex: the least number of digits is below zero");
        return;
    }
    const struct sql_session *session = sqlite3_user_data(ctx);
    sqlite3_str *out = sqlite3_str_new(NULL);
    uint32_t steps = 0;
    for (size_t i = 0; i < s.n && !session_poll(session, &steps);) {
        char c = s.p[i];
        bool behind_0x = (c == 'x' || c == 'X') && i > 0 && s.p[i - 1] == '0';
        bool starts_here = str_is_digit(c) || (i == 0 && is_hex(c));
        if (!starts_here) {
            sqlite3_str_append(out, &c, 1);
            i++;
            if (!behind_0x && is_letter(c))
                continue;
        }
        bool digit = behind_0x;
        size_t n = hex_run(s, i, &digit);
        if (digit && (int64_t)n >= least)
            sqlite3_str_appendall(out, "<num>");
        else
            sqlite3_str_append(out, s.p + i, (int)n);
        i += n;
    }
    if (was_interrupted(ctx))
        sqlite3_free(sqlite3_str_finish(out));
    else
        result_built(ctx, out);
}

/* __intrinsic_name_family(name): "doFrame N" of "doFrame 42". */
static void fn_name_family(SQL_FUNCTION_ARGS)
{
    if (!arguments_known(ctx, "__intrinsic_name_family", "t", argv))
        return;
    struct str name = value_str(argv[0]);
    char *out = sqlite3_malloc64(name.n + 1);
    if (!out)
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_text64(ctx, out, name_family_print(name, out), sqlite3_free, SQLITE_UTF8);
}

static void apply_real(sqlite3_context *ctx, sqlite3_value *v, double (*f)(double), bool positive)
{
    int type = sqlite3_value_numeric_type(v);
    double x = sqlite3_value_double(v);
    if ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && (!positive || x > 0))
        sqlite3_result_double(ctx, f(x));
}

static void fn_ln(SQL_FUNCTION_ARGS)
{
    apply_real(ctx, argv[0], log, true);
}

static void fn_exp(SQL_FUNCTION_ARGS)
{
    apply_real(ctx, argv[0], exp, false);
}

static void fn_sqrt(SQL_FUNCTION_ARGS)
{
    apply_real(ctx, argv[0], sqrt, false);
}

static void fn_null_if_empty(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "null_if_empty", "b", argv))
        return;
    if (sqlite3_value_bytes(argv[0]) > 0)
        result_value(ctx, argv[0]);
}

/* demangle(name): NULL where the name is not mangled. */
static void fn_demangle(SQL_FUNCTION_ARGS)
{
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        result_error(ctx, "demangle: the name must be a text");
        return;
    }
    char *plain = demangle(value_str(argv[0]));
    if (plain)
        result_owned(ctx, plain, strlen(plain));
}

/* Bytes that are to be kept: smaller counts for more than sooner. */
enum { ZSTD_LEVEL = 9 };

static void fn_zstd_compress(SQL_FUNCTION_ARGS)
{
    int type = sqlite3_value_type(argv[0]);
    if (type == SQLITE_NULL)
        return;
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) {
        result_error(ctx, "__intrinsic_zstd_compress: the argument is a text or bytes");
        return;
    }
    struct str s = value_str(argv[0]);
    size_t room = ZSTD_compressBound(s.n);
    char *out = alloc_bytes(room);
    ZSTD_outBuffer to = {out, room, 0};
    ZSTD_inBuffer from = {s.p, 0, 0};
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    if (!compressor) {
        free(out);
        sqlite3_result_error_nomem(ctx);
        return;
    }
    size_t left = ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    if (!ZSTD_isError(left))
        left = ZSTD_CCtx_setPledgedSrcSize(compressor, s.n);
    do {
        from.size = s.n - from.size > PIECE ? from.size + PIECE : s.n;
        if (!ZSTD_isError(left))
            left = ZSTD_compressStream2(compressor, &to, &from,
                                        from.size < s.n ? ZSTD_e_continue : ZSTD_e_end);
    } while (!ZSTD_isError(left) && (from.size < s.n || left > 0) && !was_interrupted(ctx));
    ZSTD_freeCCtx(compressor);
    if (left == 0 && from.pos == s.n) {
        sqlite3_result_blob64(ctx, out, to.pos, free);
        return;
    }
    free(out);
    if (ZSTD_isError(left))
        result_error(ctx, "%s", ZSTD_getErrorName(left));
}

/* __intrinsic_struct('key', value, ...): a value that only functions could read, and none does. */
static void fn_struct(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    bool pairs = argc % 2 == 0;
    for (int i = 0; i < argc && pairs; i += 2)
        pairs = sqlite3_value_type(argv[i]) == SQLITE_TEXT;
    if (!pairs)
        result_error(ctx, "__intrinsic_struct takes pairs of 'key', value");
}

static const struct native_function functions[] = {
    SQL_PURE("hash", -1, fn_hash),
    SQL_PURE("str_split", 3, fn_str_split),
    SQL_PURE("reverse", 1, fn_reverse),
    SQL_PURE("__intrinsic_reverse", 1, fn_reverse),
    SQL_PURE("unhex", 1, fn_unhex),
    SQL_PURE("__intrinsic_unhex", 1, fn_unhex),
    SQL_PURE("base64_encode", 1, fn_base64_encode),
    SQL_PURE("__intrinsic_base64_encode", 1, fn_base64_encode),
    SQL_PURE("base64_decode", 1, fn_base64_decode),
    SQL_PURE("__intrinsic_base64_decode", 1, fn_base64_decode),
    SQL_PURE("__intrinsic_name_family", 1, fn_name_family),
    SQL_PURE("__intrinsic_strip_hex", 2, fn_strip_hex),
    SQL_PURE("ln", 1, fn_ln),
    SQL_PURE("__intrinsic_ln", 1, fn_ln),
    SQL_PURE("exp", 1, fn_exp),
    SQL_PURE("__intrinsic_exp", 1, fn_exp),
    SQL_PURE("sqrt", 1, fn_sqrt),
    SQL_PURE("__intrinsic_sqrt", 1, fn_sqrt),
    SQL_PURE("null_if_empty", 1, fn_null_if_empty),
    SQL_PURE("__intrinsic_zstd_compress", 1, fn_zstd_compress),
    SQL_PURE("__intrinsic_struct", -1, fn_struct),
    SQL_PURE("demangle", 1, fn_demangle),
    SQL_PURE("__intrinsic_demangle", 1, fn_demangle),
    {0},
};

const struct sql_family text_functions_family = {.functions = functions};
