/* Writes protobuf messages into memory, nested ones with the shortest length there is. */
#ifndef TPTUI_GEN_PROTO_H
#define TPTUI_GEN_PROTO_H

#include <stddef.h>
#include <stdint.h>

enum { PROTO_DEPTH_MAX = 12 };

struct proto {
    uint8_t *data;
    size_t size, cap;
    size_t starts[PROTO_DEPTH_MAX]; /* where the content of each open message begins */
    int depth;
};

void proto_release(struct proto *w); /* an all-zero struct proto is an empty one */
void proto_clear(struct proto *w);   /* keeps the memory */

void proto_u64(struct proto *w, uint32_t field, uint64_t value);
void proto_i64(struct proto *w, uint32_t field, int64_t value);
void proto_fixed64(struct proto *w, uint32_t field, uint64_t value);
void proto_double(struct proto *w, uint32_t field, double value);
void proto_string(struct proto *w, uint32_t field, const char *text);
void proto_bytes(struct proto *w, uint32_t field, const void *data, size_t size);

/* Between the two, what is written belongs to the nested message (or packed field) `field`. */
void proto_begin(struct proto *w, uint32_t field);
void proto_end(struct proto *w);

/* A bare varint, for packed fields; bare bytes, for messages that are encoded already. */
void proto_varint(struct proto *w, uint64_t value);
void proto_raw(struct proto *w, const void *data, size_t size);

#endif
