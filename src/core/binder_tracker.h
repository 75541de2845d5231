/* Binder: a call is a slice on the calling thread and one on the thread that serves it, joined by a
 * flow; a one-way call is an instant at both ends.
 *
 *     sender  transaction(id) ........................ received(reply id)
 *     server           received(id) ... transaction(reply id, is_reply)
 *
 * binder_command and binder_return, where recorded, tell which calls failed: the kernel reports no
 * reply for them. */
#ifndef TPTUI_CORE_BINDER_TRACKER_H
#define TPTUI_CORE_BINDER_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/args.h"

struct trace;

/* A transaction that was sent and not received yet. */
struct binder_transaction {
    int64_t debug_id, target_node, to_process, to_thread;
    bool is_reply;
    uint32_t flags, code;
    string_id code_text; /* instead of `code`, where the trace has it as text */
    int64_t calling_tid;
    uint32_t track, slice; /* of the sender; slice is NULL_U32 for none */
};

/* What a thread is doing with binder, as far as commands and returns tell. */
enum binder_state {
    BINDER_SENT_COMMAND,
    BINDER_SENT_TRANSACTION,
    BINDER_SENT_COMPLETE,
    BINDER_GOT_REPLY,
    BINDER_RECEIVED,
    BINDER_RECEIVED_RETURN,
    BINDER_REPLY_COMMAND,
    BINDER_REPLY_TRANSACTION,
};

struct binder_frame {
    enum binder_state state;
    bool known, one_way, is_reply; /* the latter two only where known */
    uint32_t below_plus_one;       /* next frame of the thread's stack, or of the free list */
};

struct binder_tracker {
    struct map outstanding; /* machine, debug id -> transactions */
    VEC(struct binder_transaction) transactions;
    VEC(uint32_t) free_transactions;
    struct map stacks; /* utid -> top frame + 1 */
    VEC(struct binder_frame) frames;
    uint32_t free_frames_plus_one;
    struct map locks; /* utid -> BINDER_LOCK_... */
    struct binder_strings *strings;
};

void binder_tracker_release(struct binder_tracker *bt);

/* `what` holds all but track and slice. */
void binder_transaction(struct trace *t, uint32_t machine, int64_t ts,
                        const struct binder_transaction *what);
/* The thread `tid` got the transaction `debug_id`; nothing where it was not seen being sent. */
void binder_received(struct trace *t, uint32_t machine, int64_t ts, int64_t tid, int64_t debug_id);
/* The sizes, in bytes, of the buffer for the transaction that `tid` is sending. */
void binder_alloc_buf(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                      uint64_t data_size, uint64_t offsets_size);
/* What BC_... and BR_... numbers of the binder driver mean for a call. */
enum { BINDER_ONE_WAY = 0x01 }; /* of the flags */
bool binder_command_calls(uint32_t command);
enum binder_return_kind { BINDER_RETURN_OTHER, BINDER_RETURN_SENT, BINDER_RETURN_FAILED };
enum binder_return_kind binder_return_kind(uint32_t command);
/* BC_... and BR_... numbers of the binder driver. */
void binder_command(struct trace *t, uint32_t machine, int64_t tid, uint32_t command);
void binder_return(struct trace *t, uint32_t machine, int64_t ts, int64_t tid, uint32_t command);
/* The global lock of old kernels: wanted, taken, given back. */
void binder_lock(struct trace *t, uint32_t machine, int64_t ts, int64_t tid);
void binder_locked(struct trace *t, uint32_t machine, int64_t ts, int64_t tid);
void binder_unlock(struct trace *t, uint32_t machine, int64_t ts, int64_t tid);

#endif
