/* Bytes that a server keeps for its clients, requests that have not been run and answers that have
 * not been read, counted over all of them: many clients take no more of the machine than a few. */
#ifndef TPTUI_RPC_MEMORY_H
#define TPTUI_RPC_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/str.h"
#include "parsers/proto/write.h"

/* What is kept of requests, and of each client beside it, who is heard with little whatever others
 * keep. One that is run may be there twice, and each answer has at most ANSWER_KEPT (worker.c) and
 * a message beyond it. */
enum { RPC_MEMORY_MAX = 256 << 20, RPC_MEMORY_CLIENT = 256 << 10 };

struct rpc_memory {
    atomic_size_t held;
};

/* Whether `n` bytes more may be kept. */
static inline bool rpc_memory_has_room(const struct rpc_memory *m, size_t n)
{
    size_t held = atomic_load(&m->held);
    return held <= RPC_MEMORY_MAX && n <= RPC_MEMORY_MAX - held;
}

/* Whether they may be received of a client of whom `kept` are there. */
static inline bool rpc_memory_hears(const struct rpc_memory *m, size_t kept, size_t n)
{
    return (kept <= RPC_MEMORY_CLIENT && n <= RPC_MEMORY_CLIENT - kept) ||
           rpc_memory_has_room(m, n);
}

/* Bytes that are counted; all zero but for `memory` is none. */
struct rpc_bytes {
    struct rpc_memory *memory;
    struct pb_bytes bytes;
};

static inline size_t rpc_bytes_count(const struct rpc_bytes *b)
{
    return b->bytes.v.count;
}

static inline void rpc_bytes_append(struct rpc_bytes *b, const void *p, size_t n)
{
    pb_put_raw(&b->bytes, p, n);
    atomic_fetch_add(&b->memory->held, n);
}

static inline void rpc_bytes_release(struct rpc_bytes *b)
{
    atomic_fetch_sub(&b->memory->held, b->bytes.v.count);
    pb_bytes_release(&b->bytes);
}

static inline struct str rpc_bytes_text(const struct rpc_bytes *b)
{
    return (struct str){b->bytes.v.items ? (const char *)b->bytes.v.items : "", b->bytes.v.count};
}

/* Nothing is there any more; the block stays for what comes next. */
static inline void rpc_bytes_clear(struct rpc_bytes *b)
{
    atomic_fetch_sub(&b->memory->held, b->bytes.v.count);
    b->bytes.v.count = 0;
}

/* What `from` has; it has nothing then. */
static inline struct rpc_bytes rpc_bytes_take(struct rpc_bytes *from)
{
    struct rpc_bytes taken = *from;
    from->bytes = (struct pb_bytes){0};
    return taken;
}

#endif
