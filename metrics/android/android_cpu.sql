-- CPU time of each process and thread: by CPU and by type of CPU, with frequencies where they are
-- known.
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;
SELECT run_metric('android/process_metadata.sql');
SELECT run_metric('android/core_types.sql');

CREATE OR REPLACE PERFETTO TABLE _cpu_use AS
WITH run AS (
  SELECT utid, ucpu, cpu, sum(dur) AS runtime
  FROM sched
  WHERE dur > 0 AND NOT utid IN (SELECT utid FROM thread WHERE is_idle)
  GROUP BY utid, ucpu
)
SELECT
  t.upid,
  r.utid,
  r.cpu,
  ifnull(m.type, 'unknown') AS type,
  r.runtime,
  c.runtime AS known_runtime,
  c.millicycles,
  c.min_freq,
  c.max_freq
FROM run AS r
JOIN thread AS t USING (utid)
LEFT JOIN _core_type AS m USING (ucpu)
LEFT JOIN cpu_cycles_per_thread_per_cpu AS c ON c.utid = r.utid AND c.ucpu = r.ucpu
WHERE t.upid IS NOT NULL;

-- What a group of rows of _cpu_use holds.
CREATE OR REPLACE PERFETTO MACRO _cpu_metrics()
RETURNS Expr AS
AndroidCpuMetric_Metrics(
  'mcycles', CAST(sum(millicycles) / 1000000000 AS INT),
  'runtime_ns', sum(runtime),
  'min_freq_khz', min(min_freq),
  'max_freq_khz', max(max_freq),
  'avg_freq_khz', CAST(sum(millicycles) * 1000.0 / sum(iif(millicycles IS NULL, NULL, known_runtime)) AS INT));

CREATE OR REPLACE PERFETTO VIEW _cpu_of_thread AS
SELECT utid, _cpu_metrics!() AS metrics FROM _cpu_use GROUP BY utid;

CREATE OR REPLACE PERFETTO VIEW _cores_of_thread AS
SELECT utid, RepeatedField(AndroidCpuMetric_CoreData('id', cpu, 'metrics', metrics)) AS cores
FROM (
  SELECT utid, cpu, _cpu_metrics!() AS metrics FROM _cpu_use GROUP BY utid, cpu ORDER BY utid, cpu
)
GROUP BY utid;

CREATE OR REPLACE PERFETTO VIEW _types_of_thread AS
SELECT utid, RepeatedField(AndroidCpuMetric_CoreTypeData('type', type, 'metrics', metrics)) AS types
FROM (
  SELECT utid, type, _cpu_metrics!() AS metrics FROM _cpu_use
  GROUP BY utid, type
  ORDER BY utid, type
)
GROUP BY utid;

CREATE OR REPLACE PERFETTO VIEW _threads_of_process AS
SELECT
  t.upid,
  RepeatedField(AndroidCpuMetric_Thread(
    'name', t.name, 'metrics', m.metrics, 'core', c.cores, 'core_type', y.types)) AS threads
FROM (SELECT upid, utid, name FROM thread WHERE upid IS NOT NULL ORDER BY upid, utid) AS t
LEFT JOIN _cpu_of_thread AS m USING (utid)
LEFT JOIN _cores_of_thread AS c USING (utid)
LEFT JOIN _types_of_thread AS y USING (utid)
GROUP BY t.upid;

CREATE OR REPLACE PERFETTO VIEW _cpu_of_process AS
SELECT upid, _cpu_metrics!() AS metrics FROM _cpu_use GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW _cores_of_process AS
SELECT upid, RepeatedField(AndroidCpuMetric_CoreData('id', cpu, 'metrics', metrics)) AS cores
FROM (
  SELECT upid, cpu, _cpu_metrics!() AS metrics FROM _cpu_use GROUP BY upid, cpu ORDER BY upid, cpu
)
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW _types_of_process AS
SELECT upid, RepeatedField(AndroidCpuMetric_CoreTypeData('type', type, 'metrics', metrics)) AS types
FROM (
  SELECT upid, type, _cpu_metrics!() AS metrics FROM _cpu_use
  GROUP BY upid, type
  ORDER BY upid, type
)
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW android_cpu_output AS
SELECT AndroidCpuMetric(
  'process_info', (
    SELECT RepeatedField(AndroidCpuMetric_Process(
      'name', p.name,
      'process', process_metadata_proto(p.upid),
      'metrics', m.metrics,
      'threads', t.threads,
      'core', c.cores,
      'core_type', y.types))
    FROM process AS p
    JOIN _cpu_of_process AS m USING (upid)
    JOIN _threads_of_process AS t USING (upid)
    JOIN _cores_of_process AS c USING (upid)
    JOIN _types_of_process AS y USING (upid)
  )
) AS message;
