#include "tui/result/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "tui/result/result_block.h"
#include "tui/result/result_memory.h"

/* The first rows are shown soon, later ones a block at a time, or as they come where few come. */
enum { FIRST_ROWS = 64, FIRST_BLOCKS = 8, WAIT_MS = 50, EXACT_ROWS = 2000 };
static const uint32_t rows_max = UINT32_MAX - 1;

struct packed {
    uint32_t first;
    const uint8_t *bytes;
};

struct result {
    atomic_int references;
    uint32_t columns;
    char **names;
    atomic_uint rows; /* in blocks */
    _Atomic(const char *) cut;

    /* Of the thread that adds. */
    struct block_builder builder;
    int64_t packed_at; /* ms */
    struct result_shape *building;

    pthread_mutex_t lock; /* for what follows */
    VEC(struct packed) blocks;
    struct result_memory memory;
    struct result_shape *shapes;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct result *result_new(uint32_t columns, const char *const *names, size_t memory)
{
    struct result *r = alloc_array(1, sizeof *r);
    atomic_init(&r->references, 1);
    r->columns = columns;
    r->names = alloc_array((size_t)columns + 1, sizeof *r->names);
    r->shapes = alloc_array((size_t)columns + 1, sizeof *r->shapes);
    r->building = alloc_array((size_t)columns + 1, sizeof *r->building);
    for (uint32_t i = 0; i < columns; i++)
        r->names[i] = alloc_copy(names[i], strlen(names[i]));
    block_builder_init(&r->builder, columns);
    result_memory_init(&r->memory, memory);
    pthread_mutex_init(&r->lock, NULL);
    r->packed_at = now_ms();
    return r;
}

struct result *result_retain(struct result *r)
{
    atomic_fetch_add(&r->references, 1);
    return r;
}

void result_release(struct result *r)
{
    if (!r || atomic_fetch_sub(&r->references, 1) > 1)
        return;
    for (uint32_t i = 0; i < r->columns; i++)
        free(r->names[i]);
    free(r->names);
    free(r->shapes);
    free(r->building);
    block_builder_release(&r->builder);
    result_memory_release(&r->memory);
    vec_release(&r->blocks);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

uint32_t result_columns(const struct result *r)
{
    return r->columns;
}

const char *result_name(const struct result *r, uint32_t column)
{
    return r->names[column];
}

int result_column(const struct result *r, const char *name)
{
    for (uint32_t i = 0; i < r->columns; i++)
        if (strcmp(r->names[i], name) == 0)
            return (int)i;
    return -1;
}

uint32_t result_rows(const struct result *r)
{
    return atomic_load_explicit(&r->rows, memory_order_acquire);
}

const char *result_cut(const struct result *r)
{
    return atomic_load(&r->cut);
}

struct result_size result_size(struct result *r)
{
    pthread_mutex_lock(&r->lock);
    struct result_size size = {r->memory.in_memory, r->memory.in_file};
    pthread_mutex_unlock(&r->lock);
    return size;
}

struct result_shape result_shape(struct result *r, uint32_t column)
{
    pthread_mutex_lock(&r->lock);
    struct result_shape shape = r->shapes[column];
    pthread_mutex_unlock(&r->lock);
    return shape;
}

/* The rows collected so far can be read from now on. */
static bool publish(struct result *r)
{
    if (r->builder.rows == 0)
        return true;
    uint32_t first = result_rows(r), rows = r->builder.rows;
    pthread_mutex_lock(&r->lock);
    uint8_t *bytes = result_memory_take(&r->memory, block_packed_size(&r->builder));
    if (bytes) {
        block_pack(&r->builder, bytes);
        *vec_push(&r->blocks) = (struct packed){first, bytes};
        memcpy(r->shapes, r->building, r->columns * sizeof *r->shapes);
        atomic_store_explicit(&r->rows, first + rows, memory_order_release);
    }
    pthread_mutex_unlock(&r->lock);
    r->packed_at = now_ms();
    if (!bytes)
        atomic_store(&r->cut, "there is no more memory and no more disk for it");
    return bytes != NULL;
}

static uint32_t digits(int64_t value)
{
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint32_t n = value < 0 ? 2 : 1;
    for (; rest >= 10; rest /= 10)
        n++;
    return n;
}

/* Reals are slow to print: those of the first rows have to do. */
static void measure(struct result *r, const struct sql_value *values, uint32_t row)
{
    for (uint32_t i = 0; i < r->columns; i++) {
        struct result_shape *shape = &r->building[i];
        const struct sql_value *v = &values[i];
        uint32_t width = 0;
        char text[40];
        if (v->type == SQL_INT) {
            width = digits(v->i);
        } else if (v->type == SQL_TEXT) {
            width = v->s.n < UINT32_MAX ? (uint32_t)v->s.n : UINT32_MAX;
        } else if (row < EXACT_ROWS && v->type != SQL_NULL) {
            result_text(v, text, sizeof text);
            width = (uint32_t)strlen(text);
        }
        shape->types |= (uint8_t)(1u << v->type);
        shape->width = width > shape->width ? width : shape->width;
    }
}

static bool append(struct result *r, const struct sql_value *values)
{
    struct block_builder *b = &r->builder;
    uint32_t row = result_rows(r) + b->rows;
    if (row >= rows_max) {
        atomic_store(&r->cut, "it has more rows than can be counted here");
        return false;
    }
    block_builder_add(b, values);
    measure(r, values, row);
    bool early = row < FIRST_ROWS * FIRST_BLOCKS && b->rows >= FIRST_ROWS;
    bool waited = now_ms() - r->packed_at >= WAIT_MS;
    bool full = b->rows == BLOCK_ROWS || b->text_bytes >= BLOCK_TEXT_BYTES;
    return full || early || waited ? publish(r) : true;
}

static struct packed find_block(const struct result *r, uint32_t row, uint32_t *rows)
{
    size_t next = BISECT(i, 1, r->blocks.count, r->blocks.items[i].first <= row);
    uint32_t end = next < r->blocks.count ? r->blocks.items[next].first : result_rows(r);
    *rows = end - r->blocks.items[next - 1].first;
    return r->blocks.items[next - 1];
}

struct sql_value result_read(struct result_reader *reader, uint32_t row, uint32_t column)
{
    if (!reader->block || row - reader->first >= reader->rows) {
        pthread_mutex_lock(&reader->result->lock);
        struct packed p = find_block(reader->result, row, &reader->rows);
        pthread_mutex_unlock(&reader->result->lock);
        reader->block = p.bytes;
        reader->first = p.first;
    }
    return block_value(reader->block, row - reader->first, column);
}

void result_feed_init(struct result_feed *f, size_t memory)
{
    *f = (struct result_feed){.memory = memory};
    pthread_mutex_init(&f->lock, NULL);
}

void result_feed_release(struct result_feed *f)
{
    result_release(f->latest);
    free(f->note);
    pthread_mutex_destroy(&f->lock);
}

static bool feed_begin(void *self, int columns, const char *const *names)
{
    struct result_feed *f = self;
    struct result *fresh = result_new((uint32_t)columns, names, f->memory);
    pthread_mutex_lock(&f->lock);
    struct result *old = f->latest;
    f->latest = fresh;
    pthread_mutex_unlock(&f->lock);
    result_release(old);
    free(f->note);
    f->note = NULL;
    return !atomic_load(&f->closed);
}

static bool feed_row(void *self, int columns, const struct sql_value *values)
{
    struct result_feed *f = self;
    struct result *r = f->latest;
    (void)columns;
    bool was_empty = result_rows(r) == 0;
    bool more = append(r, values);
    if (f->first_rows && was_empty && result_rows(r) > 0)
        f->first_rows(f->ctx);
    return more && !atomic_load_explicit(&f->closed, memory_order_relaxed);
}

static bool feed_end(void *self)
{
    struct result_feed *f = self;
    return publish(f->latest);
}

static void feed_note(void *self, const char *reason)
{
    struct result_feed *f = self;
    free(f->note);
    f->note = alloc_copy(reason, strlen(reason));
}

struct sql_sink result_feed_sink(struct result_feed *f)
{
    return (struct sql_sink){
        .begin = feed_begin, .row = feed_row, .end = feed_end, .self = f, .note = feed_note};
}

void result_feed_end(struct result_feed *f)
{
    if (f->latest)
        publish(f->latest);
}

struct result *result_feed_take(struct result_feed *f)
{
    pthread_mutex_lock(&f->lock);
    struct result *r = f->latest ? result_retain(f->latest) : NULL;
    pthread_mutex_unlock(&f->lock);
    return r;
}

void result_text(const struct sql_value *v, char *out, size_t size)
{
    switch (v->type) {
    case SQL_NULL:
        snprintf(out, size, "%s", "");
        break;
    case SQL_INT:
        snprintf(out, size, "%" PRId64, v->i);
        break;
    case SQL_REAL:
        snprintf(out, size, "%.15g", v->d);
        break;
    case SQL_TEXT:
        str_copy(v->s, out, size);
        break;
    case SQL_BLOB:
        snprintf(out, size, "(%zu bytes)", v->s.n);
        break;
    }
}
