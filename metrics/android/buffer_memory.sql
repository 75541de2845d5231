-- Memory of buffers that all programs share: the view _buffer_memory(name, mean, smallest, largest,
-- allocated) of the counters {{size}} and {{change}} that are called so, or so and a name behind a
-- dot or in brackets.
CREATE OR REPLACE PERFETTO TABLE _buffer_size AS
SELECT
  nullif(rtrim(substr(t.name, length('{{size}}') + 2), ']'), '') AS name,
  c.ts,
  c.value,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY t.id ORDER BY c.ts) - c.ts AS dur
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.name = '{{size}}' OR t.name GLOB '{{size}}[[.]*';

CREATE OR REPLACE PERFETTO TABLE _buffer_change AS
SELECT
  nullif(rtrim(substr(t.name, length('{{change}}') + 2), ']'), '') AS name,
  c.value,
  th.upid
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
LEFT JOIN thread_counter_track AS tt ON tt.id = t.id
LEFT JOIN thread AS th USING (utid)
WHERE t.name = '{{change}}' OR t.name GLOB '{{change}}[[.]*';

CREATE OR REPLACE PERFETTO VIEW _buffer_memory AS
SELECT
  s.name,
  sum(s.value * s.dur) / sum(s.dur) AS mean,
  min(s.value) AS smallest,
  max(s.value) AS largest,
  (
    SELECT sum(c.value) FROM _buffer_change AS c
    WHERE c.name IS s.name AND c.value > 0
  ) AS allocated
FROM _buffer_size AS s
GROUP BY s.name;
