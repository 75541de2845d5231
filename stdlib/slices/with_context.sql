-- Slices together with the thread and process that they belong to.

-- Slices on tracks of threads.
CREATE PERFETTO VIEW thread_slice(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Category of the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Name of the track.
  track_name STRING,
  -- Name of the thread.
  thread_name STRING,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Thread id of the operating system.
  tid LONG,
  -- 1 for the thread whose tid is the pid.
  is_main_thread BOOL,
  -- Name of the process.
  process_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Process id of the operating system.
  pid LONG,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, NULL if outermost.
  parent_id JOINID(slice.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur LONG
) AS
SELECT slice.id, slice.ts, slice.dur, slice.category, slice.name, slice.track_id,
  track.name AS track_name, thread.name AS thread_name, thread.utid, thread.tid,
  thread.is_main_thread, process.name AS process_name, process.upid, process.pid, slice.depth,
  slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
LEFT JOIN process USING (upid);

-- Slices on tracks of processes.
CREATE PERFETTO VIEW process_slice(
  -- Slice, joins slice.
  id ID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Category of the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Name of the track.
  track_name STRING,
  -- Name of the process.
  process_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Process id of the operating system.
  pid LONG,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, NULL if outermost.
  parent_id JOINID(slice.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID,
  -- CPU time of the thread at the start, ns.
  thread_ts TIMESTAMP,
  -- CPU time that the thread spent, ns.
  thread_dur LONG
) AS
SELECT slice.id, slice.ts, slice.dur, slice.category, slice.name, slice.track_id,
  track.name AS track_name, process.name AS process_name, process.upid, process.pid, slice.depth,
  slice.parent_id, slice.arg_set_id, slice.thread_ts, slice.thread_dur
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process USING (upid);

-- Slices on tracks of threads and of processes.
CREATE PERFETTO VIEW thread_or_process_slice(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 if it has not ended.
  dur DURATION,
  -- Category of the slice.
  category STRING,
  -- Name of the slice.
  name STRING,
  -- Track, joins track.
  track_id JOINID(track.id),
  -- Name of the track.
  track_name STRING,
  -- Name of the thread, NULL on tracks of processes.
  thread_name STRING,
  -- Thread, joins thread; NULL on tracks of processes.
  utid JOINID(thread.id),
  -- Thread id of the operating system, NULL on tracks of processes.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Process id of the operating system.
  pid LONG,
  -- Number of slices around it on the track.
  depth LONG,
  -- Slice around it, NULL if outermost.
  parent_id JOINID(slice.id),
  -- Arguments, joins args.
  arg_set_id ARGSETID
) AS
SELECT id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, process_name, upid,
  pid, depth, parent_id, arg_set_id
FROM thread_slice
UNION ALL
SELECT id, ts, dur, category, name, track_id, track_name, NULL, NULL, NULL, process_name, upid, pid,
  depth, parent_id, arg_set_id
FROM process_slice;
