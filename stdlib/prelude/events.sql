-- Slices, counters, scheduling, ftrace and logs.

-- Slices without a duration.
CREATE PERFETTO VIEW instant(
  -- When it was, ns of trace time.
  ts TIMESTAMP,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Name of the slice.
  name STRING,
  -- Arguments, joins args.
  arg_set_id ARGSETID
) AS
SELECT ts, track_id, name, arg_set_id
FROM __intrinsic_slice
WHERE dur = 0;

-- Samples of counters with the counter's name and unit.
CREATE PERFETTO VIEW counters(
  -- Counter sample, joins counter.
  id ID,
  -- When the value was read, ns of trace time.
  ts TIMESTAMP,
  -- Counter, joins counter_track.
  track_id JOINID(track.id),
  -- Value of the counter.
  value DOUBLE,
  -- Arguments, joins args.
  arg_set_id LONG,
  -- Name of the counter.
  name STRING,
  -- Unit of the counter's values.
  unit STRING
) AS
SELECT c.id, c.ts, c.track_id, c.value, c.arg_set_id, t.name, t.counter_unit AS unit
FROM __intrinsic_counter AS c
JOIN __intrinsic_track AS t ON t.id = c.track_id;

-- CPUs of all machines that have a number.
CREATE PERFETTO VIEW cpu(
  -- Id of the row, unique over all machines.
  id ID,
  -- As `id`.
  ucpu ID,
  -- CPU number on its machine.
  cpu LONG,
  -- Number of the cluster of like CPUs.
  cluster_id LONG,
  -- What /proc/cpuinfo says of it.
  processor STRING,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Capacity relative to the largest CPU, which has 1024.
  capacity LONG,
  -- Arguments, joins args.
  arg_set_id ARGSETID
) AS
SELECT id, id AS ucpu, cpu, cluster_id, processor, machine_id, capacity, arg_set_id
FROM __intrinsic_cpu
WHERE cpu IS NOT NULL;

-- Slices of CPUs: which thread ran when.
CREATE PERFETTO VIEW sched(
  -- Id of the row.
  id ID,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- CPU, joins cpu.ucpu: the CPU's number where there is one machine.
  cpu LONG,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- State in which the thread left the CPU.
  end_state STRING,
  -- Priority in the kernel, lower is more urgent.
  priority LONG,
  -- CPU, unique over all machines; joins cpu.
  ucpu LONG,
  -- End, ns of trace time.
  ts_end LONG
) AS
SELECT id, ts, dur, ucpu AS cpu, utid, end_state, priority, ucpu, ts + dur AS ts_end
FROM __intrinsic_sched_slice;

-- The older name of ftrace_event.
CREATE PERFETTO VIEW raw(
  -- Id of the row.
  id ID,
  -- When it was, ns of trace time.
  ts TIMESTAMP,
  -- Name of the event.
  name STRING,
  -- CPU, joins cpu.ucpu: the CPU's number where there is one machine.
  cpu LONG,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID,
  -- Flags of ftrace for the event.
  common_flags LONG,
  -- CPU, unique over all machines; joins cpu.
  ucpu LONG
) AS
SELECT id, ts, name, ucpu AS cpu, utid, arg_set_id, common_flags, ucpu
FROM __intrinsic_ftrace_event;

-- Arguments: keys with a value each, in sets.
CREATE PERFETTO VIEW args(
  -- Id of the row.
  id ID,
  -- Set that it belongs to.
  arg_set_id ARGSETID,
  -- Key without indexes of lists.
  flat_key STRING,
  -- Key with indexes of lists, as flags[2].
  key STRING,
  -- Value, if it is an integer, a boolean or an address.
  int_value LONG,
  -- Value, if it is text.
  string_value STRING,
  -- Value, if it is a floating point number.
  real_value DOUBLE,
  -- Type of the value, as int or string.
  value_type STRING,
  -- Value as text.
  display_value STRING
) AS
SELECT id, arg_set_id, flat_key, key, int_value, string_value, real_value, value_type,
  display_value
FROM __intrinsic_args;

-- Messages of Android's log.
CREATE PERFETTO VIEW android_logs(
  -- Log entry, joins logs.
  id ID,
  -- When it was written, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Priority, from 2 (verbose) to 7 (fatal).
  prio LONG,
  -- Tag that it was logged with.
  tag STRING,
  -- Message.
  msg STRING
) AS
SELECT id, ts, utid, prio, tag, msg
FROM __intrinsic_logs
WHERE log_source = 'android_logcat';

-- Machines that were recorded.
CREATE PERFETTO VIEW machine(
  -- Machine.
  id ID,
  -- Number that the recording gave it; 0: the host.
  raw_id LONG,
  -- Name that the recording gave it.
  name STRING,
  -- Name of the system: Linux.
  sysname STRING,
  -- Release of the kernel.
  release STRING,
  -- Version of the kernel.
  version STRING,
  -- Architecture: aarch64, x86_64.
  arch STRING,
  -- Number of cpus.
  num_cpus LONG,
  -- Android: the build.
  android_build_fingerprint STRING,
  -- Android: who made the device.
  android_device_manufacturer STRING,
  -- Android: API level.
  android_sdk_version LONG,
  -- Main memory, bytes.
  system_ram_bytes LONG,
  -- Main memory, GB, rounded.
  system_ram_gb LONG,
  -- What tells it from the others where it has no name: 0 for the host, else counted from 1.
  label_index LONG
) AS
SELECT
  *,
  iif(raw_id = 0, 0, count(*) FILTER (WHERE raw_id != 0) OVER (ORDER BY id)) AS label_index
FROM __intrinsic_machine;

-- When the trace starts and ends.
CREATE PERFETTO VIEW trace_bounds(
  -- First time in the trace, ns.
  start_ts TIMESTAMP,
  -- Last time in the trace, ns.
  end_ts TIMESTAMP
) AS
SELECT trace_start() AS start_ts, trace_end() AS end_ts;

-- What the keys of stats stand for.
CREATE PERFETTO VIEW _stat_key_to_severity_and_name(
  -- Number of the kind of fault, as in stats.
  key LONG,
  -- How bad it is: info, data_loss, error or notice.
  severity STRING,
  -- Kind of fault, a name of stats.
  name STRING
) AS
SELECT DISTINCT key, severity, name FROM __intrinsic_stats ORDER BY key;

-- Single faults found while reading, where in the file and what.
CREATE PERFETTO VIEW _trace_import_logs(
  -- Number of the row.
  id ID,
  -- Trace file, joins __intrinsic_trace_file.
  trace_id LONG,
  -- When it happened, ns of trace time; NULL if not known.
  ts TIMESTAMP,
  -- Where in the file; NULL if not known.
  byte_offset LONG,
  -- How bad it is: info, data_loss or error.
  severity STRING,
  -- Kind of fault, a name of stats.
  name STRING,
  -- Arguments, joins args.
  arg_set_id ARGSETID
) AS
SELECT l.id, l.trace_id, l.ts, l.byte_offset, s.severity, s.name, l.arg_set_id
FROM __intrinsic_trace_import_logs AS l
LEFT JOIN _stat_key_to_severity_and_name AS s ON s.key = l.stat_key;

-- The published metrics of version 1. They are not part of this program: scripts ask which there are
-- before they run theirs.
CREATE PERFETTO VIEW _trace_metrics(
  -- Name of the metric.
  name STRING
) AS
WITH published(name) AS (
  VALUES
    ('ad_services_metric'), ('android_anomaly'), ('android_anr'), ('android_app_process_starts'),
    ('android_auto_multiuser'), ('android_batt'), ('android_binder'),
    ('android_blocking_calls_cuj_metric'), ('android_blocking_calls_cuj_per_frame_metric'),
    ('android_blocking_calls_unagg'), ('android_boot'), ('android_boot_unagg'),
    ('android_broadcasts'), ('android_camera'), ('android_camera_unagg'), ('android_cpu'),
    ('android_dma_heap'), ('android_dvfs'), ('android_fastrpc'), ('android_frame_timeline_metric'),
    ('android_garbage_collection_stats'), ('android_garbage_collection_unagg'), ('android_gpu'),
    ('android_hwcomposer'), ('android_hwui_metric'), ('android_io'), ('android_io_unagg'),
    ('android_ion'), ('android_irq_runtime'), ('android_jank_cuj'), ('android_lmk'),
    ('android_lmk_reason'), ('android_mem'), ('android_mem_unagg'), ('android_monitor_contention'),
    ('android_monitor_contention_agg'), ('android_multiuser'), ('android_netperf'),
    ('android_oom_adjuster'), ('android_package_list'), ('android_powrails'),
    ('android_rt_runtime'), ('android_simpleperf'), ('android_startup'), ('android_surfaceflinger'),
    ('android_sysui_notifications_blocking_calls_metric'), ('android_trace_quality'),
    ('chrome_args_class_names'), ('chrome_dropped_frames'), ('chrome_histogram_hashes'),
    ('chrome_histogram_summaries'), ('chrome_long_latency'), ('chrome_performance_mark_hashes'),
    ('chrome_scroll_jank_v3'), ('chrome_slice_names'), ('chrome_study_hashes'),
    ('chrome_unsymbolized_args'), ('chrome_user_event_hashes'), ('clone_duration'),
    ('codec_metrics'), ('display_metrics'), ('frame_times'), ('g2d'), ('java_heap_class_stats'),
    ('java_heap_histogram'), ('java_heap_stats'), ('media_metric'), ('profiler_smaps'),
    ('reported_by_page'), ('sysui_notif_shade_list_builder_metric'),
    ('sysui_update_notif_on_ui_mode_changed_metric'), ('test_chrome_metric'), ('trace_metadata'),
    ('trace_stats'), ('unsymbolized_frames'), ('wattson_app_startup_rails'),
    ('wattson_app_startup_threads'), ('wattson_atrace_apps_rails'), ('wattson_atrace_apps_threads'),
    ('wattson_markers_rails'), ('wattson_markers_threads'), ('wattson_trace_rails'),
    ('wattson_trace_threads'), ('webview_jank_approximation')
)
SELECT name
FROM published;

-- The names of the published metrics of version 1.
CREATE PERFETTO VIEW trace_metrics(
  -- Name of the metric.
  name STRING
) AS
SELECT name
FROM _trace_metrics;

-- Packets, or groups of packets, that went over the network.
CREATE PERFETTO VIEW __intrinsic_android_network_packets(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Network interface.
  iface STRING,
  -- Received or Transmitted.
  direction STRING,
  -- Protocol: IPPROTO_TCP, IPPROTO_UDP, ...
  packet_transport STRING,
  -- Bytes of all packets.
  packet_length LONG,
  -- Number of packets.
  packet_count LONG,
  -- Tag of the socket.
  socket_tag LONG,
  -- Tag of the socket, hex.
  socket_tag_str STRING,
  -- User that the socket belongs to.
  socket_uid LONG,
  -- Port on the device.
  local_port LONG,
  -- Port on the other end.
  remote_port LONG,
  -- Type of an ICMP packet.
  packet_icmp_type LONG,
  -- Code of an ICMP packet.
  packet_icmp_code LONG,
  -- Flags of TCP, a bit each: those of the letters, from FIN on.
  packet_tcp_flags LONG,
  -- Flags of TCP, a letter each.
  packet_tcp_flags_str STRING
) AS
SELECT id, iface, direction, extract_arg(set_id, 'packet_transport') AS packet_transport,
  extract_arg(set_id, 'packet_length') AS packet_length,
  extract_arg(set_id, 'packet_count') AS packet_count, unhex(tag) AS socket_tag,
  tag AS socket_tag_str, extract_arg(set_id, 'socket_uid') AS socket_uid,
  extract_arg(set_id, 'local_port') AS local_port,
  extract_arg(set_id, 'remote_port') AS remote_port,
  extract_arg(set_id, 'packet_icmp_type') AS packet_icmp_type,
  extract_arg(set_id, 'packet_icmp_code') AS packet_icmp_code,
  (instr(flags, 'f') > 0) + (instr(flags, 's') > 0) * 2 + (instr(flags, 'r') > 0) * 4
    + (instr(flags, 'p') > 0) * 8 + (instr(flags, 'a') > 0) * 16
    + (instr(flags, 'u') > 0) * 32 + (instr(flags, 'e') > 0) * 64
    + (instr(flags, 'c') > 0) * 128 AS packet_tcp_flags,
  flags AS packet_tcp_flags_str
FROM (
  SELECT s.id, s.arg_set_id AS set_id,
    extract_arg(t.dimension_arg_set_id, 'net_interface') AS iface,
    extract_arg(t.dimension_arg_set_id, 'net_direction') AS direction,
    extract_arg(s.arg_set_id, 'socket_tag') AS tag,
    extract_arg(s.arg_set_id, 'packet_tcp_flags') AS flags
  FROM __intrinsic_track AS t
  JOIN __intrinsic_slice AS s ON s.track_id = t.id
  WHERE t.type = 'network_packets'
);
