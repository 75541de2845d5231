-- chrome_stack_samples_for_task: the frames of stacks that Chrome's sampler took during tasks called `task_name` of threads
-- called `thread_name`, of `target_duration_ms` or longer. Both names are given with quotes.
INCLUDE PERFETTO MODULE chrome.tasks;

CREATE OR REPLACE PERFETTO TABLE chrome_targeted_task AS
SELECT full_name, dur, ts, id, utid
FROM chrome_tasks
WHERE dur >= {{target_duration_ms}} * 1e6 AND thread_name = {{thread_name}} AND full_name = {{task_name}};

-- Functions that the compiler put into a frame have the frame's depth.
CREATE OR REPLACE PERFETTO TABLE chrome_stack_samples_for_task AS
WITH RECURSIVE stack(ts, utid, callsite_id, parent_id, depth, frame_id) AS (
  SELECT s.ts, s.utid, c.id, c.parent_id, c.depth, c.frame_id
  FROM cpu_profile_stack_sample AS s
  JOIN chrome_targeted_task AS t ON t.utid = s.utid AND s.ts BETWEEN t.ts AND t.ts + t.dur
  JOIN stack_profile_callsite AS c ON c.id = s.callsite_id
  UNION
  SELECT ts, utid, c.id, c.parent_id, c.depth, c.frame_id
  FROM stack
  JOIN stack_profile_callsite AS c ON c.id = stack.parent_id
)
SELECT DISTINCT
  coalesce(y.name, demangle(f.name), f.name) AS description,
  stack.ts,
  stack.depth,
  stack.callsite_id,
  stack.utid AS sample_utid
FROM stack
JOIN stack_profile_frame AS f ON f.id = stack.frame_id
LEFT JOIN stack_profile_symbol AS y USING (symbol_set_id)
ORDER BY depth, ts, callsite_id;
