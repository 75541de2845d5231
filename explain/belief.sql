-- What was recorded, what of it is lost, and what would have to be recorded for an answer.

-- belief: lost
SELECT 'lost' AS kind, summary || ' ' || remedy AS text
FROM tptui_loss
WHERE matters
ORDER BY id
LIMIT 3;

-- belief: recorded
-- In two tables, as a statement that reads more than eight is run row by row.
CREATE OR REPLACE PERFETTO TABLE _explain_counts AS
SELECT count() AS n, 'runs on a CPU' AS what FROM sched_slice
UNION ALL SELECT count(), 'wake-ups' FROM thread_state WHERE waker_utid IS NOT NULL
UNION ALL SELECT count(), 'slices' FROM slice
UNION ALL SELECT count(), 'frames' FROM track AS t JOIN slice AS s ON s.track_id = t.id WHERE t.type = 'android_actual_frame_timeline'
UNION ALL SELECT count(), 'values of counters' FROM counter;
CREATE OR REPLACE PERFETTO TABLE _explain_more_counts AS
SELECT count() AS n, 'samples' AS what FROM __intrinsic_profiler_sample WHERE source = 'linux.perf'
UNION ALL SELECT count(), 'samples of stacks' FROM __intrinsic_profiler_sample WHERE source NOT IN ('linux.perf', 'instruments')
UNION ALL SELECT count(), 'rows of allocations' FROM heap_profile_allocation
UNION ALL SELECT count(), 'objects of heaps' FROM heap_graph_object
UNION ALL SELECT count(), 'lines of logs' FROM android_logs;
SELECT 'recorded' AS kind, group_concat(n || ' ' || what, ', ') AS text
FROM (SELECT * FROM _explain_counts UNION ALL SELECT * FROM _explain_more_counts)
WHERE n > 0;

-- belief: late begin
SELECT 'recorded' AS kind, printf('all events lie in the last %.1f s', dur / 1e9) AS text
FROM _explain_recorded
WHERE dur < 0.5 * trace_dur();

-- belief: scheduling
SELECT 'missing' AS kind,
  'no scheduling, so that it is not known whether a thread ran or waited' || iif(
    EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value IN ('proto', 'systrace', 'ctrace')), ': record sched/sched_switch', ''
  ) AS text
WHERE EXISTS (SELECT 1 FROM slice) AND NOT EXISTS (SELECT 1 FROM sched_slice);

-- belief: wake-ups
-- needs: sched_slice
SELECT 'missing' AS kind,
  'no wake-ups, so that it is not known who ended a wait: record sched/sched_waking' AS text
WHERE NOT EXISTS (SELECT 1 FROM thread_state WHERE waker_utid IS NOT NULL);

-- belief: blocked
-- needs: sched_slice
SELECT 'missing' AS kind,
  'no reasons of waits in the kernel, so that disks and its locks look alike: record sched/sched_blocked_reason' AS text
WHERE EXISTS (SELECT 1 FROM thread_state WHERE state GLOB 'D*')
  AND NOT EXISTS (SELECT 1 FROM thread_state WHERE blocked_function IS NOT NULL OR io_wait IS NOT NULL);

-- belief: times
-- needs: slice
SELECT 'missing' AS kind, 'hardly any durations: of strace, record them with -f -ttt -T' AS text
WHERE NOT EXISTS (SELECT 1 FROM slice WHERE dur > 0) AND NOT EXISTS (SELECT 1 FROM sched_slice)
  AND EXISTS (SELECT 1 FROM slice WHERE category = 'strace');

-- belief: slices
-- needs: sched_slice
SELECT 'missing' AS kind,
  'no slices, so that it is not known what threads ran: record atrace categories and the app, or userspace events' AS text
WHERE NOT EXISTS (SELECT 1 FROM slice JOIN thread_track AS k ON k.id = slice.track_id);
