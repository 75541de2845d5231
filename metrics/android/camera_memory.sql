-- Memory of the camera: of the app, the vendor's service, Android's, and DMA buffers together.
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE OR REPLACE PERFETTO TABLE _camera_sample AS
SELECT
  m.ts,
  CASE
    WHEN p.name GLOB '*GoogleCamera' THEN 'app'
    WHEN p.name GLOB '*camera.provider*' THEN 'hal'
    ELSE 'server'
  END AS part,
  m.rss AS value
FROM memory_rss_and_swap_per_process AS m
JOIN process AS p USING (upid)
WHERE p.name GLOB '*GoogleCamera' OR p.name GLOB '*camera.provider*' OR p.name GLOB '*cameraserver'
UNION ALL
SELECT c.ts, 'dma' AS part, c.value
FROM counter AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.name = 'mem.dma_heap';

-- Each part keeps its value until its next sample.
CREATE OR REPLACE PERFETTO TABLE _camera_memory AS
SELECT
  ts,
  lead(ts, 1, trace_end()) OVER (ORDER BY ts) - ts AS dur,
  app, hal, server, dma,
  app + hal + server + dma AS value
FROM (
  SELECT
    ts,
    CAST(ifnull(last_non_null(max(value) FILTER (WHERE part = 'app')) OVER times, 0) AS DOUBLE) AS app,
    CAST(ifnull(last_non_null(max(value) FILTER (WHERE part = 'hal')) OVER times, 0) AS DOUBLE) AS hal,
    CAST(ifnull(last_non_null(max(value) FILTER (WHERE part = 'server')) OVER times, 0) AS DOUBLE)
      AS server,
    CAST(ifnull(last_non_null(max(value) FILTER (WHERE part = 'dma')) OVER times, 0) AS DOUBLE) AS dma
  FROM _camera_sample
  GROUP BY ts
  WINDOW times AS (ORDER BY ts)
);
