-- Slices, counters, scheduling, ftrace and logs.

CREATE PERFETTO VIEW instant AS
SELECT ts, track_id, name, arg_set_id
FROM __intrinsic_slice
WHERE dur = 0;

CREATE PERFETTO VIEW counters AS
SELECT c.id, c.ts, c.track_id, c.value, c.arg_set_id, t.name, t.counter_unit AS unit
FROM __intrinsic_counter AS c
JOIN __intrinsic_track AS t ON t.id = c.track_id;

CREATE PERFETTO VIEW cpu AS
SELECT id, id AS ucpu, cpu, cluster_id, processor, machine_id, capacity, arg_set_id
FROM __intrinsic_cpu
WHERE cpu IS NOT NULL;

CREATE PERFETTO VIEW sched AS
SELECT id, ts, dur, ucpu AS cpu, utid, end_state, priority, ucpu, ts + dur AS ts_end
FROM __intrinsic_sched_slice;

CREATE PERFETTO VIEW raw AS
SELECT id, ts, name, ucpu AS cpu, utid, arg_set_id, common_flags, ucpu
FROM __intrinsic_ftrace_event
UNION ALL
SELECT id, ts, name, NULL, utid, arg_set_id, NULL, NULL
FROM __intrinsic_chrome_raw;

CREATE PERFETTO VIEW args AS
SELECT id, arg_set_id, flat_key, key, int_value, string_value, real_value, value_type,
  display_value
FROM __intrinsic_args;

CREATE PERFETTO VIEW android_logs AS
SELECT id, ts, utid, prio, tag, msg
FROM __intrinsic_logs
WHERE log_source = 'android_logcat';

CREATE PERFETTO VIEW trace_bounds AS
SELECT trace_start() AS start_ts, trace_end() AS end_ts;

CREATE PERFETTO VIEW _trace_import_logs AS
SELECT l.id, l.trace_id, l.ts, l.byte_offset, s.severity, s.name, l.arg_set_id
FROM __intrinsic_trace_import_logs AS l
LEFT JOIN (SELECT key, name, severity FROM __intrinsic_stats GROUP BY key) AS s
  ON s.key = l.stat_key;

-- The metrics of version 1 are not part of this program: their list is empty.
CREATE PERFETTO VIEW _trace_metrics AS
SELECT '' AS name
WHERE FALSE;

CREATE PERFETTO VIEW trace_metrics AS
SELECT name
FROM _trace_metrics;

-- The letters of packet_tcp_flags stand for bits, from FIN on.
CREATE PERFETTO VIEW __intrinsic_android_network_packets AS
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
