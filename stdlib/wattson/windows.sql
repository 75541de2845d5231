-- Times for which the use of power can be of interest.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE wattson.utils;

-- From the first slice wattson_start to the last wattson_stop, which users put into a recording.
CREATE PERFETTO VIEW wattson_window_markers(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Always 1.
  period_id LONG
) AS
SELECT ts, dur, 1 AS period_id FROM _wattson_markers_window;

-- The whole trace.
CREATE PERFETTO VIEW wattson_window_trace(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Always 1.
  period_id LONG
) AS
SELECT trace_start() AS ts, trace_dur() AS dur, 1 AS period_id;

-- Starts of apps on Android.
CREATE PERFETTO VIEW wattson_window_app_startup(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Startup, joins android_startups.startup_id.
  period_id LONG
) AS
SELECT ts, dur, startup_id AS period_id
FROM android_startups;

-- Interactions on Android that are watched for jank.
CREATE PERFETTO VIEW wattson_window_atrace_apps(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Interaction, joins android_jank_cuj.cuj_id.
  period_id LONG
) AS
SELECT ts, dur, cuj_id AS period_id
FROM android_jank_cuj;
