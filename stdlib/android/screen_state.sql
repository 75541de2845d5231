-- Whether the screen was on.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _screen_counter AS
SELECT counter.id, counter.ts, 0 AS track_id, counter.value
FROM counter_track AS t
JOIN counter ON counter.track_id = t.id
WHERE t.name = 'ScreenState';

-- Of a trace that does not tell, all is unknown.
CREATE PERFETTO TABLE android_screen_state(
  id ID, ts TIMESTAMP, dur DURATION, simple_screen_state STRING, short_screen_state STRING,
  screen_state STRING
) AS
SELECT id, ts, dur,
  CASE value WHEN 1 THEN 'off' WHEN 2 THEN 'on' WHEN 3 THEN 'doze' WHEN 4 THEN 'doze'
    ELSE 'unknown' END
    AS simple_screen_state,
  CASE value WHEN 1 THEN 'off' WHEN 2 THEN 'on' WHEN 3 THEN 'doze' WHEN 4 THEN 'doze-suspend'
    ELSE 'unknown' END AS short_screen_state,
  CASE value WHEN 1 THEN 'Screen off' WHEN 2 THEN 'Screen on'
    WHEN 3 THEN 'Always-on display (doze)' WHEN 4 THEN 'Always-on display (doze suspend)'
    ELSE 'unknown' END AS screen_state
FROM counter_leading_intervals!(_screen_counter)
WHERE dur > 0
UNION ALL
SELECT 1, trace_start(), trace_dur(), 'unknown', 'unknown', 'unknown'
WHERE NOT EXISTS (SELECT 1 FROM _screen_counter) AND trace_dur() > 0;
