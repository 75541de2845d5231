#include "rpc/frames.h"

#include <string.h>

#include "parsers/proto/wire.h"

/* What a buffer may keep of its memory while nothing is in it. */
enum { KEPT_ROOM = 1 << 20, HEAD_MAX = 1 + 10 };

void frames_append(struct frames *f, struct str bytes)
{
    if (f->broken || bytes.n == 0)
        return;
    if (f->used == f->bytes.count && f->bytes.cap > KEPT_ROOM)
        frames_release(f);
    size_t left = f->bytes.count - f->used;
    if (f->used > 0 && left > 0)
        memmove(f->bytes.items, f->bytes.items + f->used, left);
    f->bytes.count = left;
    f->used = 0;
    vec_reserve(&f->bytes, left + bytes.n);
    memcpy(f->bytes.items + left, bytes.p, bytes.n);
    f->bytes.count += bytes.n;
}

bool frames_next(struct frames *f, struct str *message)
{
    if (f->broken || f->used == f->bytes.count)
        return false;
    const uint8_t *p = f->bytes.items + f->used, *end = f->bytes.items + f->bytes.count;
    uint64_t size = 0;
    const uint8_t *body = p[0] == (1 << 3 | PB_WIRE_LEN) ? pb_varint(p + 1, end, &size) : NULL;
    bool may_follow = p[0] == (1 << 3 | PB_WIRE_LEN) && end - p < HEAD_MAX;
    if ((!body && !may_follow) || size > FRAME_SIZE_MAX) {
        f->broken = true;
        vec_release(&f->bytes);
        f->used = 0;
        return false;
    }
    if (!body || size > (uint64_t)(end - body))
        return false;
    *message = (struct str){(const char *)body, (size_t)size};
    f->used = (size_t)(body + size - f->bytes.items);
    return true;
}

void frames_release(struct frames *f)
{
    vec_release(&f->bytes);
    f->used = 0;
}
