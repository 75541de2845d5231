-- Loads of pages. A navigation's id belongs to a browser process.

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE _page_load_events(
  event STRING, ts TIMESTAMP, dur DURATION, navigation_id LONG, url STRING,
  upid JOINID(process.id)
) AS
SELECT substr(name, length('PageLoadMetrics.') + 1) AS event, ts, dur,
  extract_arg(arg_set_id, 'page_load.navigation_id') AS navigation_id,
  extract_arg(arg_set_id, 'page_load.url') AS url, upid
FROM process_slice
WHERE name GLOB 'PageLoadMetrics.*';

-- When an event of that name happened in the load `fcp`.
CREATE PERFETTO MACRO _page_load_event(event Expr, column Expr) RETURNS Expr AS (
  SELECT $column
  FROM _page_load_events AS e
  WHERE e.event = $event AND e.navigation_id = fcp.navigation_id AND e.upid = fcp.upid
  LIMIT 1
);

-- Every load that came as far as its first contentful paint (fcp); lcp is the largest one. Both are
-- durations since the navigation started. The last three are marks that pages make themselves.
CREATE PERFETTO TABLE chrome_page_loads(
  -- Id of the row.
  id LONG,
  -- Navigation, within the browser process.
  navigation_id LONG,
  -- When the navigation started.
  navigation_start_ts TIMESTAMP,
  -- From the start of the navigation to the first contentful paint, ns.
  fcp LONG,
  -- When the first contentful paint was.
  fcp_ts TIMESTAMP,
  -- From the start of the navigation to the largest contentful paint, ns.
  lcp LONG,
  -- When the largest contentful paint was.
  lcp_ts TIMESTAMP,
  -- When the event DOMContentLoaded was fired.
  dom_content_loaded_event_ts TIMESTAMP,
  -- When the main frame's event load was fired.
  load_event_ts TIMESTAMP,
  -- When the page marked itself as loaded, if it did.
  mark_fully_loaded_ts TIMESTAMP,
  -- When the page marked itself as visible, if it did.
  mark_fully_visible_ts TIMESTAMP,
  -- When the page marked itself as interactive, if it did.
  mark_interactive_ts TIMESTAMP,
  -- URL of the page.
  url STRING,
  -- Browser process, joins process.
  browser_upid LONG
) AS
SELECT row_number() OVER (ORDER BY fcp.ts) AS id, fcp.navigation_id,
  fcp.ts AS navigation_start_ts, fcp.dur AS fcp, fcp.ts + fcp.dur AS fcp_ts,
  _page_load_event!('NavigationToLargestContentfulPaint', e.dur) AS lcp,
  _page_load_event!('NavigationToLargestContentfulPaint', e.ts + e.dur) AS lcp_ts,
  _page_load_event!('NavigationToDOMContentLoadedEventFired', e.ts) AS dom_content_loaded_event_ts,
  _page_load_event!('NavigationToMainFrameOnLoad', e.ts) AS load_event_ts,
  _page_load_event!('UserTimingMarkFullyLoaded', e.ts) AS mark_fully_loaded_ts,
  _page_load_event!('UserTimingMarkFullyVisible', e.ts) AS mark_fully_visible_ts,
  _page_load_event!('UserTimingMarkInteractive', e.ts) AS mark_interactive_ts, fcp.url,
  fcp.upid AS browser_upid
FROM _page_load_events AS fcp
WHERE fcp.event = 'NavigationToFirstContentfulPaint';
