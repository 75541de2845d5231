-- Touches on Pixel phones: from the interrupt to the program that recognizes fingers.

INCLUDE PERFETTO MODULE intervals.intersect;

-- The number behind "KEY=" in a name.
CREATE PERFETTO MACRO _number_behind(name Expr, key Expr) RETURNS Expr AS
CAST(substr($name, nullif(instr($name, $key), 0) + length($key)) AS INTEGER);

-- The interrupt's handler, which counts interrupts.
CREATE PERFETTO TABLE _touch_top_half AS
SELECT s.id, s.ts, s.dur, s.track_id, CAST(c.value AS INTEGER) AS irq
FROM track
JOIN counter AS c ON c.track_id = track.id
JOIN slice AS s ON s.ts <= c.ts AND s.ts + s.dur > c.ts
WHERE track.name = 'gti_th_irq_index' AND s.name GLOB 'IRQ (*)' AND s.dur > 0;

-- The interrupt's thread; a slice within says which input it reads.
CREATE PERFETTO TABLE _touch_bottom_half AS
SELECT s.id, s.ts, s.dur, s.track_id, _number_behind!(s.name, 'IRQ_IDX=') AS irq, (
    SELECT _number_behind!(child.name, 'IN_TS=')
    FROM slice AS child
    WHERE child.parent_id = s.id AND child.name GLOB 'goog_offload_populate_frame:*'
    LIMIT 1
  ) AS in_ts
FROM slice AS s
WHERE s.name GLOB 'gti_irq_thread_fn: IRQ_IDX=*';

-- Each touch that the recognizer handled, with the interrupt that brought it.
CREATE PERFETTO TABLE pixel_touch_events(
  -- Timestamp of the input, which the slices name as IN_TS.
  in_ts LONG,
  -- Start of the interrupt's handler.
  ts_pixel_touch_th TIMESTAMP,
  -- Duration of the handler, ns.
  dur_pixel_touch_th DURATION,
  -- Slice of the handler, joins slice.
  id_pixel_touch_th LONG,
  -- Track of the handler, joins track.
  track_pixel_touch_th JOINID(track.id),
  -- Start of the interrupt's thread.
  ts_pixel_touch_bh TIMESTAMP,
  -- Duration of the thread's work, ns.
  dur_pixel_touch_bh DURATION,
  -- Slice of the thread, joins slice.
  id_pixel_touch_bh LONG,
  -- Track of the thread, joins track.
  track_pixel_touch_bh JOINID(track.id),
  -- Start of the recognizer.
  ts_pixel_touch TIMESTAMP,
  -- Duration of the recognizer's work, ns.
  dur_pixel_touch DURATION,
  -- Slice of the recognizer, joins slice.
  id_pixel_touch LONG,
  -- Track of the recognizer, joins track.
  track_pixel_touch JOINID(track.id),
  -- First "Resample latency offset" counted meanwhile, else 0.
  resample_latency_offset LONG
) AS
WITH frame AS (
  SELECT id, ts, dur, track_id, _number_behind!(name, 'IN_TS=') AS in_ts
  FROM slice
  WHERE name GLOB 'algo->processFrame:*'
)
SELECT frame.in_ts, th.ts AS ts_pixel_touch_th, th.dur AS dur_pixel_touch_th,
  th.id AS id_pixel_touch_th, th.track_id AS track_pixel_touch_th, bh.ts AS ts_pixel_touch_bh,
  bh.dur AS dur_pixel_touch_bh, bh.id AS id_pixel_touch_bh, bh.track_id AS track_pixel_touch_bh,
  frame.ts AS ts_pixel_touch, frame.dur AS dur_pixel_touch, frame.id AS id_pixel_touch,
  frame.track_id AS track_pixel_touch, CAST(coalesce((
    SELECT c.value
    FROM track
    JOIN counter AS c ON c.track_id = track.id
    WHERE track.name = 'Resample latency offset' AND c.ts BETWEEN frame.ts AND frame.ts + frame.dur
    ORDER BY c.ts
    LIMIT 1
  ), 0) AS INTEGER) AS resample_latency_offset
FROM frame
LEFT JOIN _touch_bottom_half AS bh ON bh.in_ts = frame.in_ts
LEFT JOIN _touch_top_half AS th ON th.irq = bh.irq;
