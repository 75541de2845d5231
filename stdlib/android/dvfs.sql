-- Frequencies of buses, caches and memory.

CREATE PERFETTO VIEW android_dvfs_counters(name STRING, ts TIMESTAMP, value DOUBLE, dur DURATION) AS
SELECT t.name, c.ts, c.value,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur
FROM counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.type = 'clock_frequency' AND regexp('^(domain@\d|\w+\.devfreq_(mif|int|dsu|bci)|'
  || '(dsu|bus)_throughput|cpu\ddsu|gs_memlat_devfreq:devfreq_mif_cpu\d_memlat@\w+) Frequency$',
  t.name);

-- `dur` is from the first to the last change.
CREATE PERFETTO TABLE android_dvfs_counter_stats(
  name STRING, max DOUBLE, min DOUBLE, dur DURATION, wgt_avg DOUBLE
) AS
SELECT name, max(value) AS max, min(value) AS min, max(ts) - min(ts) AS dur,
  sum(dur * value) / sum(dur) AS wgt_avg
FROM android_dvfs_counters
WHERE dur > 0
GROUP BY name;

CREATE PERFETTO VIEW android_dvfs_counter_residency(
  name STRING, value DOUBLE, dur DURATION, pct DOUBLE
) AS
SELECT name, value, sum(dur) AS dur,
  100.0 * sum(dur) / sum(sum(dur)) OVER (PARTITION BY name) AS pct
FROM android_dvfs_counters
GROUP BY name, value;
