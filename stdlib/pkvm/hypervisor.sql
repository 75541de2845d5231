-- Times that CPUs spent in the hypervisor, and what took them there.

-- Each time a CPU was in the hypervisor.
CREATE PERFETTO VIEW pkvm_hypervisor_events(
  -- Slice, joins slice.
  slice_id JOINID(slice.id),
  -- CPU number.
  cpu JOINID(cpu.cpu),
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- What took the CPU to the hypervisor, as host_hcall.
  reason STRING
) AS
SELECT s.id AS slice_id, extract_arg(t.dimension_arg_set_id, 'cpu') AS cpu, s.ts, s.dur,
  extract_arg(s.arg_set_id, 'hyp_enter_reason') AS reason
FROM track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE t.type = 'pkvm_hypervisor';
