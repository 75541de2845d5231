-- What is known of each process and its threads: only of those of which something is.

INCLUDE PERFETTO MODULE viz.summary.slices;
INCLUDE PERFETTO MODULE viz.summary.threads;

CREATE PERFETTO TABLE _process_available_info_summary AS
WITH threads AS (
  SELECT upid, max(max_running_dur) AS longest, sum(sum_running_dur) AS total,
    sum(running_count) AS times, sum(slice_count) AS slices, sum(perf_sample_count) AS perf,
    sum(instruments_sample_count) AS instruments
  FROM _thread_available_info_summary
  JOIN thread USING (utid)
  WHERE upid IS NOT NULL
  GROUP BY upid
),
slices AS (
  SELECT upid, sum(cnt) AS times
  FROM process_track
  JOIN _slice_track_summary USING (id)
  GROUP BY upid
),
allocations AS (
  SELECT upid, count(*) AS times FROM heap_profile_allocation GROUP BY upid
),
objects AS (
  SELECT upid, count(*) AS times FROM heap_graph_object GROUP BY upid
)
SELECT upid, coalesce(threads.longest, 0) AS max_running_dur,
  coalesce(threads.total, 0) AS sum_running_dur, coalesce(threads.times, 0) AS running_count,
  coalesce(threads.slices, 0) AS thread_slice_count, coalesce(threads.perf, 0) AS perf_sample_count,
  coalesce(threads.instruments, 0) AS instruments_sample_count,
  coalesce(slices.times, 0) AS process_slice_count,
  coalesce(allocations.times, 0) AS allocation_count,
  coalesce(objects.times, 0) AS graph_object_count
FROM process
LEFT JOIN threads USING (upid)
LEFT JOIN slices USING (upid)
LEFT JOIN allocations USING (upid)
LEFT JOIN objects USING (upid)
WHERE coalesce(threads.times, slices.times, allocations.times, objects.times) IS NOT NULL
  OR upid IN (SELECT upid FROM process_counter_track);
