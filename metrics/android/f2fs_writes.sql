-- What was written to f2fs.
CREATE OR REPLACE PERFETTO TABLE _f2fs_write AS
SELECT
  t.tid,
  t.name AS thread_name,
  p.pid,
  p.name AS process_name,
  extract_arg(f.arg_set_id, 'ino') AS ino,
  extract_arg(f.arg_set_id, 'dev') AS dev,
  extract_arg(f.arg_set_id, 'copied') AS bytes
FROM ftrace_event AS f
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
WHERE f.name = 'f2fs_write_end';
