-- Times between two slices.

-- From the start of each slice whose name fits to the start, or if `inclusive` the end, of the next one
-- that fits the other pattern.
CREATE PERFETTO FUNCTION _android_generate_start_to_end_slices(
  start_pattern STRING, end_pattern STRING, inclusive BOOL
) RETURNS TABLE(name STRING, ts LONG, dur LONG) AS
SELECT first.name, first.ts, (
    SELECT last.ts + iif($inclusive, last.dur, 0)
    FROM slice AS last
    WHERE last.name GLOB $end_pattern AND last.ts > first.ts
    ORDER BY last.ts
    LIMIT 1
  ) - first.ts AS dur
FROM slice AS first
WHERE first.name GLOB $start_pattern;
