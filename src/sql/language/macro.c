#include "sql/language/macro.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "sql/tokens/source_error.h"

/* The largest of the published modules takes 400,000 steps for a statement. */
enum { CALLS_MAX = 64, NESTED_MAX = 500, STEPS_MAX = 1 << 24, BYTES_A_STEP = 4 };

struct expansion {
    const struct macro_table *macros;
    struct arena *arena;
    const atomic_bool *cancel; /* may be NULL */
    int calls;                 /* of macros within the bodies of others */
    int nested;                /* calls in arguments of others */
    uint64_t steps;            /* tokens looked at or written, and their bytes */
};

/* One argument of a call: its tokens without blanks around them. */
struct argument {
    const struct token *tokens;
    size_t count;
};

struct arguments {
    VEC(struct argument) v;
};

static struct status expand(struct expansion *x, const struct token *tokens, size_t n,
                            struct token_list *out);

/* Counts work. False where there was too much of it or it shall end: whoever is told stops, and
 * check_steps says why. */
static bool spend(struct expansion *x, size_t tokens, size_t bytes)
{
    uint64_t before = x->steps;
    x->steps += tokens + bytes / BYTES_A_STEP;
    if ((before ^ x->steps) >> 12 && x->cancel &&
        atomic_load_explicit(x->cancel, memory_order_relaxed))
        x->steps = UINT64_MAX / 2;
    return x->steps <= STEPS_MAX;
}

static struct status check_steps(const struct expansion *x, struct token at)
{
    if (x->steps <= STEPS_MAX)
        return status_ok_value();
    if (x->cancel && atomic_load(x->cancel))
        return status_error(STATUS_CANCELLED, "interrupted");
    return token_error(at, "macros nest too deep or make this statement too long");
}

/* The number of the macro of that name, or NULL; `*key` is where by_name has it or will have it. */
static const uint32_t *find_number(const struct macro_table *macros, struct str name, uint64_t *key)
{
    const uint32_t *number;
    for (*key = hash_any_case(name.p, name.n, 0); (number = map_find(&macros->by_name, *key));
         ++*key)
        if (str_eq_any_case(str_from(macros->v.items[*number].name), name))
            return number;
    return NULL;
}

struct macro *macro_find(const struct macro_table *macros, struct str name)
{
    uint64_t key;
    const uint32_t *number = find_number(macros, name, &key);
    return number ? &macros->v.items[*number] : NULL;
}

static void macro_release(struct macro *m)
{
    for (size_t i = 0; i < m->parameters.count; i++)
        free(m->parameters.items[i]);
    vec_release(&m->parameters);
    free((void *)(uintptr_t)m->source.text.p);
    free((void *)(uintptr_t)m->source.name);
    free(m->name);
}

static char *concatenate(const char *a, struct str b, const char *c)
{
    size_t an = strlen(a), cn = strlen(c);
    char *s = alloc_bytes(an + b.n + cn + 1);
    memcpy(s, a, an);
    memcpy(s + an, b.p, b.n);
    memcpy(s + an + b.n, c, cn + 1);
    return s;
}

void macro_define(struct macro_table *macros, struct str name, const struct str *parameters,
                  size_t parameter_count, const struct token *body, size_t body_count)
{
    uint64_t key;
    const uint32_t *number = find_number(macros, name, &key);
    struct macro *m = number ? &macros->v.items[*number] : vec_push(&macros->v);
    if (number)
        macro_release(m);
    else
        map_set(&macros->by_name, key, (uint32_t)(macros->v.count - 1));
    *m = (struct macro){.name = alloc_copy(name.p, name.n)};
    m->source.name = concatenate("macro ", name, "!");
    m->source.text = str_from(tokens_text(body, body_count));
    m->source.is_macro = true;
    for (size_t i = 0; i < parameter_count; i++)
        *vec_push(&m->parameters) = alloc_copy(parameters[i].p, parameters[i].n);
}

void macro_table_release(struct macro_table *macros)
{
    for (size_t i = 0; i < macros->v.count; i++)
        macro_release(&macros->v.items[i]);
    vec_release(&macros->v);
    map_release(&macros->by_name);
}

/* The first token from `i` on that is not blank, `n` where there is none. */
static size_t skip_blanks(const struct token *tokens, size_t n, size_t i)
{
    while (i < n && token_is_blank(tokens[i]))
        i++;
    return i;
}

/* The index of the "(" where a call, word ! (, starts at `i`; else 0. */
static size_t call_starts(const struct token *tokens, size_t n, size_t i)
{
    if (tokens[i].kind != TOKEN_WORD)
        return 0;
    size_t mark = skip_blanks(tokens, n, i + 1);
    if (mark == n || !token_is(tokens[mark], '!'))
        return 0;
    size_t open = skip_blanks(tokens, n, mark + 1);
    return open < n && token_is(tokens[open], '(') ? open : 0;
}

bool macro_is_called(const struct token *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (call_starts(tokens, n, i))
            return true;
    return false;
}

/* Where nothing is left, no token either: there may be none to point at. */
static struct argument trim(const struct token *tokens, size_t from, size_t to)
{
    while (from < to && token_is_blank(tokens[from]))
        from++;
    while (to > from && token_is_blank(tokens[to - 1]))
        to--;
    return from < to ? (struct argument){tokens + from, to - from} : (struct argument){0};
}

/* Splits "( a, b )" at commas outside inner parentheses. `open` is the index of "("; returns the
 * index behind ")", or 0 where it is missing or looking for it takes too long. */
static size_t split(struct expansion *x, const struct token *tokens, size_t n, size_t open,
                    struct arguments *out)
{
    int depth = 1;
    size_t start = open + 1;
    for (size_t i = open + 1; i < n && spend(x, 1, 0); i++) {
        struct token t = tokens[i];
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth > 0 && !(depth == 1 && token_is(t, ',')))
            continue;
        struct argument a = trim(tokens, start, i);
        if (depth > 0 || a.count > 0 || out->v.count > 0)
            *vec_push(&out->v) = a;
        start = i + 1;
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

static struct token synthetic(struct expansion *x, enum token_kind kind, struct token at,
                              struct str text)
{
    struct sql_source *source = arena_alloc(x->arena, sizeof *source);
    *source = (struct sql_source){.name = "expansion",
                                  .text = arena_copy(x->arena, text),
                                  .parent = at.source,
                                  .parent_at = token_at(at),
                                  .is_macro = true};
    return (struct token){kind, source->text, source};
}

static bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Trace Processor puts its quotes around the text as it stands, so scripts made for it write
 * ''name'' there: all quotes are doubled, and some stand at a word, which they never do in SQL. */
static bool has_doubled_quotes(struct str text)
{
    bool at_word = false;
    for (size_t i = 0; i < text.n; i++) {
        size_t from = i;
        while (i < text.n && text.p[i] == '\'')
            i++;
        if (i == from)
            continue;
        if ((i - from) % 2 != 0)
            return false;
        at_word |=
            (i < text.n && is_word_byte(text.p[i])) || (from > 0 && is_word_byte(text.p[from - 1]));
    }
    return at_word;
}

/* __intrinsic_stringify!(tokens): their text as a string literal. */
static struct status stringify(struct expansion *x, struct token name,
                               const struct arguments *arguments, struct token_list *out)
{
    if (arguments->v.count == 0)
        return token_error(name, "stringify: must specify exactly 1 argument, actual 0");
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t a = 0; a < arguments->v.count; a++) {
        if (a)
            sqlite3_str_appendall(text, ", ");
        struct argument arg = arguments->v.items[a];
        for (size_t i = 0; i < arg.count && spend(x, 1, arg.tokens[i].text.n); i++)
            sqlite3_str_append(text, arg.tokens[i].text.p, (int)arg.tokens[i].text.n);
    }
    char *plain = sqlite3_str_finish(text);
    const char *shown = plain ? plain : "";
    char *s = sqlite3_mprintf(has_doubled_quotes(str_from(shown)) ? "'%s'" : "%Q", shown);
    *vec_push(&out->v) = synthetic(x, TOKEN_STRING, name, str_from(s));
    sqlite3_free(s);
    sqlite3_free(plain);
    return status_ok_value();
}

static void append(struct expansion *x, struct token_list *out, const struct token *tokens,
                   size_t n)
{
    for (size_t i = 0; i < n && spend(x, 1, tokens[i].text.n); i++)
        *vec_push(&out->v) = tokens[i];
}

static bool split_list(struct expansion *x, struct argument a, struct arguments *out)
{
    if (a.count < 2 || !token_is(a.tokens[0], '('))
        return false;
    return split(x, a.tokens, a.count, 0, out) == a.count;
}

/* An intrinsic that calls a macro for each item of a list, or of two side by side, and joins the
 * calls. The numbers are those of its arguments, 0 stands for none. */
struct application {
    const char *name;
    uint8_t arguments, macro, first, second, further, join;
    const char *joined_by; /* where no argument says it */
    bool prefix;           /* what joins stands before the first call, too */
};

static const struct application applications[] = {
    {"__intrinsic_token_apply", 2, 1, 2, 0, 0, 0, ", ", false},
    {"__intrinsic_token_apply", 3, 1, 2, 3, 0, 0, ", ", false},
    {"__intrinsic_token_apply_prefix", 2, 1, 2, 0, 0, 0, ", ", true},
    {"__intrinsic_token_apply_prefix", 3, 1, 2, 3, 0, 0, ", ", true},
    {"__intrinsic_token_apply_and", 2, 1, 2, 0, 0, 0, " AND ", false},
    {"__intrinsic_token_apply_and", 3, 1, 2, 3, 0, 0, " AND ", false},
    {"__intrinsic_token_apply_and_prefix", 2, 1, 2, 0, 0, 0, " AND ", true},
    {"__intrinsic_token_apply_and_prefix", 3, 1, 2, 3, 0, 0, " AND ", true},
    /* Of modules of 2024: */
    {"__intrinsic_token_map_join", 3, 2, 1, 0, 0, 3, NULL, false},
    {"__intrinsic_prefixed_token_map_join", 3, 2, 1, 0, 0, 3, NULL, true},
    {"__intrinsic_token_map_join_with_capture", 4, 2, 1, 0, 3, 4, NULL, false},
    {"__intrinsic_token_zip_join", 4, 3, 1, 2, 0, 4, NULL, false},
    {"__intrinsic_prefixed_token_zip_join", 4, 3, 1, 2, 0, 4, NULL, true},
};

enum { APPLICATIONS = sizeof applications / sizeof *applications };

/* The one of this name, with so many arguments if there is one; NULL where none is called so. */
static const struct application *find_application(struct str name, size_t arguments)
{
    const struct application *found = NULL;
    for (size_t i = 0; i < APPLICATIONS; i++)
        if (str_eq(name, str_from(applications[i].name)) &&
            (!found || applications[i].arguments == arguments))
            found = &applications[i];
    return found;
}

static void append_text(struct expansion *x, struct token name, const char *text,
                        struct token_list *out)
{
    const struct sql_source *source = synthetic(x, TOKEN_SPACE, name, str_from(text)).source;
    for (size_t at = 0; at < source->text.n;) {
        struct token t = lexer_token(source, at);
        *vec_push(&out->v) = t;
        at += t.text.n;
    }
}

static void append_further(struct expansion *x, struct token name, struct argument item,
                           struct token_list *out)
{
    append_text(x, name, ",", out);
    append(x, out, item.tokens, item.count);
}

static void append_join(struct expansion *x, struct token name, const struct application *how,
                        const struct argument *given, struct token_list *out)
{
    append_text(x, name, how->join ? " " : how->joined_by, out);
    if (how->join) {
        append(x, out, given[how->join - 1].tokens, given[how->join - 1].count);
        append_text(x, name, " ", out);
    }
}

/* __intrinsic_token_apply!(m, (a, b), (x, y)): m!(a, x), m!(b, y), joined and maybe prefixed. */
static struct status apply(struct expansion *x, struct token name, const struct application *how,
                           const struct arguments *arguments, struct token_list *out)
{
    struct arguments first = {0}, second = {0}, further = {0};
    struct token_list calls = {0};
    const struct argument *given = arguments->v.items;
    bool good = arguments->v.count == how->arguments && given[how->macro - 1].count == 1 &&
                split_list(x, given[how->first - 1], &first) &&
                (!how->second || split_list(x, given[how->second - 1], &second)) &&
                (!how->further || split_list(x, given[how->further - 1], &further));
    size_t n = how->second && second.v.count < first.v.count ? second.v.count : first.v.count;
    for (size_t i = 0; good && i < n && spend(x, 1, 0); i++) {
        if (i > 0 || how->prefix)
            append_join(x, name, how, given, &calls);
        append(x, &calls, given[how->macro - 1].tokens, 1);
        append_text(x, name, "!", &calls);
        append_text(x, name, "(", &calls);
        append(x, &calls, first.v.items[i].tokens, first.v.items[i].count);
        if (how->second)
            append_further(x, name, second.v.items[i], &calls);
        for (size_t k = 0; k < further.v.count; k++)
            append_further(x, name, further.v.items[k], &calls);
        append_text(x, name, ")", &calls);
    }
    struct status s = check_steps(x, name);
    if (status_ok(s))
        s = good ? expand(x, calls.v.items, calls.v.count, out)
            : how->join
                ? token_error(name,
                              "%.*s! takes lists in parentheses, a macro's name and what joins "
                              "the calls",
                              (int)name.text.n, name.text.p)
                : token_error(name,
                              "%.*s! takes a macro's name and one or two lists in "
                              "parentheses",
                              (int)name.text.n, name.text.p);
    vec_release(&calls.v);
    vec_release(&first.v);
    vec_release(&second.v);
    vec_release(&further.v);
    return s;
}

static bool run_intrinsic(struct expansion *x, struct token name, const struct arguments *arguments,
                          struct token_list *out, struct status *status)
{
    if (str_eq(name.text, STR("__intrinsic_stringify")) ||
        str_eq(name.text, STR("__intrinsic_stringify_ignore_table"))) {
        *status = stringify(x, name, arguments, out);
        return true;
    }
    if (str_eq(name.text, STR("__intrinsic_token_comma"))) {
        append_text(x, name, ",", out);
        *status = status_ok_value();
        return true;
    }
    const struct application *how = find_application(name.text, arguments->v.count);
    if (how)
        *status = apply(x, name, how, arguments, out);
    return how != NULL;
}

static const struct argument *find_argument(struct expansion *x, const struct macro *m,
                                            const struct arguments *arguments, struct token t)
{
    if (t.kind != TOKEN_VARIABLE || t.text.p[0] != '$')
        return NULL;
    spend(x, m->parameters.count, 0);
    struct str name = str_skip(t.text, 1);
    for (size_t i = 0; i < m->parameters.count; i++)
        if (str_eq_any_case(str_from(m->parameters.items[i]), name))
            return &arguments->v.items[i];
    return NULL;
}

/* The body with arguments in the place of parameters. */
static void substitute(struct expansion *x, struct token name, const struct macro *m,
                       const struct arguments *arguments, struct token_list *out)
{
    if (!spend(x, 1, m->source.text.n))
        return;
    struct sql_source *source = arena_alloc(x->arena, sizeof *source);
    *source = (struct sql_source){.name = arena_copy(x->arena, str_from(m->source.name)).p,
                                  .text = arena_copy(x->arena, m->source.text),
                                  .parent = name.source,
                                  .parent_at = token_at(name),
                                  .is_macro = true};
    for (size_t at = 0; at < source->text.n && spend(x, 1, 0);) {
        struct token t = lexer_token(source, at);
        at += t.text.n;
        const struct argument *a = find_argument(x, m, arguments, t);
        if (a)
            append(x, out, a->tokens, a->count);
        else
            *vec_push(&out->v) = t;
    }
}

static struct status call(struct expansion *x, struct token name, const struct arguments *arguments,
                          struct token_list *out)
{
    struct status status;
    if (x->calls >= CALLS_MAX)
        return token_error(name, "macros call each other more than %d deep", CALLS_MAX);
    x->calls++;
    if (run_intrinsic(x, name, arguments, out, &status)) {
        x->calls--;
        return status;
    }
    const struct macro *m = macro_find(x->macros, name.text);
    if (!m)
        status = token_error(name, "no such macro: %.*s", (int)name.text.n, name.text.p);
    else if (m->parameters.count != arguments->v.count)
        status = token_error(name, "macro %s! takes %d argument%s, not %d", m->name,
                             (int)m->parameters.count, m->parameters.count == 1 ? "" : "s",
                             (int)arguments->v.count);
    else {
        struct token_list body = {0};
        substitute(x, name, m, arguments, &body);
        status = expand(x, body.v.items, body.v.count, out);
        vec_release(&body.v);
    }
    x->calls--;
    return status;
}

/* Arguments are expanded before the call sees them; their tokens go to `store`. */
static struct status expand_arguments(struct expansion *x, struct arguments *arguments,
                                      struct token_list *store)
{
    VEC(size_t) ends = {0};
    struct status status = status_ok_value();
    x->nested++;
    for (size_t i = 0; i < arguments->v.count && status_ok(status); i++) {
        struct argument a = arguments->v.items[i];
        status = expand(x, a.tokens, a.count, store);
        *vec_push(&ends) = store->v.count;
    }
    x->nested--;
    for (size_t i = 0, from = 0; i < ends.count; from = ends.items[i++])
        arguments->v.items[i] = trim(store->v.items, from, ends.items[i]);
    vec_release(&ends);
    return status;
}

static struct status expand_call(struct expansion *x, const struct token *tokens, size_t n,
                                 size_t *at, struct token_list *out)
{
    struct arguments arguments = {0};
    struct token_list store = {0};
    struct token name = tokens[*at];
    if (x->nested >= NESTED_MAX)
        return token_error(name, "macro calls stand in arguments of others more than %d deep",
                           NESTED_MAX);
    size_t open = call_starts(tokens, n, *at);
    size_t end = split(x, tokens, n, open, &arguments);
    struct status status = check_steps(x, name);
    if (status_ok(status) && end == 0)
        status = token_error(tokens[open], "this parenthesis of a macro call is not closed");
    if (status_ok(status))
        status = expand_arguments(x, &arguments, &store);
    if (status_ok(status))
        status = call(x, name, &arguments, out);
    if (status_ok(status))
        status = check_steps(x, name);
    vec_release(&arguments.v);
    vec_release(&store.v);
    *at = end;
    return status;
}

static struct status expand(struct expansion *x, const struct token *tokens, size_t n,
                            struct token_list *out)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < n && status_ok(status);) {
        if (call_starts(tokens, n, i))
            status = expand_call(x, tokens, n, &i, out);
        else if (spend(x, 1, tokens[i].text.n))
            *vec_push(&out->v) = tokens[i++];
        else
            status = check_steps(x, tokens[i]);
    }
    return status;
}

struct status macro_check_body(const struct token *tokens, size_t n)
{
    struct token open = {.kind = TOKEN_END};
    int depth = 0;
    for (size_t i = 0; i < n; i++) {
        if (depth == 0 && token_is(tokens[i], '('))
            open = tokens[i];
        depth += token_is(tokens[i], '(') - token_is(tokens[i], ')');
        if (depth < 0)
            return token_error(tokens[i], "this parenthesis closes none of the macro's body");
    }
    if (depth > 0)
        return token_error(open, "this parenthesis is not closed: a macro ends at the first "
                                 "semicolon, its body must not have one");
    return status_ok_value();
}

struct status macro_check_variables(const struct token *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct token t = tokens[i];
        if (t.kind == TOKEN_VARIABLE && t.text.p[0] == '$' && t.source->is_macro)
            return token_error(t, "%s has no parameter %.*s", t.source->name, (int)t.text.n,
                               t.text.p);
    }
    return status_ok_value();
}

struct status macro_expand(const struct macro_table *macros, struct arena *arena,
                           const atomic_bool *cancel, const struct token *tokens, size_t n,
                           struct token_list *out)
{
    struct expansion x = {.macros = macros, .arena = arena, .cancel = cancel};
    if (macro_is_called(tokens, n))
        return expand(&x, tokens, n, out);
    for (size_t i = 0; i < n; i++)
        *vec_push(&out->v) = tokens[i];
    return status_ok_value();
}
