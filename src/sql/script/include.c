#include "sql/script/include.h"

#include <string.h>

#include "base/alloc.h"
#include "sql/engine/bounds.h"
#include "sql/engine/session_state.h"
#include "sql/language/deferred.h"
#include "sql/language/language.h"
#include "sql/script/script.h"
#include "sql/tokens/source_error.h"

struct sql_source module_source(struct sql_session *s, const char *module, struct str text,
                                struct token at)
{
    char *label = sqlite3_mprintf("module %s", module);
    struct str kept = arena_copy(&s->language->scratch, str_from(label));
    sqlite3_free(label);
    return (struct sql_source){.name = kept.p,
                               .text = text,
                               .parent = at.source,
                               .parent_at = token_at(at)};
}

static struct status run_embedded(struct sql_session *s, const struct sql_source *source,
                                  const char *module)
{
    struct token_list statement = {0};
    struct status status = status_ok_value();
    for (size_t at = 0, next; at < source->text.n && status_ok(status); at = next) {
        statement.v.count = 0;
        next = lexer_statement(source, at, &statement);
        if (!deferred_add(s, module, &statement, at, next))
            status = script_run_part(s, source, at, next, NULL);
    }
    vec_release(&statement.v);
    return status;
}

static void complain(const struct sql_session *s, const char *message)
{
    if (s->complain)
        s->complain(s->complaining, message);
}

struct part_run {
    struct sql_session *session;
    const struct module_part *part;
    const struct sql_source *source;
};

static const struct sql_source *keep_source(struct sql_session *s, struct sql_source source)
{
    struct sql_source *kept = arena_alloc(&s->language->scratch, sizeof *kept);
    *kept = source;
    kept->text = arena_copy(&s->language->scratch, source.text);
    return kept;
}

static size_t first_token(const struct sql_source *source)
{
    size_t at = 0;
    for (struct token t; token_is_blank(t = lexer_token(source, at));)
        at += t.text.n;
    return at;
}

/* The statement that the part is the middle of, and the one behind it. */
static struct status run_wrapped(const struct part_run *r)
{
    struct sql_session *s = r->session;
    struct token_list tokens = {0};
    struct sql_source around = {.parent = r->source,
                                .parent_at = first_token(r->source),
                                .is_stand_in = true};
    around.text = str_from(r->part->before);
    lexer_statement(keep_source(s, around), 0, &tokens);
    lexer_statement(r->source, 0, &tokens);
    around.text = str_from(r->part->behind);
    lexer_statement(keep_source(s, around), 0, &tokens);
    struct status status = script_run_statement(s, &tokens);
    vec_release(&tokens.v);
    around.text = str_from(r->part->then);
    return status_ok(status) ? script_run(s, keep_source(s, around), NULL) : status;
}

static struct status run_text(void *self)
{
    const struct part_run *r = self;
    return r->part->before ? run_wrapped(r) : script_run(r->session, r->source, NULL);
}

static struct status run_bounded(struct part_run *r)
{
    struct sql_spent spent = {0};
    size_t line = 1, at = first_token(r->source);
    for (size_t i = 0; i < at; i++)
        line += r->source->text.p[i] == '\n';
    char *place = sqlite3_mprintf("%s:%llu", r->source->name, (unsigned long long)line);
    struct status status =
        session_bound(r->session, place, r->session->part_bounds, &spent, run_text, r);
    sqlite3_free(place);
    return status;
}

/* What is wrong with one part keeps no other from being run. */
static struct status run_part(struct sql_session *s, const struct module_part *p)
{
    if (!p->sql) {
        complain(s, p->complaint);
        return status_ok_value();
    }
    struct sql_source source = {.name = arena_copy(&s->language->scratch, str_from(p->place)).p,
                                .text = str_from(p->sql)};
    struct part_run run = {s, p, keep_source(s, source)};
    struct status status = s->part_bounds ? run_bounded(&run) : run_text(&run);
    if (status_ok(status) || status.code == STATUS_CANCELLED)
        return status;
    complain(s, status.message);
    status_release(&status);
    return status_ok_value();
}

static struct status run_parts(struct sql_session *s, size_t index)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < s->language->modules.items[index].parts.count && status_ok(status); i++)
        status = run_part(s, &s->language->modules.items[index].parts.items[i]);
    return status;
}

static struct status run_module(struct sql_session *s, struct token at, size_t index)
{
    struct sql_module m = s->language->modules.items[index];
    if (m.included)
        return status_ok_value();
    s->language->modules.items[index].included = true;
    struct sql_source *source = arena_alloc(&s->language->scratch, sizeof *source);
    *source = module_source(s, m.name, m.text, at);
    source->is_program = !m.owned;
    s->language->redoing += m.begun;
    struct status status = run_parts(s, index);
    if (status_ok(status))
        status = m.owned ? script_run(s, source, NULL) : run_embedded(s, source, m.name);
    s->language->redoing -= m.begun;
    s->language->modules.items[index].begun = !status_ok(status);
    s->language->modules.items[index].included = status_ok(status);
    return status;
}

/* "a.*" matches a and everything below it. */
static bool matches(const char *name, const char *pattern)
{
    size_t n = strlen(pattern);
    if (strcmp(pattern, "*") == 0)
        return true;
    if (n < 2 || strcmp(pattern + n - 2, ".*") != 0)
        return strcmp(name, pattern) == 0;
    return strncmp(name, pattern, n - 1) == 0;
}

struct status module_include(struct sql_session *s, struct token at, const char *name)
{
    bool found = module_is_prelude(name);
    for (size_t i = 0; i < s->language->modules.count; i++) {
        if (!matches(s->language->modules.items[i].name, name))
            continue;
        found = true;
        struct status status = run_module(s, at, i);
        if (!status_ok(status))
            return status;
    }
    if (found)
        return status_ok_value();
    return token_error(at, "no such module: %s", name);
}

/* ---- deferred definitions ---- */

static struct status run_deferred(struct sql_session *s, struct token at, size_t index)
{
    struct deferred *d = &s->language->deferred.v.items[index];
    struct sql_source *source = arena_alloc(&s->language->scratch, sizeof *source);
    *source = module_source(s, d->module, d->text, at);
    source->is_program = true; /* others are not deferred */
    d->done = true;
    s->language->deferred.waiting--;
    struct status status = script_run_part(s, source, d->from, d->to, NULL);
    if (!status_ok(status)) { /* interrupted, say: it can be asked for again */
        s->language->deferred.v.items[index].done = false;
        s->language->deferred.waiting++;
    }
    return status;
}

static struct status run_named(struct sql_session *s, struct token at, struct str name)
{
    struct status status = status_ok_value();
    for (uint32_t i = deferred_first(&s->language->deferred, name); i > 0 && status_ok(status);) {
        struct deferred d = s->language->deferred.v.items[i - 1];
        if (!d.done && str_eq_any_case(d.name, name))
            status = run_deferred(s, at, i - 1);
        i = d.next;
    }
    return status;
}

static struct status run_all(struct sql_session *s, struct token at)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < s->language->deferred.v.count && status_ok(status); i++)
        if (!s->language->deferred.v.items[i].done)
            status = run_deferred(s, at, i);
    return status;
}

/* Names in a string may be read by a function or a pragma. */
static struct status run_in_string(struct sql_session *s, struct token t)
{
    struct sql_source inside = {.text = token_name(t)};
    struct status status = status_ok_value();
    for (size_t at = 0; at < inside.text.n && status_ok(status);) {
        struct token word = lexer_token(&inside, at);
        at += word.text.n;
        if (word.kind == TOKEN_WORD)
            status = run_named(s, t, word.text);
    }
    return status;
}

struct status deferred_run(struct sql_session *s, const struct token_list *tokens)
{
    struct status status = status_ok_value();
    for (size_t i = 0;
         i < tokens->v.count && s->language->deferred.waiting > 0 && status_ok(status); i++) {
        struct token t = tokens->v.items[i];
        if (token_is_word(t, "sqlite_master") || token_is_word(t, "sqlite_schema"))
            status = run_all(s, t);
        else if (token_is_name(t))
            status = run_named(s, t, token_name(t));
        else if (t.kind == TOKEN_STRING)
            status = run_in_string(s, t);
    }
    return status;
}
