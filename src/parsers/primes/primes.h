/* Traces of Primes, Google's performance library of apps: a protobuf message with the begins and
 * ends of slices and with marks, on executors (queues), and what follows from what. The message is
 * Perfetto's protos/third_party/primes/primes_tracing.proto. */
#ifndef TPTUI_PARSERS_PRIMES_PRIMES_H
#define TPTUI_PARSERS_PRIMES_PRIMES_H

#include "parsers/input/trace_format.h"

extern const struct trace_format primes_trace_format;

#endif
