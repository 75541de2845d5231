/* Decoders of args that files share: an archive may have tens of thousands of files, and what
 * decodes the same for all of them is added once. */
#ifndef TPTUI_CORE_ARGS_DECODERS_H
#define TPTUI_CORE_ARGS_DECODERS_H

#include "core/args.h"

/* The one that was added last of those that decode so: its number, or NULL_U32. */
static inline uint32_t args_last_decoder(const struct args *a,
                                         void (*decode)(void *self, uint32_t context,
                                                        const uint8_t *payload, size_t n,
                                                        struct arg_list *out))
{
    for (size_t i = a->decoders.count; i > 0; i--)
        if (a->decoders.items[i - 1].decode == decode)
            return (uint32_t)i - 1;
    return NULL_U32;
}

#endif
