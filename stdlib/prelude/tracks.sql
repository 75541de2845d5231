-- Tracks by what they hold and what they belong to. Ids are those of track.

-- Tracks of slices of threads.
CREATE PERFETTO VIEW thread_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Thread, joins thread.
  utid JOINID(thread.id)
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __intrinsic_track
WHERE utid IS NOT NULL AND event_type = 'slice';

-- Tracks of slices of processes.
CREATE PERFETTO VIEW process_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Process, joins process.
  upid JOINID(process.id)
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __intrinsic_track
WHERE upid IS NOT NULL AND event_type = 'slice';

-- Tracks of slices of CPUs.
CREATE PERFETTO VIEW cpu_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- CPU number.
  cpu LONG
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu
FROM __intrinsic_track
WHERE event_type = 'slice' AND extract_arg(dimension_arg_set_id, 'cpu') IS NOT NULL;

-- Tracks of slices of GPUs and of graphics.
CREATE PERFETTO VIEW gpu_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- What the track belongs to, as a thread or CPU; joins args.
  dimension_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- What the track is about, as the source names it.
  scope STRING,
  -- What the source says of the track.
  description STRING,
  -- Context of the GPU, as the driver numbers it.
  context_id LONG
) AS
SELECT id, name, type, parent_id, source_arg_set_id, dimension_arg_set_id, machine_id,
  type AS scope,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'context_id') AS context_id
FROM __intrinsic_track
WHERE type IN ('drm_vblank', 'drm_sched_ring', 'drm_fence', 'mali_mcu_state', 'gpu_render_stage',
  'vulkan_events', 'gpu_log', 'graphics_frame_event');

-- Tracks of states.
CREATE PERFETTO VIEW state_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- What the track belongs to, as a thread or CPU; joins args.
  dimension_arg_set_id ARGSETID,
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id)
) AS
SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id
FROM __intrinsic_track
WHERE event_type = 'state';

-- Tracks of states of processes.
CREATE PERFETTO VIEW process_state_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Process, joins process.
  upid JOINID(process.id)
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, upid
FROM __intrinsic_track
WHERE upid IS NOT NULL AND event_type = 'state';

-- Tracks of states of threads.
CREATE PERFETTO VIEW thread_state_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Thread, joins thread.
  utid JOINID(thread.id)
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, utid
FROM __intrinsic_track
WHERE utid IS NOT NULL AND event_type = 'state';

-- Tracks of counters.
CREATE PERFETTO VIEW counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- What the track belongs to, as a thread or CPU; joins args.
  dimension_arg_set_id ARGSETID,
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING
) AS
SELECT id, name, parent_id, type, dimension_arg_set_id, source_arg_set_id, machine_id,
  counter_unit AS unit, extract_arg(source_arg_set_id, 'description') AS description
FROM __intrinsic_track
WHERE event_type = 'counter';

-- Tracks of counters of CPUs.
CREATE PERFETTO VIEW cpu_counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING,
  -- CPU number.
  cpu LONG
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu
FROM __intrinsic_track
WHERE event_type = 'counter' AND extract_arg(dimension_arg_set_id, 'cpu') IS NOT NULL;

-- Tracks of counters of GPUs.
CREATE PERFETTO VIEW gpu_counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING,
  -- GPU, unique over all machines; joins gpu.
  ugpu LONG,
  -- GPU number.
  gpu_id LONG
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu,
  extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id
FROM __intrinsic_track
WHERE event_type = 'counter' AND extract_arg(dimension_arg_set_id, 'gpu') IS NOT NULL;

-- Tracks of counters of processes.
CREATE PERFETTO VIEW process_counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING,
  -- Process, joins process.
  upid LONG
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description, upid
FROM __intrinsic_track
WHERE upid IS NOT NULL AND event_type = 'counter';

-- Tracks of counters of threads.
CREATE PERFETTO VIEW thread_counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id JOINID(track.id),
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING,
  -- Thread, joins thread.
  utid LONG
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description, utid
FROM __intrinsic_track
WHERE utid IS NOT NULL AND event_type = 'counter';

-- Tracks of perf's counters.
CREATE PERFETTO VIEW perf_counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING,
  -- Session of perf, joins perf_session.
  perf_session_id LONG,
  -- CPU number, NULL where all are counted together.
  cpu LONG,
  -- Whether samples were taken by this counter.
  is_timebase BOOL
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  extract_arg(dimension_arg_set_id, 'perf_session_id') AS perf_session_id,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu,
  extract_arg(source_arg_set_id, 'is_timebase') AS is_timebase
FROM __intrinsic_track
WHERE type IN ('perf_cpu_counter', 'perf_global_counter');

-- Tracks of counters that profilers read with their samples.
CREATE PERFETTO VIEW stack_sample_counter_track(
  -- Track, joins track.
  id ID(track.id),
  -- Name of the track.
  name STRING,
  -- Kind of track, as thread_execution or cpu_frequency.
  type STRING,
  -- Track that it is shown below, joins track.
  parent_id JOINID(track.id),
  -- What the source tells of the track, joins args.
  source_arg_set_id ARGSETID,
  -- Machine, joins machine.
  machine_id JOINID(machine.id),
  -- Unit of the counter's values.
  unit STRING,
  -- What the counter counts.
  description STRING,
  -- Session of the profiler, joins stack_sample_session.
  session_id JOINID(stack_sample_session.id),
  -- CPU number, NULL where all are counted together.
  cpu LONG,
  -- Whether samples were taken by this counter.
  is_timebase BOOL
) AS
SELECT id, name, type, parent_id, source_arg_set_id, machine_id, counter_unit AS unit,
  extract_arg(source_arg_set_id, 'description') AS description,
  coalesce(extract_arg(dimension_arg_set_id, 'session_id'),
    extract_arg(dimension_arg_set_id, 'perf_session_id')) AS session_id,
  extract_arg(dimension_arg_set_id, 'cpu') AS cpu,
  extract_arg(source_arg_set_id, 'is_timebase') AS is_timebase
FROM __intrinsic_track
WHERE id IN (SELECT track_id FROM stack_sample_counter);
