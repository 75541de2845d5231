-- chrome_reliable_range: from when on a trace of Chrome has all events (start), and what decides it (reason,
-- debug_limiting_upid, debug_limiting_utid).
--
-- A thread whose first packet is there is reliable throughout, others from their first slice on. The range is what is left
-- by all that count: threads with at least as many slices as half of them have, and as many a millisecond as all but one
-- in twenty. Processes that are missing, or have no main thread, make it later.
SELECT run_metric('chrome/chrome_browser_main_thread_duration.sql');

CREATE OR REPLACE PERFETTO FUNCTION _range_of_interest_ns()
RETURNS LONG AS
SELECT int_value * 1000 FROM metadata WHERE name = 'range_of_interest_start_us' LIMIT 1;

-- Slices of the threads that track descriptors tell of.
DROP VIEW IF EXISTS chrome_event_stats_per_thread;
CREATE PERFETTO VIEW chrome_event_stats_per_thread AS
SELECT
  count(*) AS cnt,
  ifnull(cast_double!(count(*)) / (SELECT duration_ms FROM chrome_browser_main_thread_duration), 0) AS rate,
  t.utid
FROM thread_track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE extract_arg(t.source_arg_set_id, 'source') = 'descriptor'
GROUP BY t.utid;

DROP VIEW IF EXISTS chrome_reliable_range_per_thread;
CREATE PERFETTO VIEW chrome_reliable_range_per_thread AS
WITH ranked AS (
  SELECT
    *,
    row_number() OVER (ORDER BY cnt) - 1 AS by_count,
    row_number() OVER (ORDER BY rate) - 1 AS by_rate,
    count(*) OVER () AS threads
  FROM chrome_event_stats_per_thread
),
cutoff AS (
  SELECT
    max(cnt) FILTER (WHERE by_count = threads * 50 / 100) AS cnt,
    max(rate) FILTER (WHERE by_rate = threads * 95 / 100) AS rate
  FROM ranked
)
SELECT
  t.utid,
  min(s.ts) AS start,
  max(ifnull(extract_arg(t.source_arg_set_id, 'has_first_packet_on_sequence'), 0)) AS has_first_packet_on_sequence
FROM thread_track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE t.utid IN (
  SELECT r.utid FROM ranked AS r JOIN cutoff AS c ON r.cnt >= c.cnt AND r.rate >= c.rate
)
GROUP BY t.utid;

-- These processes have a main thread that says something, whatever is recorded.
DROP VIEW IF EXISTS chrome_processes_with_missing_main;
CREATE PERFETTO VIEW chrome_processes_with_missing_main AS
SELECT upid
FROM process
WHERE extract_arg(arg_set_id, 'chrome.process_type') IN ('Browser', 'Renderer', 'Gpu')
  AND upid NOT IN (SELECT upid FROM thread WHERE name GLOB '*[Mm]ain*' AND upid IS NOT NULL);

-- From when on no process lacks anything; one that always does, to the end.
DROP VIEW IF EXISTS chrome_processes_data_loss_free_period;
CREATE PERFETTO VIEW chrome_processes_data_loss_free_period AS
SELECT upid AS limiting_upid, ifnull(reliable_from, (SELECT max(ts + dur) FROM slice)) AS start
FROM (
  SELECT upid, reliable_from FROM experimental_missing_chrome_processes
  UNION ALL
  SELECT upid, NULL FROM chrome_processes_with_missing_main
  UNION ALL
  SELECT NULL, NULL FROM chrome_browser_main_thread_duration WHERE duration_ms IS NULL
)
ORDER BY start DESC, upid IS NULL, upid
LIMIT 1;

DROP VIEW IF EXISTS chrome_reliable_range;
CREATE PERFETTO VIEW chrome_reliable_range AS
WITH thread_limit AS (
  SELECT ifnull(max(start), 0) AS start, utid
  FROM chrome_reliable_range_per_thread
  WHERE NOT has_first_packet_on_sequence
)
SELECT
  ifnull(_range_of_interest_ns(), max(t.start, ifnull(p.start, 0))) AS start,
  CASE
    WHEN _range_of_interest_ns() IS NOT NULL THEN 'Range of interest packet'
    WHEN p.limiting_upid IN (SELECT upid FROM chrome_processes_with_missing_main)
      THEN 'Missing main thread for upid=' || p.limiting_upid
    WHEN t.start >= ifnull(p.start, 0) THEN 'First slice for utid=' || t.utid
    ELSE 'Missing process data for upid=' || p.limiting_upid
  END AS reason,
  p.limiting_upid AS debug_limiting_upid,
  t.utid AS debug_limiting_utid
FROM thread_limit AS t
LEFT JOIN chrome_processes_data_loss_free_period AS p;
