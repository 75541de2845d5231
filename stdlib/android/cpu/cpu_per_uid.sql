-- CPU time of apps, by cluster.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_cpu_per_uid_track(
  id LONG, uid LONG, cluster LONG, total_cpu_millis LONG, package_name STRING
) AS
SELECT u.track_id AS id, u.uid, u.cluster, u.total_cpu_millis, (
    SELECT min(p.package_name) FROM package_list AS p WHERE p.uid = u.uid AND u.uid >= 10000
  ) AS package_name
FROM __intrinsic_android_cpu_per_uid_track AS u;

-- `diff_ms` is what was used since the measurement before.
CREATE PERFETTO VIEW android_cpu_per_uid_counter(
  id LONG, ts LONG, dur LONG, track_id LONG, diff_ms LONG, cpu_ratio DOUBLE
) AS
SELECT id, ts, dur, track_id, CAST(delta_value AS INTEGER) AS diff_ms,
  delta_value * 1e6 / dur AS cpu_ratio
FROM counter_leading_intervals!((
  SELECT c.id, c.ts, c.track_id, c.value
  FROM android_cpu_per_uid_track AS t
  JOIN counter AS c ON c.track_id = t.id
))
WHERE delta_value IS NOT NULL;
