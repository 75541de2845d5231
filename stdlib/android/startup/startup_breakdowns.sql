-- What the main thread of a launched app was busy with, for each moment of the launch.

INCLUDE PERFETTO MODULE android.breakdown;
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.hierarchy;
INCLUDE PERFETTO MODULE slices.with_context;

-- What a slice says about the reason; NULL where its caller's name tells more.
CREATE PERFETTO FUNCTION _startup_slice_reason(name STRING) RETURNS STRING AS
SELECT CASE
  WHEN $name IN ('inflate') THEN $name
  WHEN $name IN ('binder transaction', 'binder reply') THEN 'binder'
  WHEN $name = 'bindApplication' THEN 'bind_application'
  WHEN $name = 'activityStart' THEN 'activity_start'
  WHEN $name = 'activityResume' THEN 'activity_resume'
  WHEN $name = 'activityRestart' THEN 'activity_restart'
  WHEN $name = 'clientTransactionExecuted' THEN 'client_transaction_executed'
  WHEN $name = 'ResourcesManager#getResources' THEN 'resources_manager_get_resources'
  WHEN $name = 'mm_vmscan_direct_reclaim' THEN 'kernel_memory_reclaim'
  WHEN $name = 'Contending for pthread mutex' THEN 'mutex_contention'
  WHEN $name GLOB 'Choreographer#doFrame*' THEN 'choreographer_do_frame'
  WHEN $name GLOB 'OpenDexFilesFromOat*' THEN 'open_dex_files_from_oat'
  WHEN $name GLOB 'VerifyClass*' THEN 'verify_class'
  WHEN $name GLOB 'dlopen*' THEN 'dlopen'
  WHEN $name GLOB 'GC: Wait For*' THEN 'userspace_memory_reclaim'
  WHEN $name GLOB 'monitor contention*' OR $name GLOB 'Lock contention on a monitor lock*'
    THEN 'monitor_contention'
  WHEN $name GLOB 'Lock contention*' THEN 'art_lock_contention'
END;

CREATE PERFETTO TABLE _startup_roots AS
SELECT row_number() OVER (ORDER BY s.ts) AS id, s.startup_id, thread.utid, s.ts, s.ts_end,
  s.ts_end - s.ts AS dur
FROM _startups AS s
JOIN android_startup_processes AS p USING (startup_id)
JOIN thread ON thread.upid = p.upid AND thread.is_main_thread
WHERE s.ts_end > s.ts;

CREATE PERFETTO TABLE _startup_reasons AS
SELECT r.id AS root_id, s.id, s.depth, max(s.ts, r.ts) AS ts, min(s.ts + s.dur, r.ts_end) AS ts_end,
  _startup_slice_reason(s.name) AS reason
FROM _startup_roots AS r
JOIN thread_track AS t ON t.utid = r.utid
JOIN slice AS s ON s.track_id = t.id AND s.ts < r.ts_end AND s.ts + s.dur > r.ts
WHERE s.dur > 0 AND _startup_slice_reason(s.name) IS NOT NULL;

CREATE PERFETTO TABLE _startup_enclosing AS
SELECT s.root_id, s.id, around.id AS parent_id
FROM _startup_reasons AS s
JOIN ancestor_slice(s.id) AS a
JOIN _startup_reasons AS around ON around.id = a.id AND around.root_id = s.root_id
GROUP BY s.root_id, s.id
HAVING max(a.depth) IS NOT NULL;

CREATE PERFETTO TABLE _startup_innermost AS
SELECT row_number() OVER () AS id, i.root_id, i.slice_id, r.utid, i.ts, i.dur
FROM _innermost_slices!((
  SELECT id AS root_id, NULL AS id, NULL AS parent_id, -1 AS depth, ts, ts_end
  FROM _startup_roots
  UNION ALL
  SELECT root_id, s.id, e.parent_id, s.depth, s.ts, s.ts_end
  FROM _startup_reasons AS s
  LEFT JOIN _startup_enclosing AS e USING (root_id, id)
)) AS i
JOIN _startup_roots AS r ON r.id = i.root_id;

CREATE PERFETTO TABLE _startup_moments AS
SELECT i.root_id, i.slice_id, t.id AS thread_state_id, o.ts, o.dur,
  CASE
    WHEN t.io_wait THEN 'io'
    WHEN s.reason IS NOT NULL THEN s.reason
    WHEN t.irq_context THEN 'irq'
    ELSE t.state
  END AS reason
FROM _thread_states_within!(_startup_innermost) AS o
JOIN _startup_innermost AS i ON i.id = o.id
JOIN thread_state AS t ON t.id = o.thread_state_id
LEFT JOIN _startup_reasons AS s ON s.id = i.slice_id AND s.root_id = i.root_id
WHERE o.dur > 0;

-- The main threads of each launch, cut where what they are busy with changes. One time has one
-- reason. Until the main thread first does anything, nothing but the launch itself is to blame.
CREATE PERFETTO TABLE android_startup_opinionated_breakdown(
  -- The launch.
  startup_id JOINID(android_startups.startup_id),
  -- The slice that is the reason; NULL if a thread state is.
  slice_id JOINID(slice.id),
  -- State of the thread; NULL for `launch_delay`.
  thread_state_id JOINID(thread_state.id),
  -- When the part began.
  ts TIMESTAMP,
  -- How long the part lasted.
  dur DURATION,
  -- What took the time: a named cause such as `inflate`, `binder` or `io`, else a scheduling state;
  -- `launch_delay` before the thread's first.
  reason STRING
) AS
SELECT r.startup_id, m.slice_id, m.thread_state_id, m.ts, m.dur, m.reason
FROM _startup_moments AS m
JOIN _startup_roots AS r ON r.id = m.root_id
UNION ALL
SELECT r.startup_id, NULL, NULL, r.ts, min(m.ts) - r.ts, 'launch_delay'
FROM _startup_moments AS m
JOIN _startup_roots AS r ON r.id = m.root_id
GROUP BY r.id
HAVING min(m.ts) > r.ts;
