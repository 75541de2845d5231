#include "text/demangle.h"

#ifdef TPTUI_HAVE_LIBIBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"

enum {
    NAME_MAX_LENGTH = 64 << 10, /* of both spellings; nobody reads longer ones, and they are slow */
    NESTED_MAX = 16,            /* lambdas in each other's arguments; more stay as they are */
};

/* How two demanglers write what has no name. */
static const struct {
    const char *before, *after;
    size_t number; /* in `after` */
} unnamed[] = {
    {"{lambda(", "'lambda'(", sizeof "'lambda" - 1},
    {"{unnamed type", "'unnamed'", sizeof "'unnamed" - 1},
};

/* A C++ name in the spelling of LLVM's demangler, which Perfetto uses. */
struct respelling {
    VEC(char) out;
    struct {
        bool known;
        size_t at; /* in `out`, where its number goes */
    } open[NESTED_MAX];
    size_t depth; /* of braces, also of those beyond `open` */
};

static void append(struct respelling *r, struct str text)
{
    vec_append(&r->out, text.p, text.n);
}

/* Of the first two, LLVM numbers only the second, from 0. */
static void put_number(struct respelling *r, size_t at, struct str digits)
{
    uint64_t number;
    if (!str_to_u64(digits, 10, &number) || number < 2)
        return;
    char text[24];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)(number - 2));
    append(r, (struct str){text, (size_t)n}); /* room for the move */
    memmove(r->out.items + at + n, r->out.items + at, r->out.count - at - (size_t)n);
    memcpy(r->out.items + at, text, (size_t)n);
}

/* Reads "{lambda(" and the like, or any other brace; how much of `rest` that was. */
static size_t respell_open(struct respelling *r, struct str rest)
{
    size_t depth = r->depth++;
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed && depth < NESTED_MAX; i++) {
        struct str before = str_from(unnamed[i].before);
        if (!str_starts(rest, before))
            continue;
        r->open[depth].known = true;
        r->open[depth].at = r->out.count + unnamed[i].number;
        append(r, str_from(unnamed[i].after));
        return before.n;
    }
    if (depth < NESTED_MAX)
        r->open[depth].known = false;
    append(r, str_from_to(rest, 0, 1));
    return 1;
}

/* Reads "#2}" or any other end of braces. */
static size_t respell_close(struct respelling *r, struct str rest)
{
    size_t n = rest.p[0] == '#' ? 1 + str_count_digits(str_skip(rest, 1)) : 0;
    if (n == rest.n || rest.p[n] != '}') {
        append(r, str_from_to(rest, 0, 1));
        return 1;
    }
    r->depth -= r->depth > 0;
    if (r->depth < NESTED_MAX && r->open[r->depth].known && n > 1)
        put_number(r, r->open[r->depth].at, str_from_to(rest, 1, n));
    else
        append(r, str_from_to(rest, 0, n + 1));
    return n + 1;
}

/* Frees `name`. */
static char *respell(char *name)
{
    const struct str null_type = STR("decltype(nullptr)"), any_type = STR("auto:");
    struct respelling r = {0};
    struct str text = {name, strlen(name)};
    for (size_t i = 0; i < text.n;) {
        struct str rest = str_skip(text, i);
        char last = r.out.count ? vec_last(&r.out) : 0;
        if (rest.p[0] == '{') {
            i += respell_open(&r, rest);
        } else if (rest.p[0] == '#' || rest.p[0] == '}') {
            i += respell_close(&r, rest);
        } else if (str_starts(rest, null_type)) {
            append(&r, STR("std::nullptr_t"));
            i += null_type.n;
        } else if (str_starts(rest, any_type) && (last == '(' || last == ' ')) {
            append(&r, STR("auto")); /* of a generic lambda, numbered from 1 */
            i += any_type.n + str_count_digits(str_skip(rest, any_type.n));
        } else if (rest.p[0] == ' ' && rest.n > 1 && (last == '<' || last == '>') &&
                   rest.p[1] == last) {
            i++; /* "> >", "operator<< <int>" */
        } else {
            *vec_push(&r.out) = rest.p[0];
            i++;
        }
    }
    *vec_push(&r.out) = 0;
    free(name);
    return r.out.items;
}

/* What a demangler writes piece by piece. Names refer back to their own parts, so that some of 100
 * bytes stand for gigabytes. */
struct writing {
    VEC(char) text;
    jmp_buf too_long;
};

static void write_piece(const char *text, size_t n, void *p)
{
    struct writing *w = p;
    if (n > NAME_MAX_LENGTH - w->text.count)
        longjmp(w->too_long, 1); /* libiberty keeps nothing on the heap here */
    vec_append(&w->text, text, n);
}

static bool write_plain(struct writing *w, const char *name, bool *is_cpp)
{
    if (setjmp(w->too_long))
        return false;
    *is_cpp = !rust_demangle_callback(name, 0, write_piece, w);
    if (!*is_cpp)
        return true;
    w->text.count = 0;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, write_piece, w);
}

static char *demangle_plain(const char *name)
{
    struct writing w = {0};
    bool is_cpp = false;
    if (!write_plain(&w, name, &is_cpp)) {
        vec_release(&w.text);
        return NULL;
    }
    *vec_push(&w.text) = 0;
    return is_cpp ? respell(w.text.items) : w.text.items;
}

/* _ZN1a1bEv.llvm.123: what stands behind the mangled name. */
static char *demangle_suffixed(const char *name, const char *suffix)
{
    char *stem = alloc_copy(name, (size_t)(suffix - name));
    char *plain = demangle_plain(stem);
    free(stem);
    if (!plain)
        return NULL;
    size_t n = strlen(plain), m = strlen(suffix);
    plain = realloc_array(plain, n + m + sizeof " ()", 1);
    memcpy(plain + n, " (", 2);
    memcpy(plain + n + 2, suffix, m);
    memcpy(plain + n + 2 + m, ")", 2);
    return plain;
}

char *demangle(struct str name)
{
    if (str_starts(name, STR("__Z"))) /* macOS puts an underscore before every name */
        name = str_skip(name, 1);
    if (name.n > NAME_MAX_LENGTH || !(str_starts(name, STR("_Z")) || str_starts(name, STR("_R"))))
        return NULL;
    char *copy = alloc_copy(name.p, name.n);
    const char *suffix = strchr(copy, '.');
    char *plain = suffix ? demangle_suffixed(copy, suffix) : NULL;
    if (!plain)
        plain = demangle_plain(copy);
    free(copy);
    return plain;
}

#else

char *demangle(struct str name)
{
    (void)name;
    return NULL;
}

#endif
