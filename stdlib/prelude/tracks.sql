-- Tracks by what they hold and what they belong to. Ids are those of track.

CREATE PERFETTO VIEW thread_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __intrinsic_track
WHERE utid IS NOT NULL AND event_type = 'slice';

CREATE PERFETTO VIEW process_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __intrinsic_track
WHERE upid IS NOT NULL AND event_type = 'slice';

CREATE PERFETTO VIEW cpu_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu
FROM __intrinsic_track
WHERE event_type = 'slice' AND extract_arg(dimension_arg_set_id, 'cpu') IS NOT NULL;

CREATE PERFETTO VIEW gpu_track AS
SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id, machine_id,
  extract_arg(source_arg_set_id, 'scope') AS scope,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'context_id') AS context_id
FROM __intrinsic_track
WHERE type IN ('drm_vblank', 'drm_sched_ring', 'drm_fence', 'mali_mcu_state', 'gpu_render_stage',
  'vulkan_events', 'gpu_log', 'graphics_frame_event');

CREATE PERFETTO VIEW state_track AS
SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id
FROM __intrinsic_track
WHERE event_type = 'state';

CREATE PERFETTO VIEW process_state_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __intrinsic_track
WHERE upid IS NOT NULL AND event_type = 'state';

CREATE PERFETTO VIEW thread_state_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __intrinsic_track
WHERE utid IS NOT NULL AND event_type = 'state';

CREATE PERFETTO VIEW counter_track AS
SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id,
  counter_unit AS unit, extract_arg(source_arg_set_id, 'description') AS description
FROM __intrinsic_track
WHERE event_type = 'counter';

CREATE PERFETTO VIEW cpu_counter_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu
FROM __intrinsic_track
WHERE event_type = 'counter' AND extract_arg(dimension_arg_set_id, 'cpu') IS NOT NULL;

CREATE PERFETTO VIEW gpu_counter_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu,
  extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id
FROM __intrinsic_track
WHERE event_type = 'counter' AND extract_arg(dimension_arg_set_id, 'gpu') IS NOT NULL;

CREATE PERFETTO VIEW process_counter_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description, upid
FROM __intrinsic_track
WHERE upid IS NOT NULL AND event_type = 'counter';

CREATE PERFETTO VIEW thread_counter_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description, utid
FROM __intrinsic_track
WHERE utid IS NOT NULL AND event_type = 'counter';

CREATE PERFETTO VIEW perf_counter_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'perf_session_id') AS perf_session_id,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu,
  extract_arg(source_arg_set_id, 'is_timebase') AS is_timebase
FROM __intrinsic_track
WHERE type IN ('perf_cpu_counter', 'perf_global_counter');

CREATE PERFETTO VIEW stack_sample_counter_track AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  coalesce(extract_arg(dimension_arg_set_id, 'session_id'),
    extract_arg(dimension_arg_set_id, 'perf_session_id')) AS session_id,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu,
  extract_arg(source_arg_set_id, 'is_timebase') AS is_timebase
FROM __intrinsic_track
WHERE type IN ('perf_cpu_counter', 'perf_global_counter', 'stack_sample_session_counter');
