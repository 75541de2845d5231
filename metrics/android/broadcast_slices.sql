-- Broadcasts that system_server delivered: each a slice INTENT inside of its receiver's process, in
-- the queue's track.
CREATE OR REPLACE PERFETTO TABLE _broadcast AS
SELECT
  regexp_extract(s.name, '^[0-9a-f]+ ([^/]+)/') AS intent,
  regexp_extract(p.name, ':(.*)/') AS process_name,
  s.ts,
  s.dur
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
JOIN slice AS p ON p.id = s.parent_id
WHERE t.name GLOB 'BroadcastQueue.mRunning*' AND s.name GLOB '*/*' AND s.depth = 1
  AND (s.name GLOB '* scheduled' OR s.name NOT GLOB '* *') AND s.dur >= 0;
