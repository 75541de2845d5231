-- What processes counted of their journeys: android_jank_cuj_counter_metrics. A process writes that after the journey and
-- before the next one of the name ends; some do up to 4 ms early.
INCLUDE PERFETTO MODULE android.cujs.base;

CREATE OR REPLACE PERFETTO TABLE _jank_cuj_counter_time AS
SELECT
  cuj_id, cuj_name, cuj_slice_name, upid, state,
  iif(
    process_name GLOB 'com.android.*' OR process_name = 'com.google.android.apps.nexuslauncher',
    ts_end, max(ts, ts_end - 4000000)) AS first_ts,
  coalesce(lead(ts_end) OVER (PARTITION BY cuj_name ORDER BY ts_end), trace_end()) AS last_ts
FROM android_jank_cuj;

CREATE OR REPLACE PERFETTO TABLE _jank_cuj_counter AS
SELECT cuj_id, counter_name, value
FROM (
  SELECT
    c.cuj_id, t.counter_name, CAST(v.value AS INT) AS value,
    row_number() OVER (PARTITION BY c.cuj_id, t.counter_name ORDER BY v.ts, v.id) AS number
  FROM _jank_cuj_counter_time AS c
  JOIN (
    SELECT
      id, regexp_extract(name, '<(.*)>#') AS cuj_name, regexp_extract(name, '#(.*)$') AS counter_name
    FROM process_counter_track
    WHERE name GLOB 'J<*>#*' AND upid IN (SELECT upid FROM android_jank_cuj)
  ) AS t ON t.cuj_name = c.cuj_name
  JOIN counter AS v ON v.track_id = t.id AND v.ts BETWEEN c.first_ts AND c.last_ts
)
WHERE number = 1;

CREATE OR REPLACE PERFETTO MACRO _jank_cuj_count(name Expr) RETURNS Expr AS
max(iif(v.counter_name = $name, v.value, NULL));

CREATE OR REPLACE PERFETTO MACRO _jank_cuj_missed(pattern Expr) RETURNS Expr AS (
  SELECT count(*)
  FROM track AS t
  JOIN slice AS s ON s.track_id = t.id AND s.ts BETWEEN c.first_ts AND c.last_ts
  WHERE t.name = c.cuj_slice_name AND s.name GLOB $pattern
);

-- Times in ms but for the longest frame's, which is in ns; weights are frames for each second of animation.
CREATE OR REPLACE PERFETTO TABLE android_jank_cuj_counter_metrics AS
SELECT
  c.cuj_id, c.cuj_name, c.upid, c.state, _jank_cuj_count!('totalFrames') AS total_frames,
  _jank_cuj_count!('missedFrames') AS missed_frames,
  _jank_cuj_count!('missedAppFrames') AS missed_app_frames,
  _jank_cuj_count!('missedSfFrames') AS missed_sf_frames,
  _jank_cuj_count!('maxSuccessiveMissedFrames') AS missed_frames_max_successive,
  _jank_cuj_count!('totalAnimTime') AS anim_duration_ms,
  _jank_cuj_count!('weightedJank') / 1000.0 AS weighted_missed_frames,
  _jank_cuj_count!('weightedAppJank') / 1000.0 AS weighted_missed_app_frames,
  _jank_cuj_count!('weightedSfJank') / 1000.0 AS weighted_missed_sf_frames,
  _jank_cuj_count!('maxFrameTimeMillis') * 1000000 AS frame_dur_max,
  _jank_cuj_missed!('*FT#Missed*SF*') AS sf_callback_missed_frames,
  _jank_cuj_missed!('*FT#Missed*HWUI*') AS hwui_callback_missed_frames
FROM _jank_cuj_counter_time AS c
LEFT JOIN _jank_cuj_counter AS v ON v.cuj_id = c.cuj_id
GROUP BY c.cuj_id;
