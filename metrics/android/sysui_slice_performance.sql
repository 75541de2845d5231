-- _slice_performance(name, slices): mean and longest time of slices, from their number, total and
-- longest duration.
CREATE OR REPLACE PERFETTO FUNCTION _slice_performance(
  name STRING, number LONG, total LONG, longest LONG
)
RETURNS BYTES AS
SELECT SysUiSlicePerformanceStatisticalData(
  'name', $name,
  'cnt', $number,
  'avg_dur_ms', CAST($total / $number / 1000000 AS INT),
  'max_dur_ms', CAST($longest / 1000000 AS INT),
  'avg_dur_ns', CAST($total / $number AS INT),
  'max_dur_ns', $longest)
WHERE $number > 0;
