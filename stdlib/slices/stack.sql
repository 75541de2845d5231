-- Slices that have the same names from the outermost slice down to them share a stack id.

CREATE PERFETTO TABLE _slice_stack(id ID(slice.id), stack_id LONG, parent_stack_id LONG) AS
WITH RECURSIVE stack(id, stack_id, parent_stack_id) AS (
  SELECT id, hash(0, coalesce(category, ''), coalesce(name, '')), 0
  FROM slice
  WHERE parent_id IS NULL
  UNION ALL
  SELECT slice.id,
    hash(stack.stack_id, coalesce(slice.category, ''), coalesce(slice.name, '')), stack.stack_id
  FROM stack
  JOIN slice ON slice.parent_id = stack.id
)
SELECT id, stack_id, parent_stack_id
FROM stack
ORDER BY id;

CREATE PERFETTO VIEW slice_with_stack_id(
  id ID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG, thread_instruction_count LONG, thread_instruction_delta LONG, stack_id LONG,
  parent_stack_id LONG
) AS
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta, stack_id, parent_stack_id
FROM slice
JOIN _slice_stack USING (id);

-- The slices of that stack and everything around them.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(
  stack_hash LONG
) RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
WITH RECURSIVE around(member) AS (
  SELECT id FROM _slice_stack WHERE stack_id = $stack_hash
  UNION
  SELECT parent_id FROM around JOIN slice ON slice.id = member WHERE parent_id IS NOT NULL
)
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM around
JOIN slice ON slice.id = member;

-- The slices of that stack and everything inside of them.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(
  stack_hash LONG
) RETURNS TABLE(
  id JOINID(slice.id), ts TIMESTAMP, dur DURATION, track_id JOINID(track.id), category STRING,
  name STRING, depth LONG, parent_id JOINID(slice.id), arg_set_id ARGSETID, thread_ts TIMESTAMP,
  thread_dur LONG
) AS
WITH RECURSIVE inside(member) AS (
  SELECT id FROM _slice_stack WHERE stack_id = $stack_hash
  UNION
  SELECT slice.id FROM inside JOIN slice ON slice.parent_id = member
)
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM inside
JOIN slice ON slice.id = member;
