-- The most memory that processes had resident up to each moment.

CREATE PERFETTO VIEW memory_rss_high_watermark_per_process(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), pid LONG, process_name STRING,
  rss_high_watermark LONG
) AS
SELECT c.ts, coalesce(lead(c.ts) OVER by_process, trace_end()) - c.ts AS dur, t.upid, process.pid,
  process.name AS process_name,
  CAST(max(c.value) OVER (PARTITION BY t.upid ORDER BY c.ts ROWS UNBOUNDED PRECEDING) AS INTEGER)
    AS rss_high_watermark
FROM process_counter_track AS t
JOIN counter AS c ON c.track_id = t.id
JOIN process USING (upid)
WHERE t.name = 'mem.rss.watermark'
WINDOW by_process AS (PARTITION BY t.upid ORDER BY c.ts);
