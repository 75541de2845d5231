-- Interrupt handlers.

-- Handlers of hardware interrupts.
CREATE PERFETTO VIEW linux_hard_irqs(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the interrupt.
  name STRING,
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Handler that it interrupted, joins slice.
  parent_id JOINID(slice.id)
) AS
SELECT slice.ts, slice.dur, slice.name, slice.id, slice.parent_id
FROM track
JOIN slice ON slice.track_id = track.id
WHERE track.type = 'cpu_irq';

-- Handlers of software interrupts.
CREATE PERFETTO VIEW linux_soft_irqs(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the software interrupt.
  name STRING,
  -- Slice, joins slice.
  id JOINID(slice.id)
) AS
SELECT slice.ts, slice.dur, slice.name, slice.id
FROM track
JOIN slice ON slice.track_id = track.id
WHERE track.type = 'cpu_softirq';

-- Handlers of all interrupts.
CREATE PERFETTO VIEW linux_irqs(
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the interrupt.
  name STRING,
  -- Slice, joins slice.
  id JOINID(slice.id),
  -- Hardware interrupt's handler that it interrupted, joins slice.
  parent_id JOINID(slice.id),
  -- Whether it is a software interrupt.
  is_soft_irq BOOL
) AS
SELECT ts, dur, name, id, parent_id, FALSE AS is_soft_irq
FROM linux_hard_irqs
UNION ALL
SELECT ts, dur, name, id, NULL, TRUE
FROM linux_soft_irqs;

-- The interrupts that the kernel knows.
CREATE PERFETTO VIEW linux_interrupt_mapping(
  -- Id of the row.
  id ID,
  -- Number of the interrupt.
  irq_id LONG,
  -- Name of the interrupt.
  name STRING,
  -- Machine, joins machine.
  machine_id JOINID(machine.id)
) AS
SELECT id, irq_id, name, machine_id
FROM _linux_interrupt_mapping;
