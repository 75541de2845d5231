-- What is known of each thread: only of those of which something is.

INCLUDE PERFETTO MODULE viz.summary.slices;

CREATE PERFETTO TABLE _thread_available_info_summary AS
WITH running AS (
  SELECT utid, max(dur) AS longest, sum(dur) AS total, count(*) AS times
  FROM sched
  WHERE dur <> -1 AND utid NOT IN (SELECT utid FROM thread WHERE is_idle)
  GROUP BY utid
),
slices AS (
  SELECT utid, sum(cnt) AS times
  FROM thread_track
  JOIN _slice_track_summary USING (id)
  GROUP BY utid
),
perf AS (
  SELECT utid, count(*) AS times FROM perf_sample WHERE callsite_id IS NOT NULL GROUP BY utid
),
instruments AS (
  SELECT utid, count(*) AS times
  FROM instruments_sample
  WHERE callsite_id IS NOT NULL
  GROUP BY utid
)
SELECT utid, coalesce(running.longest, 0) AS max_running_dur,
  coalesce(running.total, 0) AS sum_running_dur, coalesce(running.times, 0) AS running_count,
  coalesce(slices.times, 0) AS slice_count, coalesce(perf.times, 0) AS perf_sample_count,
  coalesce(instruments.times, 0) AS instruments_sample_count
FROM thread
LEFT JOIN running USING (utid)
LEFT JOIN slices USING (utid)
LEFT JOIN perf USING (utid)
LEFT JOIN instruments USING (utid)
WHERE coalesce(running.times, slices.times, perf.times, instruments.times) IS NOT NULL
  OR utid IN (SELECT utid FROM cpu_profile_stack_sample)
  OR utid IN (SELECT utid FROM thread_counter_track);
