-- Little, medium and big CPUs.

INCLUDE PERFETTO MODULE intervals.overlap;

-- What the clusters of a machine with two to four of them are called.
CREATE PERFETTO TABLE _cores AS
SELECT c.column1 AS cluster_id,
  CASE c.column1 WHEN 0 THEN 'little' WHEN n.column1 - 1 THEN 'big' ELSE 'medium' END
    AS cluster_type,
  n.column1 AS cluster_count
FROM (VALUES (2), (3), (4)) AS n
JOIN (VALUES (0), (1), (2), (3)) AS c ON c.column1 < n.column1
ORDER BY n.column1, c.column1;

-- One row per CPU with the kind of its cluster. Clusters are numbered from the smallest on. With
-- one cluster, or more than four, the names say nothing.
CREATE PERFETTO TABLE android_cpu_cluster_mapping(
  -- The CPU (joins cpu.ucpu).
  ucpu LONG,
  -- Number of the CPU on its machine.
  cpu LONG,
  -- `little`, `medium` or `big`; NULL with one cluster or more than four.
  cluster_type STRING
) AS
SELECT c.ucpu, c.cpu, kind.cluster_type
FROM (
  SELECT ucpu, cpu, machine_id, dense_rank() OVER (PARTITION BY machine_id ORDER BY cluster_id) - 1
    AS cluster_id
  FROM cpu
) AS c
JOIN (
  SELECT machine_id, count(DISTINCT cluster_id) AS clusters FROM cpu GROUP BY machine_id
) AS k ON k.machine_id = c.machine_id
LEFT JOIN _cores AS kind
  ON kind.cluster_count = k.clusters AND kind.cluster_id = c.cluster_id;

-- How many CPUs of a kind of cluster run something other than idle, whenever that changes.
CREATE PERFETTO FUNCTION _active_cpu_count_for_cluster_type(
  -- The kind, as in android_cpu_cluster_mapping.
  cluster_type STRING
) RETURNS TABLE(
  -- When it changed.
  ts TIMESTAMP,
  -- How many from then on.
  active_cpu_count LONG
) AS
WITH running AS (
  SELECT ts, dur
  FROM sched
  WHERE ucpu IN (SELECT ucpu FROM android_cpu_cluster_mapping WHERE cluster_type = $cluster_type)
    AND utid NOT IN (SELECT utid FROM thread WHERE is_idle)
)
SELECT ts, value AS active_cpu_count
FROM intervals_overlap_count!(running, ts, dur)
ORDER BY ts;
