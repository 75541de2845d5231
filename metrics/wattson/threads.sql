-- The energy of each thread in the periods of a table, as the view {{metric}}_output. The power
-- curves of devices are not part of the program, so that no thread has any.
INCLUDE PERFETTO MODULE wattson.aggregation;

CREATE OR REPLACE PERFETTO VIEW {{metric}}_output AS
SELECT AndroidWattsonTasksAttributionMetric(
  'metric_version', metric_version,
  'power_model_version', power_model_version,
  'is_crude_estimate', is_crude_estimate
) AS message
FROM wattson_metric_metadata;
