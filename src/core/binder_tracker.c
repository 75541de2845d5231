#include "core/binder_tracker.h"

#include <stdio.h>

#include "base/hash.h"
#include "core/trace_builder.h"

/* Requests of the binder driver: direction, size, type and number as in ioctl numbers. */
enum {
    BC_TRANSACTION = 0x40406300,
    BC_REPLY = 0x40406301,
    BC_TRANSACTION_SG = 0x40486311,
    BC_REPLY_SG = 0x40486312,
    BR_DEAD_REPLY = 0x7205,
    BR_TRANSACTION_COMPLETE = 0x7206,
    BR_FAILED_REPLY = 0x7211,
    BR_FROZEN_REPLY = 0x7212,
    BR_ONEWAY_SPAM_SUSPECT = 0x7213,
    BR_TRANSACTION_PENDING_FROZEN = 0x7214,
};
#define BR_TRANSACTION_SEC_CTX UINT32_C(0x80487202)
#define BR_TRANSACTION         UINT32_C(0x80407202)
#define BR_REPLY               UINT32_C(0x80407203)

enum transaction_flag { ROOT_OBJECT = 0x04, STATUS_CODE = 0x08, ACCEPT_FDS = 0x10 };

enum { BINDER_LOCK_WANTED = 1, BINDER_LOCK_TAKEN };

#define BINDER_STRINGS(S)                                                                          \
    S(category, "binder")                                                                          \
    S(lock_waiting, "binder lock waiting")                                                         \
    S(lock_held, "binder lock held")                                                               \
    S(transaction, "binder transaction")                                                           \
    S(transaction_async, "binder transaction async")                                               \
    S(reply, "binder reply")                                                                       \
    S(async_received, "binder async rcv")                                                          \
    S(transaction_id, "transaction id")                                                            \
    S(node, "destination node")                                                                    \
    S(process, "destination process")                                                              \
    S(thread, "destination thread")                                                                \
    S(thread_name, "destination name")                                                             \
    S(is_reply, "reply transaction?")                                                              \
    S(flags, "flags")                                                                              \
    S(code, "code")                                                                                \
    S(calling_tid, "calling tid")                                                                  \
    S(data_size, "data size")                                                                      \
    S(offsets_size, "offsets size")

struct binder_strings {
#define STRING_MEMBER(name, text) string_id name;
    BINDER_STRINGS(STRING_MEMBER)
#undef STRING_MEMBER
};

static const struct binder_strings *strings_of(struct trace *t)
{
    if (t->builder->binder.strings)
        return t->builder->binder.strings;
    struct binder_strings *s = alloc_bytes(sizeof *s);
#define STRING_INTERN(name, text) s->name = trace_intern(t, STR(text));
    BINDER_STRINGS(STRING_INTERN)
#undef STRING_INTERN
    return t->builder->binder.strings = s;
}

void binder_tracker_release(struct binder_tracker *bt)
{
    map_release(&bt->outstanding);
    vec_release(&bt->transactions);
    vec_release(&bt->free_transactions);
    map_release(&bt->stacks);
    vec_release(&bt->frames);
    map_release(&bt->locks);
    free(bt->strings);
}

static uint64_t debug_key(uint32_t machine, int64_t debug_id)
{
    return (uint64_t)machine << 32 | (uint32_t)debug_id;
}

static struct binder_frame *top_frame(struct trace *t, uint32_t utid)
{
    const uint32_t *top = map_find(&t->builder->binder.stacks, utid);
    return top && *top ? &t->builder->binder.frames.items[*top - 1] : NULL;
}

static struct binder_frame *push_frame(struct trace *t, uint32_t utid)
{
    struct binder_tracker *bt = &t->builder->binder;
    uint32_t frame = bt->free_frames_plus_one;
    if (frame) {
        bt->free_frames_plus_one = bt->frames.items[frame - 1].below_plus_one;
    } else {
        (void)vec_push(&bt->frames);
        frame = (uint32_t)bt->frames.count;
    }
    bool inserted;
    uint32_t *top = map_insert(&bt->stacks, utid, &inserted);
    bt->frames.items[frame - 1] = (struct binder_frame){.below_plus_one = *top};
    *top = frame;
    return &bt->frames.items[frame - 1];
}

static void pop_frame(struct trace *t, uint32_t utid)
{
    struct binder_tracker *bt = &t->builder->binder;
    uint32_t *top = map_find(&bt->stacks, utid), frame = *top;
    *top = bt->frames.items[frame - 1].below_plus_one;
    bt->frames.items[frame - 1].below_plus_one = bt->free_frames_plus_one;
    bt->free_frames_plus_one = frame;
    if (*top == 0)
        map_remove(&bt->stacks, utid);
}

static string_id flags_text(struct trace *t, uint32_t flags)
{
    char text[200];
    int n = snprintf(text, sizeof text, "0x%02x %s%s%s%s%s", flags,
                     flags & BINDER_ONE_WAY ? "this is a one-way call: async, no return; " : "",
                     flags & ROOT_OBJECT ? "contents are the components root object; " : "",
                     flags & STATUS_CODE ? "contents are a 32-bit status code; " : "",
                     flags & ACCEPT_FDS ? "allow replies with file descriptors; " : "",
                     flags == 0 ? "No Flags Set" : "");
    return trace_intern(t, (struct str){text, (size_t)n});
}

static string_id code_text(struct trace *t, uint32_t code)
{
    char text[48];
    int n = snprintf(text, sizeof text, "0x%02x Java Layer Dependent", code);
    return trace_intern(t, (struct str){text, (size_t)n});
}

static void add_args(struct trace *t, const struct binder_transaction *b, uint32_t track,
                     uint32_t slice)
{
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (!args)
        return;
    const struct binder_strings *s = strings_of(t);
    arg_list_int(args, s->transaction_id, b->debug_id);
    arg_list_int(args, s->node, b->target_node);
    arg_list_int(args, s->process, b->to_process);
    arg_list_bool(args, s->is_reply, b->is_reply);
    arg_list_str(args, s->flags, flags_text(t, b->flags));
    arg_list_str(args, s->code, b->code_text ? b->code_text : code_text(t, b->code));
    arg_list_uint(args, s->calling_tid, (uint64_t)b->calling_tid);
}

/* Says on the innermost open slice of that name who is at the other end. */
static void add_destination(struct trace *t, int64_t ts, uint32_t track, string_id slice_name,
                            uint32_t utid, struct arg tid)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t slice = slice_find_end(t, ts, track, s->category, slice_name);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (!args)
        return;
    arg_list_add(args, tid);
    string_id name = column_str(&t->tables.thread.columns[thread_col_name], utid);
    if (name)
        arg_list_str(args, s->thread_name, name);
}

static uint32_t end_reply(struct trace *t, uint32_t machine, int64_t ts,
                          const struct binder_transaction *b, uint32_t track)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t utid = process_tracker_thread(t, machine, b->to_thread);
    struct arg tid = {.flat_key = s->thread, .key = s->thread, .type = ARG_INT, .i = b->to_thread};
    add_destination(t, ts, track, s->reply, utid, tid);
    uint32_t slice = slice_find_end(t, ts, track, NULL_STRING, NULL_STRING);
    add_args(t, b, track, slice);
    if (slice != NULL_U32)
        slice_close(t, ts, track, slice);
    return slice;
}

static uint32_t send_slice(struct trace *t, uint32_t machine, int64_t ts,
                           const struct binder_transaction *b, uint32_t track)
{
    const struct binder_strings *s = strings_of(t);
    if (b->is_reply)
        return end_reply(t, machine, ts, b, track);
    uint32_t slice = b->flags & BINDER_ONE_WAY
                         ? slice_complete(t, ts, 0, track, s->category, s->transaction_async)
                         : slice_begin(t, ts, track, s->category, s->transaction);
    add_args(t, b, track, slice);
    return slice;
}

static void remember(struct trace *t, uint32_t machine, const struct binder_transaction *b)
{
    struct binder_tracker *bt = &t->builder->binder;
    bool inserted;
    uint32_t *at = map_insert(&bt->outstanding, debug_key(machine, b->debug_id), &inserted);
    if (inserted && bt->free_transactions.count) {
        *at = bt->free_transactions.items[--bt->free_transactions.count];
    } else if (inserted) {
        *at = (uint32_t)bt->transactions.count;
        (void)vec_push(&bt->transactions);
    }
    bt->transactions.items[*at] = *b;
}

void binder_transaction(struct trace *t, uint32_t machine, int64_t ts,
                        const struct binder_transaction *what)
{
    struct binder_transaction b = *what;
    uint32_t utid = process_tracker_thread(t, machine, b.calling_tid);
    b.track = track_thread(t, utid);
    b.slice = send_slice(t, machine, ts, &b, b.track);
    remember(t, machine, &b);
    struct binder_frame *frame = top_frame(t, utid);
    if (!frame)
        return;
    switch (frame->state) {
    case BINDER_SENT_COMMAND:
        frame->state = BINDER_SENT_TRANSACTION;
        break;
    case BINDER_REPLY_COMMAND:
        frame->state = BINDER_REPLY_TRANSACTION;
        break;
    case BINDER_RECEIVED: /* commands are not recorded */
        pop_frame(t, utid);
        return;
    default:
        return;
    }
    frame->known = true;
    frame->one_way = b.flags & BINDER_ONE_WAY;
    frame->is_reply = b.is_reply;
}

static void receive_call(struct trace *t, int64_t ts, uint32_t utid, int64_t tid, uint32_t track,
                         const struct binder_transaction *b)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t slice;
    if (b->flags & BINDER_ONE_WAY) {
        slice = slice_complete(t, ts, 0, track, s->category, s->async_received);
        add_args(t, b, track, slice);
    } else {
        struct arg receiver = {.flat_key = s->thread, .key = s->thread, .type = ARG_UINT, .i = tid};
        add_destination(t, ts, b->track, s->transaction, utid, receiver);
        slice = slice_begin(t, ts, track, s->category, s->reply);
    }
    if (b->slice != NULL_U32 && slice != NULL_U32)
        flow_insert(t, b->slice, slice, NULL_I64);
}

void binder_received(struct trace *t, uint32_t machine, int64_t ts, int64_t tid, int64_t debug_id)
{
    struct binder_tracker *bt = &t->builder->binder;
    const uint32_t *at = map_find(&bt->outstanding, debug_key(machine, debug_id));
    if (!at)
        return;
    struct binder_transaction b = bt->transactions.items[*at];
    *vec_push(&bt->free_transactions) = *at;
    map_remove(&bt->outstanding, debug_key(machine, debug_id));
    uint32_t utid = process_tracker_thread(t, machine, tid), track = track_thread(t, utid);
    if (b.is_reply) {
        struct binder_frame *frame = top_frame(t, utid);
        if (!(b.flags & BINDER_ONE_WAY) && frame && frame->state == BINDER_SENT_COMPLETE)
            frame->state = BINDER_GOT_REPLY;
        slice_end(t, ts, track, NULL_STRING, NULL_STRING);
        return;
    }
    if (!(b.flags & BINDER_ONE_WAY)) {
        struct binder_frame *frame = push_frame(t, utid);
        frame->state = BINDER_RECEIVED;
        frame->known = true;
    }
    receive_call(t, ts, utid, tid, track, &b);
}

void binder_alloc_buf(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                      uint64_t data_size, uint64_t offsets_size)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t track = track_thread(t, process_tracker_thread(t, machine, tid));
    uint32_t slice = slice_find_end(t, ts, track, s->category, s->transaction);
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (!args)
        return;
    arg_list_uint(args, s->data_size, data_size);
    arg_list_uint(args, s->offsets_size, offsets_size);
}

bool binder_command_calls(uint32_t command)
{
    return command == BC_TRANSACTION || command == BC_TRANSACTION_SG;
}

enum binder_return_kind binder_return_kind(uint32_t command)
{
    switch (command) {
    case BR_DEAD_REPLY:
    case BR_FAILED_REPLY:
    case BR_FROZEN_REPLY:
    case BR_TRANSACTION_PENDING_FROZEN:
        return BINDER_RETURN_FAILED;
    case BR_TRANSACTION_COMPLETE:
    case BR_ONEWAY_SPAM_SUSPECT:
        return BINDER_RETURN_SENT;
    default:
        return BINDER_RETURN_OTHER;
    }
}

void binder_command(struct trace *t, uint32_t machine, int64_t tid, uint32_t command)
{
    uint32_t utid = process_tracker_thread(t, machine, tid);
    if (binder_command_calls(command)) {
        push_frame(t, utid)->state = BINDER_SENT_COMMAND;
        return;
    }
    if (command != BC_REPLY && command != BC_REPLY_SG)
        return;
    struct binder_frame *frame = top_frame(t, utid);
    if (frame && frame->state == BINDER_RECEIVED_RETURN)
        frame->state = BINDER_REPLY_COMMAND;
}

static void call_failed(struct trace *t, int64_t ts, uint32_t utid,
                        const struct binder_frame *frame)
{
    switch (frame->state) {
    case BINDER_GOT_REPLY:
    case BINDER_RECEIVED:
    case BINDER_RECEIVED_RETURN:
        return;
    case BINDER_SENT_COMMAND: /* failed before its slice was opened */
        break;
    default:
        if (frame->known && !frame->one_way && !frame->is_reply)
            slice_end(t, ts, track_thread(t, utid), NULL_STRING, NULL_STRING);
    }
    pop_frame(t, utid);
}

static void call_sent(struct trace *t, uint32_t utid, struct binder_frame *frame)
{
    if (frame->state == BINDER_SENT_TRANSACTION && frame->known && !frame->one_way)
        frame->state = BINDER_SENT_COMPLETE;
    else if (frame->state == BINDER_SENT_TRANSACTION || frame->state == BINDER_SENT_COMMAND ||
             frame->state == BINDER_REPLY_TRANSACTION)
        pop_frame(t, utid);
}

void binder_return(struct trace *t, uint32_t machine, int64_t ts, int64_t tid, uint32_t command)
{
    uint32_t utid = process_tracker_thread(t, machine, tid);
    struct binder_frame *frame = top_frame(t, utid);
    if (!frame)
        return;
    switch (binder_return_kind(command)) {
    case BINDER_RETURN_FAILED:
        call_failed(t, ts, utid, frame);
        return;
    case BINDER_RETURN_SENT:
        call_sent(t, utid, frame);
        return;
    case BINDER_RETURN_OTHER:
        break;
    }
    switch (command) {
    case BR_REPLY:
        if (frame->state == BINDER_GOT_REPLY)
            pop_frame(t, utid);
        return;
    case BR_TRANSACTION:
    case BR_TRANSACTION_SEC_CTX:
        if (frame->state == BINDER_RECEIVED)
            frame->state = BINDER_RECEIVED_RETURN;
        return;
    default:
        return;
    }
}

void binder_lock(struct trace *t, uint32_t machine, int64_t ts, int64_t tid)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t utid = process_tracker_thread(t, machine, tid);
    map_set(&t->builder->binder.locks, utid, BINDER_LOCK_WANTED);
    slice_begin(t, ts, track_thread(t, utid), s->category, s->lock_waiting);
}

void binder_locked(struct trace *t, uint32_t machine, int64_t ts, int64_t tid)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t utid = process_tracker_thread(t, machine, tid), track = track_thread(t, utid);
    uint32_t *lock = map_find(&t->builder->binder.locks, utid);
    if (!lock || *lock != BINDER_LOCK_WANTED)
        return;
    *lock = BINDER_LOCK_TAKEN;
    slice_end(t, ts, track, NULL_STRING, NULL_STRING);
    slice_begin(t, ts, track, s->category, s->lock_held);
}

void binder_unlock(struct trace *t, uint32_t machine, int64_t ts, int64_t tid)
{
    const struct binder_strings *s = strings_of(t);
    uint32_t utid = process_tracker_thread(t, machine, tid);
    uint32_t *lock = map_find(&t->builder->binder.locks, utid);
    if (!lock || *lock != BINDER_LOCK_TAKEN)
        return;
    map_remove(&t->builder->binder.locks, utid);
    slice_end(t, ts, track_thread(t, utid), s->category, s->lock_held);
}
