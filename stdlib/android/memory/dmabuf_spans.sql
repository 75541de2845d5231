-- Memory of processes that devices share (dma-buf) over time.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO TABLE _dmabuf_spans AS
SELECT t.upid, c.ts, c.dur, CAST(c.value AS INTEGER) AS dmabuf_rss
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM process_counter_track AS t
  JOIN counter ON counter.track_id = t.id
  WHERE t.name = 'mem.dmabuf_rss'
)) AS c
JOIN process_counter_track AS t ON t.id = c.track_id;
