-- How long each clock ran at each frequency.
CREATE OR REPLACE PERFETTO TABLE _clock_time AS
SELECT name, value, sum(dur) AS dur, sum(sum(dur)) OVER (PARTITION BY name) AS total
FROM (
  SELECT
    t.name,
    CAST(c.value AS INT) AS value,
    lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur
  FROM counter AS c
  JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.name GLOB '* Frequency'
)
GROUP BY name, value;

CREATE OR REPLACE PERFETTO VIEW _clock_bands AS
SELECT
  name,
  RepeatedField(AndroidDvfsMetric_BandStat(
    'freq_value', value,
    'percentage', 100.0 * dur / total,
    'duration_ns', dur)) AS bands
FROM (SELECT * FROM _clock_time WHERE total > 0 ORDER BY name, value)
GROUP BY name;

CREATE OR REPLACE PERFETTO VIEW android_dvfs_output AS
SELECT AndroidDvfsMetric(
  'freq_residencies', (
    SELECT RepeatedField(AndroidDvfsMetric_FrequencyResidency(
      'freq_name', name, 'band_stat', bands))
    FROM _clock_bands
  )
) AS message;
