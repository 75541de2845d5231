/* What packets of several kinds say of a process becomes one set of args, that of its row. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_PROCESS_ARGS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_PROCESS_ARGS_H

#include <stdint.h>

struct arg_list;
struct import;

/* The args of a process so far, for more to be added; void at the next call. */
struct arg_list *process_args_of(struct import *im, uint32_t upid);

/* Sets the rows' args; after the last record. */
void process_args_finish(struct import *im);

#endif
