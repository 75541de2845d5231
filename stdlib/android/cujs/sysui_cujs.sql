-- User journeys of any process by smoothness and latency, and the calls that held them up.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.slices;

-- From the time at which the first frame was expected to the end of the last one's doFrame.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
  cuj_id LONG, upid JOINID(process.id), process_name STRING, cuj_slice_name STRING,
  cuj_name STRING, slice_id JOINID(slice.id), ts TIMESTAMP, ts_end TIMESTAMP, dur DURATION,
  state STRING, ui_thread JOINID(thread.id), layer_id LONG, begin_vsync LONG, end_vsync LONG
) AS
WITH bounds AS (
  SELECT f.cuj_id, min(e.ts) AS ts, max(d.ts + d.dur) AS ts_end
  FROM (
    SELECT *, min(frame_id) OVER by_cuj AS first_id, max(frame_id) OVER by_cuj AS last_id
    FROM _cuj_frames
    WINDOW by_cuj AS (PARTITION BY cuj_id)
  ) AS f
  JOIN slice AS d ON d.id = f.do_frame_id
  LEFT JOIN slice AS e ON e.id = f.expected_frame_timeline_id
  WHERE f.frame_id IN (f.first_id, f.last_id)
  GROUP BY f.cuj_id
)
SELECT c.cuj_id, c.upid, c.process_name, c.cuj_slice_name, c.cuj_name, c.slice_id, b.ts, b.ts_end,
  b.ts_end - b.ts AS dur, c.state, c.ui_thread, c.layer_id, c.begin_vsync, c.end_vsync
FROM android_jank_cuj AS c
JOIN bounds AS b USING (cuj_id)
ORDER BY b.ts;

-- Instants "cancel" and "timeout" on tracks of the journey's name tell how it ended.
CREATE PERFETTO TABLE android_sysui_latency_cujs(
  cuj_id LONG, upid JOINID(process.id), process_name STRING, cuj_slice_name STRING,
  cuj_name STRING, slice_id JOINID(slice.id), ts TIMESTAMP, ts_end TIMESTAMP, dur DURATION,
  state STRING
) AS
SELECT c.cuj_id, c.upid, c.process_name, c.cuj_slice_name, c.cuj_name, c.slice_id, c.ts, c.ts_end,
  c.dur, CASE
    WHEN max(m.name = 'cancel') THEN 'canceled'
    WHEN max(m.name = 'timeout') THEN 'timeout'
    ELSE 'completed'
  END AS state
FROM _cujs AS c
LEFT JOIN track AS t ON t.name = c.cuj_slice_name
LEFT JOIN slice AS m ON m.track_id = t.id AND m.name IN ('cancel', 'timeout') AND m.dur = 0
  AND m.ts BETWEEN c.ts AND c.ts_end
WHERE c.kind = 'L'
GROUP BY c.cuj_id
ORDER BY c.ts;

-- For journeys of latency `ui_thread` is the process, whose main thread is meant. Ids are unique
-- within a type only.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  cuj_id LONG, id LONG, upid JOINID(process.id), process_name STRING, cuj_slice_name STRING,
  cuj_name STRING, slice_id JOINID(slice.id), ts TIMESTAMP, ts_end TIMESTAMP, dur DURATION,
  state STRING, ui_thread JOINID(thread.id), layer_id LONG, begin_vsync LONG, end_vsync LONG,
  cuj_type STRING
) AS
SELECT cuj_id, cuj_id AS id, upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end,
  dur, state, ui_thread, layer_id, begin_vsync, end_vsync, cuj_type
FROM (
  SELECT *, 'jank' AS cuj_type FROM android_sysui_jank_cujs
  UNION ALL
  SELECT *, upid, NULL, NULL, NULL, 'latency' FROM android_sysui_latency_cujs
)
ORDER BY cuj_id, cuj_type;

-- How long drawing a frame waited for a buffer.
CREATE PERFETTO TABLE _buffer_waits AS
SELECT frame.id, sum(w.dur) AS dur
FROM slice AS w, ancestor_slice(w.id) AS frame
WHERE w.name = 'waitForBufferRelease' AND frame.name GLOB 'DrawFrames*'
GROUP BY frame.id;

-- What can hold a thread up that draws: locks, calls, layout, handlers.
CREATE PERFETTO TABLE _blocking_calls AS
SELECT s.id, android_standardize_slice_name(s.name) AS name, s.ts,
  iif(w.id IS NULL OR s.dur = -1, s.dur, max(s.dur - w.dur, 0)) AS dur, s.utid, s.upid,
  s.process_name
FROM thread_slice AS s
LEFT JOIN _buffer_waits AS w ON w.id = s.id
WHERE s.name IN ('measure', 'layout', 'configChanged', 'animation', 'input', 'traversal',
    'postAndWait', 'Contending for pthread mutex', 'CreateGraphicsPipeline', 'flush layers',
    'flush commands', 'queueBuffer', 'NotificationStackScrollLayout#onMeasure')
  OR regexp('^(monitor contention with|SuspendThreadByThreadId|LoadApkAssetsFd|inflate|'
    || 'Lock contention on|relayoutWindow|ImageDecoder#decode|ExpNotRow#|GC: Wait For|Recomposer:|'
    || 'Compose:|draw-VRI|drawLayer |DrawFrames|Texture upload)|binder transaction|'
    || '^android.os.Handler: kotlinx.coroutines', s.name)
  OR android_standardize_slice_name(s.name) GLOB 'Handler: *';

-- Binder calls stand once more under the name of what they call, the drawing of a layer once more
-- without the layer.
CREATE PERFETTO TABLE android_cuj_blocking_calls(
  slice_id JOINID(slice.id), name STRING, ts TIMESTAMP, dur DURATION, ts_end TIMESTAMP,
  cuj_id LONG, cuj_name STRING, process_name STRING, upid JOINID(process.id),
  utid JOINID(thread.id), cuj_type STRING
) AS
SELECT s.id AS slice_id, s.name, max(s.ts, c.ts) AS ts,
  min(s.ts + s.dur, c.ts_end) - max(s.ts, c.ts) AS dur, min(s.ts + s.dur, c.ts_end) AS ts_end,
  c.cuj_id, c.cuj_name, s.process_name, s.upid, s.utid, c.cuj_type
FROM (
  SELECT * FROM _blocking_calls
  UNION ALL
  SELECT id, 'drawLayer', ts, dur, utid, upid, process_name
  FROM _blocking_calls
  WHERE name GLOB 'drawLayer *'
  UNION ALL
  SELECT binder_txn_id, aidl_name, client_ts, client_dur, client_utid, client_upid, client_process
  FROM android_binder_txns
  WHERE is_sync AND aidl_name IS NOT NULL
) AS s
JOIN android_jank_latency_cujs AS c ON c.upid = s.upid AND s.ts < c.ts_end AND s.ts + s.dur > c.ts
JOIN thread ON thread.utid = s.utid
WHERE iif(c.cuj_type = 'jank', s.utid = c.ui_thread, thread.is_main_thread)
  OR thread.name = 'RenderThread';
