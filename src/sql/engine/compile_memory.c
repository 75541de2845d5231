#include "sql/engine/compile_memory.h"

static sqlite3_mem_methods usual;
static _Thread_local struct compile_memory *current;  /* NULL: nothing is compiled */
static _Thread_local struct compile_memory meanwhile; /* in the middle of a statement */
static _Thread_local unsigned steps;                  /* inside of each other */

static bool take(size_t n)
{
    struct compile_memory *c = current;
    if (!c)
        return true;
    c->cancelled |= atomic_load_explicit(c->cancel, memory_order_relaxed);
    c->exceeded |= n > c->left;
    if (c->cancelled || c->exceeded)
        return false;
    c->left -= n;
    return true;
}

static void *take_new(int n)
{
    return take((size_t)n) ? usual.xMalloc(n) : NULL;
}

static void *take_more(void *p, int n)
{
    int old = usual.xSize(p);
    return n <= old || take((size_t)(n - old)) ? usual.xRealloc(p, n) : NULL;
}

static void give_back(void *p)
{
    if (current)
        current->left += (size_t)usual.xSize(p);
    usual.xFree(p);
}

void compile_memory_configure(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods bounded = usual;
    bounded.xMalloc = take_new;
    bounded.xRealloc = take_more;
    bounded.xFree = give_back;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &bounded);
}

void compile_memory_begin(struct compile_memory *c, const atomic_bool *cancel)
{
    *c = (struct compile_memory){.cancel = cancel, .left = COMPILE_MEMORY_MAX};
    if (!current)
        current = c;
}

void compile_memory_end(struct compile_memory *c)
{
    if (current == c)
        current = NULL;
}

int compile_memory_step(sqlite3_stmt *stmt)
{
    if (steps++ == 0)
        meanwhile.cancelled = false;
    int rc = sqlite3_step(stmt);
    steps--;
    compile_memory_leave();
    return rc == SQLITE_NOMEM && meanwhile.cancelled ? SQLITE_INTERRUPT : rc;
}

void compile_memory_enter(const atomic_bool *cancel)
{
    if (steps && !current)
        compile_memory_begin(&meanwhile, cancel);
}

void compile_memory_leave(void)
{
    compile_memory_end(&meanwhile);
}
