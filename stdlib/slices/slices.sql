-- All slices together with what is known of their thread and process.

-- Unlike thread_slice and process_slice, slices that are of neither are here, too.
CREATE PERFETTO VIEW _slice_with_thread_and_process_info(
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
  -- Name of the thread, NULL if it is on no thread's track.
  thread_name STRING,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Thread id of the operating system.
  tid LONG,
  -- Name of the process, of the thread's where there is one.
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
  thread_dur DURATION
) AS
SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, t.name AS track_name,
  thread.name AS thread_name, thread.utid, thread.tid,
  process.name AS process_name, process.upid, process.pid,
  s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
LEFT JOIN thread_track AS tt ON tt.id = s.track_id
LEFT JOIN thread ON thread.utid = tt.utid
LEFT JOIN process_track AS pt ON pt.id = s.track_id
LEFT JOIN process ON process.upid = ifnull(thread.upid, pt.upid);
