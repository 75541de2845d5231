-- scroll_jank_cause_queuing_delay: tasks that ran while an update of a scroll waited for its next step on their thread, and
-- what each is called by what it did.
SELECT run_metric('chrome/chrome_thread_slice.sql');
SELECT run_metric('chrome/scroll_flow_event_queuing_delay.sql');

-- A run of many tasks is none. Pools of threads tell of input afterwards, it does not wait for them.
CREATE OR REPLACE PERFETTO TABLE _scroll_blocking_task AS
SELECT
  s.id, s.ts, s.dur, s.track_id, s.name, s.category, s.thread_dur,
  extract_arg(s.arg_set_id, 'task.posted_from.file_name') AS file_path,
  extract_arg(s.arg_set_id, 'task.posted_from.function_name') AS function,
  th.canonical_name AS thread_name,
  p.process_type AS process_name
FROM chrome_thread_slice AS s
LEFT JOIN slice AS parent ON parent.id = s.parent_id
JOIN thread_track AS t ON t.id = s.track_id
JOIN chrome_thread AS th USING (utid)
JOIN chrome_process AS p ON p.upid = th.upid
WHERE s.name != 'ThreadController active'
  AND (s.depth = 0 OR parent.name = 'ThreadController active')
  AND th.canonical_name NOT GLOB '*ThreadPool*';

CREATE OR REPLACE PERFETTO TABLE _scroll_blocking AS
SELECT
  row_number() OVER () AS place,
  s.*,
  q.trace_id,
  q.scroll_slice_id AS scroll_id,
  q.scroll_ts,
  q.scroll_dur,
  q.scroll_track_id,
  q.jank,
  q.queuing_time_ns,
  min(s.ts + s.dur, q.maybe_next_ancestor_ts) - max(s.ts, q.ancestor_end) AS dur_overlapping_ns,
  q.description,
  replace(s.file_path, rtrim(s.file_path, replace(s.file_path, '/', '')), '') AS file,
  q.avg_vsync_interval
FROM scroll_flow_event_queuing_delay AS q
JOIN _scroll_blocking_task AS s
  ON s.track_id = q.next_track_id
  AND s.ts + s.dur > q.ancestor_end
  AND s.ts < q.maybe_next_ancestor_ts
WHERE q.queuing_time_ns > 0;

-- What tasks are made of. Slices for mojo are called by the interface. A part is a major one if it takes more than half of
-- what a part of its depth may; whether by time at all is measured in whole parts: so it was published.
CREATE OR REPLACE PERFETTO TABLE _scroll_blocking_part AS
SELECT
  b.place,
  b.id AS task_id,
  d.id, d.ts, d.dur, d.depth, d.category, d.parent_id,
  coalesce(
    extract_arg(d.arg_set_id, 'chrome_mojo_event_info.watcher_notify_interface_tag'),
    extract_arg(d.arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag'),
    d.name) AS name,
  extract_arg(d.arg_set_id, 'chrome_mojo_event_info.ipc_hash') AS ipc_hash,
  d.thread_dur,
  1.0 * d.thread_dur / b.thread_dur AS cpu_part,
  d.dur / b.dur AS dur_part,
  (1.0 * d.thread_dur / (b.thread_dur / (1 << (d.depth - 1))) > 0.5 AND 1.0 * d.thread_dur / b.thread_dur > 0.05)
    OR (d.dur / (b.dur / (1 << (d.depth - 1))) > 0.5 AND d.dur / b.dur > 0.05) AS is_major,
  count(*) OVER (PARTITION BY d.parent_id) AS brood
FROM _scroll_blocking AS b
JOIN descendant_slice(b.id) AS d;

-- Parts that tell what a task did: those above the first slice with siblings, and major ones.
CREATE OR REPLACE PERFETTO TABLE _scroll_blocking_parts AS
SELECT
  place,
  group_concat(iif(tells, id, NULL), '-') AS descendant_id,
  group_concat(iif(tells, ts, NULL), '-') AS descendant_ts,
  group_concat(iif(tells, dur, NULL), '-') AS descendant_dur,
  group_concat(iif(tells, name, NULL), '-') AS descendant_name,
  group_concat(iif(tells, thread_dur, NULL), '-') AS descendant_thread_dur,
  group_concat(iif(tells, cpu_part, NULL), '-') AS descendant_cpu_time,
  group_concat(iif(category = 'mojom', name, NULL), '-') AS mojom_name,
  min(ipc_hash) AS mojom_ipc_hash,
  group_concat(iif(category = 'toplevel' AND name NOT GLOB '*ThreadController*', name, NULL), '-') AS toplevel_name,
  group_concat(iif(category = 'Java', name, NULL), '-') AS java_name
FROM (
  SELECT
    p.*,
    p.is_major OR p.depth < ifnull((
      SELECT min(o.depth) FROM _scroll_blocking_part AS o WHERE o.task_id = p.task_id AND o.brood > 1
    ), 10) AS tells
  FROM _scroll_blocking_part AS p
  ORDER BY p.place, p.depth, p.cpu_part DESC, p.dur_part DESC
)
GROUP BY place;

-- Views that are known by a part of their name, the first in this order; others are called by the first slice.
CREATE OR REPLACE PERFETTO FUNCTION _scroll_java_name(names STRING) RETURNS STRING AS
WITH known(place, view) AS (
  VALUES
    (1, 'ToolbarControlContainer'), (2, 'ToolbarProgressBar'), (3, 'TabGroupUiToolbarView'),
    (4, 'TabGridThumbnailView'), (5, 'TabGridDialogView'), (6, 'BottomContainer'), (7, 'FeedSwipeRefreshLayout'),
    (8, 'AutocompleteEditText'), (9, 'HomeButton'), (10, 'ToggleTabStackButton'), (11, 'ListMenuButton'),
    (12, 'ScrimView'), (13, 'ChromeImageView'), (14, 'AppCompatImageView'), (15, 'ChromeImageButton'),
    (16, 'AppCompatImageButton'), (17, 'TabListRecyclerView')
)
SELECT ifnull(
  (SELECT view FROM known WHERE instr($names, view) > 0 ORDER BY place LIMIT 1),
  str_split($names, '-', 0));

-- Tasks are called by what posted them, other slices by themselves; it does not matter how mojo's pipe woke up.
CREATE OR REPLACE PERFETTO TABLE _scroll_blocking_named AS
SELECT
  *,
  task || ifnull('-' || descendant_name, '') AS location,
  task || coalesce(
    '-' || str_split(mojom_name, '-', 0) || ipc,
    '-' || str_split(toplevel_name, '-', 0) || ipc,
    '-' || _scroll_java_name(java_name),
    iif(name = 'ThreadControllerImpl::RunTask' OR category = 'Java' OR descendant_name IS NULL, '', '-UnknownEvent')
  ) AS restricted_location
FROM (
  SELECT
    b.*,
    p.descendant_id, p.descendant_ts, p.descendant_dur, p.descendant_name, p.descendant_thread_dur,
    p.descendant_cpu_time, p.mojom_name, p.mojom_ipc_hash, p.toplevel_name, p.java_name,
    ifnull('(ipc=' || p.mojom_ipc_hash || ')', '') AS ipc,
    CASE
      WHEN b.name != 'ThreadControllerImpl::RunTask' THEN b.name
      WHEN b.function IN ('PostDispatchNextMessageFromPipe', 'ArmOrNotify', 'Notify') THEN 'posted-from-mojo-pipe'
      ELSE 'posted-from-' || b.function || '()-in-' || b.file
    END AS task
  FROM _scroll_blocking AS b
  LEFT JOIN _scroll_blocking_parts AS p USING (place)
);

-- Beside each what it takes on average where there is no jank.
CREATE OR REPLACE PERFETTO TABLE scroll_jank_cause_queuing_delay AS
WITH
  smooth AS (
    SELECT location, avg(dur_overlapping_ns) AS ns FROM _scroll_blocking_named WHERE NOT jank GROUP BY location
  ),
  smooth_restricted AS (
    SELECT restricted_location, avg(dur_overlapping_ns) AS ns
    FROM _scroll_blocking_named
    WHERE NOT jank
    GROUP BY restricted_location
  )
SELECT
  n.location,
  n.restricted_location,
  n.id, n.ts, n.dur, n.track_id, n.trace_id, n.name, n.category,
  n.scroll_id, n.scroll_ts, n.scroll_dur, n.scroll_track_id,
  n.jank, n.queuing_time_ns, n.dur_overlapping_ns, n.description,
  n.file, n.thread_name, n.process_name, n.function, n.avg_vsync_interval,
  n.descendant_id, n.descendant_ts, n.descendant_dur, n.descendant_name, n.descendant_thread_dur, n.descendant_cpu_time,
  n.mojom_name, n.mojom_ipc_hash, n.toplevel_name, n.java_name,
  'InputLatency.LatencyInfo.Flow.QueuingDelay.' || iif(n.jank, 'Jank', 'NoJank') || '.BlockingTasksUs.'
    || n.location AS metric_name,
  ifnull(s.ns, 0) AS avg_no_jank_dur_overlapping_ns,
  'QueuingDelay.' || iif(n.jank, 'Jank', 'NoJank') || '.BlockingTasksUs.'
    || n.restricted_location AS restricted_metric_name,
  ifnull(r.ns, 0) AS avg_no_jank_dur_overlapping_ns_restricted
FROM _scroll_blocking_named AS n
LEFT JOIN smooth AS s ON s.location = n.location
LEFT JOIN smooth_restricted AS r ON r.restricted_location = n.restricted_location
ORDER BY n.trace_id, n.ts;
