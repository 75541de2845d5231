-- Chrome's tasks: what its threads do, one thing after the other.

CREATE PERFETTO MACRO _chrome_is_toplevel(category Expr) RETURNS Expr AS
($category GLOB '*toplevel*');

CREATE PERFETTO MACRO _chrome_is_java(category Expr) RETURNS Expr AS
($category GLOB '*Java*' AND $category NOT GLOB '*toplevel*');

CREATE PERFETTO FUNCTION _chrome_view_name(name STRING) RETURNS STRING AS
SELECT replace(replace(replace(replace(replace($name, '.draw', ''), '.onLayout', ''),
  '.onMeasure', ''), '.Layout', ''), '.Measure', '');

-- Java slices that draw or lay out something are views. Many are too general to tell anything.
CREATE PERFETTO TABLE _chrome_views(id LONG, name STRING) AS
SELECT id, _chrome_view_name(name) AS name
FROM slice
WHERE _chrome_is_java!(category) AND dur > 0
  AND _chrome_view_name(name) NOT IN (
    'AppCompatImageButton', 'ComponentHost', 'CompositorView:finalizeLayers',
    'CompositorViewHolder', 'CompositorViewHolder:layout',
    'CompositorViewHolder:updateContentViewChildrenDimension', 'ContentFrameLayout',
    'CoordinatorLayout', 'CoordinatorLayoutForPointer', 'FitWindowsFrameLayout',
    'FitWindowsLinearLayout', 'LayoutDriver:onUpdate', 'OptimizedFrameLayout',
    'ScrollingBottomViewResourceFrameLayout', 'ViewResourceAdapter:captureWithHardwareDraw',
    'ViewResourceAdapter:captureWithSoftwareDraw', 'ViewResourceAdapter:getBitmap',
    'ViewResourceFrameLayout');

-- What lies around each slice.
CREATE PERFETTO TABLE _chrome_surroundings(
  id LONG, in_toplevel BOOL, in_java BOOL, in_view BOOL, in_software BOOL, in_hardware BOOL
) AS
WITH RECURSIVE around(id, in_toplevel, in_java, in_view, in_software, in_hardware) AS (
  SELECT id, 0, 0, 0, 0, 0 FROM slice WHERE parent_id IS NULL
  UNION ALL
  SELECT child.id, in_toplevel OR coalesce(_chrome_is_toplevel!(s.category), 0),
    in_java OR coalesce(s.category GLOB '*Java*', 0), in_view OR v.id IS NOT NULL,
    in_software OR s.name IS 'ViewResourceAdapter:captureWithSoftwareDraw',
    in_hardware OR s.name IS 'ViewResourceAdapter:captureWithHardwareDraw'
  FROM around
  JOIN slice AS s ON s.id = around.id
  JOIN slice AS child ON child.parent_id = s.id
  LEFT JOIN _chrome_views AS v ON v.id = s.id
)
SELECT id, in_toplevel, in_java, in_view, in_software, in_hardware
FROM around
ORDER BY id;

-- Drawing and layout of views by Java. A view within another is a part of it.
CREATE PERFETTO VIEW chrome_java_views(
  -- Name of the view, without what was done to it.
  filtered_name STRING,
  -- Whether a screenshot was taken by software around it.
  is_software_screenshot BOOL,
  -- Whether a screenshot was taken by hardware around it.
  is_hardware_screenshot BOOL,
  -- Slice, joins slice.
  slice_id LONG
) AS
SELECT v.name AS filtered_name, in_software AS is_software_screenshot,
  in_hardware AS is_hardware_screenshot, v.id AS slice_id
FROM _chrome_views AS v
JOIN _chrome_surroundings AS around USING (id)
WHERE NOT in_view;

-- Tasks that Chrome's schedulers ran.
CREATE PERFETTO VIEW chrome_scheduler_tasks(
  -- Slice of the task, joins slice.
  id LONG,
  -- Always chrome_scheduler_tasks.
  type STRING,
  -- RunTask with the place that posted the task.
  name STRING,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Name of the thread.
  thread_name STRING,
  -- Process, joins process.upid.
  upid LONG,
  -- Name of the process.
  process_name STRING,
  -- Track, joins track.
  track_id LONG,
  -- Category of the slice.
  category STRING,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, joins slice; NULL if outermost.
  parent_id LONG,
  -- Arguments, joins args.
  arg_set_id LONG,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur DURATION,
  -- Source file and function that posted the task.
  posted_from STRING
) AS
SELECT id, 'chrome_scheduler_tasks' AS type,
  'RunTask(posted_from=' || coalesce(posted_from, '') || ')' AS name, ts, dur, utid, thread_name,
  upid, process_name, track_id, category, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  posted_from
FROM (
  SELECT s.*, thread.utid, thread.name AS thread_name, process.upid, process.name AS process_name,
    extract_arg(s.arg_set_id, 'task.posted_from.file_name') || ':'
      || extract_arg(s.arg_set_id, 'task.posted_from.function_name') AS posted_from
  FROM slice AS s
  JOIN thread_track AS t ON t.id = s.track_id
  JOIN thread USING (utid)
  JOIN process USING (upid)
  WHERE s.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask')
    AND _chrome_is_toplevel!(s.category)
)
ORDER BY id;

-- Messages of mojo being received. In older recordings the hash of the method's name is that of the
-- first ScopedSetIpcHash within the slice.
CREATE PERFETTO TABLE _chrome_mojo_slices(
  interface_name STRING, ipc_hash LONG, message_type STRING, id LONG
) AS
WITH old AS (
  SELECT id, name AS interface_name
  FROM slice
  WHERE category GLOB '*mojom*' AND name GLOB '*.mojom.*'
  UNION ALL
  SELECT id,
    coalesce(extract_arg(arg_set_id, 'chrome_mojo_event_info.watcher_notify_interface_tag'),
      extract_arg(arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag'))
  FROM slice
  WHERE name = 'Connector::DispatchMessage' AND _chrome_is_toplevel!(category)
)
SELECT extract_arg(arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag') AS interface_name,
  extract_arg(arg_set_id, 'chrome_mojo_event_info.ipc_hash') AS ipc_hash, CASE name
    WHEN 'Receive mojo message' THEN 'message'
    WHEN 'Receive mojo reply' THEN 'reply'
    ELSE NULL END AS message_type, id
FROM slice
WHERE name GLOB 'Receive *' AND _chrome_is_toplevel!(category)
UNION ALL
SELECT interface_name, (
    SELECT extract_arg(inner.arg_set_id, 'chrome_mojo_event_info.ipc_hash')
    FROM descendant_slice(old.id) AS inner
    WHERE inner.name = 'ScopedSetIpcHash'
    ORDER BY inner.id
    LIMIT 1
  ), 'message', id
FROM old;

-- Tasks that run a message: the outermost event of "toplevel" within them receives it. (A message
-- received further inside answers a synchronous call.)
CREATE PERFETTO TABLE _chrome_mojo_tasks(id LONG, name STRING) AS
SELECT task.id, mojo.interface_name || ' ' || coalesce(mojo.message_type, '') || ' (hash='
  || coalesce(mojo.ipc_hash, 0) || ')' AS name
FROM chrome_scheduler_tasks AS task
JOIN _chrome_mojo_slices AS mojo ON mojo.id = (
  SELECT inner.id
  FROM descendant_slice(task.id) AS inner
  WHERE _chrome_is_toplevel!(inner.category)
    AND inner.name NOT IN ('SimpleWatcher::OnHandleReady', 'MessagePipe peer closed')
  ORDER BY inner.depth, inner.ts
  LIMIT 1
)
WHERE task.posted_from IN ('mojo/public/cpp/system/simple_watcher.cc:Notify',
  'mojo/public/cpp/system/simple_watcher.cc:ArmOrNotify',
  'mojo/public/cpp/bindings/lib/connector.cc:PostDispatchNextMessageFromPipe',
  'ipc/ipc_mojo_bootstrap.cc:Accept');

-- Messages that navigate have readable names, with the kind of frame.
CREATE PERFETTO FUNCTION _chrome_navigation_name(id LONG, message STRING) RETURNS STRING AS
SELECT CASE $message
    WHEN 'content.mojom.FrameHost message (hash=2168461044)' THEN 'FrameHost::BeginNavigation'
    WHEN 'content.mojom.FrameHost message (hash=3561497419)'
      THEN 'FrameHost::DidCommitProvisionalLoad'
    WHEN 'content.mojom.FrameHost message (hash=1421450774)'
      THEN 'FrameHost::DidCommitSameDocumentNavigation'
    WHEN 'content.mojom.FrameHost message (hash=368650583)' THEN 'FrameHost::DidStopLoading'
  END || ' (' || coalesce((
    SELECT extract_arg(inner.arg_set_id, 'render_frame_host.frame_type')
    FROM descendant_slice($id) AS inner
    WHERE inner.name IN ('RenderFrameHostImpl::BeginNavigation',
      'RenderFrameHostImpl::DidCommitProvisionalLoad',
      'RenderFrameHostImpl::DidCommitSameDocumentNavigation',
      'RenderFrameHostImpl::DidStopLoading')
    LIMIT 1
  ), 'unknown frame type') || ')';

CREATE PERFETTO TABLE _chrome_navigation_tasks(id LONG, name STRING) AS
SELECT id, _chrome_navigation_name(id, name) AS name
FROM _chrome_mojo_tasks
WHERE name GLOB 'content.mojom.FrameHost message *'
  AND _chrome_navigation_name(id, name) IS NOT NULL;

-- Frames of Android's choreographer, or of Chrome's user interface, with the views that took part.
CREATE PERFETTO TABLE _chrome_view_tasks(id LONG, name STRING, task_type STRING) AS
WITH frame AS (
  SELECT id, 'SingleThreadProxy::BeginMainFrame' AS kind, 'ui_thread_begin_main_frame' AS task_type
  FROM chrome_scheduler_tasks
  WHERE posted_from = 'cc/trees/single_thread_proxy.cc:ScheduledActionSendBeginMainFrame'
  UNION ALL
  SELECT id, 'Choreographer', 'choreographer'
  FROM slice
  WHERE name GLOB 'Looper.dispatch: android.view.Choreographer$FrameHandler*'
)
SELECT frame.id, kind || '(java_views=' || coalesce((
    SELECT group_concat(DISTINCT filtered_name)
    FROM descendant_slice(frame.id) AS inner
    JOIN chrome_java_views AS view ON view.slice_id = inner.id
  ), '') || ')' AS name, task_type
FROM frame;

-- The outermost slices of "toplevel", and Java's outside of those.
CREATE PERFETTO TABLE _chrome_tasks(id LONG, name STRING, task_type STRING) AS
SELECT s.id, coalesce(navigation.name, view.name, mojo.name, task.name, s.name) AS name, CASE
    WHEN navigation.id IS NOT NULL THEN 'navigation_task'
    WHEN view.id IS NOT NULL THEN view.task_type
    WHEN mojo.id IS NOT NULL THEN 'mojo'
    WHEN task.id IS NOT NULL THEN 'scheduler'
    ELSE 'other' END AS task_type
FROM slice AS s
JOIN _chrome_surroundings AS around USING (id)
LEFT JOIN _chrome_navigation_tasks AS navigation USING (id)
LEFT JOIN _chrome_view_tasks AS view USING (id)
LEFT JOIN _chrome_mojo_tasks AS mojo USING (id)
LEFT JOIN chrome_scheduler_tasks AS task USING (id)
WHERE s.category IN ('toplevel', 'toplevel,viz', 'toplevel,Java') AND NOT around.in_toplevel
UNION ALL
SELECT s.id, s.name, 'java'
FROM slice AS s
JOIN _chrome_surroundings AS around USING (id)
WHERE _chrome_is_java!(s.category) AND NOT around.in_toplevel AND NOT around.in_java
ORDER BY id;

-- Everything that counts as a task. `full_name` is `name`, as it was once called.
CREATE PERFETTO VIEW chrome_tasks(
  -- Slice of the task, joins slice.
  id LONG,
  -- Name of the task, with what is known of it.
  name STRING,
  -- Kind of task: navigation_task, mojo, scheduler, choreographer, ui_thread_begin_main_frame, java
  -- or other.
  task_type STRING,
  -- Name of the thread.
  thread_name STRING,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Name of the process.
  process_name STRING,
  -- Process, joins process.upid.
  upid LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Track, joins track.
  track_id LONG,
  -- Category of the slice.
  category STRING,
  -- Arguments, joins args.
  arg_set_id LONG,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur DURATION,
  -- As `name`.
  full_name STRING
) AS
SELECT task.id, task.name, task_type, thread.name AS thread_name, thread.utid,
  process.name AS process_name, thread.upid, s.ts, s.dur, s.track_id, s.category, s.arg_set_id,
  s.thread_ts, s.thread_dur, task.name AS full_name
FROM _chrome_tasks AS task
JOIN slice AS s USING (id)
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread USING (utid)
JOIN process USING (upid);
