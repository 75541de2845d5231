/* Several traces in one file: a zip or tar archive, also compressed, or an xz file, which may hold
 * but one. Its members become one trace; they may be compressed by themselves. A member that is a
 * manifest says more about the others:
 *
 *     {"perfetto_manifest": {"version": 1, "attributes": {"run_id": 42},
 *       "files": [{"path": "app.json", "machine": {"name": "phone"}, "clocks": {"offset_ns":
 * 500}}]}}
 */
#ifndef TPTUI_PARSERS_ARCHIVE_ARCHIVE_H
#define TPTUI_PARSERS_ARCHIVE_ARCHIVE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format zip_trace_format, tar_trace_format, xz_trace_format;

#endif
