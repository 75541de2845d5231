-- Time from each frame that Chrome showed to the next, in ms, while somebody did something: within Telemetry's interactions,
-- or within the gesture where one was made meanwhile. Displays tell of frames in several ways, of which the first that the
-- trace has is taken; `exp` is what the compositor says of itself.
CREATE OR REPLACE PERFETTO VIEW _interaction AS
SELECT ts, dur, ts AS interaction_ts, dur AS interaction_dur
FROM slice
WHERE name GLOB 'Interaction.*';

-- Legacy events S and F are a gesture's two ends.
CREATE OR REPLACE PERFETTO VIEW _gesture AS
SELECT ts, dur, ts AS gesture_ts, dur AS gesture_dur
FROM (
  SELECT
    ts,
    extract_arg(arg_set_id, 'legacy_event.phase') AS phase,
    lead(ts) OVER (ORDER BY ts) - ts AS dur
  FROM __intrinsic_chrome_raw
  WHERE extract_arg(arg_set_id, 'legacy_event.name') = 'SyntheticGestureController::running'
)
WHERE phase = 'S' AND dur IS NOT NULL;

DROP TABLE IF EXISTS _interaction_gesture;
CREATE VIRTUAL TABLE _interaction_gesture USING SPAN_LEFT_JOIN(_interaction, _gesture);

CREATE OR REPLACE PERFETTO TABLE _busy_time AS
SELECT DISTINCT gesture_ts AS ts, gesture_dur AS dur
FROM _interaction_gesture
WHERE gesture_ts IS NOT NULL
UNION ALL
SELECT interaction_ts, interaction_dur
FROM _interaction_gesture
WHERE gesture_ts IS NULL
GROUP BY interaction_ts
HAVING count(*) = 1;

CREATE OR REPLACE PERFETTO TABLE _shown AS
WITH shown AS (
  SELECT DISTINCT
    CASE name
      WHEN 'DrmEventFlipComplete' THEN 1
      WHEN 'vsync_before' THEN 2
      WHEN 'BenchmarkInstrumentation::DisplayRenderingStats' THEN 3
      ELSE 4
    END AS source,
    ts
  FROM slice
  WHERE name IN (
    'DrmEventFlipComplete', 'vsync_before', 'BenchmarkInstrumentation::DisplayRenderingStats',
    'Display::FrameDisplayed')
)
SELECT ts, source = 4 AS exp, lead(ts) OVER (PARTITION BY source ORDER BY ts) - ts AS dur
FROM shown
WHERE source IN (4, (SELECT min(source) FROM shown));

-- Frames that lie within such a time altogether.
CREATE OR REPLACE PERFETTO TABLE _frame_time AS
SELECT s.exp, s.dur / 1e6 AS ms
FROM _shown AS s
JOIN _busy_time AS b ON s.ts >= b.ts AND s.ts + s.dur <= b.ts + b.dur
ORDER BY s.ts;

-- Less than half of the display's period is no frame.
CREATE OR REPLACE PERFETTO VIEW _frame_rate AS
SELECT
  exp,
  1e3 * count(*) FILTER (WHERE ms / period_ms >= 0.5) / sum(ms) AS fps
FROM _frame_time
JOIN (
  SELECT coalesce((
    SELECT extract_arg(s.arg_set_id, 'debug.args.interval_us') / 1e3
    FROM slice AS s
    JOIN thread_track AS t ON t.id = s.track_id
    JOIN thread AS th USING (utid)
    WHERE th.name = 'Compositor' AND s.name = 'Scheduler::BeginFrame'
    LIMIT 1
  ), 1e3 / 60) AS period_ms
)
GROUP BY exp
HAVING count(*) FILTER (WHERE ms / period_ms >= 0.5) > 0;

CREATE OR REPLACE PERFETTO VIEW frame_times_output AS
SELECT FrameTimes(
  'frame_time', (SELECT RepeatedField(ms) FROM _frame_time WHERE NOT exp),
  'exp_frame_time', (SELECT RepeatedField(ms) FROM _frame_time WHERE exp),
  'avg_surface_fps', (SELECT fps FROM _frame_rate WHERE NOT exp),
  'exp_avg_surface_fps', (SELECT fps FROM _frame_rate WHERE exp)
) AS message;
