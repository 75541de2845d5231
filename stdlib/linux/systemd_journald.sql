-- What systemd's journal logged. Rows need not be in the order of time.

-- The log's entries.
CREATE PERFETTO VIEW linux_systemd_journald_logs(
  -- Log entry, joins logs.
  id ID,
  -- When it was written, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Priority of syslog, as the table logs has it.
  prio LONG,
  -- Identifier of the program that logged.
  tag STRING,
  -- Message.
  msg STRING,
  -- User id of the program.
  uid LONG,
  -- Name of the program's process.
  comm STRING,
  -- Unit of systemd that the program belongs to.
  systemd_unit STRING,
  -- Name of the machine.
  hostname STRING,
  -- How journald got the entry, as kernel or stdout.
  transport STRING
) AS
SELECT id, ts, utid, prio, tag, msg, extract_arg(arg_set_id, 'uid') AS uid,
  extract_arg(arg_set_id, 'comm') AS comm, extract_arg(arg_set_id, 'systemd_unit') AS systemd_unit,
  extract_arg(arg_set_id, 'hostname') AS hostname,
  extract_arg(arg_set_id, 'transport') AS transport
FROM logs
WHERE log_source = 'systemd_journald';
