-- Whether the screen was on.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE android_screen_state(
  id ID, ts TIMESTAMP, dur DURATION, simple_screen_state STRING, short_screen_state STRING,
  screen_state STRING
) AS
SELECT id, ts, dur,
  CASE value WHEN 1 THEN 'off' WHEN 2 THEN 'on' WHEN 3 THEN 'doze' ELSE 'unknown' END
    AS simple_screen_state,
  CASE value WHEN 1 THEN 'off' WHEN 2 THEN 'on' WHEN 3 THEN 'doze' WHEN 4 THEN 'doze-suspend'
    ELSE 'unknown' END AS short_screen_state,
  CASE value WHEN 1 THEN 'Screen off' WHEN 2 THEN 'Screen on'
    WHEN 3 THEN 'Always-on display (doze)' WHEN 4 THEN 'Always-on display (doze suspend)'
    ELSE 'unknown' END AS screen_state
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM track
  JOIN counter ON counter.track_id = track.id
  WHERE track.name = 'ScreenState'
));
