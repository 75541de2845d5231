-- Counters of processes as intervals. The last value counts until the process ends, or the trace.

CREATE PERFETTO VIEW _all_counters_per_process AS
SELECT ts, lead(ts, 1, coalesce(p.end_ts, trace_end()) + 1) OVER (PARTITION BY track_id ORDER BY ts)
    - ts AS dur,
  upid, value, track_id, t.name
FROM counter
JOIN process_counter_track AS t ON t.id = track_id
JOIN process AS p USING (upid);
