-- What pages say of themselves by marks telemetry:reported_by_page:MARK, in ms.
CREATE OR REPLACE PERFETTO TABLE _page_mark AS
SELECT
  str_split(name, ':', 2) AS mark,
  ts,
  max(iif(name = 'telemetry:reported_by_page:start_navigation', ts, NULL)) OVER marks AS start_ts,
  max(iif(name = 'telemetry:reported_by_page:benchmark_begin', ts, NULL)) OVER marks AS begin_ts
FROM slice
WHERE name GLOB 'telemetry:reported_by_page:*'
WINDOW marks AS (ORDER BY ts);

CREATE OR REPLACE PERFETTO VIEW reported_by_page_output AS
SELECT ReportedByPage(
  'time_to_viewable', (
    SELECT RepeatedField((ts - start_ts) / 1e6) FROM _page_mark
    WHERE mark = 'viewable' AND start_ts IS NOT NULL
  ),
  'time_to_interactive', (
    SELECT RepeatedField((ts - start_ts) / 1e6) FROM _page_mark
    WHERE mark = 'interactive' AND start_ts IS NOT NULL
  ),
  'benchmark_time', (
    SELECT RepeatedField((ts - begin_ts) / 1e6) FROM _page_mark
    WHERE mark = 'benchmark_end' AND begin_ts IS NOT NULL
  )
) AS message;
