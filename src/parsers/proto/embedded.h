/* The descriptors of protos/ in the binary: FileDescriptorSets compressed by zlib, made at build
 * time. The first is that of the configuration, which nearly every trace has and needs as text, the
 * second that of track events and their extensions, each with what it refers to; no set extends one
 * before it. Only descriptors.c reads them. */
#ifndef TPTUI_PARSERS_PROTO_EMBEDDED_H
#define TPTUI_PARSERS_PROTO_EMBEDDED_H

#include <stddef.h>

enum { EMBEDDED_SETS = 3 };

struct embedded_set {
    const unsigned char *packed;
    size_t size, inflated_size;
};

extern const struct embedded_set embedded_descriptors[EMBEDDED_SETS];

#endif
