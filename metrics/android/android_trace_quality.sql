-- What tells that a trace was recorded badly: something that ran for more than a week.
CREATE OR REPLACE PERFETTO VIEW android_trace_quality_output AS
SELECT AndroidTraceQualityMetric(
  'failures', (
    SELECT RepeatedField(AndroidTraceQualityMetric_Failure('name', 'sched_slice_too_long'))
    FROM (SELECT max(dur) AS longest FROM sched)
    WHERE longest > 7 * 24 * 3600 * 1000000000
  )
) AS message;
