/* The trace itself: where it comes from, its clocks, and how well it was read.
 * How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_TRACE_H
#define TPTUI_CORE_SCHEMA_TRACE_H

/* clang-format off */
#define COLUMNS_metadata(C, T) \
    C(T, name, STR, 0, "Key: trace_uuid, system_name, ...") \
    C(T, key_type, STR, 0, "single, or multi where a key may have several rows.") \
    C(T, int_value, I64, COLUMN_NULLABLE, "Value, if a number.") \
    C(T, str_value, STR, COLUMN_NULLABLE, "Value, if a text.") \
    C(T, machine_id, JOINID(machine.id), COLUMN_NULLABLE, "Machine that it is about.") \
    C(T, trace_id, JOINID(trace_file.id), COLUMN_NULLABLE, "Trace file that it is from.")

#define COLUMNS_stats(C, T) \
    C(T, name, STR, 0, "What is counted.") \
    C(T, key, I64, 0, "Number of the name.") \
    C(T, idx, I64, COLUMN_NULLABLE, \
      "Buffer, CPU or the like that is counted; NULL where there is one count.") \
    C(T, severity, STR, 0, "info, data_loss, error or notification.") \
    C(T, source, STR, 0, "trace: in the recording; analysis: when reading it.") \
    C(T, value, I64, 0, "Count.") \
    C(T, description, STR, 0, "What the count means.") \
    C(T, machine_id, JOINID(machine.id), COLUMN_NULLABLE, "Machine that it is about.") \
    C(T, trace_id, JOINID(trace_file.id), COLUMN_NULLABLE, "Trace file that it is about.")

#define COLUMNS_loss(C, T) \
    C(T, name, STR, 0, "What is counted: stats.name, or what only this table has.") \
    C(T, effect, STR, 0, \
      "event: so many are missing; unshown: so many were not read, as no rows are made of their kind; place: events are missing in so many; bytes: so many bytes of them; " \
      "doubt: so many lack something or may be wrong; again: another name counts them; aside: nothing to worry about.") \
    C(T, value, I64, 0, "How many, on all machines and in all files.") \
    C(T, share, F64, COLUMN_NULLABLE, "Of all events, those that are missing too, 0 to 1; NULL: not known.") \
    C(T, matters, BOOL(U32), 0, "1 where the share is worth a word.") \
    C(T, summary, STR, 0, "It in a sentence.") \
    C(T, description, STR, 0, "What the count means.") \
    C(T, remedy, STR, 0, "What to do.")

#define COLUMNS_machine(C, T) \
    C(T, raw_id, I64, COLUMN_FOREIGN, "Number that the recording gave the machine; 0: the host.") \
    C(T, name, STR, COLUMN_NULLABLE, "Name that the recording gave it.") \
    C(T, sysname, STR, COLUMN_NULLABLE, "Name of the system: Linux.") \
    C(T, release, STR, COLUMN_NULLABLE, "Release of the kernel.") \
    C(T, version, STR, COLUMN_NULLABLE, "Version of the kernel.") \
    C(T, arch, STR, COLUMN_NULLABLE, "Architecture: aarch64, x86_64.") \
    C(T, num_cpus, U32, COLUMN_NULLABLE, "Number of CPUs.") \
    C(T, android_build_fingerprint, STR, COLUMN_NULLABLE, "Android: the build.") \
    C(T, android_device_manufacturer, STR, COLUMN_NULLABLE, "Android: who made the device.") \
    C(T, android_sdk_version, I64, COLUMN_NULLABLE, "Android: API level.") \
    C(T, system_ram_bytes, I64, COLUMN_NULLABLE, "Main memory, bytes.") \
    C(T, system_ram_gb, I64, COLUMN_NULLABLE, "Main memory, GB, rounded.")

#define COLUMNS_clock_snapshot(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_NO_EVENT, "The moment, ns of trace time.") \
    C(T, clock_id, I64, COLUMN_FOREIGN, "Number of the clock: 6 is boottime.") \
    C(T, clock_name, STR, COLUMN_NULLABLE, "Name of the clock.") \
    C(T, clock_value, I64, 0, "What it showed, ns.") \
    C(T, snapshot_id, U32, COLUMN_FOREIGN, "Rows of one number are of one moment.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine whose clock it is.")

#define COLUMNS_trace_file(C, T) \
    C(T, parent_id, JOINID(trace_file.id), COLUMN_NULLABLE, "Archive or compressed file that it is in.") \
    C(T, name, STR, COLUMN_NULLABLE, "Name or path.") \
    C(T, size, I64, 0, "Bytes.") \
    C(T, trace_type, STR, 0, "Format.") \
    C(T, processing_order, I64, COLUMN_NULLABLE, \
      "Place in the order of reading, from 0; NULL: not read.") \
    C(T, is_container, U32, 0, "1 for archives and compressed files.")

#define COLUMNS_trace_import_logs(C, T) \
    C(T, trace_id, JOINID(trace_file.id), 0, "Trace file.") \
    C(T, ts, TIMESTAMP, COLUMN_NULLABLE | COLUMN_NO_EVENT, "Time, ns of trace time; NULL: not known.") \
    C(T, byte_offset, I64, COLUMN_NULLABLE, "Where in the file; NULL: not known.") \
    C(T, stat_key, I64, 0, "Kind of fault: stats.key.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_trace_diagnostics(C, T) \
    C(T, key, STR, 0, "Name of the fault.") \
    C(T, title, STR, 0, "It in a few words.") \
    C(T, description, STR, 0, "It in sentences.") \
    C(T, remediation, STR, 0, "What to change when recording.") \
    C(T, confidence, F64, 0, "How sure it is, 0 to 1.") \
    C(T, trace_id, JOINID(trace_file.id), COLUMN_NULLABLE, "Trace file.")

#define COLUMNS_build_flags(C, T) \
    C(T, name, STR, 0, "Name of the flag.") \
    C(T, enabled, U32, 0, "1 where it is on.")

#define COLUMNS_modules(C, T) \
    C(T, name, STR, 0, "Name of the part.")

#define COLUMNS_experimental_proto_content(C, T) \
    C(T, path, STR, 0, "Names of the messages and fields, separated by dots.") \
    C(T, path_id, JOINID(experimental_proto_path.id), 0, "The path's last part.") \
    C(T, total_size, I64, 0, "Bytes, with the messages within.") \
    C(T, size, I64, 0, "Bytes without the messages within.") \
    C(T, count, I64, 0, "How often it occurs.")

#define COLUMNS_experimental_proto_path(C, T) \
    C(T, parent_id, JOINID(experimental_proto_path.id), COLUMN_NULLABLE, "Part before it.") \
    C(T, field_type, STR, 0, "Type of the message or field.") \
    C(T, field_name, STR, COLUMN_NULLABLE, "Name of the field.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define TRACE_TABLES(T) \
    T(metadata, "__intrinsic_metadata", \
      "What is known of the trace as a whole: configuration, system, sizes.", "") \
    T(stats, "__intrinsic_stats", "Counts of what was recorded, lost or not understood.", "") \
    T(loss, "__intrinsic_loss", \
      "What of the recording is missing or doubtful, as stats tell it, the worst first.", "") \
    T(machine, "__intrinsic_machine", "Machines that were recorded; the first is the host.", "") \
    T(clock_snapshot, "__intrinsic_clock_snapshot", \
      "What several clocks showed at the same moment.", "") \
    T(trace_file, "__intrinsic_trace_file", \
      "Files that were read, those within archives too.", "") \
    T(trace_import_logs, "__intrinsic_trace_import_logs", \
      "Single faults found while reading, where in the file and what.", "") \
    T(trace_diagnostics, "__intrinsic_trace_diagnostics", \
      "Likely faults of the recording, and what to do.", "") \
    T(build_flags, "__intrinsic_build_flags", "How the program was built.", "") \
    T(modules, "__intrinsic_modules", "Optional parts of the program that are built in.", "") \
    T(experimental_proto_content, "experimental_proto_content", \
      "How many bytes of the trace each kind of message takes.", "") \
    T(experimental_proto_path, "experimental_proto_path", \
      "Paths of experimental_proto_content, a row a part.", "")

#define TRACE_VIEWS(V) \
    V(metadata, metadata, "*") \
    V(stats, stats, "*") \
    V(tptui_loss, loss, "*") \
    V(machine, machine, NULL) \
    V(clock_snapshot, clock_snapshot, "*")
/* clang-format on */

#endif
