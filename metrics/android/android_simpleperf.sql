-- What simpleperf counted, from counters that are called EVENT_tidTID_cpuCPU, and how much of the system cache's traffic was
-- urgent, from those of its levels of urgency.
CREATE OR REPLACE PERFETTO TABLE _simpleperf_counter AS
SELECT
  regexp_extract(t.name, '^(.*?)_tid') AS name,
  CAST(regexp_extract(t.name, '_tid(\d+)') AS INT) AS tid,
  CAST(regexp_extract(t.name, '_cpu(\d+)') AS INT) AS cpu,
  sum(c.value) AS total
FROM counter AS c
JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name GLOB '*_tid*_cpu*'
GROUP BY t.name;

CREATE OR REPLACE PERFETTO VIEW _simpleperf_process AS
SELECT
  c.name,
  t.upid,
  sum(c.total) AS total,
  RepeatedField(AndroidSimpleperfMetric_PerfEventMetric_Thread(
    'tid', c.tid, 'name', t.name, 'cpu', c.cpu, 'total', c.total)) AS threads
FROM _simpleperf_counter AS c
JOIN thread AS t USING (tid)
WHERE t.upid IS NOT NULL
GROUP BY c.name, t.upid;

CREATE OR REPLACE PERFETTO VIEW _simpleperf_event AS
SELECT
  e.name,
  sum(e.total) AS total,
  RepeatedField(AndroidSimpleperfMetric_PerfEventMetric_Process(
    'pid', p.pid, 'name', p.name, 'threads', e.threads, 'total', e.total)) AS processes
FROM _simpleperf_process AS e
JOIN process AS p USING (upid)
GROUP BY e.name;

CREATE OR REPLACE PERFETTO VIEW android_simpleperf_output AS
SELECT AndroidSimpleperfMetric(
  'urgent_ratio', (
    SELECT sum(iif(t.name GLOB '*:lvl=0x0*', NULL, c.value)) / sum(c.value)
    FROM counter AS c
    JOIN counter_track AS t ON t.id = c.track_id
    WHERE t.name GLOB 'slc/qurg2_??:lvl=0x[0137]*'
  ),
  'events', (
    SELECT RepeatedField(AndroidSimpleperfMetric_PerfEventMetric(
      'name', name, 'processes', processes, 'total', total))
    FROM _simpleperf_event
  )
) AS message;
