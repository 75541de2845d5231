-- Who takes part in transitions between windows.

-- One row per window that a transition changes.
CREATE PERFETTO VIEW android_window_manager_shell_transition_participants(
  -- The transition (joins window_manager_shell_transitions.transition_id).
  transition_id LONG,
  -- Layer of the window.
  layer_id LONG,
  -- Id of the window's container.
  window_id LONG,
  -- What happens to the window, WindowManager.TRANSIT_*.
  mode LONG,
  -- Details of the change, TransitionInfo.FLAG_*, as bits.
  flags LONG,
  -- Display that the window is on at the start.
  start_display_id LONG,
  -- Display that the window is on at the end.
  end_display_id LONG,
  -- Rotation at the start: 0 to 3 quarters.
  start_rotation LONG,
  -- Rotation at the end: 0 to 3 quarters.
  end_rotation LONG,
  -- Place of the window at the start (joins android_winscope_rect.id).
  start_abs_bounds_rect_id LONG,
  -- Place of the window at the end (joins android_winscope_rect.id).
  end_abs_bounds_rect_id LONG
) AS
SELECT transition_id, layer_id, window_id, mode, flags, start_display_id, end_display_id,
  start_rotation, end_rotation, start_abs_bounds_rect_id, end_abs_bounds_rect_id
FROM __intrinsic_window_manager_shell_transition_participants;

-- Messages of which a transition was put together.
CREATE PERFETTO VIEW android_window_manager_shell_transition_protos(
  -- The transition (joins window_manager_shell_transitions.transition_id).
  transition_id LONG,
  -- Number of the message.
  base64_proto_id LONG
) AS
SELECT transition_id, base64_proto_id
FROM __intrinsic_window_manager_shell_transition_protos;
