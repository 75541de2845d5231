-- Touches on their way through Android to Chrome. Slices of each step name the input's id.
-- Needs the atrace category view.

INCLUDE PERFETTO MODULE slices.with_context;

-- What stands behind "id=" in a name, up to a closing parenthesis.
CREATE PERFETTO MACRO _android_input_id(name Expr) RETURNS Expr AS
rtrim(substr($name, nullif(instr($name, 'id='), 0) + 3), ')');

-- Each delivery of an input to the app.
CREATE PERFETTO TABLE chrome_deliver_android_input_event(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Id that Android gave to the input, hexadecimal.
  android_input_id STRING
) AS
SELECT ts, dur, utid, _android_input_id!(name) AS android_input_id
FROM thread_slice
WHERE name GLOB 'deliverInputEvent*';

-- Each input with its steps in Android.
CREATE PERFETTO TABLE chrome_android_input(
  -- Id that Android gave to the input, hexadecimal.
  android_input_id STRING,
  -- When the InputReader started on it.
  input_reader_processing_start_ts TIMESTAMP,
  -- When the InputReader was done.
  input_reader_processing_end_ts TIMESTAMP,
  -- Thread of the InputReader, joins thread.
  input_reader_utid LONG,
  -- When the InputDispatcher started on it.
  input_dispatcher_processing_start_ts TIMESTAMP,
  -- When the InputDispatcher was done.
  input_dispatcher_processing_end_ts TIMESTAMP,
  -- Thread of the InputDispatcher, joins thread.
  input_dispatcher_utid LONG,
  -- When the delivery to the app started.
  deliver_input_event_start_ts TIMESTAMP,
  -- When the delivery to the app ended.
  deliver_input_event_end_ts TIMESTAMP,
  -- Thread of the app, joins thread.
  deliver_input_event_utid LONG
) AS
WITH
  reader AS (
    SELECT ts, dur, utid, _android_input_id!(name) AS android_input_id
    FROM thread_slice
    WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*'
  ),
  dispatcher AS (
    SELECT ts, dur, utid, _android_input_id!(name) AS android_input_id
    FROM thread_slice
    WHERE name GLOB 'prepareDispatchCycleLocked*chrome*'
  )
SELECT android_input_id, reader.ts AS input_reader_processing_start_ts,
  reader.ts + reader.dur AS input_reader_processing_end_ts, reader.utid AS input_reader_utid,
  dispatcher.ts AS input_dispatcher_processing_start_ts,
  dispatcher.ts + dispatcher.dur AS input_dispatcher_processing_end_ts,
  dispatcher.utid AS input_dispatcher_utid, event.ts AS deliver_input_event_start_ts,
  event.ts + event.dur AS deliver_input_event_end_ts, event.utid AS deliver_input_event_utid
FROM reader
LEFT JOIN dispatcher USING (android_input_id)
LEFT JOIN chrome_deliver_android_input_event AS event USING (android_input_id);
