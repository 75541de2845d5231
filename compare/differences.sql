-- Two traces that were loaded beside each other, as the machines A and B: what differs between them, largest change first.
-- Numbers in names stand for any number ("doFrame 42" and "doFrame 43" are "doFrame N"): hardly any is the same in both.

CREATE PERFETTO TABLE _tptui_side AS
SELECT id AS machine_id, name = 'B' AS is_b FROM machine WHERE name IN ('A', 'B');

CREATE PERFETTO TABLE _tptui_process AS
SELECT upid, is_b, ifnull(__intrinsic_name_family(name), '') AS process
FROM process
JOIN _tptui_side USING (machine_id);

CREATE PERFETTO TABLE _tptui_thread AS
SELECT t.utid, t.upid, t.tid, s.is_b, ifnull(p.process, '') AS process,
  ifnull(__intrinsic_name_family(t.name), iif(t.is_main_thread OR t.tid = q.pid, 'main thread', 'without a name')) AS thread
FROM thread AS t
JOIN _tptui_side AS s USING (machine_id)
LEFT JOIN process AS q USING (upid)
LEFT JOIN _tptui_process AS p USING (upid);

-- CPU time of threads, by process and name.
CREATE PERFETTO TABLE tptui_diff_threads(
  -- CPU time in B less that in A.
  change_dur DURATION,
  -- CPU time in A.
  a_dur DURATION,
  -- CPU time in B.
  b_dur DURATION,
  -- Name of the thread.
  thread STRING,
  -- Name of the process.
  process STRING,
  -- The thread that ran longest in B.
  b_utid JOINID(thread.utid),
  -- The thread that ran longest in A.
  a_utid JOINID(thread.utid),
  -- How often it was scheduled in A.
  a_count LONG,
  -- How often it was scheduled in B.
  b_count LONG
) AS
WITH ran AS (
  SELECT t.process, t.thread, t.is_b, s.utid, sum(s.dur) AS dur, count() AS times
  FROM sched_slice AS s
  JOIN _tptui_thread AS t USING (utid)
  WHERE t.tid != 0
  GROUP BY s.utid
), sides AS (
  SELECT process, thread, is_b, sum(dur) AS dur, sum(times) AS times, utid, max(dur)
  FROM ran
  GROUP BY process, thread, is_b
)
SELECT
  sum(iif(is_b, dur, -dur)) AS change_dur,
  max(iif(is_b, 0, dur)) AS a_dur, max(iif(is_b, dur, 0)) AS b_dur,
  thread, process,
  max(iif(is_b, utid, NULL)) AS b_utid, max(iif(is_b, NULL, utid)) AS a_utid,
  max(iif(is_b, 0, times)) AS a_count, max(iif(is_b, times, 0)) AS b_count
FROM sides
GROUP BY process, thread
ORDER BY abs(sum(iif(is_b, dur, -dur))) DESC;

CREATE PERFETTO TABLE _tptui_slice AS
SELECT
  coalesce(t.is_b, p.is_b, s.is_b) AS is_b,
  coalesce(t.process, p.process, '') AS process,
  coalesce(t.thread, __intrinsic_name_family(k.name), '') AS thread,
  k.id AS track_id
FROM track AS k
LEFT JOIN thread_track AS tt ON tt.id = k.id
LEFT JOIN _tptui_thread AS t ON t.utid = tt.utid
LEFT JOIN process_track AS pt ON pt.id = k.id
LEFT JOIN _tptui_process AS p ON p.upid = pt.upid
LEFT JOIN _tptui_side AS s ON s.machine_id = k.machine_id;

-- Slices by process, thread and name.
CREATE PERFETTO TABLE tptui_diff_slices(
  -- How long they took in B less how long in A.
  change_dur DURATION,
  -- How long they took in A, all together.
  a_dur DURATION,
  -- How long they took in B, all together.
  b_dur DURATION,
  -- Name of the slices.
  slice STRING,
  -- Name of the thread, or of the track.
  thread STRING,
  -- Name of the process.
  process STRING,
  -- The longest of B.
  b_slice_id JOINID(slice.id),
  -- The longest of A.
  a_slice_id JOINID(slice.id),
  -- How many there are in A.
  a_count LONG,
  -- How many there are in B.
  b_count LONG,
  -- The median of A.
  a_p50_dur DURATION,
  -- The median of B.
  b_p50_dur DURATION,
  -- The longest of A.
  a_max_dur DURATION,
  -- The longest of B.
  b_max_dur DURATION
) AS
WITH named AS (
  SELECT s.id, s.dur, k.is_b, k.process, k.thread, ifnull(__intrinsic_name_family(s.name), '') AS slice
  FROM slice AS s
  JOIN _tptui_slice AS k USING (track_id)
), longest AS (
  SELECT process, thread, slice, is_b, id, max(dur) AS dur
  FROM named
  GROUP BY process, thread, slice, is_b
), sides AS (
  SELECT process, thread, slice, is_b, sum(dur) AS dur, count() AS times, percentile(dur, 50) AS median
  FROM named
  GROUP BY process, thread, slice, is_b
)
SELECT
  sum(iif(s.is_b, s.dur, -s.dur)) AS change_dur,
  max(iif(s.is_b, 0, s.dur)) AS a_dur, max(iif(s.is_b, s.dur, 0)) AS b_dur,
  s.slice, s.thread, s.process,
  max(iif(s.is_b, l.id, NULL)) AS b_slice_id, max(iif(s.is_b, NULL, l.id)) AS a_slice_id,
  max(iif(s.is_b, 0, s.times)) AS a_count, max(iif(s.is_b, s.times, 0)) AS b_count,
  CAST(max(iif(s.is_b, NULL, s.median)) AS INT) AS a_p50_dur,
  CAST(max(iif(s.is_b, s.median, NULL)) AS INT) AS b_p50_dur,
  max(iif(s.is_b, NULL, l.dur)) AS a_max_dur, max(iif(s.is_b, l.dur, NULL)) AS b_max_dur
FROM sides AS s
JOIN longest AS l USING (process, thread, slice, is_b)
GROUP BY s.process, s.thread, s.slice
ORDER BY abs(sum(iif(s.is_b, s.dur, -s.dur))) DESC;

-- States of threads, by process and name.
CREATE PERFETTO TABLE tptui_diff_states(
  -- Time in it in B less that in A.
  change_dur DURATION,
  -- Time in it in A.
  a_dur DURATION,
  -- Time in it in B.
  b_dur DURATION,
  -- The state.
  state STRING,
  -- Name of the thread.
  thread STRING,
  -- Name of the process.
  process STRING,
  -- The longest of B.
  b_thread_state_id JOINID(thread_state.id),
  -- The longest of A.
  a_thread_state_id JOINID(thread_state.id),
  -- How often in A.
  a_count LONG,
  -- How often in B.
  b_count LONG,
  -- The longest of A.
  a_max_dur DURATION,
  -- The longest of B.
  b_max_dur DURATION
) AS
WITH sides AS (
  SELECT t.process, t.thread, s.state, t.is_b, sum(s.dur) AS dur, count() AS times, s.id, max(s.dur) AS longest
  FROM thread_state AS s
  JOIN _tptui_thread AS t USING (utid)
  WHERE t.tid != 0
  GROUP BY t.process, t.thread, s.state, t.is_b
)
SELECT
  sum(iif(is_b, dur, -dur)) AS change_dur,
  max(iif(is_b, 0, dur)) AS a_dur, max(iif(is_b, dur, 0)) AS b_dur,
  state, thread, process,
  max(iif(is_b, id, NULL)) AS b_thread_state_id, max(iif(is_b, NULL, id)) AS a_thread_state_id,
  max(iif(is_b, 0, times)) AS a_count, max(iif(is_b, times, 0)) AS b_count,
  max(iif(is_b, NULL, longest)) AS a_max_dur, max(iif(is_b, longest, NULL)) AS b_max_dur
FROM sides
GROUP BY process, thread, state
ORDER BY abs(sum(iif(is_b, dur, -dur))) DESC;

-- Counters by process and name.
CREATE PERFETTO TABLE tptui_diff_counters(
  -- Its mean in B in parts of that in A, less 1.
  change_percent DOUBLE,
  -- The mean of the values of A.
  a_mean DOUBLE,
  -- The mean of the values of B.
  b_mean DOUBLE,
  -- Name of the counter.
  counter STRING,
  -- Name of the process.
  process STRING,
  -- The track of B.
  b_track_id JOINID(track.id),
  -- The track of A.
  a_track_id JOINID(track.id),
  -- The smallest of A.
  a_min DOUBLE,
  -- The smallest of B.
  b_min DOUBLE,
  -- The largest of A.
  a_max DOUBLE,
  -- The largest of B.
  b_max DOUBLE
) AS
WITH sides AS (
  SELECT k.process, r.name AS counter, k.is_b, avg(c.value) AS mean, min(c.value) AS low, max(c.value) AS high,
    min(c.track_id) AS track_id
  FROM counter AS c
  JOIN _tptui_slice AS k USING (track_id)
  JOIN track AS r ON r.id = c.track_id
  GROUP BY k.process, r.name, k.is_b
), both AS (
  SELECT process, counter,
    max(iif(is_b, NULL, mean)) AS a_mean, max(iif(is_b, mean, NULL)) AS b_mean,
    max(iif(is_b, NULL, low)) AS a_min, max(iif(is_b, low, NULL)) AS b_min,
    max(iif(is_b, NULL, high)) AS a_max, max(iif(is_b, high, NULL)) AS b_max,
    max(iif(is_b, NULL, track_id)) AS a_track_id, max(iif(is_b, track_id, NULL)) AS b_track_id
  FROM sides
  GROUP BY process, counter
)
SELECT round(100 * (b_mean - a_mean) / nullif(abs(a_mean), 0), 1) AS change_percent, a_mean, b_mean,
  counter, process, b_track_id, a_track_id, a_min, b_min, a_max, b_max
FROM both
ORDER BY abs(ifnull((b_mean - a_mean) / nullif(abs(a_mean), 0), b_mean)) DESC;
