/* Processes in pid namespaces (containers, sandboxes) know themselves by other numbers than the
 * rest of the trace does. Process trees tell both; the service tells which process wrote a packet.
 */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_PID_NAMESPACES_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_PID_NAMESPACES_H

#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/wire.h"

/* `inner` is the process' innermost pid, `depth` how many namespaces it has a pid in. */
void pid_namespaces_add_process(struct import *im, uint32_t machine, int64_t pid, int64_t inner,
                                uint32_t depth);
/* `thread` is ProcessTree.Thread. False where it has inner tids and its process is not known to be
 * in a namespace of its own: nothing is kept of them. */
bool pid_namespaces_add_thread(struct import *im, uint32_t machine, int64_t tgid, int64_t tid,
                               struct pb_reader thread);
/* What the pid or tid by which process `writer` names itself or a thread of its own is outside of
 * its namespace. False where that is not known: `*id` is as it was. */
bool pid_namespaces_resolve(struct import *im, uint32_t machine, int64_t writer, int64_t *id);

#endif
