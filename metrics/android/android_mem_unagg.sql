-- Memory of each process over time, and its score of the OOM adjuster.
SELECT run_metric('android/process_memory_spans.sql');

CREATE OR REPLACE PERFETTO VIEW _memory_values AS
SELECT
  upid,
  kind,
  RepeatedField(AndroidMemoryUnaggregatedMetric_Value(
    'ts', ts, 'oom_score', score, 'value', value)) AS list
FROM (SELECT * FROM _memory_value ORDER BY upid, kind, ts)
GROUP BY upid, kind;

CREATE OR REPLACE PERFETTO VIEW _memory_values_of_process AS
SELECT
  upid,
  AndroidMemoryUnaggregatedMetric_ProcessMemoryValues(
    'anon_rss', max(list) FILTER (WHERE kind = 'anon_rss'),
    'file_rss', max(list) FILTER (WHERE kind = 'file_rss'),
    'swap', max(list) FILTER (WHERE kind = 'swap'),
    'anon_and_swap', max(list) FILTER (WHERE kind = 'anon_and_swap')) AS list
FROM process
LEFT JOIN _memory_values USING (upid)
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW android_mem_unagg_output AS
SELECT AndroidMemoryUnaggregatedMetric(
  'process_values', (
    SELECT RepeatedField(AndroidMemoryUnaggregatedMetric_ProcessValues(
      'process_name', p.name, 'mem_values', v.list))
    FROM process AS p
    JOIN _memory_values_of_process AS v USING (upid)
    WHERE p.name IS NOT NULL
  )
) AS message;
