-- Starts of Chrome's activities on Android.

INCLUDE PERFETTO MODULE slices.with_context;

-- Each start of an activity.
CREATE PERFETTO TABLE chrome_startups(
  -- Id of the row.
  id LONG,
  -- Activity, within the browser process.
  activity_id LONG,
  -- Always Startup.
  name STRING,
  -- When the start began.
  startup_begin_ts TIMESTAMP,
  -- When something was first visible, NULL if not known.
  first_visible_content_ts TIMESTAMP,
  -- Why the activity was launched, as MAIN_LAUNCHER_ICON.
  launch_cause STRING,
  -- Browser process, joins process.
  browser_upid LONG
) AS
WITH
  events AS (
    SELECT name, ts, ts + dur AS ts_end, upid,
      extract_arg(arg_set_id, 'startup.activity_id') AS activity_id,
      extract_arg(arg_set_id, 'startup.launch_cause') AS launch_cause
    FROM thread_or_process_slice
    WHERE name IN ('Startup.ActivityStart', 'Startup.TimeToFirstVisibleContent2',
      'Startup.LaunchCause')
  ),
  starts AS (
    SELECT DISTINCT activity_id, upid FROM events WHERE name <> 'Startup.LaunchCause'
  )
-- Where something became visible, the event that tells so starts the count.
SELECT row_number() OVER (ORDER BY coalesce(visible.ts, start.ts)) AS id, starts.activity_id,
  'Startup' AS name, coalesce(visible.ts, start.ts) AS startup_begin_ts,
  visible.ts_end AS first_visible_content_ts, cause.launch_cause, starts.upid AS browser_upid
FROM starts
LEFT JOIN events AS visible ON visible.name = 'Startup.TimeToFirstVisibleContent2'
  AND visible.activity_id IS starts.activity_id AND visible.upid IS starts.upid
LEFT JOIN events AS start ON start.name = 'Startup.ActivityStart'
  AND start.activity_id IS starts.activity_id AND start.upid IS starts.upid
LEFT JOIN events AS cause ON cause.name = 'Startup.LaunchCause'
  AND cause.activity_id IS starts.activity_id AND cause.upid IS starts.upid;
