#include "parsers/input/byte_source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "parsers/input/read_ahead.h"

enum { WINDOW_BYTES = 1 << 20, RELEASE_BYTES = 1 << 22 };
/* How much of what is kept goes to a file at a time. */
enum { COVER_BYTES = 1 << 25 };
/* The first window of a compressed file tells what it is, and may be inflated again in a faster
 * way.
 */
enum { FIRST_BYTES = 1 << 18 };
/* How much is looked through for holes at a time: it was read just before. */
enum { HOLES_BYTES = 1 << 16 };

struct byte_source byte_source_memory(struct bytes data, bool mapped,
                                      struct load_progress *progress)
{
    return (struct byte_source){.window = data, .mapped = mapped, .progress = progress};
}

struct byte_source byte_source_stream(struct byte_stream *stream, size_t size,
                                      struct load_progress *progress)
{
    struct byte_source s = {.stream = stream, .room = size, .most = SIZE_MAX, .progress = progress};
    s.window = (struct bytes){alloc_bytes(s.room), 0};
    byte_source_more(&s, 0);
    return s;
}

struct compressed_stream {
    struct byte_stream stream;
    struct decompressor *decompressor;
    struct budget *budget;
};

static size_t compressed_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct compressed_stream *c = (struct compressed_stream *)stream;
    struct decompressor *d = c->decompressor;
    size_t left = budget_left(c->budget);
    size_t n = decompressor_read(d, out, room < left ? room : left);
    budget_spend(c->budget, n);
    stream->taken = d->taken;
    stream->cut = d->ended ? !d->whole : left == 0;
    return n;
}

static void compressed_release(struct byte_stream *stream)
{
    decompressor_free(((struct compressed_stream *)stream)->decompressor);
    free(stream);
}

struct byte_source byte_source_compressed(enum compression kind, struct bytes data,
                                          struct budget *budget, struct load_progress *progress)
{
    struct compressed_stream *c = alloc_array(1, sizeof *c);
    c->stream.read = compressed_read;
    c->stream.release = compressed_release;
    c->decompressor = decompressor_new(kind, data);
    c->budget = budget;
    struct byte_source s = byte_source_stream(&c->stream, FIRST_BYTES, progress);
    size_t most = decompress_file_limit(data.n), left = budget_left(budget);
    byte_source_unpacks(&s, most < left ? most : left);
    return s;
}

void byte_source_unpacks(struct byte_source *s, size_t most)
{
    s->compressed = s->stream != NULL;
    s->most = most;
}

void byte_source_release(struct byte_source *s)
{
    if (!s->stream)
        return;
    s->stream->release(s->stream);
    if (s->kept) {
        block_uncover((void *)(uintptr_t)s->window.p, s->room);
        munmap((void *)(uintptr_t)s->window.p, s->room);
    } else
        free((void *)(uintptr_t)s->window.p);
    s->stream = NULL;
}

/* The whole of it by the fast way, where it is not much. */
static bool keep_at_once(struct byte_source *s)
{
    if (!s->compressed || s->ended || s->stream->read != compressed_read)
        return false;
    struct compressed_stream *c = (struct compressed_stream *)s->stream;
    struct decompressor *d = c->decompressor;
    struct decompressed all;
    if (!decompress_at_once(d->kind, d->input, s->most, &all))
        return false;
    budget_spend(c->budget, all.n);
    free((void *)(uintptr_t)s->window.p);
    s->window = (struct bytes){all.p, all.n};
    s->unpacked = all.n;
    s->stream->taken = d->input.n;
    s->ended = true;
    return true;
}

/* Address space for `most` bytes, of which only those that are written take memory; NULL where the
 * process may not have that much. */
static uint8_t *reserve(size_t most)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
        return NULL;
    void *p = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void byte_source_keep(struct byte_source *s)
{
    if (!s->stream || s->ended || keep_at_once(s))
        return;
    uint8_t *p = s->most > s->window.n ? reserve(s->most) : NULL;
    if (!p) {
        s->cut |= !byte_source_all(s, s->most);
        s->ended = true;
        return;
    }
    memcpy(p, s->window.p, s->window.n);
    free((void *)(uintptr_t)s->window.p);
    s->window.p = p;
    s->room = s->most;
    s->kept = true;
}

/* How much may be read behind the window, of what that has room for. What is full may go to a file
 * where memory is short, so many bytes at a time. */
static size_t next_read(const struct byte_source *s, uint8_t *end)
{
    size_t room = s->room - s->window.n, step = COVER_BYTES - s->window.n % COVER_BYTES;
    if (step == COVER_BYTES && s->window.n > 0)
        block_cover(end - COVER_BYTES, COVER_BYTES);
    step = step < WINDOW_BYTES ? step : WINDOW_BYTES;
    return room < step ? room : step;
}

/* What the stream has now goes behind the window. */
static bool keep_more(struct byte_source *s)
{
    uint8_t *end = (uint8_t *)(uintptr_t)s->window.p + s->window.n;
    size_t room = next_read(s, end);
    size_t n = room ? s->stream->read(s->stream, end, room) : 0;
    s->ended = n == 0;
    s->cut = s->ended && (room == 0 || s->stream->cut);
    s->unpacked += n;
    s->window.n += n;
    return n > 0;
}

static void grow_window(struct byte_source *s)
{
    s->window.p = realloc_array((void *)(uintptr_t)s->window.p, WINDOW_BYTES, 1);
    s->room = WINDOW_BYTES;
}

static void look_for_holes(struct byte_source *s, size_t end)
{
    if (!s->looks_for_holes || end <= s->looked)
        return;
    text_holes_add(&s->holes, s->window.p + s->looked, end - s->looked);
    s->looked = end;
}

bool byte_source_more(struct byte_source *s, size_t used)
{
    if (!s->stream || s->ended)
        return false;
    if (s->compressed && s->room < WINDOW_BYTES && !s->kept) {
        grow_window(s);
    } else if (s->compressed && s->unpacked > 0) {
        s->stream = read_ahead(s->stream);
        s->compressed = false;
    }
    if (s->kept)
        return keep_more(s);
    look_for_holes(s, used);
    s->looked -= s->looks_for_holes ? used : 0;
    uint8_t *buffer = (uint8_t *)(uintptr_t)s->window.p;
    size_t kept = s->window.n - used, end = kept;
    memmove(buffer, buffer + used, kept);
    if (kept > s->room / 2) {
        buffer = realloc_array(buffer, s->room, 2);
        s->room *= 2;
    }
    while (end < s->room && !s->ended) {
        size_t n = s->stream->read(s->stream, buffer + end, s->room - end);
        s->ended = n == 0;
        end += n;
        s->unpacked += n;
    }
    s->cut = s->ended && s->stream->cut;
    s->window = (struct bytes){buffer, end};
    return end > kept || used > 0;
}

bool byte_source_all(struct byte_source *s, size_t most)
{
    while (s->window.n <= most && byte_source_more(s, 0)) {
    }
    return s->window.n <= most;
}

bool byte_source_done(struct byte_source *s, size_t used)
{
    if (used >= s->looked + HOLES_BYTES)
        look_for_holes(s, used);
    if (s->mapped && used - s->released >= RELEASE_BYTES) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = used / page * page;
        madvise((void *)(uintptr_t)(s->window.p + s->released), whole - s->released, MADV_DONTNEED);
        s->released = whole;
    }
    return progress_report(s->progress, s->stream ? s->stream->taken : used);
}

int64_t byte_source_hole_bytes(struct byte_source *s, bool goes_on)
{
    look_for_holes(s, s->window.n);
    return goes_on ? s->holes.bytes : text_holes_all(&s->holes);
}
