-- What runs on each CPU while it is awake: threads, and handlers of interrupts in their place.

INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE linux.irqs;
INCLUDE PERFETTO MODULE wattson.cpu.idle;
INCLUDE PERFETTO MODULE wattson.utils;

CREATE PERFETTO TABLE _idle_exits AS
SELECT ts, dur, cpu, idle, _auto_id AS group_id FROM _adjusted_deep_idle WHERE idle = -1;

CREATE PERFETTO TABLE _task_wo_irq_infos AS
SELECT s.ts, s.dur, s.cpu, t.utid, t.upid, t.tid, p.pid, m.uid, t.name AS thread_name,
  p.name AS process_name, m.package_name
FROM sched AS s
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
LEFT JOIN android_process_metadata AS m USING (upid)
WHERE s.dur > 0;

-- Handlers of hardware interrupts may interrupt one another, and those of software interrupts.
CREATE PERFETTO TABLE _hard_irq_roots AS
SELECT id, ts, dur FROM linux_hard_irqs WHERE parent_id IS NULL;

CREATE PERFETTO TABLE _hard_irq_children AS
SELECT a.id AS root_id, i.id, i.parent_id, i.ts, i.dur
FROM linux_hard_irqs AS i, ancestor_slice(i.id) AS a
WHERE i.parent_id IS NOT NULL;

CREATE PERFETTO VIEW _hard_irq_flattened_slices AS
SELECT f.ts, f.dur, s.name AS hard_irq_name, t.cpu
FROM _intervals_flatten!(
  _intervals_merge_root_and_children!(_hard_irq_roots, _hard_irq_children)) AS f
JOIN slice AS s USING (id)
JOIN cpu_track AS t ON t.id = s.track_id;

CREATE PERFETTO VIEW _soft_irq_slices AS
SELECT i.ts, i.dur, i.name AS soft_irq_name, t.cpu
FROM linux_soft_irqs AS i
JOIN slice AS s USING (id)
JOIN cpu_track AS t ON t.id = s.track_id;

CREATE VIRTUAL TABLE _hard_and_soft_irqs USING SPAN_OUTER_JOIN(
  _soft_irq_slices PARTITIONED cpu, _hard_irq_flattened_slices PARTITIONED cpu);

-- A handler's name stands for it as a number, too, in the place of a thread's and a process'.
CREATE PERFETTO VIEW _all_irqs_flattened_slices AS
SELECT ts, dur, cpu, coalesce(hard_irq_name, soft_irq_name) AS irq_name,
  hash(coalesce(hard_irq_name, soft_irq_name)) AS irq_id
FROM _hard_and_soft_irqs;

CREATE VIRTUAL TABLE _tasks_and_irqs USING SPAN_OUTER_JOIN(
  _task_wo_irq_infos PARTITIONED cpu, _all_irqs_flattened_slices PARTITIONED cpu);

CREATE PERFETTO TABLE _all_tasks_flattened_slices AS
SELECT ts, dur, cpu, coalesce(irq_id, utid) AS utid, coalesce(irq_id, upid) AS upid,
  coalesce(irq_id, tid) AS tid, coalesce(irq_id, pid) AS pid, coalesce(irq_id, uid) AS uid,
  coalesce(irq_name, thread_name) AS thread_name, coalesce(irq_name, process_name) AS process_name,
  coalesce(irq_name, package_name) AS package_name, irq_id IS NOT NULL AS is_irq
FROM _tasks_and_irqs;

CREATE PERFETTO TABLE _active_state_w_tasks AS
SELECT i.ts, i.dur, i.cpu, t.utid, t.upid, t.tid, t.pid, t.uid, t.thread_name, t.process_name,
  t.package_name, t.is_irq, i.id_1 AS idle_group
FROM _interval_intersect!(
  (_ii_subquery!(_all_tasks_flattened_slices), _ii_subquery!(_idle_exits)), (cpu)) AS i
JOIN _all_tasks_flattened_slices AS t ON t._auto_id = i.id_0;

-- What has woken the CPU: the first thread, or where there is none the first handler.
CREATE PERFETTO TABLE _task_causing_idle_exit AS
SELECT coalesce(min(ts) FILTER (WHERE NOT is_irq AND utid > 0), min(ts)) AS boundary_ts, idle_group
FROM _active_state_w_tasks
GROUP BY idle_group;

-- What came before that did not take the power, nor did what lies between two times of being awake:
-- that is the idle task.
CREATE PERFETTO TABLE _wattson_task_slices AS
WITH _task AS (
  SELECT t.*
  FROM _active_state_w_tasks AS t
  JOIN _task_causing_idle_exit AS e USING (idle_group)
  WHERE t.ts >= e.boundary_ts
)
SELECT ts, dur, cpu, utid, upid, tid, pid, uid, thread_name, process_name, package_name FROM _task
UNION ALL
SELECT ts, dur, cpu, 0, 0, 0, 0, NULL, 'swapper', NULL, NULL
FROM (
  SELECT ts_end AS ts, lead(ts) OVER (PARTITION BY cpu ORDER BY ts) - ts_end AS dur, cpu
  FROM (
    SELECT cpu, min(ts) AS ts, max(ts + dur) AS ts_end FROM _task GROUP BY cpu, idle_group
  )
)
WHERE dur > 0;
