-- Slices of threads without their nesting: at each time the innermost one.

INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.with_context;

-- What lies in a slice that has not ended is left out.
CREATE PERFETTO TABLE _slice_flattened AS
WITH RECURSIVE _ended(id, root_id) AS (
  SELECT id, id FROM slice WHERE parent_id IS NULL AND dur > 0
  UNION ALL
  SELECT s.id, root_id FROM _ended JOIN slice AS s ON s.parent_id = _ended.id WHERE s.dur > 0
)
SELECT s.id AS slice_id, flat.ts, flat.dur, s.depth, s.name, _ended.root_id, s.track_id,
  s.utid, s.tid, s.thread_name, s.upid, s.pid, s.process_name
FROM experimental_flat_slice(trace_start(), trace_end()) AS flat
JOIN _ended ON _ended.id = flat.source_id
JOIN thread_slice AS s ON s.id = flat.source_id
WHERE flat.dur > 0;

CREATE PERFETTO INDEX _slice_flattened_by_id ON _slice_flattened(slice_id);
