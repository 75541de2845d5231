-- chrome_thread_slice: the slices of Chrome's threads, a track after the other.
INCLUDE PERFETTO MODULE slices.with_context;
SELECT run_metric('chrome/chrome_processes.sql');

DROP VIEW IF EXISTS chrome_track;
CREATE PERFETTO VIEW chrome_track AS
SELECT * FROM thread_track WHERE utid IN (SELECT utid FROM chrome_thread);

DROP VIEW IF EXISTS chrome_thread_slice;
CREATE PERFETTO VIEW chrome_thread_slice AS
SELECT * FROM thread_slice WHERE track_id IN (SELECT id FROM chrome_track) ORDER BY track_id, id;
