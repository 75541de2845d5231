-- Interrupt handlers.

CREATE PERFETTO VIEW linux_hard_irqs AS
SELECT slice.ts, slice.dur, slice.name, slice.id, slice.parent_id
FROM track
JOIN slice ON slice.track_id = track.id
WHERE track.type = 'cpu_irq';

CREATE PERFETTO VIEW linux_soft_irqs AS
SELECT slice.ts, slice.dur, slice.name, slice.id
FROM track
JOIN slice ON slice.track_id = track.id
WHERE track.type = 'cpu_softirq';

CREATE PERFETTO VIEW linux_irqs AS
SELECT ts, dur, name, id, parent_id, FALSE AS is_soft_irq
FROM linux_hard_irqs
UNION ALL
SELECT ts, dur, name, id, NULL, TRUE
FROM linux_soft_irqs;

CREATE PERFETTO VIEW linux_interrupt_mapping AS
SELECT id, irq_id, name, machine_id
FROM _linux_interrupt_mapping;
