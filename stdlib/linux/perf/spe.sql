-- Records of Arm's Statistical Profiling Extension. The last columns are the bits of its events.

-- The records, by time.
CREATE PERFETTO VIEW linux_perf_spe_record(
  -- When it was sampled, ns of trace time.
  ts TIMESTAMP,
  -- Thread, joins thread.
  utid JOINID(thread.id),
  -- Exception level (EL0 to EL3) that the operation ran at.
  exception_level STRING,
  -- Where the instruction is, joins stack_profile_frame.
  instruction_frame_id LONG,
  -- Kind of the operation.
  operation STRING,
  -- Virtual address that it accessed.
  data_virtual_address LONG,
  -- Physical address that it accessed.
  data_physical_address LONG,
  -- Cycles from dispatch to completion.
  total_latency LONG,
  -- Cycles from dispatch to issue.
  issue_latency LONG,
  -- Cycles that address translation took.
  translation_latency LONG,
  -- Where the data came from.
  data_source STRING,
  -- It raised an exception.
  exception_gen BOOL,
  -- It retired.
  retired BOOL,
  -- It accessed the first level data cache.
  l1d_access BOOL,
  -- The access refilled the first level data cache.
  l1d_refill BOOL,
  -- It accessed the TLB.
  tlb_access BOOL,
  -- The TLB missed, a table walk followed.
  tlb_refill BOOL,
  -- A conditional branch that was not taken.
  not_taken BOOL,
  -- A branch that was mispredicted.
  mispred BOOL,
  -- It accessed the last level cache.
  llc_access BOOL,
  -- It missed the last level cache.
  llc_refill BOOL,
  -- It accessed another socket.
  remote_access BOOL,
  -- The access was not aligned.
  alignment BOOL,
  -- It ran in a transaction.
  tme_transaction BOOL,
  -- Some lanes of its SVE predicate were off.
  sve_partial_pred BOOL,
  -- All lanes of its SVE predicate were off.
  sve_empty_pred BOOL,
  -- It accessed the second level data cache.
  l2d_access BOOL,
  -- It hit the second level data cache.
  l2d_hit BOOL,
  -- The cache line was modified.
  cache_data_modified BOOL,
  -- The cache line had been fetched shortly before.
  recenty_fetched BOOL,
  -- The data came from another core's cache.
  data_snooped BOOL
) AS
SELECT ts, utid, exception_level, instruction_frame_id, operation, data_virtual_address,
  data_physical_address, total_latency, issue_latency, translation_latency, data_source,
  (events_bitmask >> 0) & 1 AS exception_gen, (events_bitmask >> 1) & 1 AS retired,
  (events_bitmask >> 2) & 1 AS l1d_access, (events_bitmask >> 3) & 1 AS l1d_refill,
  (events_bitmask >> 4) & 1 AS tlb_access, (events_bitmask >> 5) & 1 AS tlb_refill,
  (events_bitmask >> 6) & 1 AS not_taken, (events_bitmask >> 7) & 1 AS mispred,
  (events_bitmask >> 8) & 1 AS llc_access, (events_bitmask >> 9) & 1 AS llc_refill,
  (events_bitmask >> 10) & 1 AS remote_access, (events_bitmask >> 11) & 1 AS alignment,
  (events_bitmask >> 16) & 1 AS tme_transaction, (events_bitmask >> 17) & 1 AS sve_partial_pred,
  (events_bitmask >> 18) & 1 AS sve_empty_pred, (events_bitmask >> 19) & 1 AS l2d_access,
  (events_bitmask >> 20) & 1 AS l2d_hit, (events_bitmask >> 21) & 1 AS cache_data_modified,
  (events_bitmask >> 22) & 1 AS recenty_fetched, (events_bitmask >> 23) & 1 AS data_snooped
FROM __intrinsic_spe_record;
