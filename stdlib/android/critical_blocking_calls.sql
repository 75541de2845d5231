-- What can hold a thread up that draws: locks, calls, layout, handlers.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE android.slices;
INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO MACRO _is_relevant_blocking_call_expr(slice_name Expr) RETURNS Expr AS (
  $slice_name IN ('measure', 'layout', 'configChanged', 'animation', 'input', 'traversal',
    'postAndWait', 'Contending for pthread mutex', 'CreateGraphicsPipeline', 'flush layers',
    'flush commands', 'queueBuffer', 'NotificationStackScrollLayout#onMeasure')
  OR regexp('^(monitor contention with|SuspendThreadByThreadId|LoadApkAssetsFd|inflate|'
    || 'Lock contention on|relayoutWindow|ImageDecoder#decode|ExpNotRow#|GC: Wait For|Recomposer:|'
    || 'Compose:|draw-VRI|drawLayer |DrawFrames|Texture upload)|binder transaction|'
    || '^android.os.Handler: kotlinx.coroutines', $slice_name)
  OR android_standardize_slice_name($slice_name) GLOB 'Handler: *'
    AND $slice_name NOT GLOB '*Choreographer*' AND lower($slice_name) NOT GLOB '*input*'
);

-- The depth does not count.
CREATE PERFETTO FUNCTION _is_relevant_blocking_call(name STRING, depth LONG) RETURNS BOOL AS
SELECT _is_relevant_blocking_call_expr!($name);

-- What measures the notifications' views.
CREATE PERFETTO FUNCTION _is_relevant_notifications_blocking_call(name STRING, dur LONG)
RETURNS BOOL AS
SELECT $dur > 0 AND ($name GLOB 'ExpNotRow#*' OR $name IN (
  'ImageFloatingTextView#onMeasure', 'NotificationShadeWindowView#onMeasure',
  'NotificationStackScrollLayout#onMeasure', 'NotificationToplineView#onMeasure'));

CREATE PERFETTO VIEW _android_critical_blocking_calls_wait_for_buffer_release AS
SELECT utid, ts, dur FROM thread_slice WHERE name = 'waitForBufferRelease' ORDER BY ts;

CREATE PERFETTO VIEW _android_critical_blocking_calls_draw_frames AS
SELECT utid, id, ts, dur FROM thread_slice WHERE name GLOB 'DrawFrames*' ORDER BY ts;

-- How long drawing a frame waited for a buffer.
CREATE PERFETTO TABLE _buffer_waits AS
SELECT frame.id, sum(w.dur) AS dur
FROM slice AS w, ancestor_slice(w.id) AS frame
WHERE w.name = 'waitForBufferRelease' AND frame.name GLOB 'DrawFrames*'
GROUP BY frame.id;

-- What is asked of names is asked once for each; slices come as they lie, not by name (+).
CREATE PERFETTO TABLE _blocking_calls AS
WITH _names AS MATERIALIZED (SELECT name FROM slice GROUP BY name)
SELECT s.id, android_standardize_slice_name(s.name) AS name, s.ts,
  iif(w.id IS NULL OR s.dur = -1, s.dur, max(s.dur - w.dur, 0)) AS dur, s.utid, s.upid,
  s.process_name
FROM thread_slice AS s
LEFT JOIN _buffer_waits AS w ON w.id = s.id
WHERE +s.name IN (SELECT name FROM _names WHERE _is_relevant_blocking_call_expr!(name));

-- Binder calls stand once more under the name of what they call, the drawing of a layer once more
-- without the layer.
CREATE PERFETTO TABLE _android_critical_blocking_calls AS
SELECT name, ts, dur, id, process_name, utid, upid, ts + dur AS ts_end
FROM (
  SELECT name, ts, dur, id, process_name, utid, upid FROM _blocking_calls
  UNION ALL
  SELECT 'drawLayer', ts, dur, id, process_name, utid, upid
  FROM _blocking_calls
  WHERE name GLOB 'drawLayer *'
  UNION ALL
  SELECT aidl_name, client_ts, client_dur, binder_txn_id, client_process, client_utid, client_upid
  FROM android_binder_txns
  WHERE is_sync AND aidl_name IS NOT NULL
);
