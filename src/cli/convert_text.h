/* `convert text`. */
#ifndef TPTUI_CLI_CONVERT_TEXT_H
#define TPTUI_CLI_CONVERT_TEXT_H

#include "cli/convert.h"
#include "parsers/proto/write.h"

/* A Perfetto trace, maybe in gzip, as protobuf text: packet by packet, compressed ones unpacked. */
struct status convert_to_text(const struct convert_settings *s);

/* The trace with the packets that it holds compressed in their place. */
struct status decompress_packets(const char *path, struct pb_bytes *out);

#endif
