-- What CPUs share: the unit's frequency, and accesses of the last level of cache.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.devfreq;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.utils;

-- Accesses in a ns. Counters *_cpu0 tell of the time to the next value, others of all time.
CREATE PERFETTO FUNCTION _get_rate(event STRING)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, access_rate LONG) AS
SELECT ts, next_ts - ts AS dur,
  iif($event GLOB '*_cpu0', value, next_value - value) * 1.0 / (next_ts - ts) AS access_rate
FROM (
  SELECT c.ts, c.value, lead(c.ts) OVER later AS next_ts, lead(c.value) OVER later AS next_value
  FROM counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.name = $event
  WINDOW later AS (PARTITION BY c.track_id ORDER BY c.ts)
);

-- The rate of the first of two counters that there is, and 0 before it or where there is none.
CREATE PERFETTO MACRO _rate_of_either(first Expr, second Expr) RETURNS TableOrSubquery AS (
  WITH _rate AS (
    SELECT * FROM _get_rate($first)
    UNION ALL
    SELECT * FROM _get_rate($second)
    WHERE NOT EXISTS (SELECT 1 FROM counter_track WHERE name = $first)
  )
  SELECT ts, dur, access_rate AS rate FROM _rate
  UNION ALL
  SELECT trace_start(), coalesce(min(ts) - trace_start(), trace_dur()), 0 FROM _rate
);

CREATE PERFETTO TABLE _arm_l3_miss_rate AS
SELECT ts, dur, rate AS l3_miss_rate
FROM _rate_of_either!('arm_dsu_0/bus_access/_cpu0', 'arm_dsu_0-bus_access')
WHERE dur > 0;

CREATE PERFETTO TABLE _arm_l3_hit_rate AS
SELECT ts, dur, rate AS l3_hit_rate
FROM _rate_of_either!('arm_dsu_0/l3d_cache/_cpu0', 'arm_dsu_0-l3d_cache')
WHERE dur > 0;

CREATE PERFETTO TABLE _arm_l3_rates AS
SELECT i.ts, i.dur, miss.l3_miss_rate, hit.l3_hit_rate
FROM _interval_intersect!(
  (_ii_subquery!(_arm_l3_miss_rate), _ii_subquery!(_arm_l3_hit_rate)), ()) AS i
JOIN _arm_l3_miss_rate AS miss ON miss._auto_id = i.id_0
JOIN _arm_l3_hit_rate AS hit ON hit._auto_id = i.id_1;

-- Guests do not see the unit: its lowest frequency stands for it. Where it does not matter, it is 0.
CREATE PERFETTO TABLE _wattson_dsu_frequency AS
SELECT c.id, c.ts, c.dur, c.dsu_freq
FROM linux_devfreq_dsu_counter AS c
JOIN _wattson_device ON name IN (SELECT device FROM _use_devfreq)
UNION ALL
SELECT 0, trace_start(), trace_dur(), iif(matters, 610000, 0)
FROM (
  SELECT EXISTS (SELECT 1 FROM _wattson_device JOIN _use_devfreq ON device = name) AS matters
)
WHERE NOT matters OR (NOT EXISTS (SELECT 1 FROM linux_devfreq_dsu_counter)
  AND EXISTS (
    SELECT 1 FROM metadata JOIN _use_devfreq ON device = str_value
    WHERE name = 'android_guest_soc_model'));
