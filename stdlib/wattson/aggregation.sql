-- What summaries of estimated power say about the estimate.

-- The summaries' version, that of the model of power, and how good an estimate can be.
CREATE PERFETTO VIEW wattson_metric_metadata(
  -- Version of the summaries' form.
  metric_version LONG,
  -- Version of the model.
  power_model_version LONG,
  -- 1 if idle states of CPUs were not recorded.
  is_crude_estimate BOOL
) AS
SELECT 4 AS metric_version, 1 AS power_model_version,
  NOT EXISTS(
    SELECT 1 FROM cpu_counter_track AS t JOIN counter ON counter.track_id = t.id
    WHERE t.type = 'cpu_idle'
  ) AS is_crude_estimate;
