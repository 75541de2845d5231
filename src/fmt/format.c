#include "fmt/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fmt/layout.h"
#include "sql/tokens/keywords.h"
#include "sql/tokens/source_error.h"

enum { LINE_WIDTH = 80, STEP = 2 };

/* How the pieces of a part of the script are laid out. */
enum clause_kind {
    FRAME_FLAT,      /* on one line */
    FRAME_STATEMENT, /* CREATE up to AS */
    FRAME_QUERY,     /* a clause a line */
    FRAME_ITEMS,     /* a line behind each comma */
    FRAME_CONDITION, /* a line before each AND and OR */
    FRAME_SOURCE,    /* FROM or JOIN: a line behind each comma, and one for ON */
    FRAME_CASE,      /* a line for each WHEN */
    FRAME_WHEN,      /* one that is too long: a line before each AND and OR, and before THEN */
};

struct frame {
    enum clause_kind kind;
    uint32_t from, end;    /* its pieces */
    uint32_t indent;       /* of the lines in it */
    uint32_t close_indent; /* of piece `end`, where that is a bracket's end */
    uint32_t depth;
    bool starts_line; /* its first piece does */
    bool closes;      /* piece `end` begins a line */
};

struct formatting {
    const struct token_layout *l;
    VEC(char) out;
    VEC(struct frame) frames; /* innermost last */
    uint32_t column, line_indent;
    bool must_break; /* a comment ends the line */
};

static void put(struct formatting *f, const char *p, size_t n)
{
    vec_append(&f->out, p, n);
    f->column += (uint32_t)n;
}

static void new_line(struct formatting *f, uint32_t indent)
{
    put(f, "\n", 1);
    f->column = 0;
    for (uint32_t i = 0; i < indent; i++)
        put(f, " ", 1);
    f->line_indent = indent;
    f->must_break = false;
}

static void put_text(struct formatting *f, const struct piece *p)
{
    size_t from = f->out.count;
    put(f, p->text.p, p->text.n);
    for (size_t i = from; p->upper && p->kind == TOKEN_WORD && i < f->out.count; i++) {
        char *c = &f->out.items[i];
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    }
}

static const struct piece *at(const struct formatting *f, uint32_t i)
{
    return &f->l->v.items[i];
}

/* The next piece that is no comment. */
static uint32_t skip_comments(const struct formatting *f, uint32_t i)
{
    while (piece_is_comment(at(f, i)))
        i++;
    return i;
}

/* Whether pieces `from` to `end` (exclusive) and what must follow directly fit behind `column`. */
static bool fits(const struct formatting *f, uint32_t from, uint32_t end, uint32_t column)
{
    const struct piece *a = at(f, from), *b = at(f, end);
    if (b->breaks != a->breaks)
        return false;
    uint32_t blank = layout_blank_before(f->l, end), width = b->width - blank - a->width;
    bool follows = piece_is_sign(b, ',') || piece_is_sign(b, ';') || piece_is_sign(b, ')');
    return column + width + follows <= LINE_WIDTH;
}

static struct frame *push(struct formatting *f, struct frame frame)
{
    struct frame *pushed = vec_push(&f->frames);
    *pushed = frame;
    return pushed;
}

static bool begins_query(const struct piece *p)
{
    return p->clause == CLAUSE_LIST || p->clause == CLAUSE_SOURCE;
}

/* Where the clause that begins at `i` ends: before the comments that belong to the next. */
static uint32_t clause_end(const struct formatting *f, uint32_t i, uint32_t limit)
{
    uint32_t end = i + at(f, i)->words, depth = at(f, i)->depth;
    while (end < limit && !(at(f, end)->clause && at(f, end)->depth == depth))
        end =
            at(f, end)->close > end && at(f, end)->close < limit ? at(f, end)->close + 1 : end + 1;
    end = end < limit ? end : limit;
    while (end < limit && end > i + 1 && piece_is_comment(at(f, end - 1)) &&
           at(f, end - 1)->own_line)
        end--;
    return end;
}

static void open_clause(struct formatting *f, uint32_t i, const struct frame *query)
{
    static const enum clause_kind kinds[] = {[CLAUSE_LIST] = FRAME_ITEMS,
                                             [CLAUSE_CONDITION] = FRAME_CONDITION,
                                             [CLAUSE_SOURCE] = FRAME_SOURCE};
    const struct piece *p = at(f, i);
    uint32_t end = clause_end(f, i, query->end), indent = query->indent;
    if (p->clause == CLAUSE_WORDS)
        return;
    if (fits(f, i, end, indent)) {
        push(f, (struct frame){.kind = FRAME_FLAT, .from = i, .end = end});
        return;
    }
    push(f, (struct frame){.kind = kinds[p->clause],
                           .from = i + p->words,
                           .end = end,
                           .indent = indent + STEP,
                           .depth = p->depth,
                           .starts_line = p->clause != CLAUSE_SOURCE});
}

static bool has_comma(const struct formatting *f, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        if (piece_is_sign(at(f, i), ','))
            return true;
        if (at(f, i)->close > i)
            i = at(f, i)->close;
    }
    return false;
}

/* Behind an opening bracket. */
static void open_bracket(struct formatting *f, uint32_t i)
{
    uint32_t close = at(f, i)->close, first = skip_comments(f, i + 1);
    if (close <= i || close == i + 1)
        return;
    /* A name behind it stands on its line, too. */
    bool named = piece_is(at(f, close + 1), "AS") && at(f, close + 2)->kind != TOKEN_END;
    if (fits(f, i + 1, named ? close + 3 : close + 1, f->column)) {
        push(f, (struct frame){.kind = FRAME_FLAT, .from = i + 1, .end = close});
        return;
    }
    enum clause_kind kind = begins_query(at(f, first))   ? FRAME_QUERY
                            : has_comma(f, i + 1, close) ? FRAME_ITEMS
                                                         : FRAME_CONDITION;
    push(f, (struct frame){.kind = kind,
                           .from = i + 1,
                           .end = close,
                           .indent = f->line_indent + STEP,
                           .close_indent = f->line_indent,
                           .depth = at(f, i)->depth + 1,
                           .starts_line = true,
                           .closes = true});
}

static void open_case(struct formatting *f, uint32_t i)
{
    uint32_t close = at(f, i)->close;
    if (close <= i)
        return;
    bool flat = fits(f, i + 1, close + 1, f->column);
    push(f, (struct frame){.kind = flat ? FRAME_FLAT : FRAME_CASE,
                           .from = i + 1,
                           .end = close,
                           .indent = f->line_indent + STEP,
                           .close_indent = f->line_indent,
                           .depth = at(f, i)->depth + 1,
                           .closes = !flat});
}

/* Behind ON of a join that has several lines. */
static void open_condition(struct formatting *f, uint32_t i, const struct frame *source)
{
    if (fits(f, i, source->end, source->indent))
        push(f, (struct frame){.kind = FRAME_FLAT, .from = i + 1, .end = source->end});
    else
        push(f, (struct frame){.kind = FRAME_CONDITION,
                               .from = i + 1,
                               .end = source->end,
                               .indent = source->indent + STEP,
                               .depth = source->depth});
}

/* At a WHEN: what belongs to it. */
static void open_when(struct formatting *f, uint32_t i, const struct frame *frame)
{
    uint32_t end = i + 1;
    while (end < frame->end && !(at(f, end)->depth == frame->depth &&
                                 (piece_is(at(f, end), "WHEN") || piece_is(at(f, end), "ELSE"))))
        end = at(f, end)->close > end ? at(f, end)->close + 1 : end + 1;
    end = end < frame->end ? end : frame->end;
    while (end > i + 1 && piece_is_comment(at(f, end - 1)))
        end--;
    if (!fits(f, i, end, frame->indent))
        push(f, (struct frame){.kind = FRAME_WHEN,
                               .from = i + 1,
                               .end = end,
                               .indent = frame->indent + STEP,
                               .depth = frame->depth});
}

static void open_frames(struct formatting *f, uint32_t i)
{
    struct frame top = vec_last(&f->frames);
    const struct piece *p = at(f, i);
    if (top.kind == FRAME_FLAT)
        return;
    if (piece_is_sign(p, '('))
        open_bracket(f, i);
    else if (piece_is(p, "CASE"))
        open_case(f, i);
    else if (top.kind == FRAME_CASE && piece_is(p, "WHEN") && p->depth == top.depth)
        open_when(f, i, &top);
    else if (top.kind == FRAME_QUERY && p->clause && p->depth == top.depth)
        open_clause(f, i, &top);
    else if (top.kind == FRAME_SOURCE && piece_is(p, "ON") && p->depth == top.depth)
        open_condition(f, i, &top);
    else if (top.kind == FRAME_STATEMENT && piece_is(p, "AS") && p->depth == top.depth)
        push(f, (struct frame){.kind = FRAME_QUERY,
                               .from = i + 1,
                               .end = top.end,
                               .depth = top.depth,
                               .starts_line = true});
}

/* A line's indent, or that the piece stays on its line. */
struct wish {
    bool line;
    uint32_t indent;
};

/* Whether piece `i` begins a line, by the frame it stands in. */
static struct wish wish_of(const struct formatting *f, uint32_t i, const struct frame *top)
{
    const struct piece *p = at(f, i), *before = i > 0 ? p - 1 : p;
    while (before > f->l->v.items && piece_is_comment(before))
        before--;
    bool here = p->depth == top->depth, wanted = i == top->from && top->starts_line;
    switch (top->kind) {
    case FRAME_FLAT:
        return (struct wish){false, 0};
    case FRAME_STATEMENT:
        wanted = here &&
                 (piece_is(p, "RETURNS") || (piece_is(p, "USING") && !piece_is_sign(before, ')')));
        return (struct wish){wanted, piece_is(p, "USING") ? STEP : 0};
    case FRAME_QUERY:
        wanted |= here && p->clause != CLAUSE_NONE;
        break;
    case FRAME_SOURCE:
        wanted |= here && (piece_is(p, "ON") || piece_is_sign(before, ','));
        break;
    case FRAME_ITEMS:
        wanted |= here && piece_is_sign(before, ',') && i > top->from;
        break;
    case FRAME_CONDITION:
        wanted |= here && p->joins;
        break;
    case FRAME_CASE:
        wanted |= here && (piece_is(p, "WHEN") || piece_is(p, "ELSE"));
        break;
    case FRAME_WHEN:
        wanted |= here && (p->joins || piece_is(p, "THEN"));
        break;
    }
    return (struct wish){wanted, top->indent};
}

static uint32_t usual_indent(const struct frame *top)
{
    bool outer = top->kind == FRAME_QUERY || top->kind == FRAME_STATEMENT;
    return outer ? top->indent + STEP : top->indent;
}

static void put_comment(struct formatting *f, uint32_t i)
{
    const struct piece *p = at(f, i);
    const struct frame *top = &vec_last(&f->frames);
    uint32_t next = skip_comments(f, i);
    struct wish wish = {next >= top->end, top->indent};
    if (next < top->end)
        wish = wish_of(f, next, top);
    if (i == top->from && top->starts_line)
        wish = (struct wish){true, top->indent};
    if (p->own_line || f->must_break)
        new_line(f, wish.line ? wish.indent : usual_indent(top));
    else if (f->column > f->line_indent)
        put(f, " ", 1);
    put_text(f, p);
    f->must_break = p->ends_line;
}

static void put_piece(struct formatting *f, uint32_t i)
{
    bool closes = false;
    uint32_t close_indent = 0;
    while (f->frames.count > 1 && vec_last(&f->frames).end <= i) {
        closes = vec_last(&f->frames).closes && vec_last(&f->frames).end == i;
        close_indent = vec_last(&f->frames).close_indent;
        f->frames.count--;
    }
    const struct frame *top = &vec_last(&f->frames);
    if (piece_is_comment(at(f, i))) {
        put_comment(f, i);
        return;
    }
    struct wish wish = closes ? (struct wish){true, close_indent} : wish_of(f, i, top);
    if (wish.line)
        new_line(f, wish.indent);
    else if (f->must_break)
        new_line(f, usual_indent(top));
    else if (layout_blank_before(f->l, i))
        put(f, " ", 1);
    put_text(f, at(f, i));
    open_frames(f, i);
}

/* Comments before a statement, and the line that it begins. */
static void start_line(struct formatting *f, const struct piece *p)
{
    bool trailing = piece_is_comment(p) && !p->own_line && f->out.count > 0 && !f->must_break;
    if (trailing) {
        put(f, " ", 1);
        return;
    }
    if (f->out.count == 0)
        return;
    if (p->blank_line)
        new_line(f, 0);
    new_line(f, 0);
}

/* The statement from piece `i` on; returns the piece behind it. */
static uint32_t put_statement(struct formatting *f, uint32_t i)
{
    uint32_t end = i;
    while (piece_is_comment(at(f, i))) {
        start_line(f, at(f, i));
        put_text(f, at(f, i));
        f->must_break = at(f, i)->ends_line;
        i++;
    }
    if (at(f, i)->kind == TOKEN_END)
        return i;
    for (end = i; at(f, end)->kind != TOKEN_END && !piece_is_sign(at(f, end), ';');)
        end++;
    if (i == end) { /* a statement of nothing */
        start_line(f, at(f, i));
        put_text(f, at(f, i));
        return i + 1;
    }
    bool creates = piece_is(at(f, i), "CREATE") && at(f, i)->kind == TOKEN_WORD;
    bool flat = !creates && fits(f, i, end, 0);
    f->frames.count = 0;
    push(f, (struct frame){.kind = flat      ? FRAME_FLAT
                                   : creates ? FRAME_STATEMENT
                                             : FRAME_QUERY,
                           .from = i,
                           .end = end});
    start_line(f, at(f, i));
    f->line_indent = 0;
    f->column = 0;
    put_text(f, at(f, i));
    open_frames(f, i);
    while (++i < end)
        put_piece(f, i);
    if (!piece_is_sign(at(f, end), ';'))
        return end;
    if (f->must_break)
        new_line(f, 0);
    put(f, ";", 1);
    return end + 1;
}

static bool same_token(struct token a, struct token b)
{
    if (a.kind != b.kind || a.text.n != b.text.n)
        return false;
    bool keyword = a.kind == TOKEN_WORD && sql_is_keyword(a.text);
    return keyword ? compare_any_case_n(a.text.p, b.text.p, a.text.n) == 0 : str_eq(a.text, b.text);
}

static struct token next_token(const struct sql_source *source, size_t *from)
{
    struct token t;
    do {
        t = lexer_token(source, *from);
        *from += t.text.n;
    } while (t.kind != TOKEN_END && token_is_blank(t));
    return t;
}

/* That nothing but white space and the case of keywords has changed. */
static bool is_same_script(const struct sql_source *a, const struct sql_source *b)
{
    size_t i = 0, k = 0;
    for (;;) {
        struct token x = next_token(a, &i), y = next_token(b, &k);
        if (x.kind == TOKEN_END || y.kind == TOKEN_END)
            return x.kind == y.kind;
        if (!same_token(x, y))
            return false;
    }
}

struct status sql_format(const char *name, struct str text, char **out)
{
    struct sql_source source = {.name = name, .text = text};
    struct token_layout layout = {0};
    struct formatting f = {.l = &layout};
    *out = NULL;
    struct open_quote quote = layout_read(&layout, &source);
    if (quote.found) {
        vec_release(&layout.v);
        return source_error(&source, quote.at, "this quote is not closed");
    }
    for (uint32_t i = 0; at(&f, i)->kind != TOKEN_END;)
        i = put_statement(&f, i);
    if (f.out.count > 0)
        put(&f, "\n", 1);
    struct sql_source formatted = {.name = name, .text = {f.out.items, f.out.count}};
    bool same = is_same_script(&source, &formatted);
    if (same)
        *out = alloc_copy(f.out.items, f.out.count);
    vec_release(&f.out);
    vec_release(&f.frames);
    vec_release(&layout.v);
    return same ? status_ok_value()
                : status_error(STATUS_SQL, "%s: formatting would change what it says", name);
}
