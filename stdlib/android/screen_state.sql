-- Whether the screen was on.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.fill_gaps;

CREATE PERFETTO TABLE _screen_intervals AS
SELECT ts, dur, CAST(value AS INTEGER) AS value
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, 0 AS track_id, counter.value
  FROM counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.name = 'ScreenState'
))
WHERE dur > 0;

-- States of the screen over the whole trace, without gaps. The values are those of Android's
-- Display. What the trace does not tell is unknown.
CREATE PERFETTO TABLE android_screen_state(
  -- Number of the interval in order of time, from 1 on.
  id ID,
  -- When the state began.
  ts TIMESTAMP,
  -- How long the state lasted.
  dur DURATION,
  -- `off`, `on`, `doze` or `unknown`.
  simple_screen_state STRING,
  -- The exact state: also `doze-suspend`, `on-vr` and `on-suspend`.
  short_screen_state STRING,
  -- The exact state to be read.
  screen_state STRING
) AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, dur,
  CASE value WHEN 1 THEN 'off' WHEN 2 THEN 'on' WHEN 3 THEN 'doze' WHEN 4 THEN 'doze'
    WHEN 5 THEN 'on' WHEN 6 THEN 'on' ELSE 'unknown' END AS simple_screen_state,
  CASE value WHEN 1 THEN 'off' WHEN 2 THEN 'on' WHEN 3 THEN 'doze' WHEN 4 THEN 'doze-suspend'
    WHEN 5 THEN 'on-vr' WHEN 6 THEN 'on-suspend' ELSE 'unknown' END AS short_screen_state,
  CASE value WHEN 1 THEN 'Screen off' WHEN 2 THEN 'Screen on'
    WHEN 3 THEN 'Always-on display (doze)' WHEN 4 THEN 'Always-on display (doze-suspend)'
    WHEN 5 THEN 'Screen on (VR)' WHEN 6 THEN 'Screen on (suspend)' ELSE 'Unknown' END
    AS screen_state
FROM _intervals_fill_gaps!((NULL), (value), _screen_intervals);
