-- What threads did during each launch: _launch_state, states of the app's threads cut to the launch,
-- and _launch_run, time that other processes ran.
INCLUDE PERFETTO MODULE android.startup.startups;

CREATE OR REPLACE PERFETTO TABLE _launch_state AS
SELECT
  t.startup_id,
  t.utid,
  t.tid,
  t.pid,
  t.thread_name,
  t.is_main_thread,
  s.state,
  s.io_wait,
  max(s.ts, t.ts) AS ts,
  min(iif(s.dur < 0, trace_end(), s.ts + s.dur), t.ts + t.dur) - max(s.ts, t.ts) AS dur
FROM android_startup_threads AS t
JOIN thread_state AS s
  ON s.utid = t.utid AND s.ts < t.ts + t.dur
  AND iif(s.dur < 0, trace_end(), s.ts + s.dur) > t.ts;

CREATE OR REPLACE PERFETTO TABLE _launch_run AS
SELECT
  l.startup_id,
  th.upid,
  p.name,
  p.pid,
  th.tid,
  th.name AS thread_name,
  r.ts,
  min(r.ts + r.dur, l.ts_end) - max(r.ts, l.ts) AS dur
FROM android_startups AS l
JOIN sched AS r ON r.ts < l.ts_end AND r.ts + r.dur > l.ts
JOIN thread AS th USING (utid)
JOIN process AS p USING (upid)
WHERE r.dur > 0
  AND NOT th.is_idle
  AND NOT EXISTS (
    SELECT 1 FROM android_startup_processes AS own
    WHERE own.startup_id = l.startup_id AND own.upid = th.upid
  );
