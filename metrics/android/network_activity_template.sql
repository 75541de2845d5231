-- When networks were in use. A template: `view_name` is the view, `group_by` the columns of android_network_packets that
-- make groups (null: all are one), `filter` a condition on its rows, `idle_ns` how long after its last packet a network is
-- still in use, `quant_ns` by which packets are put together first, less than idle_ns.
--
-- The view has the columns of group_by, ts, dur, packet_count and packet_length.
INCLUDE PERFETTO MODULE android.network_packets;

DROP VIEW IF EXISTS {{view_name}};
CREATE PERFETTO VIEW {{view_name}} AS
WITH burst AS (
  SELECT
    {{group_by}},
    min(ts) AS ts,
    max(ts + dur) AS end_ts,
    sum(packet_count) AS packets,
    sum(packet_length) AS bytes
  FROM android_network_packets
  WHERE {{filter}}
  GROUP BY ts / {{quant_ns}}, {{group_by}}
),
edge AS (
  SELECT
    *,
    ts - lag(end_ts) OVER (PARTITION BY {{group_by}} ORDER BY ts) > {{idle_ns}} AS is_first
  FROM burst
),
activity AS (
  SELECT *, sum(ifnull(is_first, 0)) OVER (PARTITION BY {{group_by}} ORDER BY ts) AS number
  FROM edge
)
SELECT
  {{group_by}},
  min(ts) AS ts,
  max(end_ts) - min(ts) + {{idle_ns}} AS dur,
  sum(packets) AS packet_count,
  sum(bytes) AS packet_length
FROM activity
GROUP BY number, {{group_by}};
