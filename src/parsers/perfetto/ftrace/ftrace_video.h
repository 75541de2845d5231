/* Video: buffers handed to and from v4l2 devices, and virtio-video's queues. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_VIDEO_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_VIDEO_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_video_module;

#endif
