-- What the trace lacks: kinds of lost data.
CREATE OR REPLACE PERFETTO VIEW android_trace_quality_output AS
SELECT AndroidTraceQualityMetric(
  'failures', (
    SELECT RepeatedField(AndroidTraceQualityMetric_Failure('name', name))
    FROM (
      SELECT DISTINCT name FROM stats WHERE severity = 'data_loss' AND value > 0 ORDER BY name
    )
  )
) AS message;
