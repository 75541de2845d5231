-- What was recorded, what of it is lost, and what would have to be recorded for an answer.

-- belief: lost
-- needs: loss.matters > 0
SELECT 'lost' AS kind, summary || ' ' || remedy AS text
FROM tptui_loss
WHERE matters
ORDER BY id
LIMIT 3;

-- count: runs on a CPU
-- needs: sched_slice
SELECT count() AS value FROM sched_slice;

-- count: wake-ups
-- needs: thread_state.waker_utid
SELECT count() AS value FROM thread_state WHERE waker_utid IS NOT NULL;

-- count: slices
-- needs: slice
SELECT count() AS value FROM slice;

-- count: frames
-- needs: track.type GLOB android_actual_frame_timeline, slice
SELECT count() AS value FROM slice WHERE track_id IN (SELECT id FROM track WHERE type = 'android_actual_frame_timeline');

-- count: values of counters
-- needs: counter
SELECT count() AS value FROM counter;

-- count: samples
-- needs: profiler_sample.source GLOB linux.perf
SELECT count() AS value FROM __intrinsic_profiler_sample WHERE source = 'linux.perf';

-- count: samples of stacks
-- needs: profiler_sample
SELECT count() AS value FROM __intrinsic_profiler_sample WHERE source NOT IN ('linux.perf', 'instruments');

-- count: rows of allocations
-- needs: heap_profile_allocation
SELECT count() AS value FROM heap_profile_allocation;

-- count: objects of heaps
-- needs: heap_graph_object
SELECT count() AS value FROM heap_graph_object;

-- count: lines of logs
-- needs: logs
SELECT count() AS value FROM android_logs;

-- belief: late begin
-- needs: slice
-- needs: sched_slice
-- needs: counter
-- if: SELECT trace_dur() > 1 AND NOT EXISTS (SELECT 1 FROM sched_slice WHERE ts < trace_start() + trace_dur() / 2) AND NOT EXISTS (SELECT 1 FROM slice WHERE ts < trace_start() + trace_dur() / 2) AND NOT EXISTS (SELECT 1 FROM counter WHERE ts < trace_start() + trace_dur() / 2)
SELECT 'recorded' AS kind, printf('all events lie in the last %.1f s', dur / 1e9) AS text
FROM _explain_recorded;

-- belief: scheduling
-- needs: slice
-- lacks: sched_slice
SELECT 'missing' AS kind,
  'no scheduling, so that it is not known whether a thread ran or waited' || iif(
    EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_type' AND str_value IN ('proto', 'systrace', 'ctrace')), ': record sched/sched_switch', ''
  ) AS text;

-- belief: wake-ups
-- needs: sched_slice
-- lacks: thread_state.waker_utid
SELECT 'missing' AS kind, 'no wake-ups, so that it is not known who ended a wait: record sched/sched_waking' AS text;

-- belief: blocked
-- needs: sched_slice, thread_state.state GLOB D*
-- lacks: thread_state.blocked_function
-- lacks: thread_state.io_wait
SELECT 'missing' AS kind,
  'no reasons of waits in the kernel, so that disks and its locks look alike: record sched/sched_blocked_reason' AS text;

-- belief: times
-- needs: slice.category GLOB strace
-- lacks: slice.dur > 0
-- lacks: sched_slice
SELECT 'missing' AS kind, 'hardly any durations: of strace, record them with -f -ttt -T' AS text;

-- belief: slices
-- needs: sched_slice
SELECT 'missing' AS kind,
  'no slices, so that it is not known what threads ran: record atrace categories and the app, or userspace events' AS text
WHERE NOT EXISTS (SELECT 1 FROM slice JOIN thread_track AS k ON k.id = slice.track_id);
