-- Whether frames were missed, as the displays' counters say at the start of the frame after. A template: `track_name` begins
-- the counters' names, `output` is the view: ts and dur of the frame, display_id, value (1: missed).
DROP VIEW IF EXISTS {{output}};
CREATE PERFETTO VIEW {{output}} AS
SELECT
  lag(c.ts) OVER frames AS ts,
  c.ts - lag(c.ts) OVER frames AS dur,
  ifnull(str_split(t.name, ' ', 1), 'unspecified') AS display_id,
  c.value
FROM counter AS c
JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.name = '{{track_name}}' OR t.name GLOB '{{track_name}} *'
WINDOW frames AS (ORDER BY c.ts, c.id);
