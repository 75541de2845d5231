-- How long interrupts took: those of devices and soft ones.
CREATE OR REPLACE PERFETTO TABLE _irq AS
SELECT t.type = 'cpu_irq' AS is_hard, s.name, s.ts, s.dur
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.type IN ('cpu_irq', 'cpu_softirq') AND s.dur >= 0;

CREATE OR REPLACE PERFETTO FUNCTION _irq_metric(is_hard BOOL, threshold_ms LONG)
RETURNS BYTES AS
SELECT AndroidIrqRuntimeMetric_IrqRuntimeMetric(
  'max_runtime', max(dur),
  'total_count', count(*),
  'threshold_metric', AndroidIrqRuntimeMetric_ThresholdMetric(
    'threshold', $threshold_ms || 'ms',
    'over_threshold_count', count(*) FILTER (WHERE dur > $threshold_ms * 1000000),
    'anomaly_ratio', avg(dur > $threshold_ms * 1000000)),
  'longest_irq_slices', (
    SELECT RepeatedField(AndroidIrqRuntimeMetric_IrqSlice('irq_name', name, 'ts', ts, 'dur', dur))
    FROM (SELECT * FROM _irq WHERE is_hard = $is_hard ORDER BY dur DESC, ts LIMIT 10)
  ))
FROM _irq
WHERE is_hard = $is_hard;

CREATE OR REPLACE PERFETTO VIEW android_irq_runtime_output AS
SELECT AndroidIrqRuntimeMetric(
  'hw_irq', _irq_metric(TRUE, 1),
  'sw_irq', _irq_metric(FALSE, 5)
) AS message;
