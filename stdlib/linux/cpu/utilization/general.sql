-- What the modules of linux.cpu.utilization share.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.frequency;

CREATE PERFETTO VIEW _sched_without_idle AS
SELECT ts, dur, utid, ucpu, cpu
FROM sched
WHERE dur <> -1 AND utid NOT IN (SELECT utid FROM thread WHERE is_idle);

CREATE PERFETTO VIEW _ucpu_frequency AS
SELECT ts, dur, ucpu, freq
FROM cpu_frequency_counters
WHERE ucpu IS NOT NULL;

CREATE VIRTUAL TABLE _sched_with_frequency
USING SPAN_LEFT_JOIN(_sched_without_idle PARTITIONED ucpu, _ucpu_frequency PARTITIONED ucpu);

-- What ran where, and the CPU's frequency (kHz) meanwhile, NULL where it is not known.
CREATE PERFETTO TABLE _running_at_frequency(
  id LONG, ts TIMESTAMP, dur DURATION, utid JOINID(thread.id), ucpu JOINID(cpu.id), cpu LONG,
  freq LONG
) AS
SELECT row_number() OVER (ORDER BY ts, ucpu) AS id, ts, dur, utid, ucpu, cpu, freq
FROM _sched_with_frequency
ORDER BY ts, ucpu;

-- The same, only what lies between `ts` and `ts + dur`.
CREATE PERFETTO MACRO _running_at_frequency_in(ts Expr, dur Expr) RETURNS TableOrSubquery AS (
  SELECT part.ts, part.dur, utid, ucpu, cpu, freq
  FROM _interval_intersect_single!($ts, $dur, _running_at_frequency) AS part
  JOIN _running_at_frequency USING (id)
);

-- Columns that sum up rows of the above.
CREATE PERFETTO MACRO _cpu_cycles() RETURNS _Columns AS
sum(dur * freq / 1000) AS millicycles, sum(dur * freq / 1000) / 1000000000 AS megacycles,
sum(dur) AS runtime;

-- `dur_of_average`: the durations that the average is taken over.
CREATE PERFETTO MACRO _cpu_frequencies(dur_of_average Expr) RETURNS _Columns AS
min(freq) AS min_freq, max(freq) AS max_freq,
sum(dur * freq / 1000) / (sum($dur_of_average) / 1000) AS avg_freq;

CREATE PERFETTO MACRO _dur_of_known_frequency() RETURNS Expr AS iif(freq IS NULL, NULL, dur);

-- The part of `dur` during which the machine was not suspended.
CREATE PERFETTO MACRO _awake_dur(ts Expr, dur Expr) RETURNS Expr AS
(to_monotonic($ts + $dur) - to_monotonic($ts));

-- The part of each period's CPU time that was used. Time counts for the period that it starts in.
CREATE PERFETTO MACRO _cpu_utilization(
  period Expr, sched_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  SELECT ts / $period * $period AS ts,
    sum(min(ts + dur, ts / $period * $period + $period) - ts)
      / (CAST($period AS REAL) * (SELECT max(cpu) + 1 FROM sched)) AS utilization,
    sum(min(ts + dur, ts / $period * $period + $period) - ts)
      / CAST($period AS REAL) AS unnormalized_utilization
  FROM $sched_table
  GROUP BY 1
);
