-- When the low memory killer struck, once a process: the table _lmk(ts, upid, score), of which the score is NULL where the
-- OOM adjuster gave the process none. Where the kernel and the counter of lmkd say nothing, its own report is taken.
INCLUDE PERFETTO MODULE android.memory.lmk;
SELECT run_metric('android/process_memory_spans.sql');

CREATE OR REPLACE PERFETTO TABLE _lmk_instant AS
SELECT t.upid, max(s.ts) AS ts
FROM slice AS s
JOIN process_track AS t ON t.id = s.track_id
WHERE s.name = 'mem.lmk' AND s.dur = 0
GROUP BY t.upid;

CREATE OR REPLACE PERFETTO TABLE _lmk AS
SELECT
  k.ts,
  k.upid,
  coalesce(
    (
      SELECT o.score FROM _oom_score_span AS o
      WHERE o.upid = k.upid AND o.ts <= k.ts AND o.ts + o.dur > k.ts
    ),
    reported
  ) AS score
FROM (
  SELECT upid, ts, NULL AS reported FROM _lmk_instant
  UNION ALL
  SELECT upid, ts, oom_score_adj FROM android_lmk_events
  WHERE NOT EXISTS (SELECT 1 FROM _lmk_instant)
) AS k
ORDER BY k.ts;
