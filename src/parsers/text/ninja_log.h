/* Ninja's log of builds, versions 5 to 7: a line for each output, with when its job began and ended
 * in ms. Which jobs ran side by side is told by their times: each lane is a thread.
 *
 *     # ninja log v7
 *     4 12 1579224178 ui/modal.css 832a958a9e234dfa
 *
 * (Ninja's manual, "The Ninja log", and src/build_log.cc.) The fields, between tabs: begin, end,
 * time of the file, its name, hash of the command.
 *
 * Times of a build begin at 0 and its ends only grow: where one is smaller than the last, another
 * build begins, which is put behind the one before. */
#ifndef TPTUI_PARSERS_TEXT_NINJA_LOG_H
#define TPTUI_PARSERS_TEXT_NINJA_LOG_H

#include "parsers/input/trace_format.h"

extern const struct trace_format ninja_log_trace_format;

#endif
