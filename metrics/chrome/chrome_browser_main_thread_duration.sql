-- chrome_browser_main_thread_duration: for how many milliseconds the browser's main thread told of slices (duration_ms);
-- NULL where there is none.
SELECT run_metric('chrome/chrome_processes.sql');

DROP VIEW IF EXISTS chrome_browser_main_thread_duration;
CREATE PERFETTO VIEW chrome_browser_main_thread_duration AS
SELECT max(ms) AS duration_ms
FROM (
  SELECT (max(s.ts) - min(s.ts)) / 1000000 AS ms
  FROM slice AS s
  JOIN thread_track AS tt ON tt.id = s.track_id
  JOIN chrome_thread AS t USING (utid)
  JOIN chrome_process AS p ON p.upid = t.upid
  WHERE p.process_type = 'Browser'
    AND t.canonical_name = 'CrProcessMain'
    AND extract_arg(tt.source_arg_set_id, 'is_root_in_scope')
  GROUP BY s.track_id
);
