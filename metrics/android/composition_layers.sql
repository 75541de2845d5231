-- Layers of one kind, as the composer counted them. A template: `track_name` begins the counters' names, `output` is the
-- view: ts, display_id, value.
--
-- A count is told at the end of the frame that it is of, which began with the count before, of whatever display. A
-- counter's name may have the display in parentheses.
DROP VIEW IF EXISTS {{output}};
CREATE PERFETTO VIEW {{output}} AS
SELECT
  last_ts AS ts,
  iif(name GLOB '*(*)*', str_split(str_split(name, '(', 1), ')', 0), 'unspecified') AS display_id,
  value
FROM (
  SELECT lag(c.ts) OVER (ORDER BY c.ts, c.id) AS last_ts, t.name, c.value
  FROM counter AS c
  JOIN process_counter_track AS t ON t.id = c.track_id
  WHERE t.name GLOB '{{track_name}}*'
)
WHERE last_ts IS NOT NULL AND value >= 0;
