-- Jobs that the system ran for apps, as the system traces them.

-- Slices are called "*job*<UID>PACKAGE/SERVICE#ID".
CREATE PERFETTO TABLE android_job_scheduler_events(
  job_id LONG, uid LONG, package_name STRING, job_service_name STRING, track_id JOINID(track.id),
  id LONG, ts TIMESTAMP, dur DURATION
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
