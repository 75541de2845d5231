#include "parsers/input/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "parsers/input/input_file.h"

enum { PIECES = 4, PIECE_BYTES = 1 << 19 };

struct unpacked_piece {
    uint8_t *p;
    size_t n;
    uint64_t taken; /* of the packed bytes, with it */
};

/* A ring of pieces: the thread fills it, the reader empties it. */
struct ahead {
    struct byte_stream stream;
    struct byte_stream *inner; /* the thread's until it has ended */
    struct input_guard *guard; /* of the thread that reads */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct unpacked_piece pieces[PIECES];
    size_t first, count; /* of those that are filled */
    size_t used;         /* of the first one's bytes */
    bool ended;          /* nothing more comes */
    bool stop;           /* nothing more is wanted */
};

/* A piece to fill, or NULL where nothing more is wanted. */
static struct unpacked_piece *wait_for_room(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->count == PIECES && !a->stop)
        pthread_cond_wait(&a->changed, &a->lock);
    struct unpacked_piece *piece = a->stop ? NULL : &a->pieces[(a->first + a->count) % PIECES];
    pthread_mutex_unlock(&a->lock);
    return piece;
}

static void publish(struct ahead *a, bool ended)
{
    pthread_mutex_lock(&a->lock);
    a->ended = ended;
    a->count += !ended;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void *run(void *self)
{
    struct ahead *a = self;
    struct unpacked_piece *piece;
    input_guard_join(a->guard);
    while ((piece = wait_for_room(a)) != NULL) {
        if (!piece->p)
            piece->p = alloc_bytes(PIECE_BYTES);
        piece->n = a->inner->read(a->inner, piece->p, PIECE_BYTES);
        piece->taken = a->inner->taken;
        publish(a, piece->n == 0);
        if (piece->n == 0)
            break;
    }
    return NULL;
}

/* The piece to read from, or NULL at the end. */
static struct unpacked_piece *wait_for_piece(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->count == 0 && !a->ended)
        pthread_cond_wait(&a->changed, &a->lock);
    struct unpacked_piece *piece = a->count > 0 ? &a->pieces[a->first] : NULL;
    pthread_mutex_unlock(&a->lock);
    return piece;
}

static void drop_piece(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->first = (a->first + 1) % PIECES;
    a->count--;
    a->used = 0;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static size_t ahead_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct ahead *a = (struct ahead *)stream;
    struct unpacked_piece *piece = wait_for_piece(a);
    if (!piece) {
        stream->taken = a->inner->taken;
        stream->cut = a->inner->cut;
        return 0;
    }
    size_t left = piece->n - a->used, n = left < room ? left : room;
    memcpy(out, piece->p + a->used, n);
    a->used += n;
    stream->taken = piece->taken;
    if (n == left)
        drop_piece(a);
    return n;
}

static void ahead_free(struct ahead *a)
{
    for (size_t i = 0; i < PIECES; i++)
        free(a->pieces[i].p);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

static void ahead_release(struct byte_stream *stream)
{
    struct ahead *a = (struct ahead *)stream;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    a->inner->release(a->inner);
    ahead_free(a);
}

struct byte_stream *read_ahead(struct byte_stream *inner)
{
    struct ahead *a = alloc_array(1, sizeof *a);
    a->stream = (struct byte_stream){.read = ahead_read,
                                     .release = ahead_release,
                                     .taken = inner->taken,
                                     .cut = inner->cut};
    a->inner = inner;
    a->guard = input_guard_here();
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (input_guard_thread(&a->thread, run, a))
        return &a->stream;
    ahead_free(a);
    return inner;
}
