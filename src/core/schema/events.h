/* What happens at a time or for a while, on tracks and in the kernel's own order.
 * How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_EVENTS_H
#define TPTUI_CORE_SCHEMA_EVENTS_H

/* clang-format off */
#define COLUMNS_slice(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS, "Start, ns of trace time.") \
    C(T, dur, DURATION, 0, "Duration, ns; -1 if it has not ended, 0 for an instant.") \
    C(T, track_id, JOINID(track.id), 0, "Track that it lies on.") \
    C(T, category, STR, COLUMN_NULLABLE, "Categories of the event, separated by commas.") \
    C(T, name, STR, COLUMN_NULLABLE, "What was done.") \
    C(T, depth, U32, 0, "How many slices lie around it on its track.") \
    C(T, parent_id, JOINID(slice.id), COLUMN_NULLABLE, \
      "Slice right around it; NULL if outermost.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE | COLUMN_DEFERRED, "Arguments, joins args.") \
    C(T, thread_ts, TIMESTAMP, COLUMN_NULLABLE, "Start in the thread's own CPU time, ns.") \
    C(T, thread_dur, DURATION, COLUMN_NULLABLE, "CPU time that its thread used meanwhile, ns.") \
    C(T, thread_instruction_count, I64, COLUMN_NULLABLE, \
      "Instructions that the thread had retired at the start.") \
    C(T, thread_instruction_delta, I64, COLUMN_NULLABLE, \
      "Instructions that the thread retired meanwhile.")

#define COLUMNS_track(C, T) \
    C(T, name, STR, 0, "Name of the track, or of the counter.") \
    C(T, parent_id, JOINID(track.id), COLUMN_NULLABLE, "Track that it is shown below.") \
    C(T, source_arg_set_id, ARGSETID, COLUMN_NULLABLE, \
      "What its source said of it, joins args.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine that it was recorded on.") \
    C(T, type, STR, 0, "Kind of track: thread_execution, cpu_frequency, ...") \
    C(T, dimension_arg_set_id, ARGSETID, COLUMN_NULLABLE, \
      "What it belongs to (cpu, utid, ...), joins args.") \
    C(T, track_group_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Tracks of one number lie in parallel and are shown as one.") \
    C(T, event_type, STR, 0, "What lies on it: slice, counter or state.") \
    C(T, counter_unit, STR, COLUMN_NULLABLE, "Unit of the counter's values.") \
    C(T, utid, JOINID(thread.id), COLUMN_NULLABLE, "Thread that it belongs to.") \
    C(T, upid, JOINID(process.id), COLUMN_NULLABLE, "Process that it belongs to.")

#define COLUMNS_counter(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS | COLUMN_HOLDS, \
      "From when the value holds, ns of trace time.") \
    C(T, track_id, JOINID(track.id), 0, "Counter: its track.") \
    C(T, value, F64, 0, "Value from this time on, in the unit of its track.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_state(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS, "Start, ns of trace time.") \
    C(T, dur, DURATION, 0, "Duration, ns; -1 if it has not ended.") \
    C(T, track_id, JOINID(track.id), 0, "Track that it lies on.") \
    C(T, category, STR, COLUMN_NULLABLE, "Categories of the event, separated by commas.") \
    C(T, value, STR, 0, "Name of the state.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_flow(C, T) \
    C(T, slice_out, JOINID(slice.id), 0, "Slice that the arrow leaves.") \
    C(T, slice_in, JOINID(slice.id), 0, "Slice that it enters.") \
    C(T, trace_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number that the trace itself gives the flow.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_track_event_callstacks(C, T) \
    C(T, slice_id, JOINID(slice.id), 0, "Slice of the event.") \
    C(T, track_id, JOINID(track.id), 0, "Track of the event.") \
    C(T, callsite_id, JOINID(stack_profile_callsite.id), COLUMN_NULLABLE, \
      "Innermost frame of the stack at its start.") \
    C(T, end_callsite_id, JOINID(stack_profile_callsite.id), COLUMN_NULLABLE, \
      "Innermost frame of the stack at its end.") \
    C(T, weight, F64, COLUMN_NULLABLE, "Weight of the stack in a flame graph.")

#define COLUMNS_args(C, T) \
    C(T, arg_set_id, ARGSETID, COLUMN_SORTED | COLUMN_SET_ID, \
      "Set that it belongs to; rows of other tables refer to sets.") \
    C(T, flat_key, STR, 0, "Key without positions in lists: a.b.c") \
    C(T, key, STR, 0, "Key: a.b[1].c") \
    C(T, int_value, I64, COLUMN_NULLABLE, "Value of an int, uint, bool or pointer.") \
    C(T, string_value, STR, COLUMN_NULLABLE, "Value of a string or json.") \
    C(T, real_value, F64, COLUMN_NULLABLE, "Value of a real.") \
    C(T, value_type, STR, 0, \
      "Type of the value: int, uint, string, real, pointer, bool, json or null.")

#define COLUMNS_ftrace_event(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS, "When it happened, ns of trace time.") \
    C(T, name, STR, 0, "Name of the tracepoint: sched_switch.") \
    C(T, utid, SMALL_JOINID(thread.id), 0, "Thread that ran on the CPU.") \
    C(T, arg_set_id, ARGSETID, COLUMN_DEFERRED, "Arguments, joins args.") \
    C(T, common_flags, SMALL, 0, "Flags of the kernel: interrupt state, preemption.") \
    C(T, ucpu, SMALL_JOINID(cpu.id), 0, "CPU that it happened on.")

#define COLUMNS_chrome_raw(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it happened, ns of trace time.") \
    C(T, name, STR, 0, "Kind of event.") \
    C(T, utid, JOINID(thread.id), 0, "Thread that wrote it.") \
    C(T, arg_set_id, ARGSETID, 0, "Arguments, joins args.")

#define COLUMNS_logs(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_IN_BOUNDS, "When it was logged, ns of trace time.") \
    C(T, utid, JOINID(thread.id), COLUMN_NULLABLE, "Thread that logged.") \
    C(T, prio, U32, 0, "Priority: 2 verbose, 3 debug, 4 info, 5 warn, 6 error, 7 fatal.") \
    C(T, log_source, STR, 0, "Log that it comes from: android_logcat, ...") \
    C(T, tag, STR, COLUMN_NULLABLE, "Tag of the line.") \
    C(T, msg, STR, 0, "Text of the line.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define EVENTS_TABLES(T) \
    T(slice, "__intrinsic_slice", \
      "Events with a length, nested on their track.", \
      "track_event, or linux.ftrace with atrace_categories") \
    T(track, "__intrinsic_track", \
      "Timelines of slices, states or counters: what they are of and what they belong to.", "") \
    T(counter, "__intrinsic_counter", "Values of counters, each until the next of its track.", "") \
    T(state, "__intrinsic_state", \
      "What a track is in, one state after the other.", "track_event with states") \
    T(flow, "__intrinsic_flow", \
      "Arrows from one slice to another that it causes.", \
      "track_event whose events have flow ids, or linux.ftrace (binder)") \
    T(track_event_callstacks, "__intrinsic_track_event_callstacks", \
      "Call stacks at the start and the end of track events.", "track_event with callstacks") \
    T(args, "__intrinsic_args", \
      "Details of events, tracks and others: keys with a value each.", "") \
    T(ftrace_event, "__intrinsic_ftrace_event", \
      "Events of the kernel as it recorded them.", "linux.ftrace") \
    T(chrome_raw, "__intrinsic_chrome_raw", \
      "Events of Chrome that have no better place: untyped metadata, legacy traces.", \
      "org.chromium.trace_event or org.chromium.trace_metadata") \
    T(logs, "__intrinsic_logs", "Lines of the device's log and of other logs.", "android.log")

#define EVENTS_VIEWS(V) \
    V(slice, slice, "*, category AS cat, id AS slice_id") \
    V(slices, slice, "*, category AS cat, id AS slice_id") \
    V(track, track, \
      "id, name, type, dimension_arg_set_id, parent_id, source_arg_set_id, machine_id, " \
      "track_group_id") \
    V(counter, counter, "*") \
    V(state, state, "*") \
    V(flow, flow, "*") \
    V(args, args, NULL) \
    V(ftrace_event, ftrace_event, \
      "id, ts, name, ucpu AS cpu, utid, arg_set_id, common_flags, ucpu") \
    V(logs, logs, "*")
/* clang-format on */

#endif
