#include "parsers/perfetto/profile/jit.h"

#include "base/hash.h"
#include "core/stats.h"
#include "core/store/rows.h"
#include "parsers/perfetto/profile/code_map.h"

struct process_code {
    struct code_map ranges; /* where code may be; joined where they overlap */
    struct code_map live;   /* rows of jit_code */
};

struct jit_state {
    struct map processes; /* upid -> index in `list` */
    VEC(struct process_code) list;
    struct map frames;     /* hash of code, mapping and rel_pc -> row of stack_profile_frame */
    VEC(uint32_t) symbols; /* by row of jit_code: symbol_set_id */
};

static void jit_release(void *state)
{
    struct jit_state *s = state;
    for (size_t i = 0; i < s->list.count; i++) {
        code_map_release(&s->list.items[i].ranges);
        code_map_release(&s->list.items[i].live);
    }
    vec_release(&s->list);
    vec_release(&s->symbols);
    map_release(&s->processes);
    map_release(&s->frames);
}

static const struct import_state_kind jit_kind = {.size = sizeof(struct jit_state),
                                                  .release = jit_release};

static struct process_code *find_process(struct jit_state *s, uint32_t upid)
{
    const uint32_t *at = map_find(&s->processes, upid);
    return at ? &s->list.items[*at] : NULL;
}

static struct process_code *process_of(struct jit_state *s, uint32_t upid)
{
    bool is_new;
    uint32_t *at = map_insert(&s->processes, upid, &is_new);
    if (is_new) {
        *at = (uint32_t)s->list.count;
        *vec_push(&s->list) = (struct process_code){0};
    }
    return &s->list.items[*at];
}

void jit_add_range(struct import *im, uint32_t upid, uint64_t start, uint64_t end)
{
    struct code_map *ranges = &process_of(import_state(im, &jit_kind), upid)->ranges;
    struct code_range all = {start, end, 0}, old;
    if (start >= end)
        return;
    while (code_map_take(ranges, all.start, all.end, &old)) {
        all.start = old.start < all.start ? old.start : all.start;
        all.end = old.end > all.end ? old.end : all.end;
    }
    code_map_add(ranges, all);
}

static void place(struct import *im, struct process_code *p, int64_t ts, struct code_range range)
{
    struct table *table = &im->trace->tables.jit_code;
    struct code_range old;
    while (code_map_take(&p->live, range.start, range.end, &old))
        table_set_i64(table, jit_code_col_estimated_delete_ts, old.code, ts);
    code_map_add(&p->live, range);
}

uint32_t jit_load(struct import *im, uint32_t upid, const struct jit_code_row *row,
                  uint32_t symbols)
{
    struct jit_state *s = import_state(im, &jit_kind);
    uint64_t start = (uint64_t)row->start_address;
    uint32_t code = jit_code_append(&im->trace->tables.jit_code, row);
    *vec_push(&s->symbols) = symbols;
    place(im, process_of(s, upid), row->create_ts,
          (struct code_range){start, start + (uint64_t)row->size, code});
    return code;
}

void jit_move(struct import *im, uint32_t upid, int64_t ts, uint64_t from, uint64_t to)
{
    struct process_code *p = find_process(import_state(im, &jit_kind), upid);
    struct code_range old;
    uint64_t end;
    if (!p || !code_map_find(&p->live, from, &old))
        return;
    code_map_take(&p->live, old.start, old.end, &old);
    if (!__builtin_add_overflow(to, old.end - old.start, &end))
        place(im, p, ts, (struct code_range){to, end, old.code});
}

bool jit_known(struct import *im, uint32_t upid)
{
    return find_process(import_state(im, &jit_kind), upid) != NULL;
}

bool jit_covers(struct import *im, uint32_t upid, uint64_t address)
{
    const struct process_code *p = find_process(import_state(im, &jit_kind), upid);
    struct code_range range;
    return p && code_map_find(&p->ranges, address, &range);
}

static uint32_t unknown_frame(struct trace *t, const struct stack_profile_frame_row *told)
{
    string_id name = told->name;
    uint32_t known = t->tables.stack_profile_frame.rows;
    if (string_pool_get(&t->strings, name).n == 0) {
        char text[32];
        snprintf(text, sizeof text, "[+0x%llx]", (unsigned long long)told->rel_pc);
        name = trace_intern_c(t, text);
    }
    uint32_t frame = stack_frame_intern(t, told->mapping, name, told->rel_pc, told->type);
    if (frame == known)
        stats_count(t, STAT_jit_unknown_frame);
    return frame;
}

uint32_t jit_frame(struct import *im, uint32_t upid, uint64_t address,
                   const struct stack_profile_frame_row *told)
{
    struct trace *t = im->trace;
    struct jit_state *s = import_state(im, &jit_kind);
    const struct process_code *p = find_process(s, upid);
    struct code_range at;
    bool is_new;
    if (!p || !code_map_find(&p->live, address, &at))
        return unknown_frame(t, told);
    uint64_t key = hash_mix((uint64_t)at.code << 32 | told->mapping, (uint64_t)told->rel_pc);
    uint32_t *frame = map_insert(&s->frames, key, &is_new);
    if (is_new) {
        struct stack_profile_frame_row row = *told;
        row.name = column_str(&t->tables.jit_code.columns[jit_code_col_function_name], at.code);
        row.symbol_set_id = s->symbols.items[at.code];
        *frame = stack_profile_frame_append(&t->tables.stack_profile_frame, &row);
        struct jit_frame_row link = {.jit_code_id = at.code, .frame_id = *frame};
        jit_frame_append(&t->tables.jit_frame, &link);
    }
    return *frame;
}
