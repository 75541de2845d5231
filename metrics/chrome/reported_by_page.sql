-- What pages say of themselves by marks called telemetry:reported_by_page:MARK, in ms since the navigation began, of the end
-- of a benchmark since its beginning. The number of the navigation tells pages apart.
CREATE OR REPLACE PERFETTO TABLE _page_mark AS
SELECT
  str_split(name, ':', 2) AS mark,
  (
    ts - CASE name
      WHEN 'telemetry:reported_by_page:benchmark_end' THEN max(begin_ts) OVER earlier
      ELSE max(navigation_ts) OVER earlier
    END
  ) / 1e6 AS ms
FROM (
  SELECT
    name,
    ts,
    extract_arg(arg_set_id, 'debug.data.navigationId') AS navigation,
    iif(name = 'navigationStart', ts, NULL) AS navigation_ts,
    iif(name = 'telemetry:reported_by_page:benchmark_begin', ts, NULL) AS begin_ts
  FROM slice
  WHERE category = 'blink.user_timing'
    AND (name = 'navigationStart' OR name GLOB 'telemetry:reported_by_page:*')
)
WHERE navigation IS NOT NULL
WINDOW earlier AS (PARTITION BY navigation ORDER BY ts RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
ORDER BY navigation, ts;

CREATE OR REPLACE PERFETTO VIEW reported_by_page_output AS
SELECT ReportedByPage(
  'time_to_viewable', (
    SELECT RepeatedField(ms) FROM _page_mark WHERE mark = 'viewable' AND ms IS NOT NULL),
  'time_to_interactive', (
    SELECT RepeatedField(ms) FROM _page_mark WHERE mark = 'interactive' AND ms IS NOT NULL),
  'benchmark_time', (
    SELECT RepeatedField(ms) FROM _page_mark WHERE mark = 'benchmark_end' AND ms IS NOT NULL)
) AS message;
