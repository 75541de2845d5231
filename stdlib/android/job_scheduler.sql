-- Jobs that the system ran for apps, as the system traces them.

-- One row per run of a job. Slices are called "*job*<UID>PACKAGE/SERVICE#ID".
CREATE PERFETTO TABLE android_job_scheduler_events(
  -- The app's number of the job.
  job_id LONG,
  -- Uid of the app.
  uid LONG,
  -- Package of the app.
  package_name STRING,
  -- Service that runs the job.
  job_service_name STRING,
  -- The track JobScheduler of system_server.
  track_id JOINID(track.id),
  -- Slice of the run (joins slice.id).
  id LONG,
  -- When the run began.
  ts TIMESTAMP,
  -- How long the run lasted, up to the end of the trace if it did not end.
  dur DURATION
) AS
SELECT CAST(regexp_extract(s.name, '#(-?\d+)') AS INTEGER) AS job_id,
  CAST(regexp_extract(s.name, '<(\d+)>') AS INTEGER) AS uid,
  regexp_extract(s.name, '>([^/]*)/') AS package_name,
  regexp_extract(s.name, '/([^/#]*)') AS job_service_name, s.track_id, s.id, s.ts,
  iif(s.dur = -1, trace_end() - s.ts, s.dur) AS dur
FROM process_track AS t
JOIN process AS p USING (upid)
JOIN slice AS s ON s.track_id = t.id
WHERE t.name = 'JobScheduler' AND p.name = 'system_server' AND s.name GLOB '*job*';
