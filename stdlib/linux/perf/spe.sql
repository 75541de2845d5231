-- Records of Arm's Statistical Profiling Extension. The last columns are the bits of its events.

CREATE PERFETTO VIEW linux_perf_spe_record(
  ts TIMESTAMP, utid JOINID(thread.id), exception_level STRING, instruction_frame_id LONG,
  operation STRING, data_virtual_address LONG, data_physical_address LONG, total_latency LONG,
  issue_latency LONG, translation_latency LONG, data_source STRING, exception_gen BOOL,
  retired BOOL, l1d_access BOOL, l1d_refill BOOL, tlb_access BOOL, tlb_refill BOOL,
  not_taken BOOL, mispred BOOL, llc_access BOOL, llc_refill BOOL, remote_access BOOL,
  alignment BOOL, tme_transaction BOOL, sve_partial_pred BOOL, sve_empty_pred BOOL,
  l2d_access BOOL, l2d_hit BOOL, cache_data_modified BOOL, recenty_fetched BOOL, data_snooped BOOL
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
