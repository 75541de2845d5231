-- SurfaceFlinger's transactions and displays.

-- One row per change that a transaction makes to a layer or display.
CREATE PERFETTO VIEW android_surfaceflinger_transaction(
  -- Number of the change.
  id LONG,
  -- The entry that the change was recorded in (joins surfaceflinger_transactions.id).
  snapshot_id LONG,
  -- The change with all its fields (joins args.arg_set_id).
  arg_set_id LONG,
  -- Id of the transaction; NULL for what is not part of one.
  transaction_id LONG,
  -- Pid of who applied the transaction; NULL for what is not part of one.
  pid LONG,
  -- Uid of who applied the transaction; NULL for what is not part of one.
  uid LONG,
  -- The changed layer; NULL if a display is.
  layer_id LONG,
  -- The changed display; NULL if a layer is.
  display_id LONG,
  -- What changed (joins android_surfaceflinger_transaction_flag.flags_id).
  flags_id LONG,
  -- Kind of change, e.g. `LAYER_CHANGED`, `DISPLAY_ADDED`, or `NOOP` for a transaction without any.
  transaction_type STRING
) AS
SELECT id, snapshot_id, arg_set_id, transaction_id, pid, uid, layer_id, display_id, flags_id,
  transaction_type
FROM __intrinsic_surfaceflinger_transaction;

-- Members of the sets of flags of android_surfaceflinger_transaction, one row each.
CREATE PERFETTO VIEW android_surfaceflinger_transaction_flag(
  -- The set.
  flags_id LONG,
  -- Name of a flag in the set, e.g. `ePositionChanged`.
  flag STRING
) AS
SELECT flags_id, flag
FROM __intrinsic_surfaceflinger_transaction_flag;

-- One row per display and snapshot of the layers.
CREATE PERFETTO VIEW android_surfaceflinger_display(
  -- Number of the row.
  id LONG,
  -- The snapshot (joins surfaceflinger_layers_snapshot.id).
  snapshot_id LONG,
  -- 1 if the display shows any layers.
  is_on LONG,
  -- 1 if the display is virtual.
  is_virtual LONG,
  -- Rectangle of the display (joins android_winscope_trace_rect.id).
  trace_rect_id LONG,
  -- Id of the display.
  display_id LONG,
  -- Name of the display.
  display_name STRING
) AS
SELECT id, snapshot_id, is_on, is_virtual, trace_rect_id, display_id, display_name
FROM __intrinsic_surfaceflinger_display;

-- Where in a rectangle touches are taken, one row per part.
CREATE PERFETTO VIEW android_winscope_fill_region(
  -- Number of the part.
  id LONG,
  -- The rectangle (joins android_winscope_trace_rect.id).
  trace_rect_id LONG,
  -- Place of the part (joins android_winscope_rect.id).
  rect_id LONG
) AS
SELECT id, trace_rect_id, rect_id
FROM __intrinsic_winscope_fill_region;
