-- Messages that long tasks ran.

CREATE PERFETTO FUNCTION chrome_select_long_task_slices(
  name STRING
) RETURNS TABLE(interface_name STRING, ipc_hash LONG, message_type STRING, id LONG) AS
SELECT extract_arg(arg_set_id, 'chrome_mojo_event_info.mojo_interface_tag') AS interface_name,
  extract_arg(arg_set_id, 'chrome_mojo_event_info.ipc_hash') AS ipc_hash,
  iif(extract_arg(arg_set_id, 'chrome_mojo_event_info.is_reply'), 'reply', 'message')
    AS message_type, id
FROM slice
WHERE name = $name AND category GLOB '*scheduler.long_tasks*';
