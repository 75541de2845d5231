/* The maps that R8 and ProGuard write of the names they have shortened:
 *   # comment
 *   original.Class -> a.b:
 *       type field -> c
 *       1:4:type original.Other.method(types):10:13 -> d
 * The numbers, which may be missing, are lines: those of the obfuscated code, and those of the
 * source. Methods with the same obfuscated name and lines are inlined, each into the next. Comments
 * are JSON that R8 adds: residual signatures, which no trace has, and what it merged. */
#ifndef TPTUI_SYMBOLS_OBFUSCATION_MAP_H
#define TPTUI_SYMBOLS_OBFUSCATION_MAP_H

#include "base/status.h"
#include "base/str.h"
#include "parsers/proto/write.h"

/* Appends a packet with the DeobfuscationMapping of a map, which is for a package; no bytes: for
 * any. Errors name the line; nothing is appended then. */
struct status obfuscation_map_packet(struct str map, struct str package, struct pb_bytes *packets);

#endif
