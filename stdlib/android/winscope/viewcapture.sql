-- Views of windows.

-- One row per snapshot of a window's views.
CREATE PERFETTO VIEW android_viewcapture(
  -- Number of the snapshot.
  id LONG,
  -- When the snapshot was taken.
  ts TIMESTAMP,
  -- The message without its views (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Package of the app.
  package_name STRING,
  -- Name of the window.
  window_name STRING
) AS
SELECT id, ts, arg_set_id, package_name, window_name
FROM __intrinsic_viewcapture;

-- One row per view of a snapshot.
CREATE PERFETTO VIEW android_viewcapture_view(
  -- Number of the row.
  id LONG,
  -- The snapshot (joins android_viewcapture.id).
  snapshot_id LONG,
  -- The whole view (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Number of the view in the snapshot.
  node_id LONG,
  -- Hash code of the view, the same in all snapshots.
  hashcode LONG,
  -- 1 if the view has a size, and it and all views around it are shown.
  is_visible LONG,
  -- The view around it (joins `node_id` of the snapshot); -1 for the outermost.
  parent_id LONG,
  -- Resource id of the view, by name.
  view_id STRING,
  -- Class of the view.
  class_name STRING,
  -- Rectangle of the view (joins android_winscope_trace_rect.id).
  trace_rect_id LONG
) AS
SELECT id, snapshot_id, arg_set_id, node_id, hashcode, is_visible, parent_id, view_id, class_name,
  trace_rect_id
FROM __intrinsic_viewcapture_view;
