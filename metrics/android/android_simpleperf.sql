-- Events that simpleperf counted, by process and thread.
CREATE OR REPLACE PERFETTO TABLE _perf_event AS
SELECT t.name, p.pid, p.name AS process_name, th.tid, th.name AS thread_name, s.cpu, count(*) AS total
FROM perf_sample AS s
JOIN thread AS th USING (utid)
LEFT JOIN process AS p USING (upid)
JOIN perf_counter_track AS t ON t.perf_session_id = s.perf_session_id AND t.cpu = s.cpu
WHERE t.is_timebase
GROUP BY t.name, p.upid, th.utid, s.cpu;

CREATE OR REPLACE PERFETTO VIEW _perf_threads AS
SELECT
  name, pid, process_name, CAST(sum(total) AS DOUBLE) AS total,
  RepeatedField(AndroidSimpleperfMetric_PerfEventMetric_Thread(
    'tid', tid, 'name', thread_name, 'cpu', cpu, 'total', CAST(total AS DOUBLE))) AS threads
FROM (SELECT * FROM _perf_event ORDER BY name, pid, tid, cpu)
GROUP BY name, pid, process_name;

CREATE OR REPLACE PERFETTO VIEW _perf_processes AS
SELECT
  name, sum(total) AS total,
  RepeatedField(AndroidSimpleperfMetric_PerfEventMetric_Process(
    'pid', pid, 'name', process_name, 'threads', threads, 'total', total)) AS processes
FROM _perf_threads
GROUP BY name;

CREATE OR REPLACE PERFETTO VIEW android_simpleperf_output AS
SELECT AndroidSimpleperfMetric(
  'events', (
    SELECT RepeatedField(AndroidSimpleperfMetric_PerfEventMetric(
      'name', name, 'processes', processes, 'total', total))
    FROM _perf_processes
  )
) AS message;
