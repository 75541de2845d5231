-- Rendering of each process that draws by HWUI: its thread's time, its frames' steps, its memory.
INCLUDE PERFETTO MODULE slices.with_context;

CREATE OR REPLACE PERFETTO TABLE _render_process AS
SELECT p.upid, p.name, sum(s.dur) AS cpu_time
FROM thread AS t
JOIN process AS p USING (upid)
JOIN sched AS s USING (utid)
WHERE t.name = 'RenderThread' AND s.dur >= 0
GROUP BY p.upid;

CREATE OR REPLACE PERFETTO TABLE _render_step AS
SELECT upid, step, count(*) AS number, max(dur) AS longest, min(dur) AS shortest, sum(dur) AS total,
  avg(dur) AS mean
FROM (
  SELECT
    upid,
    dur,
    CASE
      WHEN thread_name = 'GPU completion' THEN
        iif(name GLOB 'waiting for GPU completion*', 'gpu_completion', NULL)
      WHEN is_main_thread AND name = 'Record View#draw()' THEN 'ui_record'
      WHEN thread_name != 'RenderThread' THEN NULL
      WHEN name GLOB 'DrawFrame*' THEN 'draw_frame'
      WHEN name = 'flush commands' THEN 'flush'
      WHEN name = 'prepareTree' THEN 'prepare_tree'
      WHEN name GLOB 'shader_compile*' THEN 'shader_compile'
      WHEN name GLOB 'cache_hit*' THEN 'cache_hit'
      WHEN name GLOB 'cache_miss*' THEN 'cache_miss'
    END AS step
  FROM thread_slice
  WHERE dur >= 0
)
WHERE step IS NOT NULL
GROUP BY upid, step;

CREATE OR REPLACE PERFETTO TABLE _render_memory AS
SELECT t.upid, t.name, max(c.value) AS largest, min(c.value) AS smallest, avg(c.value) AS mean
FROM counter AS c
JOIN process_counter_track AS t ON t.id = c.track_id
WHERE t.name GLOB 'HWUI * Memory'
GROUP BY t.upid, t.name;

CREATE OR REPLACE PERFETTO VIEW android_hwui_metric_output AS
SELECT AndroidHwuiMetric(
  'process_info', (
    SELECT RepeatedField(ProcessRenderInfo(
      'process_name', p.name,
      'rt_cpu_time_ms', CAST(p.cpu_time / 1000000 AS INT),
      'draw_frame_count', draw.number,
      'draw_frame_max', draw.longest,
      'draw_frame_min', draw.shortest,
      'draw_frame_avg', draw.mean,
      'flush_count', flush.number,
      'flush_max', flush.longest,
      'flush_min', flush.shortest,
      'flush_avg', flush.mean,
      'prepare_tree_count', tree.number,
      'prepare_tree_max', tree.longest,
      'prepare_tree_min', tree.shortest,
      'prepare_tree_avg', tree.mean,
      'gpu_completion_count', gpu.number,
      'gpu_completion_max', gpu.longest,
      'gpu_completion_min', gpu.shortest,
      'gpu_completion_avg', gpu.mean,
      'ui_record_count', record.number,
      'ui_record_max', record.longest,
      'ui_record_min', record.shortest,
      'ui_record_avg', record.mean,
      'shader_compile_count', shader.number,
      'shader_compile_time', shader.total,
      'shader_compile_avg', shader.mean,
      'cache_hit_count', hit.number,
      'cache_hit_time', hit.total,
      'cache_hit_avg', hit.mean,
      'cache_miss_count', miss.number,
      'cache_miss_time', miss.total,
      'cache_miss_avg', miss.mean,
      'graphics_cpu_mem_max', CAST(cpu_memory.largest AS INT),
      'graphics_cpu_mem_min', CAST(cpu_memory.smallest AS INT),
      'graphics_cpu_mem_avg', cpu_memory.mean,
      'graphics_gpu_mem_max', CAST(gpu_memory.largest AS INT),
      'graphics_gpu_mem_min', CAST(gpu_memory.smallest AS INT),
      'graphics_gpu_mem_avg', gpu_memory.mean,
      'texture_mem_max', CAST(texture.largest AS INT),
      'texture_mem_min', CAST(texture.smallest AS INT),
      'texture_mem_avg', texture.mean,
      'all_mem_max', CAST(all_memory.largest AS INT),
      'all_mem_min', CAST(all_memory.smallest AS INT),
      'all_mem_avg', all_memory.mean))
    FROM (SELECT * FROM _render_process ORDER BY cpu_time / 1000000 DESC, upid DESC) AS p
    LEFT JOIN _render_step AS draw ON draw.upid = p.upid AND draw.step = 'draw_frame'
    LEFT JOIN _render_step AS flush ON flush.upid = p.upid AND flush.step = 'flush'
    LEFT JOIN _render_step AS tree ON tree.upid = p.upid AND tree.step = 'prepare_tree'
    LEFT JOIN _render_step AS gpu ON gpu.upid = p.upid AND gpu.step = 'gpu_completion'
    LEFT JOIN _render_step AS record ON record.upid = p.upid AND record.step = 'ui_record'
    LEFT JOIN _render_step AS shader ON shader.upid = p.upid AND shader.step = 'shader_compile'
    LEFT JOIN _render_step AS hit ON hit.upid = p.upid AND hit.step = 'cache_hit'
    LEFT JOIN _render_step AS miss ON miss.upid = p.upid AND miss.step = 'cache_miss'
    LEFT JOIN _render_memory AS cpu_memory
      ON cpu_memory.upid = p.upid AND cpu_memory.name = 'HWUI CPU Memory'
    LEFT JOIN _render_memory AS gpu_memory
      ON gpu_memory.upid = p.upid AND gpu_memory.name = 'HWUI Misc Memory'
    LEFT JOIN _render_memory AS texture
      ON texture.upid = p.upid AND texture.name = 'HWUI Texture Memory'
    LEFT JOIN _render_memory AS all_memory
      ON all_memory.upid = p.upid AND all_memory.name = 'HWUI All Memory'
  )
) AS message;
