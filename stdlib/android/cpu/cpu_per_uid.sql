-- CPU time of apps, by cluster.

INCLUDE PERFETTO MODULE counters.intervals;

-- One row per uid and cluster.
CREATE PERFETTO TABLE android_cpu_per_uid_track(
  -- The counter track (joins counter_track.id).
  id LONG,
  -- The uid; all isolated ones of a user count as one.
  uid LONG,
  -- Number of the cluster.
  cluster LONG,
  -- CPU time in ms over the trace.
  total_cpu_millis LONG,
  -- Package with this uid, the first by name if several share it; NULL for system uids.
  package_name STRING
) AS
SELECT u.track_id AS id, u.uid, u.cluster, u.total_cpu_millis, (
    SELECT min(p.package_name) FROM package_list AS p WHERE p.uid = u.uid AND u.uid >= 10000
  ) AS package_name
FROM __intrinsic_android_cpu_per_uid_track AS u;

-- CPU time of uids from one measurement to the next. `diff_ms` is what was used since the
-- measurement before.
CREATE PERFETTO VIEW android_cpu_per_uid_counter(
  -- The counter's value (joins counter.id).
  id LONG,
  -- When the time was measured (ns).
  ts LONG,
  -- Time until the next measurement (ns).
  dur LONG,
  -- The track of uid and cluster (joins android_cpu_per_uid_track.id).
  track_id LONG,
  -- CPU time in ms since the measurement before.
  diff_ms LONG,
  -- `diff_ms` by `dur`: 1 is one CPU kept busy.
  cpu_ratio DOUBLE
) AS
SELECT id, ts, dur, track_id, CAST(delta_value AS INTEGER) AS diff_ms,
  delta_value * 1e6 / dur AS cpu_ratio
FROM counter_leading_intervals!((
  SELECT c.id, c.ts, c.track_id, c.value
  FROM android_cpu_per_uid_track AS t
  JOIN counter AS c ON c.track_id = t.id
))
WHERE delta_value IS NOT NULL;
