/* Recorded screens: encoded pictures of each display, and what a decoder has to know first. */
#ifndef TPTUI_PARSERS_PERFETTO_ANDROID_VIDEO_FRAME_H
#define TPTUI_PARSERS_PERFETTO_ANDROID_VIDEO_FRAME_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module video_frame_packets[];

#endif
