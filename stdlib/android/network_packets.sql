-- Network packets, and how long they keep the radio awake.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

CREATE PERFETTO VIEW android_network_packets(
  id ID, ts TIMESTAMP, dur DURATION, track_name STRING, package_name STRING, iface STRING,
  direction STRING, packet_count LONG, packet_length LONG, packet_transport STRING,
  packet_tcp_flags LONG, socket_tag STRING, socket_uid LONG, local_port LONG, remote_port LONG,
  packet_icmp_type LONG, packet_icmp_code LONG, packet_tcp_flags_int LONG, socket_tag_int LONG
) AS
SELECT p.id, s.ts, s.dur, t.name AS track_name, s.name AS package_name, p.iface, p.direction,
  p.packet_count, p.packet_length, p.packet_transport, p.packet_tcp_flags_str AS packet_tcp_flags,
  p.socket_tag_str AS socket_tag, p.socket_uid, p.local_port, p.remote_port, p.packet_icmp_type,
  p.packet_icmp_code, p.packet_tcp_flags AS packet_tcp_flags_int, p.socket_tag AS socket_tag_int
FROM __intrinsic_android_network_packets AS p
JOIN slice AS s ON s.id = p.id
JOIN track AS t ON t.id = s.track_id;

-- Packets of each partition, numbered by spans that lie more than `timeout` apart.
CREATE PERFETTO MACRO _network_spans(
  src TableOrSubquery, partition_columns ColumnNameList, timeout Expr
) RETURNS TableOrSubquery AS (
  SELECT *, sum(starts_span) OVER (
      PARTITION BY metasql_unparenthesize_exprlist!($partition_columns) ORDER BY ts, id
    ) AS span
  FROM (
    SELECT *, coalesce(ts > $timeout + max(ts + dur) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($partition_columns) ORDER BY ts, id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), TRUE) AS starts_span
    FROM $src
  )
);

-- The times in which something was awake for packets (id, ts, dur, packet_count, packet_length),
-- which is until `timeout` after each.
CREATE PERFETTO MACRO android_network_uptime_spans(
  src TableOrSubquery, partition_columns ColumnNameList, timeout Expr
) RETURNS TableOrSubquery AS (
  SELECT metasql_unparenthesize_exprlist!($partition_columns), min(ts) AS ts,
    max(ts + dur) - min(ts) + $timeout AS dur, sum(packet_count) AS packet_count,
    sum(packet_length) AS packet_length
  FROM _network_spans!($src, $partition_columns, $timeout)
  GROUP BY metasql_unparenthesize_exprlist!($partition_columns), span
);

-- What of that time each packet costs: the first of those that overlap bears what it adds to the
-- time awake, and all share by their number of packets how long they overlap.
CREATE PERFETTO MACRO android_network_uptime_cost(
  src TableOrSubquery, partition_columns ColumnNameList, timeout Expr
) RETURNS TableOrSubquery AS (
  SELECT id, iif(starts_span, iif(free IS NULL, $timeout, min(free, $timeout)), 0)
    + (max(ts + dur) OVER spans - min(ts) OVER spans) * packet_count
      / sum(packet_count) OVER spans AS uptime_cost
  FROM (
    SELECT *, ts - max(ts + dur) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($partition_columns) ORDER BY ts, id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS free
    FROM _network_spans!($src, $partition_columns, 0)
  )
  WINDOW spans AS (PARTITION BY metasql_unparenthesize_exprlist!($partition_columns), span)
);
