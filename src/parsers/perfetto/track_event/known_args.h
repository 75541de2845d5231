/* The args of events that were read last, by the bytes that say them: many events of a sequence say
 * the same, and making their args anew, by names and descriptors, takes long.
 *
 *     if (!known_args_find(k, generation, said, list)) {
 *         ...add the args to the list, which is empty
 *         known_args_keep(k, list);   -- where they are always the same for these bytes
 *     }
 */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_KNOWN_ARGS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_KNOWN_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/arg_list.h"
#include "parsers/input/bytes.h"

struct known_args;

struct known_args *known_args_new(void);
void known_args_free(struct known_args *k);

/* Adds the args of these bytes, of an event of that generation (struct interned_generation), to an
 * empty list. False where they are not known. The bytes must last as long as `k`. */
bool known_args_find(struct known_args *k, uint32_t generation, struct bytes said,
                     struct arg_list *list);
/* Remembers what the list has as the args of the bytes that were not found just now, unless it is
 * long. */
void known_args_keep(struct known_args *k, const struct arg_list *list);

#endif
