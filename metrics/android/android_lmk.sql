-- Programs that the low memory killer or the kernel ended.
SELECT run_metric('android/lmk_kills.sql');

CREATE OR REPLACE PERFETTO VIEW android_lmk_output AS
SELECT AndroidLmkMetric(
  'total_count', (SELECT count(*) FROM _lmk),
  'by_oom_score', (
    SELECT RepeatedField(AndroidLmkMetric_ByOomScore('oom_score_adj', score, 'count', number))
    FROM (
      SELECT score, count(*) AS number FROM _lmk
      WHERE score IS NOT NULL
      GROUP BY score
      ORDER BY score
    )
  ),
  'oom_victim_count', (SELECT count(*) FROM slice WHERE name = 'mem.oom_kill')
) AS message;
