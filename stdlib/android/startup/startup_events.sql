-- Launches of apps as the activity manager shows them, on any version.

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE _startup_events AS
SELECT ts, dur, ts + dur AS ts_end, str_split(name, ': ', 1) AS package_name
FROM process_slice
WHERE name GLOB 'launching: *' AND coalesce(process_name, 'system_server') = 'system_server';
