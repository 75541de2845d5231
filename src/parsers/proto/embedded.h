/* The descriptors of protos/ in the binary: a FileDescriptorSet compressed by zlib, made at build
 * time. Only descriptors.c reads it. */
#ifndef TPTUI_PARSERS_PROTO_EMBEDDED_H
#define TPTUI_PARSERS_PROTO_EMBEDDED_H

#include <stddef.h>

extern const size_t embedded_descriptors_inflated_size;
extern const size_t embedded_descriptors_size;
extern const unsigned char embedded_descriptors[];

#endif
