-- Threads that may be why a scroll's frame was late.

INCLUDE PERFETTO MODULE slices.with_context;

-- The threads of that name, in the process that a type stands for, that did something while the
-- EventLatency slice lasted. The renderer is the process of that slice.
CREATE PERFETTO FUNCTION chrome_select_scroll_jank_cause_thread(
  -- EventLatency slice of the frame, joins chrome_event_latencies.
  event_latency_id LONG,
  -- Browser, GPU or Renderer.
  process_type STRING,
  -- Name of the threads.
  thread_name STRING
) RETURNS TABLE(
  -- Thread, joins thread.
  utid JOINID(thread.id)
) AS
WITH processes AS (
  SELECT upid FROM process_slice WHERE id = $event_latency_id AND $process_type = 'Renderer'
  UNION
  SELECT upid FROM process WHERE CASE
    WHEN $process_type = 'Browser' THEN name = 'Browser' OR name GLOB '*.chrome'
    WHEN $process_type = 'GPU' AND $thread_name = 'surfaceflinger' THEN name GLOB '*surfaceflinger*'
    WHEN $process_type = 'GPU' THEN name = 'Gpu' OR name GLOB '*.chrome*:privileged_process*'
    END
)
SELECT DISTINCT s.utid
FROM slice AS event
JOIN thread_slice AS s ON s.ts BETWEEN event.ts AND event.ts + event.dur
WHERE event.id = $event_latency_id AND s.thread_name = $thread_name
  AND s.upid IN (SELECT upid FROM processes);
