/* Several traces in one file: a zip or tar archive. Its members become one trace. A member that is
 * a manifest says more about the others:
 *
 *     {"perfetto_manifest": {"version": 1, "attributes": {"run_id": 42},
 *       "files": [{"path": "app.json", "machine": {"name": "phone"}, "clocks": {"offset_ns":
 * 500}}]}}
 */
#ifndef TPTUI_PARSERS_ARCHIVE_ARCHIVE_H
#define TPTUI_PARSERS_ARCHIVE_ARCHIVE_H

#include "parsers/perfetto/packets/import.h"

struct status zip_import(struct trace *t, const char *name, struct bytes data,
                         struct load_progress *progress);
struct status tar_import(struct trace *t, const char *name, struct bytes data,
                         struct load_progress *progress);

#endif
