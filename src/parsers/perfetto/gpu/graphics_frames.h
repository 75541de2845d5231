/* What happens to a graphics buffer on its way from an app to the display: instants on the buffer's
 * track, and phases, each on a track of its own, that end with the instants. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_GRAPHICS_FRAMES_H
#define TPTUI_PARSERS_PERFETTO_GPU_GRAPHICS_FRAMES_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module graphics_frames_packets[];

#endif
