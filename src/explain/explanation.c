#include "explain/explanation.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/trace/stored_columns.h"
#include "core/trace/trace_window.h"
#include "text/time.h"
#include "sql/session.h"

enum {
    MOST = 50,      /* per cent of a step that the next one has, else the chain ends */
    ENOUGH = 25,    /* per cent of all that a step has at least */
    PART_LEAST = 5, /* per cent of all that a part has, to be shown */
    CERTAIN = 60,   /* per cent explained */
    DOUBTFUL = 20,  /* per cent unknown */
};

struct building {
    struct explanation *e;
    const struct thread_index *x;
    struct map by_key; /* hash of a key -> problem */
};

static int percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

/* A text that is printed into the arena. */
struct printed {
    FILE *f;
    char *text;
    size_t size;
};

static void print_begin(struct printed *p)
{
    p->f = open_memstream(&p->text, &p->size);
    if (!p->f)
        alloc_fail();
}

static struct str print_end(struct printed *p, struct arena *arena)
{
    if (fclose(p->f) != 0)
        alloc_fail();
    struct str kept = arena_copy(arena, (struct str){p->text, p->size});
    free(p->text);
    return kept;
}

static struct str thread_text(struct building *b, uint32_t utid)
{
    struct str thread = thread_index_thread(b->x, utid), process = thread_index_process(b->x, utid);
    struct printed p;
    if (utid == NULL_U32)
        return STR("");
    print_begin(&p);
    if (thread.n)
        fwrite(thread.p, 1, thread.n, p.f);
    else
        fprintf(p.f, "thread %" PRId64, thread_index_tid(b->x, utid));
    if (process.n && !str_eq(process, thread))
        fprintf(p.f, " of %.*s", (int)process.n, process.p);
    return print_end(&p, &b->e->arena);
}

/* Of a function of the kernel, without where in it that is: "f2fs_sync+0x54/0x120". */
static struct str function_name(struct str name)
{
    const char *at = name.n ? memmem(name.p, name.n, "+0x", 3) : NULL;
    return at ? str_from_to(name, 0, (size_t)(at - name.p)) : name;
}

/* The slice of the step, else the state of its thread. */
static struct step_place place_of(const struct thread_index *x, const struct cause_node *n)
{
    uint32_t row = thread_index_slice_at(x, n->utid, n->ts);
    const struct table *slices = &x->trace->tables.slice;
    while (n->kind == CAUSE_SLICE && row < slices->rows &&
           column_str(&slices->columns[slice_col_name], row) != n->name)
        row = table_u32(slices, slice_col_parent_id)[row];
    uint32_t state = thread_index_state_at(x, n->utid, n->ts);
    if (state != NULL_U32 && (n->kind != CAUSE_SLICE || row >= slices->rows))
        return (struct step_place){"state", state};
    return row < slices->rows ? (struct step_place){"slice", row} : (struct step_place){"", 0};
}

static struct cause_step step_of(struct building *b, const struct cause_tree *c, uint32_t node)
{
    const struct cause_node *n = &c->nodes.items[node];
    return (struct cause_step){
        .kind = n->kind,
        .utid = n->utid,
        .other = n->other,
        .thread = thread_text(b, n->utid),
        .for_thread = thread_text(b, n->other),
        .name = function_name(thread_index_text(b->x, n->name)),
        .mostly = cause_tree_mostly(c, node),
        .ns = n->ns,
        .ts = n->ts,
        .longest = n->longest,
        .place = place_of(b->x, n),
    };
}

static int compare_steps(const void *a, const void *b)
{
    const struct cause_step *x = a, *y = b;
    return x->ns > y->ns ? -1 : x->ns < y->ns;
}

/* What a node is made of, the largest first. */
static void add_parts(struct building *b, struct problem *p, const struct cause_tree *c,
                      uint32_t node)
{
    VEC(struct cause_step) parts = {0};
    for (uint32_t i = node + 1; i < c->nodes.count; i++)
        if (c->nodes.items[i].parent == node &&
            percent(c->nodes.items[i].ns, c->nodes.items[0].ns) >= PART_LEAST)
            *vec_push(&parts) = step_of(b, c, i);
    if (parts.count > 1)
        qsort(parts.items, parts.count, sizeof *parts.items, compare_steps);
    for (size_t i = 0; i < parts.count && p->part_count < PARTS_SHOWN; i++)
        p->parts[p->part_count++] = parts.items[i];
    vec_release(&parts);
}

/* From the root to where no child is most of its parent. */
static void follow_chain(struct building *b, struct problem *p, const struct cause_tree *c)
{
    uint32_t node = 0;
    int64_t all = c->nodes.items[0].ns;
    while (p->step_count < STEPS_SHOWN) {
        uint32_t next = cause_tree_largest(c, node);
        const struct cause_node *n = next == NULL_U32 ? NULL : &c->nodes.items[next];
        if (!n || percent(n->ns, c->nodes.items[node].ns) < MOST || percent(n->ns, all) < ENOUGH)
            break;
        p->steps[p->step_count++] = step_of(b, c, next);
        node = next;
    }
    add_parts(b, p, c, node);
    p->share = percent(c->nodes.items[node].ns, all);
    for (size_t i = 1; i < c->nodes.count; i++)
        p->kinds[c->nodes.items[i].kind] =
            time_plus(p->kinds[c->nodes.items[i].kind], c->nodes.items[i].ns);
    p->walked = all;
    p->unknown = percent(time_plus(p->kinds[CAUSE_UNKNOWN], p->kinds[CAUSE_LOST]), all);
    bool known = p->step_count == 0 || (p->steps[p->step_count - 1].kind != CAUSE_UNKNOWN &&
                                        p->steps[p->step_count - 1].kind != CAUSE_LOST);
    p->share = known ? p->share : 0;
    p->is_certain = p->share >= CERTAIN && p->unknown <= DOUBTFUL;
}

/* ---- the cause in words ---- */

/* The last step of a kind; NULL: none. */
static const struct cause_step *last_step(const struct problem *p, enum cause_kind kind)
{
    for (int i = p->step_count; i-- > 0;)
        if (p->steps[i].kind == kind)
            return &p->steps[i];
    return NULL;
}

static void put(FILE *f, const char *before, struct str s, const char *after)
{
    if (s.n)
        fprintf(f, "%s%.*s%s", before, (int)s.n, s.p, after);
}

/* What the chain was in last, whoever that was. */
static struct str last_slice(const struct problem *p)
{
    const struct cause_step *s = last_step(p, CAUSE_SLICE);
    return s ? s->name : p->worst->name;
}

/* The slice that is the symptom itself, where it is its thread's; else empty. */
static struct str symptom_slice(const struct thread_index *x, const struct symptom *s)
{
    const struct table *slices = &x->trace->tables.slice, *tracks = &x->trace->tables.track;
    if (!str_eq(s->ref, STR("slice")) || s->ref_id < 0 || s->ref_id >= slices->rows)
        return STR("");
    uint32_t track = table_u32(slices, slice_col_track_id)[s->ref_id];
    bool own = track < tracks->rows && table_u32(tracks, track_col_utid)[track] == s->utid;
    return own ? thread_index_slice_name(x, (uint32_t)s->ref_id) : STR("");
}

/* What the thread of a step was in; where that is not known, what waited for it was in. */
static void put_slice(FILE *f, const struct thread_index *x, const struct problem *p,
                      const struct cause_step *of)
{
    const struct cause_step *s = last_step(p, CAUSE_SLICE);
    if (!s && of->utid == p->worst->utid)
        put(f, " in `", symptom_slice(x, p->worst), "`");
    if (!s)
        return;
    bool own = str_eq(s->thread, of->thread);
    put(f, own ? " in `" : ", for `", s->name, "`");
    if (!own)
        put(f, " of ", s->thread, "");
}

static void put_parts(FILE *f, const struct problem *p)
{
    for (int i = 0; i < p->part_count && i < 3; i++) {
        const struct cause_step *s = &p->parts[i];
        struct str what = s->kind == CAUSE_SLICE ? s->name
                          : s->for_thread.n      ? s->for_thread
                                                 : str_from(cause_kind_words(s->kind));
        fprintf(f, "%s%.*s %.0f ms", i ? ", " : "", (int)what.n, what.p, (double)s->ns / 1e6);
        if (s->mostly != s->kind)
            fprintf(f, " (%s)", cause_kind_word(s->mostly));
    }
}

static void put_leaf(FILE *f, const struct thread_index *x, const struct problem *p,
                     const struct cause_step *s)
{
    switch (s->kind) {
    case CAUSE_CPU:
        put(f, "", s->for_thread.n ? s->for_thread : STR("nobody known"), "");
        fputs(" had the CPU", f);
        break;
    case CAUSE_LATENCY:
        fputs("an idle CPU was slow to wake for ", f);
        put(f, "", s->thread, "");
        break;
    case CAUSE_IRQ:
        put(f, "the interrupt ", s->name, "");
        fputs(" had the CPU", f);
        break;
    case CAUSE_SLOW_CPU:
        fputs("the CPU ran below its frequency", f);
        break;
    case CAUSE_DISK:
        fputs("the disk", f);
        put(f, ", in ", s->name, "");
        put(f, ", for ", s->thread, "");
        break;
    case CAUSE_KERNEL:
        put(f, "", s->thread, "");
        put(f, " in the kernel, in ", s->name, "");
        break;
    case CAUSE_SLEEP:
        put(f, "", s->thread, " slept");
        put(f, " in ", s->name, "");
        put_slice(f, x, p, s);
        break;
    case CAUSE_RAN:
        put(f, "", s->thread, " ran");
        put_slice(f, x, p, s);
        break;
    case CAUSE_IN:
        put(f, "", s->thread, "");
        put_slice(f, x, p, s);
        break;
    case CAUSE_UNKNOWN:
        fputs("unknown: what ", f);
        put(f, "", s->thread, " did or waited for");
        break;
    case CAUSE_LOST:
        fputs("unknown: CPUs idled while threads are said to have waited for them; events may be "
              "missing",
              f);
        break;
    case CAUSE_WAIT:
    case CAUSE_LOCK:
        put(f, "", s->for_thread, "");
        put(f, ": ", s->name, "");
        if (p->part_count)
            fputs(": ", f);
        put_parts(f, p);
        break;
    case CAUSE_SLICE:
    case CAUSE_ALL:
    case CAUSE_KIND_COUNT:
        put(f, "", s->name, " on ");
        put(f, "", s->thread, p->part_count ? ": " : "");
        put_parts(f, p);
        break;
    }
}

/* Whether most of the time went to CPUs that others had, of whom none had most of it. */
static bool is_crowd(const struct problem *p)
{
    return p->kinds[CAUSE_CPU] > p->walked / 2 && !last_step(p, CAUSE_CPU) &&
           !last_step(p, CAUSE_LOCK);
}

static struct str cause_text(struct building *b, const struct problem *p)
{
    const struct cause_step *lock = last_step(p, CAUSE_LOCK);
    struct printed out;
    print_begin(&out);
    if (is_crowd(p)) {
        fputs("more threads wanted to run than there are CPUs: ", out.f);
        put_parts(out.f, p);
    } else if (p->step_count == 0) {
        put(out.f, "", p->worst->name, ": ");
        put_parts(out.f, p);
    } else {
        const struct cause_step *leaf = &p->steps[p->step_count - 1];
        if (lock && lock != leaf) {
            put(out.f, "a lock that ", lock->for_thread, " held");
            put(out.f, " at ", lock->name, "");
            fputs(": ", out.f);
        }
        put_leaf(out.f, b->x, p, leaf);
    }
    return print_end(&out, &b->e->arena);
}

/* ---- one cause ---- */

void put_without_numbers(FILE *f, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!str_is_digit(s.p[i]))
            fputc(s.p[i], f);
        else if (i == 0 || !str_is_digit(s.p[i - 1]))
            fputc('#', f);
}

/* `named`: of a lock by the place where its owner took it, if that is known; else by what the owner
 * did with it. */
static struct str key_text(struct building *b, const struct problem *p, bool named)
{
    const struct cause_step *lock = last_step(p, CAUSE_LOCK);
    const struct cause_step *leaf = p->step_count ? &p->steps[p->step_count - 1] : NULL;
    struct printed out;
    print_begin(&out);
    if (lock) {
        struct str process = thread_index_process(b->x, lock->other);
        put(out.f, "lock|", process, "|");
        put_without_numbers(out.f, named && lock->name.n ? lock->name : last_slice(p));
    } else if (is_crowd(p)) {
        fputs("cpu|many", out.f);
    } else if (leaf && leaf->kind == CAUSE_LOST) {
        fputs("lost", out.f);
    } else if (leaf) {
        bool of_thread =
            leaf->kind != CAUSE_CPU && leaf->kind != CAUSE_IRQ && leaf->kind != CAUSE_SLOW_CPU;
        uint32_t who = leaf->other != NULL_U32 ? leaf->other : leaf->utid;
        fprintf(out.f, "%s|", cause_kind_word(leaf->kind));
        struct str process = thread_index_process(b->x, who);
        if (of_thread || leaf->kind == CAUSE_CPU)
            put(out.f, "", process, "|");
        if (of_thread || (leaf->kind == CAUSE_CPU && process.n == 0))
            put_without_numbers(out.f, thread_index_thread(b->x, who));
        if (of_thread && leaf->kind != CAUSE_DISK)
            put_without_numbers(out.f, last_slice(p));
        put(out.f, "|", leaf->name, "");
    } else {
        fprintf(out.f, "rule|");
        put(out.f, "", p->worst->rule->name, "|");
        put_without_numbers(out.f, p->worst->name);
    }
    return print_end(&out, &b->e->arena);
}

static void take_over(struct problem *p, const struct problem *more)
{
    const struct problem before = *p;
    if (more->level != p->level ? more->level < p->level : more->worst->cost > p->worst->cost)
        *p = *more;
    p->count = before.count + more->count;
    p->cost = time_plus(before.cost, more->cost);
    p->level = more->level < before.level ? more->level : before.level;
}

static void add_problem(struct building *b, const struct problem *p)
{
    uint64_t hash = hash_bytes(p->key.p, p->key.n, 0);
    bool is_new;
    for (;; hash++) {
        uint32_t *at = map_insert(&b->by_key, hash, &is_new);
        if (is_new) {
            *at = (uint32_t)b->e->problems.count;
            *vec_push(&b->e->problems) = *p;
            return;
        }
        if (str_eq(b->e->problems.items[*at].key, p->key)) {
            take_over(&b->e->problems.items[*at], p);
            return;
        }
    }
}

/* Of problems that are part of another one no symptom is left. */
static void forget_joined(struct explanation *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->problems.count; i++)
        if (e->problems.items[i].count > 0)
            e->problems.items[kept++] = e->problems.items[i];
    e->problems.count = kept;
}

/* Of some waits it is not known where the lock was taken: they join the first problem whose owner
 * did the same with it, of which that is known. */
static void join_nameless_locks(struct explanation *e)
{
    struct map named = {0};
    bool is_new;
    for (uint32_t i = 0; i < e->problems.count; i++) {
        const struct problem *p = &e->problems.items[i];
        if (str_eq(p->key, p->loose_key))
            continue;
        uint32_t *at = map_insert(&named, hash_bytes(p->loose_key.p, p->loose_key.n, 0), &is_new);
        if (is_new)
            *at = i;
    }
    for (uint32_t i = 0; i < e->problems.count; i++) {
        struct problem *p = &e->problems.items[i];
        bool nameless = str_eq(p->key, p->loose_key);
        uint32_t *at =
            nameless ? map_find(&named, hash_bytes(p->loose_key.p, p->loose_key.n, 0)) : NULL;
        struct problem *one = at ? &e->problems.items[*at] : NULL;
        if (!one || !str_eq(one->loose_key, p->loose_key))
            continue;
        one->count += p->count;
        one->cost = time_plus(one->cost, p->cost);
        one->level = p->level < one->level ? p->level : one->level;
        p->count = 0;
    }
    forget_joined(e);
    map_release(&named);
}

/* Whether the chain of a problem ends in what a rule says is a cause. */
static bool ends_in(const struct building *b, const struct problem *p, const struct symptom *known)
{
    const struct cause_step *s = last_step(p, CAUSE_SLICE);
    const struct table *threads = &b->x->trace->tables.thread;
    if (!s || s->utid >= threads->rows || p->steps[p->step_count - 1].utid != s->utid)
        return false;
    if (known->upid != NULL_U32 && table_u32(threads, thread_col_upid)[s->utid] != known->upid)
        return false;
    return sqlite3_strglob(known->in_slice.p, s->name.p) == 0;
}

/* What chains end in and what a rule found by itself are one problem: the chain's, with the rule's
 * words. */
static void join_known_causes(struct building *b)
{
    struct explanation *e = b->e;
    for (size_t i = 0; i < e->problems.count; i++) {
        struct problem *known = &e->problems.items[i], *one = NULL;
        for (size_t k = 0; known->worst->in_slice.n > 0 && k < e->problems.count; k++) {
            struct problem *p = &e->problems.items[k];
            if (p->count == 0 || !ends_in(b, p, known->worst))
                continue;
            if (one)
                take_over(one, p);
            else
                one = p;
            p->count = p == one ? p->count : 0;
        }
        if (!one)
            continue;
        one->cause = known->cause;
        one->key = known->key;
        one->cost = known->cost > one->cost ? known->cost : one->cost;
        one->level = known->level < one->level ? known->level : one->level;
        known->count = 0;
    }
    forget_joined(e);
}

static void walk_symptom(struct building *b, const struct symptom *s, struct cause_tree *tree)
{
    int64_t end = s->dur < 0 ? b->e->end : time_plus(s->ts, s->dur);
    if (s->utid < b->x->trace->tables.thread.rows && end > s->ts)
        cause_tree_walk(tree, b->x, s->utid, s->ts, end);
}

/* Whether a third of the time of a symptom's own thread was waits for others. */
static bool waits_for_others(const struct cause_tree *c)
{
    int64_t waited = 0;
    for (size_t i = 1; i < c->nodes.count; i++) {
        const struct cause_node *n = &c->nodes.items[i];
        if (n->utid == c->nodes.items[0].utid && (n->kind == CAUSE_WAIT || n->kind == CAUSE_LOCK))
            waited = time_plus(waited, n->ns);
    }
    return waited >= c->nodes.items[0].ns / 3;
}

/* Whether the chain ends in another thread that slept, in nothing that it is known to do: who waits
 * for it mostly waits for work. */
static bool is_idle_wait(const struct problem *p)
{
    const struct cause_step *last = p->step_count ? &p->steps[p->step_count - 1] : NULL;
    return last && last->kind == CAUSE_SLEEP && last->utid != p->worst->utid &&
           p->steps[p->step_count - 2].kind == CAUSE_WAIT;
}

/* One symptom, or several that are one group. */
static void explain_symptoms(struct building *b, const struct symptom *s, uint32_t count)
{
    struct problem p = {.level = s->level, .worst = s, .count = count};
    struct cause_tree tree = {0};
    for (uint32_t i = 0; i < count; i++) {
        p.cost = time_plus(p.cost, s[i].cost);
        p.level = s[i].level < p.level ? s[i].level : p.level;
        p.worst = s[i].cost > p.worst->cost ? &s[i] : p.worst;
        if (s->cause.n == 0)
            walk_symptom(b, &s[i], &tree);
    }
    cause_tree_add_up(&tree);
    if (s->cause.n) {
        p.cause = s->cause;
        p.key = s->key.n ? s->key : s->cause;
        p.share = 100;
        p.is_certain = true;
    } else if (tree.nodes.count > 1) {
        follow_chain(b, &p, &tree);
        p.cause = cause_text(b, &p);
        p.key = key_text(b, &p, true);
        p.loose_key = key_text(b, &p, false);
        if (s->rule->level_waiting < p.level && waits_for_others(&tree))
            p.level = s->rule->level_waiting;
        if (is_idle_wait(&p))
            p.level = LEVEL_NOTE;
    } else {
        p.cause = STR("unknown: no thread is known for it");
        p.key = key_text(b, &p, true);
        p.unknown = 100;
    }
    if (p.unknown >= MOST && p.level < s->rule->level_unknown)
        p.level = s->rule->level_unknown;
    add_problem(b, &p);
    cause_tree_release(&tree);
}

static bool is_same_group(const struct symptom *a, const struct symptom *b)
{
    return a->rule == b->rule && a->part_of.n > 0 && str_eq(a->part_of, b->part_of);
}

static void explain_all(struct building *b, const struct load_progress *progress)
{
    const struct symptom *s = b->e->found.symptoms.items;
    size_t all = b->e->found.symptoms.count;
    for (size_t i = 0, next; i < all && progress_goes_on(progress); i = next) {
        for (next = i + 1; next < all && is_same_group(&s[i], &s[next]);)
            next++;
        explain_symptoms(b, &s[i], (uint32_t)(next - i));
    }
}

/* What is worse, then what costs more that is explained. */
static int compare_problems(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    double cx = (double)x->cost * x->share, cy = (double)y->cost * y->share;
    return cx > cy ? -1 : cx < cy;
}

static bool is_asked(const struct explain_request *request, enum rule_kind kind)
{
    switch (kind) {
    case RULE_SHARED: /* where another one reads it */
        return false;
    case RULE_BELIEF:
    case RULE_COUNT:
        return true;
    case RULE_SYMPTOM:
        return !request->sql;
    case RULE_MEASURE:
    case RULE_TIMES:
        return request->measures;
    }
    return false;
}

static struct status stopped(void)
{
    return status_error(STATUS_CANCELLED, "explaining was cancelled");
}

/* All beliefs, and the symptoms that are asked for. */
static struct status find_symptoms(struct explanation *e, struct rules_run *run,
                                   const struct explain_request *request)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < e->rules.v.count && status_ok(status); i++)
        if (!progress_goes_on(request->progress))
            status = stopped();
        else if (is_asked(request, e->rules.v.items[i].kind))
            status = explain_rule_run(run, &e->rules.v.items[i]);
    if (!request->sql || !status_ok(status))
        return status;
    e->asked = (struct explain_rule){.kind = RULE_SYMPTOM,
                                     .name = STR("asked for"),
                                     .level = LEVEL_PROBLEM,
                                     .level_waiting = LEVEL_PROBLEM,
                                     .level_unknown = LEVEL_PROBLEM,
                                     .sql = str_from(request->sql),
                                     .place = "explain"};
    return explain_rule_run(run, &e->asked);
}

struct status explain_trace(struct explanation *e, const struct trace *t, struct sql_session *s,
                            const struct explain_request *request)
{
    *e = (struct explanation){.start = t->start_ts, .end = t->end_ts, .trace = t};
    struct thread_index x;
    struct building b = {.e = e, .x = &x};
    arena_init(&e->arena);
    explain_rules_init(&e->rules);
    e->found.arena = &e->arena;
    if (!stored_columns_check(t)) /* what rules need and walks are read without asking */
        return stored_columns_error();
    struct rules_run run;
    rules_run_init(&run, &e->rules, t, s, &e->found);
    struct status status = find_symptoms(e, &run, request);
    rules_run_release(&run);
    if (!status_ok(status))
        return status;
    thread_index_init(&x, t);
    explain_all(&b, request->progress);
    join_nameless_locks(e);
    join_known_causes(&b);
    if (e->problems.count > 1)
        qsort(e->problems.items, e->problems.count, sizeof *e->problems.items, compare_problems);
    map_release(&b.by_key);
    thread_index_release(&x);
    if (stored_columns_damaged(t)) /* args are checked when they are read first */
        return stored_columns_error();
    return progress_goes_on(request->progress) ? status : stopped();
}

void explanation_release(struct explanation *e)
{
    vec_release(&e->problems);
    vec_release(&e->found.symptoms);
    vec_release(&e->found.beliefs);
    vec_release(&e->found.measures);
    vec_release(&e->found.times);
    vec_release(&e->found.failed);
    explain_rules_release(&e->rules);
    arena_release(&e->arena);
}
