-- Slices that have the same names from the outermost slice down to them share a stack id.

INCLUDE PERFETTO MODULE slices.hierarchy;

-- The slices with their stack.
CREATE PERFETTO VIEW slice_with_stack_id(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, NULL if outermost.
  parent_id JOINID(slice.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur LONG,
  -- Instructions of the thread at the start.
  thread_instruction_count LONG,
  -- Instructions that the thread executed.
  thread_instruction_delta LONG,
  -- Hash of categories and names from the outermost slice on.
  stack_id LONG,
  -- Stack of the slice around it, 0 if outermost.
  parent_stack_id LONG
) AS
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta,
  __intrinsic_slice_stack(id) AS stack_id,
  coalesce(__intrinsic_slice_stack(parent_id), 0) AS parent_stack_id
FROM slice;

-- Where the slices of a stack are looked up.
CREATE PERFETTO TABLE _slice_stack(id ID(slice.id), stack_id LONG) AS
SELECT id, stack_id
FROM slice_with_stack_id;

-- The slices of that stack and everything around them.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(
  -- Stack, as slice_with_stack_id.stack_id.
  stack_hash LONG
) RETURNS TABLE(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, NULL if outermost.
  parent_id JOINID(slice.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur LONG
) AS
WITH RECURSIVE around(member) AS (
  SELECT id FROM _slice_stack WHERE stack_id = $stack_hash
  UNION
  SELECT parent_id FROM around JOIN slice ON slice.id = member WHERE parent_id IS NOT NULL
)
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM around
JOIN slice ON slice.id = member
ORDER BY ts;

-- The slices of that stack and everything inside of them.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(
  -- Stack, as slice_with_stack_id.stack_id.
  stack_hash LONG
) RETURNS TABLE(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Category of the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, NULL if outermost.
  parent_id JOINID(slice.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur LONG
) AS
WITH RECURSIVE inside(member) AS (
  SELECT id FROM _slice_stack WHERE stack_id = $stack_hash
  UNION
  SELECT slice.id FROM inside JOIN slice ON slice.parent_id = member
)
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM inside
JOIN slice ON slice.id = member
ORDER BY ts;
