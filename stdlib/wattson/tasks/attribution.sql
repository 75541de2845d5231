-- Estimated power by what runs.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.device_infos;
INCLUDE PERFETTO MODULE wattson.gpu.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_active_regions;
INCLUDE PERFETTO MODULE wattson.tasks.gpu_tasks;
INCLUDE PERFETTO MODULE wattson.tasks.task_slices;
INCLUDE PERFETTO MODULE wattson.ui.continuous_estimates;
INCLUDE PERFETTO MODULE wattson.utils;

-- Users that the GPU works for at one time share its power equally.
CREATE PERFETTO TABLE _gpu_shares AS
SELECT i.ts, i.dur, t.uid, t.gpu_id, c.active_tasks
FROM _interval_intersect!(
  (_ii_subquery!(_gpu_tasks), _ii_subquery!(_gpu_active_task_count)), ()) AS i
JOIN _gpu_tasks AS t ON t._auto_id = i.id_0
JOIN _gpu_active_task_count AS c ON c._auto_id = i.id_1;

CREATE PERFETTO TABLE _gpu_tasks_attribution AS
SELECT i.ts, i.dur, s.uid, s.gpu_id, iif(s.active_tasks > 0, p.gpu_mw / s.active_tasks, 0.0)
  AS estimated_mw
FROM _interval_intersect!((_ii_subquery!(_gpu_shares), _ii_subquery!(_gpu_estimates_mw)), ()) AS i
JOIN _gpu_shares AS s ON s._auto_id = i.id_0
JOIN _gpu_estimates_mw AS p ON p._auto_id = i.id_1;

-- CPUs, and -1 for what they share.
CREATE PERFETTO TABLE _unioned_wattson_estimates_mw AS
SELECT ts, dur, cpu, cpu0_mw AS estimated_mw FROM _system_state_cpu0_mw
WHERE 0 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu1_mw FROM _system_state_cpu1_mw
WHERE 1 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu2_mw FROM _system_state_cpu2_mw
WHERE 2 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu3_mw FROM _system_state_cpu3_mw
WHERE 3 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu4_mw FROM _system_state_cpu4_mw
WHERE 4 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu5_mw FROM _system_state_cpu5_mw
WHERE 5 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu6_mw FROM _system_state_cpu6_mw
WHERE 6 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, cpu, cpu7_mw FROM _system_state_cpu7_mw
WHERE 7 IN (SELECT cpu FROM _dev_cpu_policy_map)
UNION ALL
SELECT ts, dur, -1, dsu_scu_mw FROM _system_state_dsu_scu_mw;

CREATE PERFETTO TABLE _estimates_w_tasks_attribution AS
SELECT i.ts, i.dur, i.cpu, p.estimated_mw, t.thread_name, t.process_name, t.package_name, t.tid,
  t.pid, t.uid, t.utid, t.upid
FROM _interval_intersect!(
  (_ii_subquery!(_unioned_wattson_estimates_mw), _ii_subquery!(_wattson_task_slices)), (cpu)) AS i
JOIN _unioned_wattson_estimates_mw AS p ON p._auto_id = i.id_0
JOIN _wattson_task_slices AS t ON t._auto_id = i.id_1;

-- The GPU's power by user; -2 stands for the GPU, user -1 for nobody.
CREATE PERFETTO TABLE _gpu_estimates_w_tasks_attribution AS
SELECT g.ts, g.dur, -2 AS cpu, g.uid, g.estimated_mw, g.idle_mw,
  iif(g.uid = -1, 'GPU Idle', (SELECT min(package_name) FROM package_list AS p WHERE p.uid = g.uid))
    AS package_name
FROM (
  SELECT ts, dur, uid, estimated_mw, 0.0 AS idle_mw FROM _gpu_tasks_attribution
  UNION ALL
  SELECT ts, dur, uid, 0.0, estimated_mw FROM _gpu_gap_attribution
) AS g;

CREATE PERFETTO TABLE _wattson_cpus AS
SELECT DISTINCT cpu FROM _unioned_wattson_estimates_mw WHERE cpu >= 0;
