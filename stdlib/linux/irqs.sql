-- Interrupt handlers.

CREATE PERFETTO VIEW linux_hard_irqs(
  ts TIMESTAMP, dur DURATION, name STRING, id JOINID(slice.id), parent_id JOINID(slice.id)
) AS
SELECT slice.ts, slice.dur, slice.name, slice.id, slice.parent_id
FROM track
JOIN slice ON slice.track_id = track.id
WHERE track.type = 'cpu_irq';

CREATE PERFETTO VIEW linux_soft_irqs(
  ts TIMESTAMP, dur DURATION, name STRING, id JOINID(slice.id)
) AS
SELECT slice.ts, slice.dur, slice.name, slice.id
FROM track
JOIN slice ON slice.track_id = track.id
WHERE track.type = 'cpu_softirq';

CREATE PERFETTO VIEW linux_irqs(
  ts TIMESTAMP, dur DURATION, name STRING, id JOINID(slice.id), parent_id JOINID(slice.id),
  is_soft_irq BOOL
) AS
SELECT ts, dur, name, id, parent_id, FALSE AS is_soft_irq
FROM linux_hard_irqs
UNION ALL
SELECT ts, dur, name, id, NULL, TRUE
FROM linux_soft_irqs;

CREATE PERFETTO VIEW linux_interrupt_mapping(
  id ID, irq_id LONG, name STRING, machine_id JOINID(machine.id)
) AS
SELECT id, irq_id, name, machine_id
FROM _linux_interrupt_mapping;
