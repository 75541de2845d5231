-- Atoms of statsd, as they were recorded.

-- One row per atom: slices of the tracks of statsd.
CREATE PERFETTO VIEW android_statsd_atoms(
  -- The slice (joins slice.id).
  id LONG,
  -- When statsd recorded the atom.
  ts TIMESTAMP,
  -- 0: atoms have no length.
  dur DURATION,
  -- Fields of the atom, keyed by its name (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- As in slice; NULL for atoms.
  thread_instruction_count LONG,
  -- As in slice; NULL for atoms.
  thread_instruction_delta LONG,
  -- The track of atoms.
  track_id JOINID(track.id),
  -- As in slice; NULL for atoms.
  category STRING,
  -- Name of the atom.
  name STRING,
  -- As in slice: 0.
  depth LONG,
  -- As in slice; NULL for atoms.
  parent_id LONG,
  -- As in slice; NULL for atoms.
  thread_ts TIMESTAMP,
  -- As in slice; NULL for atoms.
  thread_dur LONG
) AS
SELECT s.id, s.ts, s.dur, s.arg_set_id, s.thread_instruction_count, s.thread_instruction_delta,
  s.track_id, s.category, s.name, s.depth, s.parent_id, s.thread_ts, s.thread_dur
FROM track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE t.type = 'statsd_atoms';

-- What started or stopped recordings.
CREATE PERFETTO VIEW _android_statsd_perfetto_triggers(ts TIMESTAMP, trigger_name STRING) AS
SELECT ts, extract_arg(arg_set_id, 'perfetto_trigger.trigger_name') AS trigger_name
FROM android_statsd_atoms
WHERE name = 'perfetto_trigger';
