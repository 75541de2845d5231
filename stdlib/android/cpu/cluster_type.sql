-- Little, medium and big CPUs.

INCLUDE PERFETTO MODULE intervals.overlap;

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
SELECT c.ucpu, c.cpu, CASE
    WHEN k.clusters NOT BETWEEN 2 AND 4 THEN NULL
    WHEN c.cluster_id = k.first THEN 'little'
    WHEN c.cluster_id = k.last THEN 'big'
    ELSE 'medium'
  END AS cluster_type
FROM cpu AS c
JOIN (
  SELECT machine_id, count(DISTINCT cluster_id) AS clusters, min(cluster_id) AS first,
    max(cluster_id) AS last
  FROM cpu
  GROUP BY machine_id
) AS k ON k.machine_id = c.machine_id;

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
