-- Bitmaps of processes: how many, and their memory.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.intersect;

CREATE PERFETTO MACRO _bitmap_intervals(counter_name Expr) RETURNS TableOrSubquery AS (
  SELECT c.id, t.upid, c.ts, c.dur, c.track_id, c.value
  FROM counter_leading_intervals!((
    SELECT counter.id, counter.ts, counter.track_id, counter.value
    FROM process_counter_track AS t
    JOIN counter ON counter.track_id = t.id
    WHERE t.name = $counter_name
  )) AS c
  JOIN process_counter_track AS t ON t.id = c.track_id
);

-- Memory of the bitmaps of each process over time.
CREATE PERFETTO TABLE android_bitmap_memory(
  -- The counter's value that begins the interval.
  id ID(counter.id),
  -- The process.
  upid JOINID(process.upid),
  -- When the counter took this value.
  ts TIMESTAMP,
  -- How long the counter kept the value.
  dur DURATION,
  -- The counter's track.
  track_id JOINID(counter.track_id),
  -- Bytes of all bitmaps.
  value LONG
) AS
SELECT * FROM _bitmap_intervals!('Bitmap Memory');

-- How many bitmaps each process had over time.
CREATE PERFETTO TABLE android_bitmap_count(
  -- The counter's value that begins the interval.
  id ID(counter.id),
  -- The process.
  upid JOINID(process.upid),
  -- When the counter took this value.
  ts TIMESTAMP,
  -- How long the counter kept the value.
  dur DURATION,
  -- The counter's track.
  track_id JOINID(counter.track_id),
  -- Number of bitmaps.
  value LONG
) AS
SELECT * FROM _bitmap_intervals!('Bitmap Count');

CREATE PERFETTO VIEW _bitmap_memory_spans AS
SELECT ts, dur, upid, value AS bitmap_memory, id AS bitmap_memory_id FROM android_bitmap_memory;

CREATE PERFETTO VIEW _bitmap_count_spans AS
SELECT ts, dur, upid, value AS bitmap_count, id AS bitmap_count_id FROM android_bitmap_count;

CREATE VIRTUAL TABLE _bitmap_spans USING SPAN_JOIN(
  _bitmap_memory_spans PARTITIONED upid, _bitmap_count_spans PARTITIONED upid
);

-- Number and memory of bitmaps together, cut where either changes.
CREATE PERFETTO TABLE android_bitmap_counters_per_process(
  -- The process.
  upid JOINID(process.upid),
  -- Name of the process.
  process_name STRING,
  -- When both counters had taken these values.
  ts TIMESTAMP,
  -- How long both counters kept the values.
  dur DURATION,
  -- Bytes of all bitmaps.
  bitmap_memory LONG,
  -- Number of bitmaps.
  bitmap_count LONG,
  -- The value of the memory counter.
  bitmap_memory_id JOINID(counter.id),
  -- The value of the number counter.
  bitmap_count_id JOINID(counter.id)
) AS
SELECT s.upid, p.name AS process_name, s.ts, s.dur, s.bitmap_memory, s.bitmap_count,
  s.bitmap_memory_id, s.bitmap_count_id
FROM _bitmap_spans AS s
JOIN process AS p USING (upid);
