-- Power of a GPU that runs while it works for nobody.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.gpu.freq_idle;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_tasks;
INCLUDE PERFETTO MODULE wattson.utils;

-- Times in which the GPU has a frequency all along.
CREATE PERFETTO TABLE _gpu_active_regions AS
SELECT min(ts) AS ts, max(ts + dur) - min(ts) AS dur, group_id
FROM (
  SELECT ts, dur, is_active, sum(is_active <> coalesce(before, 0)) OVER (ORDER BY ts) AS group_id
  FROM (
    SELECT ts, dur, freq > 0 AS is_active, lag(freq > 0) OVER (ORDER BY ts) AS before
    FROM _gpu_freq_idle
  )
)
WHERE is_active
GROUP BY group_id;

CREATE PERFETTO TABLE _gpu_active_region_tasks AS
SELECT i.ts, i.dur, t.uid, i.id_0 AS region_id
FROM _interval_intersect!((_ii_subquery!(_gpu_active_regions), _ii_subquery!(_gpu_tasks)), ()) AS i
JOIN _gpu_tasks AS t ON t._auto_id = i.id_1;

-- Whose work such a time begins and ends with.
CREATE PERFETTO VIEW _gpu_active_region_boundaries AS
SELECT region_id, min(ts) AS min_ts, max(ts + dur) AS max_end_ts,
  min(uid) FILTER (WHERE is_first) AS first_uid, min(uid) FILTER (WHERE is_last) AS last_uid
FROM (
  SELECT *, row_number() OVER (PARTITION BY region_id ORDER BY ts) = 1 AS is_first,
    row_number() OVER (PARTITION BY region_id ORDER BY ts DESC) = 1 AS is_last
  FROM _gpu_active_region_tasks
)
GROUP BY region_id;

CREATE PERFETTO TABLE _all_gaps AS
SELECT ts, dur FROM _gpu_active_task_count WHERE active_tasks = 0;

CREATE PERFETTO TABLE _gaps_in_active_regions AS
SELECT ts, dur, id_0 AS region_id
FROM _interval_intersect!((_ii_subquery!(_gpu_active_regions), _ii_subquery!(_all_gaps)), ());

-- What comes before the first work of such a time is for that work's user, the rest for nobody.
CREATE PERFETTO TABLE _gpu_active_region_gaps AS
SELECT g.ts, g.dur, iif(g.ts + g.dur <= f.min_ts, f.first_uid, -1) AS uid
FROM _gaps_in_active_regions AS g
JOIN _gpu_active_region_boundaries AS f USING (region_id);

CREATE PERFETTO TABLE _gpu_gap_attribution AS
SELECT i.ts, i.dur, coalesce(g.uid, -1) AS uid, p.gpu_mw AS estimated_mw
FROM _interval_intersect!(
  (_ii_subquery!(_gpu_active_region_gaps), _ii_subquery!(_gpu_estimates_mw)), ()) AS i
JOIN _gpu_active_region_gaps AS g ON g._auto_id = i.id_0
JOIN _gpu_estimates_mw AS p ON p._auto_id = i.id_1;
