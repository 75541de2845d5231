-- _core_type(ucpu, type): `little`, `big` or `bigger` as the machine says, else by how fast each
-- CPU ran at most where there are two or three kinds; `unknown` otherwise.
INCLUDE PERFETTO MODULE android.cpu.cluster_type;
INCLUDE PERFETTO MODULE linux.cpu.frequency;

CREATE OR REPLACE PERFETTO TABLE _core_type AS
WITH fastest AS (
  SELECT ucpu, dense_rank() OVER (ORDER BY freq) AS place
  FROM (SELECT ucpu, max(freq) AS freq FROM cpu_frequency_counters GROUP BY ucpu)
)
SELECT
  m.ucpu,
  coalesce(
    m.cluster_type,
    CASE (SELECT max(place) FROM fastest)
      WHEN 2 THEN iif(f.place = 1, 'little', 'big')
      WHEN 3 THEN CASE f.place WHEN 1 THEN 'little' WHEN 2 THEN 'big' ELSE 'bigger' END
    END,
    'unknown') AS type
FROM android_cpu_cluster_mapping AS m
LEFT JOIN fastest AS f USING (ucpu);
