-- What leaving sleep costs, and for whom.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.task_slices;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE PERFETTO TABLE _awake_tasks AS
SELECT i.ts, i.dur, i.cpu, t.utid, t.upid, t.uid, i.id_1 AS idle_group,
  t.utid IN (SELECT utid FROM thread WHERE is_idle) AS is_idle
FROM _interval_intersect!(
  (_ii_subquery!(_wattson_task_slices), _ii_subquery!(_idle_exits)), (cpu)) AS i
JOIN _wattson_task_slices AS t ON t._auto_id = i.id_0
ORDER BY i.ts;

-- The idle task that first runs while a CPU is awake is on the account of the first other task; the
-- last one, too, where it follows that directly.
CREATE PERFETTO TABLE _idle_w_tasks AS
WITH _first AS (
  SELECT idle_group, utid, upid, uid, min(ts) + dur AS ts_end
  FROM _awake_tasks
  WHERE NOT is_idle
  GROUP BY idle_group
)
SELECT s.ts, s.dur, s.cpu, f.utid, f.upid, f.uid
FROM (
  SELECT min(ts) AS ts, dur, cpu, idle_group FROM _awake_tasks WHERE is_idle GROUP BY idle_group
) AS s
JOIN _first AS f USING (idle_group)
UNION ALL
SELECT s.ts, s.dur, s.cpu, f.utid, f.upid, f.uid
FROM (
  SELECT max(ts) AS ts, dur, cpu, idle_group FROM _awake_tasks WHERE is_idle GROUP BY idle_group
) AS s
JOIN _first AS f USING (idle_group)
WHERE s.ts = f.ts_end;

CREATE PERFETTO TABLE _idle_transition_cost AS
SELECT i.ts, i.dur, t.cpu, t.utid, t.upid, t.uid, CASE t.cpu
    WHEN 0 THEN p.cpu0_mw
    WHEN 1 THEN p.cpu1_mw
    WHEN 2 THEN p.cpu2_mw
    WHEN 3 THEN p.cpu3_mw
    WHEN 4 THEN p.cpu4_mw
    WHEN 5 THEN p.cpu5_mw
    WHEN 6 THEN p.cpu6_mw
    WHEN 7 THEN p.cpu7_mw
    ELSE 0
  END AS estimated_mw
FROM _interval_intersect!((_ii_subquery!(_idle_w_tasks), _ii_subquery!(_system_state_mw)), ()) AS i
JOIN _idle_w_tasks AS t ON t._auto_id = i.id_0
JOIN _system_state_mw AS p ON p._auto_id = i.id_1;

-- The part of it between `ts` and `ts + dur`; what tasks are charged, the idle task is not.
CREATE PERFETTO FUNCTION _filter_idle_attribution(ts TIMESTAMP, dur LONG)
RETURNS TABLE(
  idle_cost_mws DOUBLE, utid JOINID(thread.id), upid JOINID(process.id), uid LONG, cpu JOINID(cpu.id)
) AS
WITH _cost AS (
  SELECT c.estimated_mw * i.dur / 1e9 AS idle_cost_mws, c.utid, c.upid, c.uid, c.cpu
  FROM _interval_intersect_single!($ts, $dur, _ii_subquery!(_idle_transition_cost)) AS i
  JOIN _idle_transition_cost AS c ON c._auto_id = i.id
)
SELECT idle_cost_mws, utid, upid, uid, cpu FROM _cost
UNION ALL
SELECT -sum(idle_cost_mws), 0, 0, 0, cpu FROM _cost GROUP BY cpu;
