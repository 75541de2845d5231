-- Frames of apps up to Android 9, where they have no numbers.

INCLUDE PERFETTO MODULE slices.with_context;

-- The drawings are counted, and what is drawn before the next frame of the process belongs to the one
-- before.
CREATE PERFETTO TABLE _frames_maxsdk_28(
  frame_id LONG, ts TIMESTAMP, dur DURATION, do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id), render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id), sdk STRING, upid JOINID(process.id), process_name STRING
) AS
WITH frames AS (
  SELECT id, utid, upid, process_name, ts,
    lead(ts, 1, trace_end()) OVER (PARTITION BY upid ORDER BY ts) AS next_ts
  FROM thread_slice
  WHERE name = 'Choreographer#doFrame' AND is_main_thread AND upid IS NOT NULL
)
SELECT row_number() OVER (ORDER BY f.ts, d.id) AS frame_id, f.ts,
  max(d.ts + d.dur) OVER (PARTITION BY f.id) - f.ts AS dur, f.id AS do_frame_id,
  d.id AS draw_frame_id, d.utid AS render_thread_utid, f.utid AS ui_thread_utid,
  'maxsdk28' AS sdk, f.upid, f.process_name
FROM frames AS f
JOIN thread_slice AS d ON d.upid = f.upid AND d.name = 'DrawFrame' AND d.ts >= f.ts
  AND d.ts < f.next_ts;
