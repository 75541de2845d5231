-- Memory and frequencies of GPUs.
INCLUDE PERFETTO MODULE android.gpu.frequency;

CREATE OR REPLACE PERFETTO TABLE _gpu_memory AS
SELECT
  t.id AS track_id,
  p.upid,
  p.name,
  c.value,
  lead(c.ts, 1, trace_end() + (p.upid IS NOT NULL)) OVER (PARTITION BY t.id ORDER BY c.ts) - c.ts
    AS dur
FROM counter AS c
JOIN counter_track AS t ON t.id = c.track_id
LEFT JOIN process_counter_track AS pt ON pt.id = t.id
LEFT JOIN process AS p USING (upid)
WHERE t.name = 'GPU Memory';

CREATE OR REPLACE PERFETTO VIEW _gpu_time AS
SELECT gpu_id, gpu_freq AS freq, sum(dur) AS dur
FROM android_gpu_frequency
GROUP BY gpu_id, gpu_freq;

CREATE OR REPLACE PERFETTO VIEW _gpu_used AS
SELECT
  gpu_id,
  max(freq) AS highest,
  min(freq) AS lowest,
  CAST(sum(freq * dur) AS DOUBLE) / sum(dur) AS mean,
  RepeatedField(AndroidGpuMetric_FrequencyMetric_MetricsPerFrequency(
    'freq', freq, 'dur_ms', dur / 1e6, 'percentage', 100.0 * dur / total)) AS used
FROM (
  SELECT *, sum(dur) OVER (PARTITION BY gpu_id) AS total FROM _gpu_time WHERE dur > 0
  ORDER BY gpu_id, freq
)
GROUP BY gpu_id;

CREATE OR REPLACE PERFETTO VIEW android_gpu_output AS
SELECT AndroidGpuMetric(
  'processes', (
    SELECT RepeatedField(AndroidGpuMetric_Process(
      'name', name, 'mem_max', largest, 'mem_min', smallest, 'mem_avg', mean))
    FROM (
      SELECT
        name,
        CAST(max(value) AS INT) AS largest,
        CAST(min(value) AS INT) AS smallest,
        CAST(sum(value * dur) / sum(dur) AS INT) AS mean
      FROM _gpu_memory
      WHERE upid IS NOT NULL
      GROUP BY name
      ORDER BY name
    )
  ),
  'mem_max', (SELECT CAST(max(value) AS INT) FROM _gpu_memory WHERE upid IS NULL),
  'mem_min', (SELECT CAST(min(value) AS INT) FROM _gpu_memory WHERE upid IS NULL),
  'mem_avg', (
    SELECT CAST(sum(value * dur) / sum(dur) AS INT) FROM _gpu_memory WHERE upid IS NULL
  ),
  'freq_metrics', (
    SELECT RepeatedField(AndroidGpuMetric_FrequencyMetric(
      'gpu_id', gpu_id,
      'freq_max', highest,
      'freq_min', lowest,
      'freq_avg', mean,
      'used_freqs', used))
    FROM _gpu_used
  )
) AS message;
