-- The camera of Pixel phones.

INCLUDE PERFETTO MODULE linux.memory.process;
INCLUDE PERFETTO MODULE slices.with_context;

-- Steps of the camera's graph. Their slices are called "cam<camera>_<node>:<ports> (frame <n>)".
CREATE PERFETTO TABLE pixel_camera_frames(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Node of the camera's graph.
  node STRING,
  -- Ports of the node.
  port_group STRING,
  -- Number of the frame.
  frame_number LONG,
  -- Number of the camera.
  cam_id LONG
) AS
SELECT id, ts, dur, track_id, utid, thread_name,
  substr(name, instr(name, '_') + 1, instr(name, ':') - instr(name, '_') - 1) AS node,
  substr(name, instr(name, ':') + 1, instr(name, ' (frame ') - instr(name, ':') - 1)
    AS port_group,
  CAST(substr(name, instr(name, ' (frame ') + 8) AS INTEGER) AS frame_number,
  CAST(substr(name, 4) AS INTEGER) AS cam_id
FROM thread_slice
WHERE name GLOB 'cam*_*:* (frame *)' AND dur <> -1;

CREATE PERFETTO TABLE _camera_process_rss(
  ts TIMESTAMP, dur DURATION, upid JOINID(process.id), name STRING, rss LONG
) AS
SELECT m.ts, m.dur, upid, process.name,
  coalesce(m.anon_rss, 0) + coalesce(m.file_rss, 0) + coalesce(m.shmem_rss, 0) AS rss
FROM _memory_rss_and_swap_per_process_table AS m
JOIN process USING (upid)
WHERE process.name GLOB '*GoogleCamera' OR process.name GLOB '*googlecamera.fishfood'
  OR process.name GLOB '*GoogleCameraEng' OR process.name GLOB '*camera.provider*'
  OR process.name GLOB '*cameraserver';

CREATE PERFETTO VIEW _camera_app_spans AS
SELECT ts, dur, rss AS app
FROM _camera_process_rss
JOIN (
  SELECT upid, max(rss)
  FROM _camera_process_rss
  WHERE name NOT GLOB '*camera.provider*' AND name NOT GLOB '*cameraserver'
) USING (upid);

CREATE PERFETTO VIEW _camera_driver_spans AS
SELECT ts, dur, rss AS driver
FROM _camera_process_rss
JOIN (SELECT upid, max(start_ts) FROM process WHERE name GLOB '*camera.provider*') USING (upid);

CREATE PERFETTO VIEW _camera_service_spans AS
SELECT ts, dur, rss AS service
FROM _camera_process_rss
JOIN (SELECT upid, max(start_ts) FROM process WHERE name GLOB '*cameraserver') USING (upid);

CREATE PERFETTO VIEW _dma_heap_spans AS
SELECT c.ts, lead(c.ts, 1, trace_end()) OVER (PARTITION BY t.id ORDER BY c.ts) - c.ts AS dur,
  c.value AS heap
FROM counter_track AS t
JOIN counter AS c ON c.track_id = t.id
WHERE t.name = 'mem.dma_heap' AND t.dimension_arg_set_id IS NULL;

CREATE VIRTUAL TABLE _camera_app_and_driver_spans
USING SPAN_OUTER_JOIN(_camera_app_spans, _camera_driver_spans);

CREATE VIRTUAL TABLE _camera_rss_all_spans
USING SPAN_OUTER_JOIN(_camera_app_and_driver_spans, _camera_service_spans);

CREATE VIRTUAL TABLE _camera_all_spans
USING SPAN_OUTER_JOIN(_dma_heap_spans, _camera_rss_all_spans);

-- The resident memory of the app (the largest, where several run), of the camera's driver and
-- service (the newest), and the heap for direct memory access, which all share.
CREATE PERFETTO TABLE pixel_camera_memory_span(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Resident memory of the camera app, bytes.
  gca_rss LONG,
  -- Resident memory of the camera's driver, bytes.
  hal_rss LONG,
  -- Resident memory of the camera's service, bytes.
  cameraserver_rss LONG,
  -- Heap for direct memory access, bytes.
  dma LONG,
  -- Sum of all of them, bytes.
  rss_and_dma LONG
) AS
SELECT ts, dur, CAST(coalesce(app, 0) AS INTEGER) AS gca_rss,
  CAST(coalesce(driver, 0) AS INTEGER) AS hal_rss,
  CAST(coalesce(service, 0) AS INTEGER) AS cameraserver_rss,
  CAST(coalesce(heap, 0) AS INTEGER) AS dma,
  CAST(coalesce(app, 0) + coalesce(driver, 0) + coalesce(service, 0) + coalesce(heap, 0)
    AS INTEGER) AS rss_and_dma
FROM _camera_all_spans;
