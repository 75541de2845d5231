-- Bitmaps of processes: how many, and their memory.

INCLUDE PERFETTO MODULE counters.intervals;

CREATE PERFETTO MACRO _bitmap_intervals(counter_name Expr) RETURNS TableOrSubquery AS (
  SELECT c.id, t.upid, c.ts, c.dur, c.track_id, CAST(c.value AS INTEGER) AS value
  FROM counter_leading_intervals!((
    SELECT counter.id, counter.ts, counter.track_id, counter.value
    FROM process_counter_track AS t
    JOIN counter ON counter.track_id = t.id
    WHERE t.name = $counter_name
  )) AS c
  JOIN process_counter_track AS t ON t.id = c.track_id
);

CREATE PERFETTO TABLE android_bitmap_memory(
  id ID(counter.id), upid JOINID(process.upid), ts TIMESTAMP, dur DURATION,
  track_id JOINID(counter.track_id), value LONG
) AS
SELECT * FROM _bitmap_intervals!('Bitmap Memory');

CREATE PERFETTO TABLE android_bitmap_count(
  id ID(counter.id), upid JOINID(process.upid), ts TIMESTAMP, dur DURATION,
  track_id JOINID(counter.track_id), value LONG
) AS
SELECT * FROM _bitmap_intervals!('Bitmap Count');

CREATE PERFETTO VIEW _bitmap_memory_spans AS
SELECT ts, dur, upid, value AS bitmap_memory, id AS bitmap_memory_id FROM android_bitmap_memory;

CREATE PERFETTO VIEW _bitmap_count_spans AS
SELECT ts, dur, upid, value AS bitmap_count, id AS bitmap_count_id FROM android_bitmap_count;

CREATE VIRTUAL TABLE _bitmap_spans USING SPAN_JOIN(
  _bitmap_memory_spans PARTITIONED upid, _bitmap_count_spans PARTITIONED upid
);

CREATE PERFETTO TABLE android_bitmap_counters_per_process(
  upid JOINID(process.upid), process_name STRING, ts TIMESTAMP, dur DURATION, bitmap_memory LONG,
  bitmap_count LONG, bitmap_memory_id JOINID(counter.id), bitmap_count_id JOINID(counter.id)
) AS
SELECT s.upid, p.name AS process_name, s.ts, s.dur, s.bitmap_memory, s.bitmap_count,
  s.bitmap_memory_id, s.bitmap_count_id
FROM _bitmap_spans AS s
JOIN process AS p USING (upid);
