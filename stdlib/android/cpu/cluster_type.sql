-- Little, medium and big CPUs.

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
