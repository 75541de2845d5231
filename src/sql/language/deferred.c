#include "sql/language/deferred.h"

#include "base/hash.h"
#include "sql/engine/session_state.h"
#include "sql/language/creation.h"
#include "sql/language/language.h"
#include "sql/language/module.h"
#include "sql/language/script.h"
#include "sql/tokens/token_cursor.h"

static uint64_t name_hash(struct str name)
{
    return hash_any_case(name.p, name.n, 0);
}

void deferred_release(struct deferred_list *list)
{
    vec_release(&list->v);
    map_release(&list->by_name);
}

/* CREATE PERFETTO TABLE|VIEW|FUNCTION name, CREATE VIRTUAL TABLE name */
static bool defined_name(const struct token_list *statement, struct str *out)
{
    struct token_cursor c = {statement->v.items, statement->v.count, 0};
    if (!cursor_accept(&c, "CREATE"))
        return false;
    if (cursor_accept(&c, "PERFETTO")) {
        if (!cursor_accept(&c, "TABLE") && !cursor_accept(&c, "VIEW") &&
            !cursor_accept(&c, "FUNCTION"))
            return false;
    } else if (!cursor_accept(&c, "VIRTUAL") || !cursor_accept(&c, "TABLE")) {
        return false;
    }
    struct token name = cursor_take(&c);
    *out = token_name(name);
    return token_is_name(name);
}

static bool is_waiting(const struct deferred_list *list, const struct deferred *d, uint64_t hash)
{
    const uint32_t *first = map_find(&list->by_name, hash);
    for (uint32_t i = first ? *first : 0; i > 0; i = list->v.items[i - 1].next)
        if (list->v.items[i - 1].module == d->module && list->v.items[i - 1].from == d->from)
            return true;
    return false;
}

bool deferred_add(struct sql_session *s, const char *module, const struct token_list *statement,
                  size_t from, size_t to)
{
    struct deferred_list *list = &s->language->deferred;
    struct deferred d = {.module = module, .from = from, .to = to};
    bool inserted;
    if (!defined_name(statement, &d.name) || session_name_taken(s, d.name))
        return false;
    uint64_t hash = name_hash(d.name);
    d.text = statement->v.items[0].source->text;
    if (s->language->redoing > 0 && is_waiting(list, &d, hash))
        return true;
    uint32_t *first = map_insert(&list->by_name, hash, &inserted);
    d.next = *first;
    *vec_push(&list->v) = d;
    *first = (uint32_t)list->v.count;
    list->waiting++;
    return true;
}

static struct status run(struct sql_session *s, struct token at, size_t index)
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
    const uint32_t *first = map_find(&s->language->deferred.by_name, name_hash(name));
    struct status status = status_ok_value();
    for (uint32_t i = first ? *first : 0; i > 0 && status_ok(status);) {
        struct deferred d = s->language->deferred.v.items[i - 1];
        if (!d.done && str_eq_any_case(d.name, name))
            status = run(s, at, i - 1);
        i = d.next;
    }
    return status;
}

static struct status run_all(struct sql_session *s, struct token at)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < s->language->deferred.v.count && status_ok(status); i++)
        if (!s->language->deferred.v.items[i].done)
            status = run(s, at, i);
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
