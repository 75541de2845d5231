-- Rules for profiles.

-- symptom: hot function
-- needs: perf_sample
-- Functions that samples end in.
SELECT min(s.ts) AS ts, 0 AS dur, printf('%.0f %%', 100.0 * count() / max(a.n)) || ' of the samples of ' || ifnull(p.name, t.name) AS name,
  iif(count() > 0.2 * max(a.n), 'problem', 'note') AS level, count() * 1000000 AS cost, s.utid, 'hot|' || f.name AS key,
  ifnull(f.deobfuscated_name, f.name) || ' (' || m.name || ')' ||
    ifnull(', mostly called by ' || (SELECT ifnull(up.deobfuscated_name, up.name) FROM stack_profile_callsite AS uc JOIN stack_profile_frame AS up ON up.id = uc.frame_id WHERE uc.id = c.parent_id), '') AS cause
FROM perf_sample AS s
JOIN stack_profile_callsite AS c ON c.id = s.callsite_id
JOIN stack_profile_frame AS f ON f.id = c.frame_id
JOIN stack_profile_mapping AS m ON m.id = f.mapping
JOIN thread AS t ON t.utid = s.utid
LEFT JOIN process AS p USING (upid)
JOIN (SELECT count() AS n FROM perf_sample WHERE callsite_id IS NOT NULL) AS a
WHERE f.name != ''
GROUP BY f.name, p.upid
HAVING count() > 0.05 * max(a.n)
ORDER BY count() DESC
LIMIT 10;

-- symptom: hot function of a script
-- needs: cpu_profile_stack_sample
SELECT min(s.ts) AS ts, 0 AS dur, printf('%.0f %%', 100.0 * count() / max(a.n)) || ' of the samples of ' || ifnull(t.name, t.tid) AS name,
  iif(count() > 0.2 * max(a.n), 'problem', 'note') AS level, count() * 1000000 AS cost, s.utid, 'hot|' || f.name AS key,
  f.name || ifnull(', mostly called by ' || (SELECT up.name FROM stack_profile_callsite AS uc JOIN stack_profile_frame AS up ON up.id = uc.frame_id WHERE uc.id = c.parent_id), '') AS cause
FROM cpu_profile_stack_sample AS s
JOIN stack_profile_callsite AS c ON c.id = s.callsite_id
JOIN stack_profile_frame AS f ON f.id = c.frame_id
LEFT JOIN thread AS t ON t.utid = s.utid
JOIN (SELECT count() AS n FROM cpu_profile_stack_sample) AS a
WHERE f.name NOT IN ('(idle)', '(program)', '(root)', '')
GROUP BY f.name, s.utid
HAVING count() > 0.05 * max(a.n)
ORDER BY count() DESC
LIMIT 10;

-- symptom: memory that grows
-- needs: heap_profile_allocation
-- What is allocated again and again and hardly freed, by the innermost function of the program's own.
CREATE OR REPLACE PERFETTO TABLE _explain_kept AS
SELECT upid, callsite_id, sum(size) AS bytes, sum(count) AS blocks, sum(max(size, 0)) AS allocated, min(ts) AS ts, max(ts) AS ts_end
FROM heap_profile_allocation
GROUP BY upid, callsite_id
HAVING bytes > 100000 AND bytes > 0.5 * allocated;
CREATE OR REPLACE PERFETTO TABLE _explain_growth AS
WITH RECURSIVE up(start, parent_id, frame_id, steps) AS (
  SELECT c.id, c.parent_id, c.frame_id, 0 FROM stack_profile_callsite AS c WHERE c.id IN (SELECT callsite_id FROM _explain_kept)
  UNION ALL
  SELECT up.start, c.parent_id, c.frame_id, up.steps + 1
  FROM up JOIN stack_profile_callsite AS c ON c.id = up.parent_id WHERE up.steps < 40
), named AS (
  SELECT up.start, ifnull(f.deobfuscated_name, f.name) || ' (' || m.name || ')' AS code,
    row_number() OVER (PARTITION BY up.start ORDER BY
      m.name GLOB '*/libc.so*' OR m.name GLOB '*/libc++*' OR m.name GLOB '*libc-*' OR f.name IN ('malloc', 'calloc', 'realloc'),
      m.name GLOB '/apex/*' OR m.name GLOB '/system/*' OR m.name GLOB '*.oat' OR m.name GLOB '[[]*', up.steps) AS place
  FROM up JOIN stack_profile_frame AS f ON f.id = up.frame_id JOIN stack_profile_mapping AS m ON m.id = f.mapping
)
SELECT k.*, n.code FROM _explain_kept AS k LEFT JOIN named AS n ON n.start = k.callsite_id AND n.place = 1;
SELECT min(g.ts) AS ts, max(g.ts_end) - min(g.ts) AS dur,
  ifnull(p.name, p.pid) || ' keeps ' || printf('%.1f MB', sum(g.bytes) / 1e6) || ' in ' || sum(g.blocks) || ' blocks' AS name,
  iif(sum(g.bytes) > 8e6, 'severe', 'problem') AS level,
  sum(g.bytes) * 20 AS cost, g.upid, 'growth|' || g.upid || ifnull(g.code, '') AS key,
  'allocated and not freed in ' || ifnull(g.code, 'unknown code') || ', ' || printf('%.1f MB/s', sum(g.bytes) * 1e3 / max(1, max(g.ts_end) - min(g.ts))) AS cause
FROM _explain_growth AS g
LEFT JOIN process AS p USING (upid)
GROUP BY g.upid, g.code
HAVING sum(g.bytes) > 1000000;

-- symptom: objects that hold much memory
-- needs: heap_graph_object
-- Of each process's last heap; more of them than in its first one is growth.
CREATE OR REPLACE PERFETTO TABLE _explain_classes AS
SELECT o.upid, o.graph_sample_ts AS ts, ifnull(c.deobfuscated_name, c.name) AS class, count() AS objects, sum(o.self_size + o.native_size) AS bytes
FROM heap_graph_object AS o
JOIN heap_graph_class AS c ON c.id = o.type_id
WHERE o.reachable
GROUP BY 1, 2, 3;
SELECT b.ts, 0 AS dur, ifnull(p.name, p.pid) || ' has ' || b.objects || ' objects of ' || b.class || ', ' || printf('%.1f MB', b.bytes / 1e6) AS name,
  iif(a.bytes IS NOT NULL AND b.bytes > 2 * a.bytes, 'severe', iif(b.bytes > 0.3 * u.bytes, 'problem', 'note')) AS level,
  b.bytes * 20 AS cost, b.upid, 'class|' || b.upid || b.class AS key,
  b.class || ' holds ' || printf('%.0f %%', 100.0 * b.bytes / u.bytes) || ' of the heap' || ifnull(', before ' || a.objects || ' objects', '') AS cause
FROM _explain_classes AS b
JOIN (SELECT upid, min(ts) AS first, max(ts) AS last FROM _explain_classes GROUP BY upid) AS d ON d.upid = b.upid AND d.last = b.ts
JOIN (SELECT upid, ts, sum(bytes) AS bytes FROM _explain_classes GROUP BY 1, 2) AS u ON u.upid = b.upid AND u.ts = b.ts
LEFT JOIN _explain_classes AS a ON a.upid = b.upid AND a.class = b.class AND a.ts = d.first AND d.first < d.last
LEFT JOIN process AS p ON p.upid = b.upid
WHERE b.bytes > 1e6 AND (b.bytes > 0.1 * u.bytes OR b.bytes > 2 * a.bytes)
ORDER BY b.bytes DESC
LIMIT 10;
