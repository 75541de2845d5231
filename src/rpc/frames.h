/* The stream of messages between a client and us, cut into messages: each is field 1 of a
 * TraceProcessorRpcStream, that is 0x0a, its length, its bytes. */
#ifndef TPTUI_RPC_FRAMES_H
#define TPTUI_RPC_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

/* Longer messages are refused: a client sends a trace in pieces, commonly of 32 MB. */
enum { FRAME_SIZE_MAX = 128 << 20 };

/* All zero to begin with. Holds no more than what was received of one message and what came with
 * it. */
struct frames {
    VEC(uint8_t) bytes;
    size_t used; /* of them */
    bool broken; /* what was received is no such stream; nothing more comes out of it */
};

/* Takes bytes in, cut anywhere. */
void frames_append(struct frames *f, struct str bytes);
/* The next whole message, valid until the next frames_append; false where none is complete. */
bool frames_next(struct frames *f, struct str *message);
void frames_release(struct frames *f);

#endif
