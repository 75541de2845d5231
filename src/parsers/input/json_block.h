/* JSON in blocks of bytes, a bit for each: what is structure and what is inside of strings is found
 * without a branch for each byte. */
#ifndef TPTUI_PARSERS_INPUT_JSON_BLOCK_H
#define TPTUI_PARSERS_INPUT_JSON_BLOCK_H

#include <stdbool.h>

#include "base/bytes16.h"

enum { JSON_BLOCK = 32 }; /* bytes */

/* The first byte's bit is the lowest. All but the last two count only outside of strings. */
struct json_block {
    uint32_t opens, closes;  /* brackets */
    uint32_t spaces;         /* white space */
    uint32_t string_ends;    /* quotes behind strings */
    uint32_t before, behind; /* what may stand before an opening bracket, and behind a string */
};

/* What the block before left open; all-zero outside of a string. */
struct json_block_state {
    uint32_t in_string; /* all bits, or none */
    uint32_t escaped;   /* the next byte is: 1 */
};

/* The bits of 32 bytes for which `find`, an expression on bytes16 `b`, holds. */
#define JSON_BLOCK_BITS(low, high, find) (find(low) | find(high) << 16)

static inline uint32_t json_quotes(bytes16 b)
{
    return bytes16_bits(bytes16_equal(b, '"'));
}

static inline uint32_t json_backslashes(bytes16 b)
{
    return bytes16_bits(bytes16_equal(b, '\\'));
}

/* Brackets differ from braces in the bit 0x20 only, as tabs (9) do from \r (13) in the bit 4. */
static inline uint32_t json_opens(bytes16 b)
{
    return bytes16_bits(bytes16_equal(b | 0x20, '{'));
}

static inline uint32_t json_closes(bytes16 b)
{
    return bytes16_bits(bytes16_equal(b | 0x20, '}'));
}

static inline uint32_t json_separators(bytes16 b)
{
    return bytes16_bits(bytes16_equal(b, ':') | bytes16_equal(b, ','));
}

static inline uint32_t json_spaces(bytes16 b)
{
    return bytes16_bits(bytes16_equal(b, ' ') | bytes16_equal(b, '\n') |
                        bytes16_equal(b | 4, '\r'));
}

/* The quotes that begin or end strings. Backslashes mean something only inside of strings. */
static inline uint32_t json_string_quotes(uint32_t quotes, uint32_t backslashes,
                                          struct json_block_state *state)
{
    bool inside = state->in_string;
    quotes &= ~state->escaped;
    uint32_t left = (quotes | backslashes) & ~state->escaped;
    state->escaped = 0;
    for (; left; left &= left - 1) {
        uint32_t bit = left & -left, next = bit << 1;
        if (quotes & bit) {
            inside = !inside;
        } else if (inside) {
            quotes &= ~next;
            left &= ~next;
            state->escaped = next == 0;
        }
    }
    return quotes;
}

/* Each bit becomes whether an odd number is set up to it. */
static inline uint32_t json_parities(uint32_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    return bits ^ bits << 16;
}

/* Inlined, as its many results would go through memory. */
__attribute__((always_inline)) static inline struct json_block
json_block_read(const char *p, struct json_block_state *state)
{
    bytes16 low = bytes16_load(p), high = bytes16_load(p + sizeof low);
    uint32_t quotes = JSON_BLOCK_BITS(low, high, json_quotes);
    uint32_t backslashes = JSON_BLOCK_BITS(low, high, json_backslashes);
    if (backslashes | state->escaped)
        quotes = json_string_quotes(quotes, backslashes, state);
    uint32_t inside = json_parities(quotes) ^ state->in_string;
    state->in_string = 0 - (inside >> 31);
    uint32_t opens = JSON_BLOCK_BITS(low, high, json_opens);
    uint32_t closes = JSON_BLOCK_BITS(low, high, json_closes);
    uint32_t separators = JSON_BLOCK_BITS(low, high, json_separators);
    return (struct json_block){
        .opens = opens & ~inside,
        .closes = closes & ~inside,
        .spaces = JSON_BLOCK_BITS(low, high, json_spaces) & ~inside,
        .string_ends = quotes & ~inside,
        .before = separators | opens,
        .behind = separators | closes,
    };
}

#endif
