-- Frames of profiles that have no symbols yet.

INCLUDE PERFETTO MODULE stacks.cpu_profiling;

-- Chrome's symbols are filed under Breakpad's module id: the build id's first 16 bytes as a UUID of
-- little-endian parts, and 0. NULL for other libraries.
CREATE PERFETTO FUNCTION _to_breakpad_module(mapping STRING, build_id STRING) RETURNS STRING AS
SELECT iif(
  length($build_id) >= 40 AND regexp('lib(monochrome(_64)?|chrome|webviewchromium'
    || '|chromium_android_linker)\.so$', $mapping),
  substr($build_id, 7, 2) || substr($build_id, 5, 2) || substr($build_id, 3, 2)
    || substr($build_id, 1, 2) || substr($build_id, 11, 2) || substr($build_id, 9, 2)
    || substr($build_id, 15, 2) || substr($build_id, 13, 2) || substr($build_id, 17, 16) || '0',
  NULL);

-- For each process the places in libraries with a build id (of linux.perf's samples, of heap
-- profiles and others) that were on a stack and have no symbol.
CREATE PERFETTO TABLE _stacks_symbolization_candidates(
  upid JOINID(process.id), module STRING, build_id STRING, rel_pc LONG, breakpad_module_id STRING
) AS
WITH sites AS (
  SELECT thread.upid, s.callsite_id
  FROM cpu_profiling_samples AS s
  JOIN thread USING (utid)
  UNION
  SELECT upid, callsite_id FROM heap_profile_allocation
),
frames AS (
  SELECT sites.upid, c.frame_id
  FROM sites
  JOIN stack_profile_callsite AS c ON c.id = sites.callsite_id
  UNION
  SELECT sites.upid, c.frame_id
  FROM sites, experimental_ancestor_stack_profile_callsite(sites.callsite_id) AS c
),
places AS (
  SELECT DISTINCT frames.upid, f.mapping, f.rel_pc
  FROM frames
  JOIN stack_profile_frame AS f ON f.id = frames.frame_id
  WHERE f.symbol_set_id IS NULL
)
SELECT places.upid, m.name AS module, m.build_id, places.rel_pc,
  _to_breakpad_module(m.name, m.build_id) AS breakpad_module_id
FROM places
JOIN stack_profile_mapping AS m ON m.id = places.mapping
WHERE m.build_id <> '';
