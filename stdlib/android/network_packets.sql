-- Network packets, and how long they keep the radio awake.

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- One row per packet, or per bundle of packets that have everything but time in common.
CREATE PERFETTO VIEW android_network_packets(
  -- Slice of the packet (joins slice.id).
  id ID,
  -- When the packet, or the first of the bundle, passed.
  ts TIMESTAMP,
  -- Time to the last of the bundle; 0 for one packet.
  dur DURATION,
  -- Category of the slice, which packets do not have: NULL. The track is of interface and direction.
  track_name STRING,
  -- Package of the socket's uid, `uid=` and its number if that is not known.
  package_name STRING,
  -- Network interface, e.g. `wlan0`.
  iface STRING,
  -- `Transmitted`, `Received` or `DIR_UNKNOWN`.
  direction STRING,
  -- How many packets.
  packet_count LONG,
  -- Bytes of the packets, summed.
  packet_length LONG,
  -- Transport protocol, e.g. `IPPROTO_TCP`.
  packet_transport STRING,
  -- Flags of TCP, a letter or a dot for each bit from FIN on; NULL for other transports.
  packet_tcp_flags LONG,
  -- Tag of the socket as hex, by which apps tell kinds of traffic apart.
  socket_tag STRING,
  -- Uid that owns the socket.
  socket_uid LONG,
  -- Port on this device; NULL without ports.
  local_port LONG,
  -- Port on the other side; NULL without ports.
  remote_port LONG,
  -- Type of an ICMP packet, else NULL.
  packet_icmp_type LONG,
  -- Code of an ICMP packet, else NULL.
  packet_icmp_code LONG,
  -- Flags of TCP as bits.
  packet_tcp_flags_int LONG,
  -- Tag of the socket as a number.
  socket_tag_int LONG
) AS
SELECT p.id, s.ts, s.dur, s.category AS track_name, s.name AS package_name, p.iface, p.direction,
  p.packet_count, p.packet_length, p.packet_transport, p.packet_tcp_flags_str AS packet_tcp_flags,
  p.socket_tag_str AS socket_tag, p.socket_uid, p.local_port, p.remote_port, p.packet_icmp_type,
  p.packet_icmp_code, p.packet_tcp_flags AS packet_tcp_flags_int, p.socket_tag AS socket_tag_int
FROM __intrinsic_android_network_packets AS p
JOIN slice AS s ON s.id = p.id;

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

-- The times in which something (a radio, say) was awake for packets: from each packet until
-- `timeout` after it, joined where they overlap.
CREATE PERFETTO MACRO android_network_uptime_spans(
  -- Packets: `id`, `ts`, `dur`, `packet_count`, `packet_length` and the columns of the partition.
  src TableOrSubquery,
  -- Columns, in parentheses, by which packets keep different things awake.
  partition_columns ColumnNameList,
  -- How long a packet keeps it awake after its end, in ns.
  timeout Expr
)
-- The columns of the partition, then `ts`, `dur`, `packet_count` and `packet_length` of each time
-- awake.
RETURNS TableOrSubquery AS (
  SELECT metasql_unparenthesize_exprlist!($partition_columns), min(ts) AS ts,
    max(ts + dur) - min(ts) + $timeout AS dur, sum(packet_count) AS packet_count,
    sum(packet_length) AS packet_length
  FROM _network_spans!($src, $partition_columns, $timeout)
  GROUP BY metasql_unparenthesize_exprlist!($partition_columns), span
);

-- What of the time awake each packet costs: the first of those that overlap bears what it adds to
-- the time awake, and all share by their number of packets how long they overlap.
CREATE PERFETTO MACRO android_network_uptime_cost(
  -- Packets: `id`, `ts`, `dur`, `packet_count`, `packet_length` and the columns of the partition.
  src TableOrSubquery,
  -- Columns, in parentheses, by which packets keep different things awake.
  partition_columns ColumnNameList,
  -- How long a packet keeps it awake after its end, in ns.
  timeout Expr
)
-- `id` of each packet, and `uptime_cost` in ns.
RETURNS TableOrSubquery AS (
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
