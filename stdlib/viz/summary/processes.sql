-- What is known of each process and its threads: only of those of which something is. Columns that are hidden are those
-- that the web UI of 57.2 names.

INCLUDE PERFETTO MODULE viz.summary.slices;
INCLUDE PERFETTO MODULE viz.summary.threads;

CREATE PERFETTO TABLE _process_track_summary AS
SELECT upid, sum(cnt) AS slice_count
FROM process_track
JOIN _slice_track_summary USING (id)
GROUP BY upid;

CREATE PERFETTO TABLE _heap_profile_allocation_summary AS
SELECT upid, count(*) AS allocation_count FROM heap_profile_allocation GROUP BY upid;

CREATE PERFETTO TABLE _heap_profile_graph_summary AS
SELECT upid, count(*) AS graph_object_count FROM heap_graph_object GROUP BY upid;

CREATE PERFETTO TABLE _thread_process_grouped_summary AS
SELECT upid, max(max_running_dur) AS max_running_dur, sum(sum_running_dur) AS sum_running_dur,
  sum(running_count) AS running_count, sum(slice_count) AS slice_count,
  sum(stack_sample_count) AS stack_sample_count,
  sum(perf_sample_count) AS __hidden__perf_sample_count,
  sum(instruments_sample_count) AS __hidden__instruments_sample_count
FROM _thread_available_info_summary
JOIN thread USING (utid)
WHERE upid IS NOT NULL
GROUP BY upid;

CREATE PERFETTO TABLE _process_available_info_summary AS
SELECT upid, coalesce(threads.max_running_dur, 0) AS max_running_dur,
  coalesce(threads.sum_running_dur, 0) AS sum_running_dur,
  coalesce(threads.running_count, 0) AS running_count,
  coalesce(threads.slice_count, 0) AS thread_slice_count,
  coalesce(threads.stack_sample_count, 0) AS stack_sample_count,
  coalesce(slices.slice_count, 0) AS process_slice_count,
  coalesce(allocations.allocation_count, 0) AS allocation_count,
  coalesce(objects.graph_object_count, 0) AS graph_object_count,
  coalesce(threads.perf_sample_count, 0) AS __hidden__perf_sample_count,
  coalesce(threads.instruments_sample_count, 0) AS __hidden__instruments_sample_count
FROM process
LEFT JOIN _thread_process_grouped_summary AS threads USING (upid)
LEFT JOIN _process_track_summary AS slices USING (upid)
LEFT JOIN _heap_profile_allocation_summary AS allocations USING (upid)
LEFT JOIN _heap_profile_graph_summary AS objects USING (upid)
WHERE coalesce(threads.running_count, slices.slice_count, allocations.allocation_count,
    objects.graph_object_count) IS NOT NULL
  OR upid IN (SELECT upid FROM process_counter_track)
  OR upid IN (SELECT upid FROM process_state_track)
  OR upid IN (SELECT upid FROM profiler_smaps);
