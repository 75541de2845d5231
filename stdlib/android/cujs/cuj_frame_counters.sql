-- What apps count themselves of the frames of their journeys, on counters J<NAME>#COUNTER.

INCLUDE PERFETTO MODULE android.cujs.base;

CREATE PERFETTO VIEW _android_jank_cuj_counter AS
SELECT c.ts, t.upid, t.cuj_name, t.counter_name, CAST(c.value AS INTEGER) AS value
FROM (
  SELECT id, upid, str_split(str_split(name, '>#', 0), '<', 1) AS cuj_name,
    str_split(name, '#', 1) AS counter_name
  FROM process_counter_track
  WHERE name GLOB 'J<*>#*' AND upid IN (SELECT upid FROM android_jank_cuj)
) AS t
JOIN counter AS c ON c.track_id = t.id;

-- Instants of callbacks that came too late, on the journeys' tracks.
CREATE PERFETTO VIEW _marker_missed_callback AS
SELECT track.name AS cuj_slice_name, slice.ts, slice.name AS marker_name
FROM slice
JOIN track ON track.id = slice.track_id
WHERE slice.name GLOB '*FT#Missed*';

-- The first value of a counter between two times; NULL as the second: up to the end.
CREATE PERFETTO FUNCTION _android_jank_cuj_counter_value(
  cuj_name STRING, counter_name STRING, ts_min TIMESTAMP, ts_max TIMESTAMP
) RETURNS LONG AS
SELECT value
FROM _android_jank_cuj_counter
WHERE cuj_name = $cuj_name AND counter_name = $counter_name AND ts >= $ts_min
  AND coalesce(ts <= $ts_max, TRUE)
ORDER BY ts
LIMIT 1;

-- How many callbacks of a kind came too late between two times.
CREATE PERFETTO FUNCTION _android_cuj_missed_vsyncs_for_callback(
  cuj_slice_name STRING, ts_min TIMESTAMP, ts_max TIMESTAMP, callback_missed STRING
) RETURNS LONG AS
SELECT count(*)
FROM _marker_missed_callback
WHERE cuj_slice_name = $cuj_slice_name AND ts >= $ts_min AND coalesce(ts <= $ts_max, TRUE)
  AND marker_name GLOB $callback_missed;

CREATE PERFETTO MACRO _cuj_counter(name Expr) RETURNS Expr AS
_android_jank_cuj_counter_value(cuj_name, $name, counted_from, next_end);

-- Counters are written after a journey, before the next of its name ends. Processes of Android and
-- the launcher write them after the journey's end, others up to 4 ms before.
CREATE PERFETTO TABLE _android_jank_cuj_counter_metrics AS
SELECT cuj_id, cuj_name, upid, state, _cuj_counter!('totalFrames') AS total_frames,
  _cuj_counter!('missedFrames') AS missed_frames,
  _cuj_counter!('missedAppFrames') AS missed_app_frames,
  _cuj_counter!('missedSfFrames') AS missed_sf_frames,
  _cuj_counter!('maxSuccessiveMissedFrames') AS missed_frames_max_successive,
  _cuj_counter!('totalAnimTime') AS anim_duration_ms,
  _cuj_counter!('weightedJank') / 1000.0 AS weighted_missed_frames,
  _cuj_counter!('weightedAppJank') / 1000.0 AS weighted_missed_app_frames,
  _cuj_counter!('weightedSfJank') / 1000.0 AS weighted_missed_sf_frames,
  _cuj_counter!('maxFrameTimeMillis') * 1000000 AS frame_dur_max,
  _android_cuj_missed_vsyncs_for_callback(cuj_slice_name, counted_from, next_end, '*SF*')
    AS sf_callback_missed_frames,
  _android_cuj_missed_vsyncs_for_callback(cuj_slice_name, counted_from, next_end, '*HWUI*')
    AS hwui_callback_missed_frames
FROM (
  SELECT *,
    iif(process_name GLOB 'com.android.*'
        OR process_name = 'com.google.android.apps.nexuslauncher',
      ts_end, max(ts, ts_end - 4000000)) AS counted_from,
    lead(ts_end) OVER (PARTITION BY cuj_name ORDER BY ts_end) AS next_end
  FROM android_jank_cuj
);
