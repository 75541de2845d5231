-- What input methods reported of themselves, of their clients and of the service between.

-- One row per snapshot of the clients of input methods.
CREATE PERFETTO VIEW android_inputmethod_clients(
  -- Number of the snapshot.
  id LONG,
  -- When the snapshot was taken.
  ts TIMESTAMP,
  -- The whole state (joins args.arg_set_id).
  arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_clients;

-- One row per snapshot of InputMethodManagerService.
CREATE PERFETTO VIEW android_inputmethod_manager_service(
  -- Number of the snapshot.
  id LONG,
  -- When the snapshot was taken.
  ts TIMESTAMP,
  -- The whole state (joins args.arg_set_id).
  arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_manager_service;

-- One row per snapshot of an input method's service.
CREATE PERFETTO VIEW android_inputmethod_service(
  -- Number of the snapshot.
  id LONG,
  -- When the snapshot was taken.
  ts TIMESTAMP,
  -- The whole state (joins args.arg_set_id).
  arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_service;
