/* Args that are a whole message, by its descriptor: read when somebody asks, or now. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_MESSAGE_ARGS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_MESSAGE_ARGS_H

#include <stdint.h>

#include "core/store/args.h"
#include "core/trace/trace.h"
#include "parsers/input/bytes.h"
#include "parsers/proto/reflect.h"

struct import;

/* Brings the decoder back, with the registry that was brought back last
 * (core/trace/stored_columns.h). */
bool message_args_restore(struct trace *t, struct byte_reader state);
#define MESSAGE_ARGS_NAME "message"

/* The set whose args are those of a message of this type ("com.android.internal.LayerProto"), read
 * when somebody asks. */
uint32_t message_args(struct import *im, const char *type, struct bytes message);
/* The same without the fields of this number. */
uint32_t message_args_without(struct import *im, const char *type, struct bytes message,
                              uint32_t field);
/* A set for who knows its number: args_read_defaults gives the message's args, but it has no rows
 * in the table `args`. */
uint32_t message_kept(struct import *im, const char *type, struct bytes message);
/* The same without the fields of this number. */
uint32_t message_kept_without(struct import *im, const char *type, struct bytes message,
                              uint32_t field);
/* The args of the message, followed by those of the list. */
uint32_t message_args_and(struct import *im, const char *type, struct bytes message,
                          const struct arg_list *more);
/* The args now, appended to `out`. `options` may be NULL. */
void message_reflect(struct import *im, const char *type, struct bytes message,
                     const struct reflect_options *options, struct arg_list *out);

#endif
