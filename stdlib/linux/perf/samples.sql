-- Where the samples of perf were taken, as a tree of functions.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

CREATE PERFETTO TABLE _linux_perf_raw_callstacks AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count
FROM _callstacks_for_callsites!(perf_sample);

-- The functions that were on the stacks, a row for each way to call them.
CREATE PERFETTO TABLE linux_perf_samples_summary_tree(
  -- Node of the tree.
  id LONG,
  -- Node of the caller, NULL for the outermost function.
  parent_id LONG,
  -- Name of the function.
  name STRING,
  -- Binary or library of the function.
  mapping_name STRING,
  -- Source file, if symbolized.
  source_file STRING,
  -- Line in source_file, if symbolized.
  line_number LONG,
  -- Samples that were taken in the function itself.
  self_count LONG,
  -- Samples that were taken in the function or in what it called.
  cumulative_count LONG
) AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count
FROM _callstacks_summary!(_linux_perf_raw_callstacks);
