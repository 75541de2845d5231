-- Memory of processes by name: in all, and by what the OOM adjuster thought of them.
SELECT run_metric('android/process_memory_spans.sql');

CREATE OR REPLACE PERFETTO FUNCTION _priority_of(score LONG)
RETURNS STRING AS
SELECT CASE
  WHEN $score < -900 THEN 'native'
  WHEN $score < -800 THEN 'system'
  WHEN $score < -700 THEN 'persistent'
  WHEN $score < 0 THEN 'persistent_service'
  WHEN $score < 100 THEN 'foreground'
  WHEN $score < 200 THEN 'visible'
  WHEN $score < 300 THEN 'perceptible'
  WHEN $score < 400 THEN 'backup'
  WHEN $score < 500 THEN 'heavy_weight'
  WHEN $score < 600 THEN 'service_a'
  WHEN $score < 700 THEN 'home'
  WHEN $score < 800 THEN 'previous'
  WHEN $score < 900 THEN 'service_b'
  ELSE 'cached'
END;

-- How much more than ever before a process had at most.
CREATE OR REPLACE PERFETTO TABLE _memory_growth AS
SELECT process_name, kind, max(value - lowest) AS growth
FROM (
  SELECT
    process_name, kind, value,
    min(value) OVER (PARTITION BY upid, kind ORDER BY ts) AS lowest
  FROM _memory_value
)
GROUP BY process_name, kind;

CREATE OR REPLACE PERFETTO VIEW _memory_total AS
SELECT
  v.process_name,
  v.kind,
  AndroidMemoryMetric_Counter(
    'min', min(v.value),
    'max', max(v.value),
    'avg', sum(v.value * v.dur) / sum(v.dur),
    'delta', g.growth) AS counter
FROM _memory_value AS v
JOIN _memory_growth AS g USING (process_name, kind)
GROUP BY v.process_name, v.kind;

CREATE OR REPLACE PERFETTO VIEW _memory_of_priority AS
SELECT
  process_name,
  _priority_of(score) AS priority,
  kind,
  AndroidMemoryMetric_Counter(
    'min', min(value),
    'max', max(value),
    'avg', sum(value * dur) / sum(dur)) AS counter
FROM _memory_value
WHERE score IS NOT NULL
GROUP BY process_name, priority, kind;

CREATE OR REPLACE PERFETTO VIEW _memory_totals AS
SELECT
  process_name,
  AndroidMemoryMetric_ProcessMemoryCounters(
    'anon_rss', max(counter) FILTER (WHERE kind = 'anon_rss'),
    'file_rss', max(counter) FILTER (WHERE kind = 'file_rss'),
    'swap', max(counter) FILTER (WHERE kind = 'swap'),
    'anon_and_swap', max(counter) FILTER (WHERE kind = 'anon_and_swap'),
    'java_heap', max(counter) FILTER (WHERE kind = 'java_heap')) AS counters
FROM _memory_total
GROUP BY process_name;

CREATE OR REPLACE PERFETTO VIEW _memory_priorities AS
SELECT
  process_name,
  RepeatedField(AndroidMemoryMetric_PriorityBreakdown(
    'priority', priority, 'counters', counters)) AS priorities
FROM (
  SELECT
    process_name,
    priority,
    AndroidMemoryMetric_ProcessMemoryCounters(
      'anon_rss', max(counter) FILTER (WHERE kind = 'anon_rss'),
      'file_rss', max(counter) FILTER (WHERE kind = 'file_rss'),
      'swap', max(counter) FILTER (WHERE kind = 'swap'),
      'anon_and_swap', max(counter) FILTER (WHERE kind = 'anon_and_swap'),
      'java_heap', max(counter) FILTER (WHERE kind = 'java_heap')) AS counters
  FROM _memory_of_priority
  GROUP BY process_name, priority
  ORDER BY process_name, priority
)
GROUP BY process_name;

CREATE OR REPLACE PERFETTO VIEW android_mem_output AS
SELECT AndroidMemoryMetric(
  'process_metrics', (
    SELECT RepeatedField(AndroidMemoryMetric_ProcessMetrics(
      'process_name', t.process_name,
      'total_counters', t.counters,
      'priority_breakdown', p.priorities))
    FROM _memory_totals AS t
    LEFT JOIN _memory_priorities AS p USING (process_name)
  )
) AS message;
