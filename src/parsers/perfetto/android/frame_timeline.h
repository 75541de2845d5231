/* SurfaceFlinger's frame timeline: for each frame when it was expected and when it happened, and
 * the arrows from the frames of apps to the display frames that show them. */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_FRAME_TIMELINE_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_FRAME_TIMELINE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module frame_timeline_packets[];

#endif
