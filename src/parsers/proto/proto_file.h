/* .proto files as people write them, read without protoc: for messages of a user's own. */
#ifndef TPTUI_PARSERS_PROTO_PROTO_FILE_H
#define TPTUI_PARSERS_PROTO_PROTO_FILE_H

#include "parsers/proto/descriptors.h"

struct proto_file {
    const char *path; /* for errors */
    struct str text;
};

/* Adds the messages, enums and extensions of files, which may use each other's and those that the
 * registry has, whatever they import. Syntax proto2 and proto3; what no descriptor of ours keeps is
 * read over: options, reserved numbers, services. Maps and groups are refused.
 *
 * An error is STATUS_FORMAT, "PATH:LINE: what is wrong". Types may have been added by then, without
 * their fields. */
struct status proto_files_add(struct descriptors *d, const struct proto_file *files, size_t count);

enum { PROTO_FILE_DEPTH_MAX = 32 }; /* of messages within each other */

#endif
