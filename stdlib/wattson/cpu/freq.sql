-- Frequencies of the device's CPUs from the trace's start to its end.

INCLUDE PERFETTO MODULE linux.cpu.frequency;
INCLUDE PERFETTO MODULE wattson.device_infos;

-- NULL before a CPU's first frequency.
CREATE PERFETTO TABLE _adjusted_cpu_freq AS
WITH known AS (
  SELECT f.ts, f.dur, f.freq, m.cpu, m.policy
  FROM cpu_frequency_counters AS f
  JOIN _dev_cpu_policy_map AS m ON m.cpu = f.ucpu
)
SELECT ts, dur, freq, cpu, policy FROM known
UNION ALL
SELECT trace_start(), coalesce(min(k.ts) - trace_start(), trace_dur()), NULL, m.cpu,
  iif(k.cpu IS NULL, NULL, m.policy)
FROM _dev_cpu_policy_map AS m
LEFT JOIN known AS k ON k.cpu = m.cpu
GROUP BY m.cpu;
