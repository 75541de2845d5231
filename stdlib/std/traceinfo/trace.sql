-- What is known of each trace of the session.

CREATE PERFETTO TABLE _metadata_by_trace(
  -- Number of the trace.
  trace_id LONG,
  -- Name that the recording session was given.
  unique_session_name STRING,
  -- UUID of the trace.
  trace_uuid STRING,
  -- Format of the trace.
  trace_type STRING,
  -- Size of the trace, bytes.
  trace_size_bytes LONG,
  -- What ended or started the recording.
  trace_trigger STRING,
  -- Names of the machines that the trace tells of.
  machines STRING
) AS
WITH traces AS (
  SELECT DISTINCT trace_id FROM metadata WHERE trace_id IS NOT NULL
),
named AS (
  SELECT trace_id, group_concat(
    coalesce(extract_metadata_for_machine(machine_id, 'system_name'), 'Machine ' || machine_id),
    ', ') AS machines
  FROM (
    SELECT DISTINCT trace_id, machine_id FROM metadata
    WHERE trace_id IS NOT NULL AND machine_id IS NOT NULL
  )
  GROUP BY trace_id
)
SELECT trace_id,
  extract_metadata_for_trace(trace_id, 'unique_session_name') AS unique_session_name,
  extract_metadata_for_trace(trace_id, 'trace_uuid') AS trace_uuid,
  extract_metadata_for_trace(trace_id, 'trace_type') AS trace_type,
  extract_metadata_for_trace(trace_id, 'trace_size_bytes') AS trace_size_bytes,
  extract_metadata_for_trace(trace_id, 'trace_trigger') AS trace_trigger,
  coalesce(machines, '') AS machines
FROM traces
LEFT JOIN named USING (trace_id);
