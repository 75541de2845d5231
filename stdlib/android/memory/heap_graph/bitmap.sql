-- The bitmaps of a heap dump. Their ids tell the process that made them and where the pixels are;
-- a source id tells the same of the process that sent the bitmap.

CREATE PERFETTO FUNCTION _bitmap_storage(id LONG) RETURNS STRING AS
SELECT CASE $id / 1000000 % 10
  WHEN 0 THEN 'wrapped_pixel_ref'
  WHEN 1 THEN 'heap'
  WHEN 2 THEN 'ashmem'
  WHEN 3 THEN 'hardware'
END;

-- Older dumps do not tell more than the sizes.
CREATE PERFETTO TABLE _heap_bitmaps AS
SELECT o.id AS object_id, o.upid, o.graph_sample_ts, o.self_size, o.native_size, o.reachable,
  max(f.int_value) FILTER (WHERE f.field_name GLOB '*.Bitmap.mWidth') AS width,
  max(f.int_value) FILTER (WHERE f.field_name GLOB '*.Bitmap.mHeight') AS height,
  max(f.int_value) FILTER (WHERE f.field_name GLOB '*.Bitmap.mDensity') AS density,
  max(f.long_value) FILTER (WHERE f.field_name GLOB '*.Bitmap.mId') AS bitmap_id,
  nullif(max(f.long_value) FILTER (WHERE f.field_name GLOB '*.Bitmap.mSourceId'), -1) AS source_id
FROM heap_graph_class AS c
JOIN heap_graph_object AS o ON o.type_id = c.id
LEFT JOIN heap_graph_object_data AS d ON d.id = o.object_data_id
LEFT JOIN heap_graph_primitive AS f ON f.field_set_id = d.field_set_id
WHERE 'android.graphics.Bitmap' IN (c.name, c.deobfuscated_name)
GROUP BY o.id;

-- One row per android.graphics.Bitmap.
CREATE PERFETTO TABLE heap_graph_bitmaps(
  -- The bitmap.
  object_id JOINID(heap_graph_object.id),
  -- The process whose heap it is in.
  upid JOINID(process.upid),
  -- When the heap was dumped.
  graph_sample_ts TIMESTAMP,
  -- Width in pixels.
  width LONG,
  -- Height in pixels.
  height LONG,
  -- Density in dots per inch that the bitmap was made for.
  density LONG,
  -- The bitmap's number, unique among processes.
  bitmap_id LONG,
  -- Pid of the process that made the bitmap, from `bitmap_id`.
  bitmap_pid LONG,
  -- Where the pixels are, from `bitmap_id`: `wrapped_pixel_ref`, `heap`, `ashmem` or `hardware`.
  bitmap_storage_type STRING,
  -- Number of the bitmap that this one was received from; NULL if it was not received.
  source_id LONG,
  -- Pid of the process that sent the bitmap; NULL if it was not received.
  source_pid LONG,
  -- Where the sender has the pixels, as `bitmap_storage_type`.
  source_storage_type STRING,
  -- The process that sent the bitmap; NULL if not in the trace.
  source_upid JOINID(process.upid),
  -- Name of the process that sent the bitmap.
  source_process_name STRING,
  -- Bytes of the Java object.
  self_size LONG,
  -- Bytes of native memory that are registered for the bitmap, most of all its pixels.
  native_size LONG,
  -- Whether anything keeps the bitmap alive.
  reachable BOOL
) AS
SELECT b.object_id, b.upid, b.graph_sample_ts, b.width, b.height, b.density, b.bitmap_id,
  b.bitmap_id / 10000000 AS bitmap_pid, _bitmap_storage(b.bitmap_id) AS bitmap_storage_type,
  b.source_id, b.source_id / 10000000 AS source_pid,
  _bitmap_storage(b.source_id) AS source_storage_type, max(p.upid) AS source_upid,
  p.name AS source_process_name, b.self_size, b.native_size, b.reachable
FROM _heap_bitmaps AS b
LEFT JOIN process AS p ON p.pid = b.source_id / 10000000
  AND b.graph_sample_ts >= coalesce(p.start_ts, b.graph_sample_ts)
  AND b.graph_sample_ts <= coalesce(p.end_ts, b.graph_sample_ts)
GROUP BY b.object_id;
