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
  ts TIMESTAMP, upid JOINID(process.id), name STRING, rss LONG
) AS
SELECT m.ts, upid, process.name,
  coalesce(m.anon_rss, 0) + coalesce(m.file_rss, 0) + coalesce(m.shmem_rss, 0) AS rss
FROM _memory_of_processes AS m
JOIN process USING (upid)
WHERE process.name GLOB '*GoogleCamera' OR process.name GLOB '*googlecamera.fishfood'
  OR process.name GLOB '*GoogleCameraEng' OR process.name GLOB '*camera.provider*'
  OR process.name GLOB '*cameraserver';

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
WITH
  app AS (
    SELECT upid, max(rss)
    FROM _camera_process_rss
    WHERE name NOT GLOB '*camera.provider*' AND name NOT GLOB '*cameraserver'
  ),
  driver AS (SELECT upid, max(start_ts) FROM process WHERE name GLOB '*camera.provider*'),
  service AS (SELECT upid, max(start_ts) FROM process WHERE name GLOB '*cameraserver'),
  readings AS (
    SELECT ts, upid, rss, NULL AS dma FROM _camera_process_rss
    UNION ALL
    SELECT c.ts, NULL, NULL, c.value
    FROM counter_track AS t
    JOIN counter AS c ON c.track_id = t.id
    WHERE t.name = 'mem.dma_heap' AND t.dimension_arg_set_id IS NULL
  ),
  moments AS (
    SELECT ts, max(iif(upid = (SELECT upid FROM app), rss, NULL)) AS gca,
      max(iif(upid = (SELECT upid FROM driver), rss, NULL)) AS hal,
      max(iif(upid = (SELECT upid FROM service), rss, NULL)) AS cameraserver, max(dma) AS dma
    FROM readings
    GROUP BY ts
  ),
  spans AS (
    SELECT ts, coalesce(lead(ts) OVER by_ts, trace_end()) - ts AS dur,
      CAST(coalesce(last_non_null(gca) OVER by_ts, 0) AS INTEGER) AS gca_rss,
      CAST(coalesce(last_non_null(hal) OVER by_ts, 0) AS INTEGER) AS hal_rss,
      CAST(coalesce(last_non_null(cameraserver) OVER by_ts, 0) AS INTEGER) AS cameraserver_rss,
      CAST(coalesce(last_non_null(dma) OVER by_ts, 0) AS INTEGER) AS dma
    FROM moments
    WINDOW by_ts AS (ORDER BY ts)
  )
SELECT ts, dur, gca_rss, hal_rss, cameraserver_rss, dma,
  gca_rss + hal_rss + cameraserver_rss + dma AS rss_and_dma
FROM spans;
