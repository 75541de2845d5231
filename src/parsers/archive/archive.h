/* Several traces in one file: a zip or tar archive, also compressed. Its members become one trace;
 * they may be compressed by themselves. A member that is a manifest (manifest.h) says more about
 * the others.
 *
 * A first walk says what the members are, then there is one for each place where the order in
 * which they are read (manifests, those that know clocks, archives, the others, by name) goes back
 * in the archive. What is stored uncompressed is read where it lies. All that is unpacked while a
 * file loads, at any depth and in any walk, is taken off one budget (trace_builder.unpacking);
 * where that has no more walks, members are read in the order in which they lie there. */
#ifndef TPTUI_PARSERS_ARCHIVE_ARCHIVE_H
#define TPTUI_PARSERS_ARCHIVE_ARCHIVE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format zip_trace_format, tar_trace_format;

#endif
