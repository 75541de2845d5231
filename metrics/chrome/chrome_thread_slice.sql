-- Slices of Chrome's threads, as thread_slice has them.
INCLUDE PERFETTO MODULE slices.with_context;
SELECT run_metric('chrome/chrome_processes.sql');

CREATE OR REPLACE PERFETTO VIEW chrome_track AS
SELECT * FROM thread_track WHERE utid IN (SELECT utid FROM chrome_thread);

CREATE OR REPLACE PERFETTO VIEW chrome_thread_slice AS
SELECT * FROM thread_slice WHERE track_id IN (SELECT id FROM chrome_track);
