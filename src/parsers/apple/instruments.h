/* Samples of Apple's Instruments, as `xctrace export --xpath` writes tables of them:
 *
 *     <row><sample-time id="1">1234</sample-time>
 *          <thread id="2" fmt="Main Thread"><tid id="3">259</tid>
 *                  <process id="4" fmt="App"><pid id="5">77</pid></process></thread>
 *          <core id="6">3</core>
 *          <backtrace id="7"><frame id="8" name="main" addr="0x120001234">
 *                  <binary id="9" name="App" UUID="..." load-addr="0x120000000" path="/App"/>
 *          </frame><frame ref="10"/></backtrace></row>
 *
 * Newer ones have the backtrace in a <tagged-backtrace id="11">, which rows refer to instead. The
 * form is what xctrace of Xcode 12 to 16 writes of the schemas time-sample, time-profile and
 * cpu-profile; Apple does not describe it.
 *
 * What has an id stands there once, later it is only referred to. Rows of the signpost
 * dev.perfetto.clock_sync relate the times to those of a recording of Perfetto. */
#ifndef TPTUI_PARSERS_APPLE_INSTRUMENTS_H
#define TPTUI_PARSERS_APPLE_INSTRUMENTS_H

#include "parsers/input/trace_format.h"

extern const struct trace_format instruments_trace_format;

#endif
