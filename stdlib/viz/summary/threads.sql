-- What is known of each thread: only of those of which something is. Columns that are hidden are those that the web
-- UI of 57.2 names.

INCLUDE PERFETTO MODULE viz.summary.slices;

-- How often and how long each thread ran, but for idle CPUs and what had not ended.
CREATE PERFETTO TABLE _sched_summary AS
SELECT utid, max(dur) AS max_running_dur, sum(dur) AS sum_running_dur, count(*) AS running_count
FROM sched
WHERE dur <> -1 AND utid NOT IN (SELECT utid FROM thread WHERE is_idle)
GROUP BY utid;

CREATE PERFETTO TABLE _thread_track_summary AS
SELECT utid, sum(cnt) AS slice_count
FROM thread_track
JOIN _slice_track_summary USING (id)
GROUP BY utid;

CREATE PERFETTO TABLE _stack_sample_summary AS
SELECT c.utid, count(*) AS sample_count,
  count(*) FILTER (WHERE s.source = 'linux.perf') AS __hidden__perf_sample_count,
  count(*) FILTER (WHERE s.source = 'instruments') AS __hidden__instruments_sample_count
FROM stack_sample AS s
JOIN stack_sample_task_context AS c ON c.id = s.task_context_id
WHERE c.utid IS NOT NULL
GROUP BY c.utid;

CREATE PERFETTO TABLE _thread_available_info_summary AS
SELECT utid, coalesce(running.max_running_dur, 0) AS max_running_dur,
  coalesce(running.sum_running_dur, 0) AS sum_running_dur,
  coalesce(running.running_count, 0) AS running_count,
  coalesce(slices.slice_count, 0) AS slice_count,
  coalesce(samples.sample_count, 0) AS stack_sample_count,
  coalesce(samples.perf_sample_count, 0) AS __hidden__perf_sample_count,
  coalesce(samples.instruments_sample_count, 0) AS __hidden__instruments_sample_count
FROM thread
LEFT JOIN _sched_summary AS running USING (utid)
LEFT JOIN _thread_track_summary AS slices USING (utid)
LEFT JOIN _stack_sample_summary AS samples USING (utid)
WHERE coalesce(running.running_count, slices.slice_count, samples.sample_count) IS NOT NULL
  OR utid IN (SELECT utid FROM thread_counter_track);
