-- Messages that long tasks ran.

-- The tasks of that name that took long and ran a message.
CREATE PERFETTO FUNCTION chrome_select_long_task_slices(
  -- Name of the slices.
  name STRING
) RETURNS TABLE(
  -- Interface of mojo that the message is for.
  interface_name STRING,
  -- Hash of the message's method.
  ipc_hash LONG,
  -- message or reply.
  message_type STRING,
  -- Slice of the task, joins slice.
  id LONG
) AS
SELECT extract_arg(arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag') AS interface_name,
  extract_arg(arg_set_id, 'chrome_mojo_event_info.ipc_hash') AS ipc_hash,
  iif(extract_arg(arg_set_id, 'chrome_mojo_event_info.is_reply'), 'reply', 'message')
    AS message_type, id
FROM slice
WHERE name = $name AND category GLOB '*scheduler.long_tasks*';
