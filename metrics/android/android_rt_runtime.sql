-- The longest runs of threads with real-time priority.
CREATE OR REPLACE PERFETTO TABLE _rt_run AS
SELECT t.name, s.ts, s.dur
FROM sched AS s
JOIN thread AS t USING (utid)
WHERE s.priority < 100 AND s.dur >= 0 AND NOT t.is_idle;

CREATE OR REPLACE PERFETTO VIEW android_rt_runtime_output AS
SELECT AndroidRtRuntimeMetric(
  'max_runtime', (SELECT max(dur) FROM _rt_run),
  'over_5ms_count', (SELECT count(*) FROM _rt_run WHERE dur > 5000000),
  'longest_rt_slices', (
    SELECT RepeatedField(AndroidRtRuntimeMetric_RtSlice('tname', name, 'ts', ts, 'dur', dur))
    FROM (SELECT * FROM _rt_run ORDER BY dur DESC, ts LIMIT 10)
  )
) AS message;
