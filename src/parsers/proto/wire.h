/* Protobuf's wire format: a bounds-checked cursor over the fields of one message.
 *
 *     struct pb_reader r = pb_reader_from(bytes, size);
 *     struct pb_field f;
 *     while (pb_next(&r, &f))
 *         switch (f.number) {
 *         case PB_TracePacket_timestamp: ts = pb_i64(&f); break;
 *         case PB_TracePacket_trace_config: read_config(pb_message(&f)); break;
 *         }
 *     if (r.error) ...the rest of the message cannot be read
 *
 * Nothing is copied: fields point into the message. Accessors take fields of any wire type, so that
 * a field which is not what its schema says reads as a number or as empty bytes, never as a bad
 * pointer. Groups are an error, as they are for every writer of traces. */
#ifndef TPTUI_PARSERS_PROTO_WIRE_H
#define TPTUI_PARSERS_PROTO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "parsers/input/bytes.h"

enum pb_wire_type { PB_WIRE_VARINT = 0, PB_WIRE_I64 = 1, PB_WIRE_LEN = 2, PB_WIRE_I32 = 5 };

/* Reading is inlined, which is half of what a compiler makes of most readers. Those of what a trace
 * has few of do not want that: they define PB_READS_LITTLE in front of what they include. */
#ifdef PB_READS_LITTLE
#define PB_READING __attribute__((noinline)) static
#else
#define PB_READING static inline
#endif

struct pb_reader {
    const uint8_t *p, *end;
    bool error; /* the message is malformed at p; nothing more is read */
};

/* `value` is the number as it stands on the wire, or the size in bytes of what `data` points to.
 * `data` is NULL unless the wire type is LEN. */
struct pb_field {
    uint32_t number;
    uint32_t wire_type; /* enum pb_wire_type */
    uint64_t value;
    const uint8_t *data;
};

static inline struct pb_reader pb_reader_from(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    return (struct pb_reader){p, size ? p + size : p, false};
}

static inline struct pb_reader bytes_reader(struct bytes b)
{
    return pb_reader_from(b.p, b.n);
}

/* The bytes of a LEN field; {NULL, 0} for other wire types. */
static inline struct bytes field_bytes(const struct pb_field *f)
{
    return (struct bytes){f->data, f->data ? (size_t)f->value : 0};
}

/* What reads a varint takes the position and returns the one behind it, or NULL where no varint is
 * complete: a cursor whose address is passed on would live in memory, not in registers. */

/* The next eight bytes; those behind the end are 0x80: they end no varint. */
static inline uint64_t pb_load_up_to_8(const uint8_t *p, size_t n)
{
    if (n >= 8)
        return load_le64(p);
    uint64_t v = n ? UINT64_C(0x8080808080808080) << n * 8 : UINT64_C(0x8080808080808080);
    if (n >= 4)
        return v | load_le32(p) | (uint64_t)load_le32(p + n - 4) << (n - 4) * 8;
    if (n == 0)
        return v;
    return v | p[0] | (uint64_t)p[n / 2] << n / 2 * 8 | (uint64_t)p[n - 1] << (n - 1) * 8;
}

/* Varints of more than two bytes, mostly times, and those near the end of a message: eight bytes at
 * once. */
PB_READING const uint8_t *pb_varint_long(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    size_t n = (size_t)(end - p);
    uint64_t v = pb_load_up_to_8(p, n);
    uint64_t stops = ~v & UINT64_C(0x8080808080808080);
    /* The bits up to the lowest stop bit; all of them where there is none in eight bytes. */
    v &= stops ^ (stops - 1);
    v &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    v = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
    if (stops) {
        *out = v;
        return p + (__builtin_ctzll(stops) >> 3) + 1;
    }
    if (n < 9)
        return NULL;
    v |= (uint64_t)(p[8] & 0x7f) << 56;
    if (p[8] < 0x80) {
        *out = v;
        return p + 9;
    }
    if (n < 10 || p[9] >= 0x80)
        return NULL;
    *out = v | (uint64_t)p[9] << 63;
    return p + 10;
}

/* Inlined everywhere: most varints are short, and calls took longer than they. */
__attribute__((always_inline)) static inline const uint8_t *
pb_varint(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    if (__builtin_expect(end - p < 2, 0))
        return pb_varint_long(p, end, out);
    if (p[0] < 0x80) {
        *out = p[0];
        return p + 1;
    }
    if (p[1] < 0x80) {
        *out = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    return pb_varint_long(p, end, out);
}

static inline bool pb_fail(struct pb_reader *r)
{
    r->error = true;
    return false;
}

/* Reads one varint; false and an error where none is complete. */
static inline bool pb_read_varint(struct pb_reader *r, uint64_t *out)
{
    uint64_t v = 0;
    const uint8_t *p = pb_varint(r->p, r->end, &v);
    if (!p)
        return pb_fail(r);
    r->p = p;
    *out = v;
    return true;
}

/* The next field; false at the end of the message and at malformed bytes, which set r->error and
 * leave r->p in front of the field that cannot be read. */
PB_READING bool pb_next(struct pb_reader *r, struct pb_field *f)
{
    const uint8_t *p = r->p, *end = r->end;
    if (p >= end || r->error)
        return false;
    uint64_t tag = 0, value = 0;
    const uint8_t *data = NULL;
    p = pb_varint(p, end, &tag);
    if (__builtin_expect(!p || tag < 8 || tag > UINT32_MAX, 0))
        return pb_fail(r);
    switch (tag & 7) {
    case PB_WIRE_VARINT:
        p = pb_varint(p, end, &value);
        if (__builtin_expect(!p, 0))
            return pb_fail(r);
        break;
    case PB_WIRE_LEN:
        p = pb_varint(p, end, &value);
        if (__builtin_expect(!p || value > (uint64_t)(end - p), 0))
            return pb_fail(r);
        data = p;
        p += value;
        break;
    case PB_WIRE_I64:
        if (end - p < 8)
            return pb_fail(r);
        value = load_le64(p);
        p += 8;
        break;
    case PB_WIRE_I32:
        if (end - p < 4)
            return pb_fail(r);
        value = load_le32(p);
        p += 4;
        break;
    default:
        return pb_fail(r);
    }
    r->p = p;
    *f = (struct pb_field){(uint32_t)tag >> 3, (uint32_t)tag & 7, value, data};
    return true;
}

static inline uint64_t pb_u64(const struct pb_field *f)
{
    return f->value;
}

static inline int64_t pb_i64(const struct pb_field *f)
{
    return (int64_t)f->value;
}

static inline uint32_t pb_u32(const struct pb_field *f)
{
    return (uint32_t)f->value;
}

static inline int32_t pb_i32(const struct pb_field *f)
{
    return (int32_t)(uint32_t)f->value;
}

static inline int64_t pb_zigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* sint32 and sint64 */
static inline int64_t pb_sint(const struct pb_field *f)
{
    return pb_zigzag(f->value);
}

static inline bool pb_bool(const struct pb_field *f)
{
    return f->value != 0;
}

/* double or float, whichever is on the wire; varints are taken as numbers. */
static inline double pb_real(const struct pb_field *f)
{
    if (f->wire_type == PB_WIRE_I64) {
        double d;
        memcpy(&d, &f->value, sizeof d);
        return d;
    }
    if (f->wire_type == PB_WIRE_I32) {
        uint32_t bits = (uint32_t)f->value;
        float single;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    return f->wire_type == PB_WIRE_VARINT ? (double)(int64_t)f->value : 0.0;
}

/* string and bytes; empty where the field is a number. */
static inline struct str pb_str(const struct pb_field *f)
{
    return f->data ? (struct str){(const char *)f->data, (size_t)f->value} : (struct str){"", 0};
}

/* A nested message; one without fields where the field is a number. */
static inline struct pb_reader pb_message(const struct pb_field *f)
{
    return f->data ? pb_reader_from(f->data, (size_t)f->value) : (struct pb_reader){0};
}

/* The last field of that number, which is the one that counts where a message has several; zeros,
 * which read as 0, false, empty, where it has none. */
static inline struct pb_field pb_last(struct pb_reader r, uint32_t number)
{
    struct pb_field last = {0}, f;
    while (pb_next(&r, &f))
        if (f.number == number)
            last = f;
    return last;
}

/* The elements of a repeated scalar field, packed or not: begin for each occurrence of the field,
 * next until it says false. `element` is the wire type of one element. */
struct pb_packed {
    struct pb_reader r;
    enum pb_wire_type element;
    uint64_t single; /* the one element of an occurrence that is not packed */
    bool has_single;
};

static inline struct pb_packed pb_packed_begin(const struct pb_field *f, enum pb_wire_type element)
{
    return (struct pb_packed){pb_message(f), element, f->value, f->wire_type != PB_WIRE_LEN};
}

static inline bool pb_packed_next(struct pb_packed *it, uint64_t *out)
{
    if (it->has_single) {
        it->has_single = false;
        *out = it->single;
        return true;
    }
    struct pb_reader *r = &it->r;
    if (r->p >= r->end || r->error)
        return false;
    if (it->element == PB_WIRE_VARINT)
        return pb_read_varint(r, out);
    if (it->element == PB_WIRE_I64) {
        if (r->end - r->p < 8)
            return pb_fail(r);
        *out = load_le64(r->p);
        r->p += 8;
        return true;
    }
    if (it->element != PB_WIRE_I32 || r->end - r->p < 4)
        return pb_fail(r);
    *out = load_le32(r->p);
    r->p += 4;
    return true;
}

/* Whether there is more, if only what cannot be read. */
static inline bool pb_packed_has_more(const struct pb_packed *it)
{
    return it->has_single || it->r.error || it->r.p < it->r.end;
}

#endif
