/* Android's windows, layers, transitions, views and input methods (Winscope).
 * How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_WINSCOPE_H
#define TPTUI_CORE_SCHEMA_WINSCOPE_H

/* clang-format off */
#define COLUMNS_winscope_rect(C, T) \
    C(T, x, F64, 0, "Left edge, pixels.") \
    C(T, y, F64, 0, "Upper edge, pixels.") \
    C(T, w, F64, 0, "Width, pixels.") \
    C(T, h, F64, 0, "Height, pixels.")

#define COLUMNS_winscope_transform(C, T) \
    C(T, dsdx, F64, 0, "Factor of x in x'.") \
    C(T, dtdx, F64, 0, "Factor of y in x'.") \
    C(T, tx, F64, 0, "Shift of x, pixels.") \
    C(T, dtdy, F64, 0, "Factor of x in y'.") \
    C(T, dsdy, F64, 0, "Factor of y in y'.") \
    C(T, ty, F64, 0, "Shift of y, pixels.")

#define COLUMNS_winscope_trace_rect(C, T) \
    C(T, rect_id, JOINID(winscope_rect.id), 0, "Place and size.") \
    C(T, group_id, U32, COLUMN_FOREIGN, "Display, or another stack of rectangles.") \
    C(T, depth, U32, 0, "Place in the stack, from the back.") \
    C(T, is_spy, I64, 0, "1 for windows that only watch input.") \
    C(T, is_visible, I64, 0, "1 where it is visible.") \
    C(T, opacity, F64, COLUMN_NULLABLE, "0 transparent to 1 opaque.") \
    C(T, transform_id, U32, COLUMN_FOREIGN, "How it is transformed: winscope_transform.id; 0 also where not.") \
    C(T, border_width, F64, COLUMN_NULLABLE, "Width of the border, pixels.") \
    C(T, border_color, U32, COLUMN_NULLABLE, "Color of the border.")

#define COLUMNS_winscope_fill_region(C, T) \
    C(T, trace_rect_id, JOINID(winscope_trace_rect.id), 0, "Rectangle that has the region.") \
    C(T, rect_id, JOINID(winscope_rect.id), 0, "Part of the region.")

#define COLUMNS_inputmethod_clients(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.")

#define COLUMNS_inputmethod_manager_service(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.")

#define COLUMNS_inputmethod_service(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.")

#define COLUMNS_surfaceflinger_layers_snapshot(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, sequence_id, U32, COLUMN_FOREIGN, "Number of the snapshot in its packets.") \
    C(T, has_invalid_elapsed_ts, U32, COLUMN_NULLABLE, \
      "1 where ts is not of the clock that it should be of.")

#define COLUMNS_surfaceflinger_display(C, T) \
    C(T, snapshot_id, JOINID(surfaceflinger_layers_snapshot.id), 0, "Snapshot.") \
    C(T, is_on, I64, 0, "1 where it is on.") \
    C(T, is_virtual, I64, 0, "1 where it is no real display.") \
    C(T, trace_rect_id, JOINID(winscope_trace_rect.id), 0, "Its rectangle.") \
    C(T, display_id, I64, COLUMN_FOREIGN, "Number of the display.") \
    C(T, display_name, STR, COLUMN_NULLABLE, "Name of the display.")

#define COLUMNS_surfaceflinger_layer(C, T) \
    C(T, snapshot_id, JOINID(surfaceflinger_layers_snapshot.id), 0, "Snapshot.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, layer_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the layer.") \
    C(T, layer_name, STR, COLUMN_NULLABLE, "Name of the layer.") \
    C(T, is_visible, I64, 0, "1 where it is visible.") \
    C(T, parent, I64, COLUMN_NULLABLE, "Number of the layer that it is in.") \
    C(T, corner_radius_tl, F64, COLUMN_NULLABLE, "Radius of the upper left corner, pixels.") \
    C(T, corner_radius_tr, F64, COLUMN_NULLABLE, "Radius of the upper right corner, pixels.") \
    C(T, corner_radius_bl, F64, COLUMN_NULLABLE, "Radius of the lower left corner, pixels.") \
    C(T, corner_radius_br, F64, COLUMN_NULLABLE, "Radius of the lower right corner, pixels.") \
    C(T, hwc_composition_type, I64, COLUMN_NULLABLE, \
      "How it is put on the screen: 1 client, 2 device, ...") \
    C(T, is_hidden_by_policy, I64, 0, "1 where the window manager hides it.") \
    C(T, z_order_relative_of, I64, COLUMN_NULLABLE, \
      "Number of the layer that its order is relative to.") \
    C(T, is_missing_z_parent, I64, 0, "1 where that layer is gone.") \
    C(T, layer_rect_id, JOINID(winscope_trace_rect.id), COLUMN_NULLABLE, "Its rectangle.") \
    C(T, input_rect_id, JOINID(winscope_trace_rect.id), COLUMN_NULLABLE, \
      "Rectangle that takes input.")

#define COLUMNS_surfaceflinger_transactions(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it happened, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, vsync_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Frame that they are part of.")

#define COLUMNS_surfaceflinger_transaction(C, T) \
    C(T, snapshot_id, JOINID(surfaceflinger_transactions.id), 0, "Moment of the transactions.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, transaction_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the transaction.") \
    C(T, pid, U32, COLUMN_NULLABLE, "Process that asked, as a pid.") \
    C(T, uid, U32, COLUMN_NULLABLE, "User that asked.") \
    C(T, layer_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the layer.") \
    C(T, display_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the display.") \
    C(T, flags_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "What changed: rows of __intrinsic_surfaceflinger_transaction_flag.") \
    C(T, transaction_type, STR, COLUMN_NULLABLE, "LAYER_CHANGED, DISPLAY_ADDED, ...")

#define COLUMNS_surfaceflinger_transaction_flag(C, T) \
    C(T, flags_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Set that it belongs to.") \
    C(T, flag, STR, COLUMN_NULLABLE, "Name of what changed.")

#define COLUMNS_viewcapture(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, package_name, STR, 0, "Package of the app.") \
    C(T, window_name, STR, 0, "Name of the window.")

#define COLUMNS_viewcapture_view(C, T) \
    C(T, snapshot_id, JOINID(viewcapture.id), 0, "State of the window.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, node_id, U32, COLUMN_FOREIGN, "Number of the view in its state.") \
    C(T, hashcode, U32, 0, "Hash code of the view.") \
    C(T, is_visible, I64, 0, "1 where it is visible.") \
    C(T, parent_id, U32, COLUMN_FOREIGN, "Number of the view that it is in.") \
    C(T, view_id, STR, 0, "Resource id of the view.") \
    C(T, class_name, STR, 0, "Class of the view.") \
    C(T, trace_rect_id, JOINID(winscope_trace_rect.id), 0, "Its rectangle.")

#define COLUMNS_viewcapture_interned_data(C, T) \
    C(T, base64_proto_id, U32, COLUMN_FOREIGN, "Message that it was read from, base64: a number of a string.") \
    C(T, flat_key, STR, 0, "Field that names it.") \
    C(T, iid, I64, 0, "Number of the text.") \
    C(T, deinterned_value, STR, 0, "The text.")

#define COLUMNS_window_manager_shell_transitions(C, T) \
    C(T, ts, TIMESTAMP, 0, "Start, ns of trace time.") \
    C(T, transition_id, I64, COLUMN_FOREIGN, "Number of the transition.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, transition_type, U32, COLUMN_NULLABLE, \
      "Type: 1 open, 2 close, 3 to front, 4 to back, ...") \
    C(T, send_time_ns, I64, COLUMN_NULLABLE, "When it was sent to the shell, ns.") \
    C(T, dispatch_time_ns, I64, COLUMN_NULLABLE, "When a handler got it, ns.") \
    C(T, duration_ns, I64, COLUMN_NULLABLE, "Duration, ns.") \
    C(T, finish_time_ns, I64, COLUMN_NULLABLE, "When it was over, ns.") \
    C(T, shell_abort_time_ns, I64, COLUMN_NULLABLE, "When the shell gave it up, ns.") \
    C(T, wm_abort_time_ns, I64, COLUMN_NULLABLE, "When the window manager gave it up, ns.") \
    C(T, merge_time_ns, I64, COLUMN_NULLABLE, "When another took it over, ns.") \
    C(T, create_time_ns, I64, COLUMN_NULLABLE, "When it was made, ns.") \
    C(T, handler, I64, COLUMN_NULLABLE, \
      "What handles it: window_manager_shell_transition_handlers.handler_id.") \
    C(T, status, STR, COLUMN_NULLABLE, "played, merged or aborted.") \
    C(T, flags, U32, COLUMN_NULLABLE, "Flags of the transition, a bit each.") \
    C(T, start_transaction_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Transaction that starts it.") \
    C(T, finish_transaction_id, I64, COLUMN_NULLABLE | COLUMN_FOREIGN, "Transaction that ends it.")

#define COLUMNS_window_manager_shell_transition_handlers(C, T) \
    C(T, handler_id, I64, COLUMN_FOREIGN, "Number of the handler.") \
    C(T, handler_name, STR, 0, "Class of the handler.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.")

#define COLUMNS_window_manager_shell_transition_participants(C, T) \
    C(T, transition_id, I64, COLUMN_FOREIGN, "Number of the transition.") \
    C(T, layer_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the layer.") \
    C(T, window_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Number of the window.") \
    C(T, mode, U32, COLUMN_NULLABLE, "What happens to it: open, close, change.") \
    C(T, flags, U32, COLUMN_NULLABLE, "Flags of the change, a bit each.") \
    C(T, start_display_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Display before.") \
    C(T, end_display_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Display after.") \
    C(T, start_rotation, U32, COLUMN_NULLABLE, "Rotation before, quarter turns.") \
    C(T, end_rotation, U32, COLUMN_NULLABLE, "Rotation after, quarter turns.") \
    C(T, start_abs_bounds_rect_id, JOINID(winscope_rect.id), COLUMN_NULLABLE, "Place before.") \
    C(T, end_abs_bounds_rect_id, JOINID(winscope_rect.id), COLUMN_NULLABLE, "Place after.")

#define COLUMNS_window_manager_shell_transition_protos(C, T) \
    C(T, transition_id, I64, COLUMN_FOREIGN, "Number of the transition.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.")

#define COLUMNS_windowmanager(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED, "When it was taken, ns of trace time.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, focused_display_id, U32, COLUMN_FOREIGN, "Display that has the focus.") \
    C(T, has_invalid_elapsed_ts, BOOL(U32), 0, \
      "1 where ts is not of the clock that it should be of.")

#define COLUMNS_windowmanager_windowcontainer(C, T) \
    C(T, snapshot_id, JOINID(windowmanager.id), 0, "State.") \
    C(T, arg_set_id, ARGSETID, 0, "Arguments, joins args.") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, \
      "Message that it was read from, base64: a number of a string.") \
    C(T, title, STR, 0, "Title.") \
    C(T, token, I32, 0, "Number that names it.") \
    C(T, parent_token, I32, COLUMN_NULLABLE, "Number of what it is in.") \
    C(T, child_index, U32, COLUMN_NULLABLE, "Place among its siblings.") \
    C(T, is_visible, BOOL(U32), COLUMN_NULLABLE, "1 where it is visible.") \
    C(T, window_rect_id, JOINID(winscope_trace_rect.id), COLUMN_NULLABLE, "Its rectangle.") \
    C(T, container_type, STR, COLUMN_NULLABLE, "Kind: window, task, display content, ...") \
    C(T, name_override, STR, COLUMN_NULLABLE, "Name to show in place of the title.")

#define WINSCOPE_TABLES(T) \
    T(winscope_rect, "__intrinsic_winscope_rect", \
      "Rectangles of displays, layers and windows.", "") \
    T(winscope_transform, "__intrinsic_winscope_transform", \
      "Transforms of rectangles: x' = dsdx x + dtdx y + tx, y' = dtdy x + dsdy y + ty.", "") \
    T(winscope_trace_rect, "__intrinsic_winscope_trace_rect", "Rectangles as they are drawn.", "") \
    T(winscope_fill_region, "__intrinsic_winscope_fill_region", \
      "Rectangles that a region is made of.", "") \
    T(inputmethod_clients, "__intrinsic_inputmethod_clients", \
      "States of the clients of the input method.", "android.inputmethod") \
    T(inputmethod_manager_service, "__intrinsic_inputmethod_manager_service", \
      "States of the input method's manager.", "android.inputmethod") \
    T(inputmethod_service, "__intrinsic_inputmethod_service", \
      "States of the input method.", "android.inputmethod") \
    T(surfaceflinger_layers_snapshot, "__intrinsic_surfaceflinger_layers_snapshot", \
      "States of all layers.", "android.surfaceflinger.layers") \
    T(surfaceflinger_display, "__intrinsic_surfaceflinger_display", \
      "Displays in a snapshot.", "android.surfaceflinger.layers") \
    T(surfaceflinger_layer, "__intrinsic_surfaceflinger_layer", \
      "Layers in a snapshot.", "android.surfaceflinger.layers") \
    T(surfaceflinger_transactions, "__intrinsic_surfaceflinger_transactions", \
      "Moments at which SurfaceFlinger applied transactions.", \
      "android.surfaceflinger.transactions") \
    T(surfaceflinger_transaction, "__intrinsic_surfaceflinger_transaction", \
      "Changes of one layer or display.", "android.surfaceflinger.transactions") \
    T(surfaceflinger_transaction_flag, "__intrinsic_surfaceflinger_transaction_flag", \
      "What transactions change.", "android.surfaceflinger.transactions") \
    T(viewcapture, "__intrinsic_viewcapture", \
      "States of the views of a window.", "android.viewcapture") \
    T(viewcapture_view, "__intrinsic_viewcapture_view", \
      "Views in a state.", "android.viewcapture") \
    T(viewcapture_interned_data, "__intrinsic_viewcapture_interned_data", \
      "Texts that the views name by numbers.", "android.viewcapture") \
    T(window_manager_shell_transitions, "__intrinsic_window_manager_shell_transitions", \
      "Transitions between windows.", "com.android.wm.shell.transition") \
    T(window_manager_shell_transition_handlers, "__intrinsic_window_manager_shell_transition_handlers", \
      "What handles transitions.", "com.android.wm.shell.transition") \
    T(window_manager_shell_transition_participants, "__intrinsic_window_manager_shell_transition_participants", \
      "Windows and displays of a transition.", "com.android.wm.shell.transition") \
    T(window_manager_shell_transition_protos, "__intrinsic_window_manager_shell_transition_protos", \
      "Messages that transitions were read from.", "com.android.wm.shell.transition") \
    T(windowmanager, "__intrinsic_windowmanager", \
      "States of the window manager.", "android.windowmanager") \
    T(windowmanager_windowcontainer, "__intrinsic_windowmanager_windowcontainer", \
      "Windows, tasks and displays in a state.", "android.windowmanager")

#define WINSCOPE_VIEWS(V) \
    V(surfaceflinger_layers_snapshot, surfaceflinger_layers_snapshot, "*") \
    V(surfaceflinger_layer, surfaceflinger_layer, "*") \
    V(surfaceflinger_transactions, surfaceflinger_transactions, "*") \
    V(window_manager_shell_transitions, window_manager_shell_transitions, "*") \
    V(window_manager_shell_transition_handlers, window_manager_shell_transition_handlers, "*")
/* clang-format on */

#endif
