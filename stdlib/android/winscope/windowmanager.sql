-- The containers of windows.

-- One row per snapshot of the window manager.
CREATE PERFETTO VIEW android_windowmanager(
  -- Number of the snapshot.
  id LONG,
  -- When the snapshot was taken.
  ts TIMESTAMP,
  -- The message without its containers (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Number of the message.
  base64_proto_id LONG,
  -- The display that has the focus.
  focused_display_id LONG,
  -- Whether the snapshot does not tell its own time.
  has_invalid_elapsed_ts BOOL
) AS
SELECT id, ts, arg_set_id, base64_proto_id, focused_display_id, has_invalid_elapsed_ts
FROM __intrinsic_windowmanager;

-- One row per container of a snapshot: displays, areas, tasks, activities, windows.
CREATE PERFETTO VIEW android_windowmanager_windowcontainer(
  -- Number of the row.
  id LONG,
  -- The snapshot (joins android_windowmanager.id).
  snapshot_id LONG,
  -- The container without what is in it (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Number of the message.
  base64_proto_id LONG,
  -- Title of the container.
  title STRING,
  -- Hash code of the container.
  token LONG,
  -- The container around it (joins `token` of the snapshot); NULL for the root.
  parent_token LONG,
  -- Position among the children of `parent_token`; NULL for the root.
  child_index LONG,
  -- Whether the container is visible.
  is_visible BOOL,
  -- Rectangle of the container (joins android_winscope_trace_rect.id); NULL for other than displays
  -- and windows.
  window_rect_id LONG,
  -- Class of the container, e.g. `Task` or `WindowState`.
  container_type STRING,
  -- Name to show instead of the title; NULL if there is none.
  name_override STRING
) AS
SELECT id, snapshot_id, arg_set_id, base64_proto_id, title, token, parent_token, child_index,
  is_visible, window_rect_id, container_type, name_override
FROM __intrinsic_windowmanager_windowcontainer;
