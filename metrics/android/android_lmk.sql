-- Programs that the low memory killer or the kernel ended.
INCLUDE PERFETTO MODULE android.memory.lmk;

CREATE OR REPLACE PERFETTO VIEW android_lmk_output AS
SELECT AndroidLmkMetric(
  'total_count', (SELECT count(*) FROM android_lmk_events),
  'by_oom_score', (
    SELECT RepeatedField(AndroidLmkMetric_ByOomScore('oom_score_adj', score, 'count', number))
    FROM (
      SELECT oom_score_adj AS score, count(*) AS number
      FROM android_lmk_events
      GROUP BY score
      ORDER BY score
    )
  ),
  'oom_victim_count', (SELECT count(*) FROM slice WHERE name = 'mem.oom_kill')
) AS message;
