/* What a file that is no trace looks like, for the message about it. */
#ifndef TPTUI_PARSERS_UNKNOWN_FILE_H
#define TPTUI_PARSERS_UNKNOWN_FILE_H

#include "parsers/input/bytes.h"

/* Describes the file by its first bytes, of which there is at least one: "a PNG picture", or "text
 * that begins with "Dear diary,"". Writes at most `room` bytes with the NUL. */
void unknown_file_describe(struct bytes data, char *out, size_t room);

#endif
