-- CPU cycles that threads spent while their slices lasted.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE slices.with_context;

-- The cycles of each slice (id, ts, dur, utid): NULL unless the frequency is known all the time.
CREATE PERFETTO MACRO _cpu_cycles_of_slices(
  slices TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT id_0 AS id, sum(part.dur) AS known_dur, sum(part.dur * freq / 1000) AS millicycles
  FROM _interval_intersect!(($slices,
    (SELECT id, ts, dur, utid FROM _running_at_frequency WHERE freq IS NOT NULL)), (utid)) AS part
  JOIN _running_at_frequency AS ran ON ran.id = id_1
  GROUP BY id_0
);

-- A table of its own, as a subquery would be read again for each slice.
CREATE PERFETTO TABLE _cpu_cycles_of_thread_slices(
  id JOINID(slice.id), known_dur DURATION, millicycles LONG
) AS
SELECT id, known_dur, millicycles
FROM _cpu_cycles_of_slices!((
  SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0
));

-- CPU cycles of the thread while each slice lasted, NULL unless the frequency is known throughout.
CREATE PERFETTO TABLE cpu_cycles_per_thread_slice(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- CPU cycles, thousandths.
  millicycles LONG,
  -- CPU cycles, millions.
  megacycles LONG
) AS
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, c.millicycles,
  c.millicycles / 1000000000 AS megacycles
FROM thread_slice AS s
LEFT JOIN _cpu_cycles_of_thread_slices AS c ON c.id = s.id AND c.known_dur = s.dur;

-- CPU cycles of the thread in the part of each slice between `ts` and `ts + dur`, NULL unless the
-- frequency is known throughout.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_slice_in_interval(
  -- Start of the interval, ns of trace time.
  ts TIMESTAMP,
  -- Length of the interval, ns.
  dur DURATION
) RETURNS TABLE(
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Name of the slice.
  name STRING,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Process, joins process.
  upid JOINID(process.id),
  -- Name of the process.
  process_name STRING,
  -- CPU cycles, thousandths.
  millicycles LONG,
  -- CPU cycles, millions.
  megacycles LONG
) AS
WITH part AS MATERIALIZED (
  SELECT part.id, part.ts, part.dur, thread_slice.utid
  FROM _interval_intersect_single!($ts, $dur, (
    SELECT id, ts, dur FROM thread_slice WHERE dur > 0 AND utid > 0
  )) AS part
  JOIN thread_slice USING (id)
)
SELECT s.id, s.name, s.utid, s.thread_name, s.upid, s.process_name, c.millicycles,
  c.millicycles / 1000000000 AS megacycles
FROM part
JOIN thread_slice AS s USING (id)
LEFT JOIN _cpu_cycles_of_slices!(part) AS c ON c.id = part.id AND c.known_dur = part.dur;
