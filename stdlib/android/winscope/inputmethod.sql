-- What input methods reported of themselves, of their clients and of the service between.

CREATE PERFETTO VIEW android_inputmethod_clients(id LONG, ts TIMESTAMP, arg_set_id ARGSETID) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_clients;

CREATE PERFETTO VIEW android_inputmethod_manager_service(
  id LONG, ts TIMESTAMP, arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_manager_service;

CREATE PERFETTO VIEW android_inputmethod_service(id LONG, ts TIMESTAMP, arg_set_id ARGSETID) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_service;
