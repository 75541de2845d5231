-- Frequencies of buses, caches and memory.

-- Frequencies over time, one row per change.
CREATE PERFETTO VIEW android_dvfs_counters(
  -- Name of the counter track: the domain and `Frequency`.
  name STRING,
  -- When the frequency changed.
  ts TIMESTAMP,
  -- The frequency as the kernel traces it; its unit depends on the driver.
  value DOUBLE,
  -- Time until the next change, for the last one until the end of the trace.
  dur DURATION
) AS
SELECT t.name, c.ts, c.value,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur
FROM counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.type = 'clock_frequency' AND regexp('^(domain@\d|\w+\.devfreq_(mif|int|dsu|bci)|'
  || '(dsu|bus)_throughput|cpu\ddsu|gs_memlat_devfreq:devfreq_mif_cpu\d_memlat@\w+) Frequency$',
  t.name);

-- Frequencies summed up by counter. `dur` is from the first to the last change.
CREATE PERFETTO TABLE android_dvfs_counter_stats(
  -- Name of the counter track.
  name STRING,
  -- Highest frequency.
  max DOUBLE,
  -- Lowest frequency.
  min DOUBLE,
  -- Time from the first to the last change.
  dur DURATION,
  -- Average frequency, weighted by time.
  wgt_avg DOUBLE
) AS
SELECT name, max(value) AS max, min(value) AS min, max(ts) - min(ts) AS dur,
  sum(dur * value) / sum(dur) AS wgt_avg
FROM android_dvfs_counters
WHERE dur > 0
GROUP BY name;

-- How long each counter was at each frequency.
CREATE PERFETTO VIEW android_dvfs_counter_residency(
  -- Name of the counter track.
  name STRING,
  -- The frequency.
  value DOUBLE,
  -- Total time at this frequency.
  dur DURATION,
  -- Share of `dur` in the time of all the counter's frequencies, in percent.
  pct DOUBLE
) AS
SELECT name, value, sum(dur) AS dur,
  100.0 * sum(dur) / sum(sum(dur)) OVER (PARTITION BY name) AS pct
FROM android_dvfs_counters
GROUP BY name, value;
