-- Estimated power and energy of windows of time (ts, dur, period_id), by thread and by part of the
-- device.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.estimates;
INCLUDE PERFETTO MODULE wattson.tasks.attribution;
INCLUDE PERFETTO MODULE wattson.tasks.idle_transitions_attribution;
INCLUDE PERFETTO MODULE wattson.utils;

-- Sums of `tasks_table`, which has what of _estimates_w_tasks_attribution lies in the windows, with
-- `period_id`. Leaving sleep counts on the CPUs of `cpus_table` (cpu).
CREATE PERFETTO MACRO _wattson_threads_aggregation(
  tasks_table TableOrSubquery, window_table TableOrSubquery, cpus_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _active AS (
    SELECT period_id, utid, thread_name, process_name, package_name, tid, pid, upid, uid,
      sum(estimated_mw * dur) AS mw_ns
    FROM $tasks_table
    GROUP BY period_id, utid
  ),
  _idle AS (
    SELECT w.period_id, c.utid, sum(c.idle_cost_mws) AS mws
    FROM $window_table AS w, _filter_idle_attribution(w.ts, w.dur) AS c
    WHERE c.cpu IN (SELECT cpu FROM $cpus_table)
    GROUP BY w.period_id, c.utid
  )
  SELECT a.period_id, w.dur AS period_dur, a.utid, a.tid, a.pid, a.upid, a.uid,
    coalesce(a.thread_name, 'Thread ' || a.tid) AS thread_name,
    coalesce(a.process_name, '') AS process_name, coalesce(a.package_name, '') AS package_name,
    a.mw_ns / 1e9 AS estimated_mws, a.mw_ns / w.dur AS estimated_mw,
    coalesce(i.mws, 0) AS idle_transitions_mws, a.mw_ns / 1e9 + coalesce(i.mws, 0) AS total_mws
  FROM _active AS a
  JOIN $window_table AS w USING (period_id)
  LEFT JOIN _idle AS i ON i.period_id = a.period_id AND i.utid = a.utid
);

-- Each thread's share: period_id, period_dur, utid, tid, pid, thread_name, process_name,
-- package_name, estimated_mws, estimated_mw, idle_transitions_mws, total_mws.
CREATE PERFETTO MACRO wattson_threads_aggregation(
  -- Windows: ts, dur, period_id.
  window_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _windowed AS (
    SELECT i.dur, i.id_1 AS period_id, t.estimated_mw, t.thread_name, t.process_name, t.tid, t.pid,
      t.upid, t.uid, t.package_name, t.utid
    FROM _interval_intersect!((
      _ii_subquery!(_estimates_w_tasks_attribution),
      (SELECT period_id AS id, * FROM $window_table)
    ), ()) AS i
    JOIN _estimates_w_tasks_attribution AS t ON t._auto_id = i.id_0
  )
  SELECT period_id, period_dur, utid, tid, pid, thread_name, process_name, package_name,
    estimated_mws, estimated_mw, idle_transitions_mws, total_mws
  FROM _wattson_threads_aggregation!(_windowed, $window_table, _wattson_cpus)
);

-- Each part's share: period_id, period_dur, subsystem (CPU, GPU, TPU), breakdown_type (CORE, POLICY,
-- DSU, TOTAL), component_id, parent_id (a core's policy), estimated_mw, estimated_mws.
CREATE PERFETTO MACRO wattson_rails_aggregation(
  -- Windows: ts, dur, period_id.
  window_table TableOrSubquery
) RETURNS TableOrSubquery AS (
  WITH _mean AS (
    SELECT * FROM _wattson_base_components_avg_mw!($window_table)
  ),
  _core AS (
    SELECT period_id, period_dur, 0 AS cpu, cpu0_poli AS policy, cpu0_mw AS mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 1, cpu1_poli, cpu1_mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 2, cpu2_poli, cpu2_mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 3, cpu3_poli, cpu3_mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 4, cpu4_poli, cpu4_mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 5, cpu5_poli, cpu5_mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 6, cpu6_poli, cpu6_mw FROM _mean
    UNION ALL
    SELECT period_id, period_dur, 7, cpu7_poli, cpu7_mw FROM _mean
  ),
  _part AS (
    SELECT period_id, period_dur, 'CPU' AS subsystem, 'CORE' AS breakdown_type, cpu AS component_id,
      policy AS parent_id, mw
    FROM _core
    WHERE mw IS NOT NULL
    UNION ALL
    SELECT period_id, period_dur, 'CPU', 'POLICY', policy, NULL, sum(mw)
    FROM _core
    WHERE mw IS NOT NULL
    GROUP BY period_id, period_dur, policy
    UNION ALL
    SELECT period_id, period_dur, 'CPU', 'DSU', NULL, NULL, dsu_scu_mw FROM _mean
    WHERE dsu_scu_mw IS NOT NULL
    UNION ALL
    SELECT period_id, period_dur, 'GPU', 'TOTAL', NULL, NULL, gpu_mw FROM _mean
    WHERE gpu_mw IS NOT NULL
    UNION ALL
    SELECT period_id, period_dur, 'TPU', 'TOTAL', NULL, NULL, tpu_mw FROM _mean
    WHERE tpu_mw IS NOT NULL
  )
  SELECT period_id, period_dur, subsystem, breakdown_type, component_id, parent_id,
    mw AS estimated_mw, mw * period_dur / 1e9 AS estimated_mws
  FROM (
    SELECT * FROM _part
    UNION ALL
    SELECT period_id, period_dur, subsystem, 'TOTAL', NULL, NULL, sum(mw)
    FROM _part
    WHERE breakdown_type IN ('POLICY', 'DSU')
    GROUP BY period_id, period_dur, subsystem
  )
);

-- The summaries' version, that of the model of power, and how good an estimate can be.
CREATE PERFETTO VIEW wattson_metric_metadata(
  -- Version of the summaries' form.
  metric_version LONG,
  -- Version of the model.
  power_model_version LONG,
  -- 1 if idle states of CPUs were not recorded.
  is_crude_estimate BOOL
) AS
SELECT 4 AS metric_version, 1 AS power_model_version,
  NOT EXISTS (SELECT 1 FROM _wattson_cpuidle_counters_exist) AS is_crude_estimate;
