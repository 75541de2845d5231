-- Rules for profiles.

-- shared: samples of stacks
-- Whatever took them, but for each event of a kind; each stands for the time that mostly lies between two of its
-- thread, as the first of them tell.
CREATE OR REPLACE PERFETTO TABLE _explain_samples AS
SELECT s.ts, t.utid, s.callsite_id
FROM __intrinsic_profiler_sample AS s
LEFT JOIN __intrinsic_profiler_task_context AS t ON t.id = s.task_context_id
WHERE s.source != 'instruments' AND (
  s.source != 'linux.perf' OR s.callsite_id IS NOT NULL
  AND s.session_id NOT IN (SELECT perf_session_id FROM perf_counter_track WHERE is_timebase AND name GLOB '*:*')
);
CREATE OR REPLACE PERFETTO TABLE _explain_sample_gaps AS
SELECT utid, ts - lag(ts) OVER (PARTITION BY utid ORDER BY ts) AS gap
FROM (SELECT utid, ts FROM _explain_samples LIMIT 2000);
CREATE OR REPLACE PERFETTO TABLE _explain_innermost AS
SELECT s.utid, s.callsite_id, count() AS times, min(s.ts) AS ts
FROM _explain_samples AS s
GROUP BY s.utid, s.callsite_id;
CREATE OR REPLACE PERFETTO TABLE _explain_sampled AS
SELECT s.utid, coalesce(
    (SELECT percentile(g.gap, 50) FROM _explain_sample_gaps AS g WHERE g.utid IS s.utid),
    (SELECT percentile(g.gap, 50) FROM _explain_sample_gaps AS g)
  ) AS gap
FROM _explain_innermost AS s
GROUP BY s.utid;
CREATE OR REPLACE PERFETTO TABLE _explain_libraries AS
SELECT id, replace(name, rtrim(name, replace(name, '/', '')), '') AS library
FROM stack_profile_mapping;
CREATE OR REPLACE PERFETTO TABLE _explain_hot AS
SELECT i.utid, i.times, i.ts, i.times * ifnull(g.gap, 0) AS ns, c.parent_id, ifnull(f.deobfuscated_name, f.name) AS code,
  m.library,
  ifnull(f.name, '') = '' OR f.name GLOB '0x[0-9a-f]*' OR f.name GLOB '*.so[[]*' AS nameless
FROM _explain_innermost AS i
JOIN _explain_sampled AS g ON g.utid IS i.utid
JOIN stack_profile_callsite AS c ON c.id = i.callsite_id
JOIN stack_profile_frame AS f ON f.id = c.frame_id
LEFT JOIN _explain_libraries AS m ON m.id = f.mapping
WHERE ifnull(f.name, '') NOT IN ('(idle)', '(program)', '(root)');

-- shared: functions
-- That samples end in, of all samples of a process.
CREATE OR REPLACE PERFETTO TABLE _explain_functions AS
SELECT h.code, max(h.library) AS library, ifnull(t.upid, -h.utid) AS of, min(h.utid) AS utid, t.upid, sum(h.times) AS times,
  sum(h.ns) AS ns, min(h.ts) AS ts, max(h.nameless) AS nameless
FROM _explain_hot AS h
LEFT JOIN thread AS t USING (utid)
GROUP BY h.code, ifnull(t.upid, -h.utid);

-- belief: samples of events
-- needs: profiler_sample.source GLOB linux.perf, track.name GLOB *:*
SELECT 'missing' AS kind, 'samples of time: those there are were taken for each ' || name AS text
FROM perf_counter_track
WHERE is_timebase AND name GLOB '*:*'
LIMIT 1;

-- belief: symbols
-- needs: profiler_sample.id > 18, stack_profile_callsite
SELECT 'missing' AS kind, printf('%.0f %%', 100.0 * sum(iif(nameless, times, 0)) / sum(times)) ||
  ' of the samples are in code without a name, most of them in ' || (
    SELECT library FROM _explain_hot WHERE nameless GROUP BY library ORDER BY sum(times) DESC LIMIT 1
  ) || ': give its symbols (tptui symbolize)' AS text
FROM _explain_hot
HAVING sum(iif(nameless, times, 0)) > 0.1 * sum(times);

-- symptom: hot function
-- needs: profiler_sample.id > 18, stack_profile_callsite
SELECT f.ts, 0 AS dur, printf('%.0f %%', 100.0 * f.times / a.times) || ' of the samples of ' || coalesce(p.name, t.name, 'all') AS name,
  iif(f.times > 0.2 * a.times AND NOT f.nameless, 'problem', 'note') AS level, CAST(f.ns AS INTEGER) AS cost, f.utid, f.upid,
  'hot|' || f.code AS key,
  iif(f.nameless, 'code without a name, ', '') || f.code || ifnull(' (' || f.library || ')', '') || ifnull(', mostly called by ' || (
    SELECT ifnull(up.deobfuscated_name, up.name)
    FROM _explain_hot AS h JOIN stack_profile_callsite AS uc ON uc.id = h.parent_id JOIN stack_profile_frame AS up ON up.id = uc.frame_id
    WHERE h.code = f.code AND up.name NOT GLOB '0x*' AND up.name != ''
    GROUP BY up.name ORDER BY sum(h.times) DESC LIMIT 1
  ), '') AS cause
FROM _explain_functions AS f
JOIN (SELECT of, sum(times) AS times FROM _explain_functions GROUP BY of) AS a USING (of)
LEFT JOIN process AS p USING (upid)
LEFT JOIN thread AS t ON t.utid = f.utid
WHERE f.code != '' AND f.times > 0.05 * a.times AND f.times >= 20
ORDER BY f.times DESC
LIMIT 10;

-- symptom: hot library
-- needs: profiler_sample.id > 48, stack_profile_callsite
-- Where no function is: the code of one file, on one thread.
SELECT min(h.ts) AS ts, 0 AS dur, printf('%.0f %%', 100.0 * sum(h.times) / a.times) || ' of all samples, on ' || ifnull(t.name, t.tid) AS name,
  iif(sum(h.times) > 0.2 * a.times, 'problem', 'note') AS level, CAST(sum(h.ns) AS INTEGER) AS cost, h.utid,
  'library|' || h.library AS key,
  'code in ' || h.library || ', on ' || ifnull(t.name, t.tid) || ', most of it in ' || (
    SELECT i.code FROM _explain_hot AS i
    WHERE i.library = h.library AND i.utid = h.utid AND NOT i.nameless GROUP BY i.code ORDER BY sum(i.times) DESC LIMIT 1
  ) AS cause
FROM _explain_hot AS h
JOIN (SELECT sum(times) AS times FROM _explain_hot) AS a
JOIN thread AS t USING (utid)
WHERE h.library != ''
GROUP BY h.utid, h.library
HAVING sum(h.times) > 0.1 * a.times AND sum(h.times) >= 50 AND cause IS NOT NULL
  AND 0.2 * a.times > (SELECT max(f.times) FROM _explain_functions AS f WHERE f.of = ifnull(t.upid, -h.utid))
ORDER BY cost DESC
LIMIT 5;

-- symptom: memory that grows
-- needs: heap_profile_allocation
-- if: SELECT sum(max(size, 0)) > 1000000 FROM heap_profile_allocation
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
  sum(g.bytes) * 20 AS cost, g.upid, 'growth|' || ifnull(p.name, p.pid) || ifnull(g.code, '') AS key,
  'allocated and not freed in ' || ifnull(g.code, 'unknown code') || ', ' || printf('%.1f MB/s', sum(g.bytes) * 1e3 / max(1, max(g.ts_end) - min(g.ts))) AS cause
FROM _explain_growth AS g
LEFT JOIN process AS p USING (upid)
GROUP BY g.upid, g.code
HAVING sum(g.bytes) > 1000000;

-- symptom: heap that grows
-- needs: heap_graph.id > 0, heap_graph_object
-- if: SELECT count() FROM (SELECT upid FROM heap_graph GROUP BY upid HAVING min(ts) < max(ts))
-- Classes of which there are more in a process's last dump than in its first, by what is only held through them: the program's
-- own, or the one that grew most where none of these did.
INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_tree;
CREATE OR REPLACE PERFETTO TABLE _explain_dominated AS
SELECT o.upid, o.graph_sample_ts AS ts, o.type_id, d.id, d.idom_id, d.dominated_size_bytes + d.dominated_native_size_bytes AS bytes,
  ifnull(c.deobfuscated_name, c.name) AS class
FROM heap_graph_dominator_tree AS d
JOIN heap_graph_object AS o USING (id)
JOIN heap_graph_class AS c ON c.id = o.type_id;
CREATE OR REPLACE PERFETTO INDEX _explain_dominated_ids ON _explain_dominated(id);
CREATE OR REPLACE PERFETTO TABLE _explain_own_classes AS
SELECT DISTINCT class FROM _explain_dominated
WHERE class NOT GLOB '*[[]*' AND class NOT GLOB 'java*.*' AND class NOT GLOB 'android*.*' AND class NOT GLOB 'kotlin*.*'
  AND class NOT GLOB 'dalvik.*' AND class NOT GLOB 'libcore.*' AND class NOT GLOB 'sun.*' AND class NOT GLOB 'com.android.internal.*';
CREATE OR REPLACE PERFETTO TABLE _explain_retained AS
SELECT d.upid, d.ts, d.class, count() AS objects, sum(d.bytes) AS bytes, max(d.id) AS one, d.class IN (SELECT class FROM _explain_own_classes) AS own
FROM _explain_dominated AS d
LEFT JOIN _explain_dominated AS above ON above.id = d.idom_id
WHERE above.class IS NOT d.class
GROUP BY d.upid, d.ts, d.class;
WITH RECURSIVE dumps AS (
  SELECT upid, min(ts) AS first, max(ts) AS last FROM _explain_retained GROUP BY upid
), grown AS (
  SELECT b.*, a.objects AS objects_before, b.bytes - ifnull(a.bytes, 0) AS more,
    row_number() OVER (PARTITION BY b.upid ORDER BY b.own DESC, b.bytes - ifnull(a.bytes, 0) DESC) AS place
  FROM dumps
  JOIN _explain_retained AS b ON b.upid = dumps.upid AND b.ts = dumps.last
  LEFT JOIN _explain_retained AS a ON a.upid = dumps.upid AND a.ts = dumps.first AND a.class = b.class
  WHERE dumps.first < dumps.last AND b.objects > 1.5 * ifnull(a.objects, 0) AND b.bytes - ifnull(a.bytes, 0) > 1e6
), up(one, id, idom_id, steps) AS (
  SELECT g.one, d.id, d.idom_id, 0 FROM grown AS g JOIN _explain_dominated AS d ON d.id = g.one
  UNION ALL
  SELECT up.one, d.id, d.idom_id, up.steps + 1
  FROM up CROSS JOIN _explain_dominated AS d ON d.id = up.idom_id
  WHERE up.steps < 40 AND (up.steps = 0 OR (SELECT n.class FROM _explain_dominated AS n WHERE n.id = up.id) NOT IN (SELECT class FROM _explain_own_classes))
), holders AS (
  SELECT up.one, max(up.steps) AS steps, d.class, (
    SELECT ifnull(r.deobfuscated_field_name, r.field_name)
    FROM up AS below JOIN heap_graph_reference AS r ON r.owner_id = up.id AND r.owned_id = below.id
    WHERE below.one = up.one AND below.steps = up.steps - 1
  ) AS field
  FROM up CROSS JOIN _explain_dominated AS d ON d.id = up.id
  WHERE up.steps > 0
  GROUP BY up.one
)
SELECT g.ts, 0 AS dur, ifnull(p.name, p.pid) || ' has ' || g.objects || ' objects of ' || g.class || ', before ' || ifnull(g.objects_before, 0) AS name,
  iif(g.own AND g.more > 0.5 * g.bytes, 'severe', 'problem') AS level,
  g.more * 20 AS cost, g.upid, 'grown|' || ifnull(p.name, p.pid) || '|' || g.class AS key,
  'objects of ' || g.class || ' keep ' || printf('%.1f MB', g.bytes / 1e6) || ', ' || printf('%.1f MB', g.more / 1e6) || ' more than before' ||
    ifnull(', held by ' || iif(instr(h.field, '.'), h.field, h.class || ifnull('.' || h.field, '')), '') AS cause
FROM grown AS g
LEFT JOIN holders AS h ON h.one = g.one
LEFT JOIN process AS p ON p.upid = g.upid
WHERE g.place = 1 OR g.own AND g.place <= 3;

-- symptom: objects that hold much memory
-- needs: heap_graph_object
-- if: SELECT ifnull(sum(self_size + native_size), 0) > 1000000 FROM heap_graph_object WHERE reachable
-- Of each process's last heap.
CREATE OR REPLACE PERFETTO TABLE _explain_classes AS
SELECT o.upid, o.graph_sample_ts AS ts, ifnull(c.deobfuscated_name, c.name) AS class, count() AS objects, sum(o.self_size + o.native_size) AS bytes
FROM heap_graph_object AS o
JOIN heap_graph_class AS c ON c.id = o.type_id
WHERE o.reachable
GROUP BY 1, 2, 3;
SELECT b.ts, 0 AS dur, ifnull(p.name, p.pid) || ' has ' || b.objects || ' objects of ' || b.class || ', ' || printf('%.1f MB', b.bytes / 1e6) AS name,
  iif(b.bytes > 0.3 * u.bytes AND b.class NOT GLOB '*[[]]', 'problem', 'note') AS level,
  b.bytes * 20 AS cost, b.upid, 'class|' || ifnull(p.name, p.pid) || b.class AS key,
  b.class || ' holds ' || printf('%.0f %%', 100.0 * b.bytes / u.bytes) || ' of the heap' AS cause
FROM _explain_classes AS b
JOIN (SELECT upid, max(ts) AS last FROM _explain_classes GROUP BY upid) AS d ON d.upid = b.upid AND d.last = b.ts
JOIN (SELECT upid, ts, sum(bytes) AS bytes FROM _explain_classes GROUP BY 1, 2) AS u ON u.upid = b.upid AND u.ts = b.ts
LEFT JOIN process AS p ON p.upid = b.upid
WHERE b.bytes > 1e6 AND b.bytes > 0.1 * u.bytes
ORDER BY b.bytes DESC
LIMIT 10;
