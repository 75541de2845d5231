-- Where the samples of perf were taken, as a tree of functions.

INCLUDE PERFETTO MODULE callstacks.stack_profile;

CREATE PERFETTO TABLE _linux_perf_callstacks AS
SELECT *
FROM _callstacks_for_callsites!(perf_sample);

CREATE PERFETTO TABLE linux_perf_samples_summary_tree(
  id LONG, parent_id LONG, name STRING, mapping_name STRING, source_file STRING, line_number LONG,
  self_count LONG, cumulative_count LONG
) AS
SELECT id, parent_id, name, mapping_name, source_file, line_number, self_count, cumulative_count
FROM _callstacks_summary!(_linux_perf_callstacks);
