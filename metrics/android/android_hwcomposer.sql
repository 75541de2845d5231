-- Layers that the composer put together and how, what validating and presenting frames took, and
-- what the display unit asked for.

SELECT run_metric('android/composition_layers.sql',
  'track_name', 'HWComposer: Total Layer', 'output', 'total_layers');
SELECT run_metric('android/composition_layers.sql',
  'track_name', 'HWComposer: DPU Layer', 'output', 'dpu_layers');
SELECT run_metric('android/composition_layers.sql',
  'track_name', 'HWComposer: GPU Layer', 'output', 'gpu_layers');
SELECT run_metric('android/composition_layers.sql',
  'track_name', 'HWComposer: DPU Cached Layer', 'output', 'dpu_cached_layers');
SELECT run_metric('android/composition_layers.sql',
  'track_name', 'HWComposer: SF Cached Layer', 'output', 'sf_cached_layers');
SELECT run_metric('android/composition_layers.sql',
  'track_name', 'HWComposer: RCD Layer', 'output', 'rcd_layers');
SELECT run_metric('android/composer_execution.sql', 'output', 'hwc_execution_spans');

CREATE OR REPLACE PERFETTO TABLE _layers AS
SELECT 'Total' AS kind, display_id AS display, value FROM total_layers
UNION ALL SELECT 'DPU', display_id, value FROM dpu_layers
UNION ALL SELECT 'GPU', display_id, value FROM gpu_layers
UNION ALL SELECT 'DPU Cached', display_id, value FROM dpu_cached_layers
UNION ALL SELECT 'SF Cached', display_id, value FROM sf_cached_layers
UNION ALL SELECT 'RCD', display_id, value FROM rcd_layers;

CREATE OR REPLACE PERFETTO TABLE _validation AS
SELECT
  display_id AS display,
  execution_time_ns AS dur,
  str_split(validation_type, '_', 0) AS kind
FROM hwc_execution_spans;

CREATE OR REPLACE PERFETTO TABLE _display AS
SELECT display FROM _layers UNION SELECT display FROM _validation;

CREATE OR REPLACE PERFETTO FUNCTION _mean_layers(display STRING, kind STRING)
RETURNS DOUBLE AS
SELECT avg(value) FROM _layers
WHERE kind = $kind AND ($display IS NULL OR display = $display);

CREATE OR REPLACE PERFETTO FUNCTION _validations(display STRING, kind STRING)
RETURNS LONG AS
SELECT count(*) FROM _validation
WHERE kind = $kind AND ($display IS NULL OR display = $display);

CREATE OR REPLACE PERFETTO FUNCTION _mean_validation_ms(display STRING, kind STRING)
RETURNS DOUBLE AS
SELECT avg(dur) / 1e6 FROM _validation
WHERE kind != 'unknown' AND ($kind IS NULL OR kind = $kind)
  AND ($display IS NULL OR display = $display);

-- A counter's mean, by how long it had each value.
CREATE OR REPLACE PERFETTO TABLE _dpu_vote AS
SELECT tid, name, sum(value * dur) / sum(dur) AS mean
FROM (
  SELECT
    p.pid AS tid,
    t.name,
    c.value,
    lead(c.ts, 1, trace_end() + 1) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur
  FROM counter AS c
  JOIN process_counter_track AS t ON t.id = c.track_id
  JOIN process AS p USING (upid)
  WHERE t.name GLOB 'dpu_vote_*'
)
GROUP BY tid, name;

CREATE OR REPLACE PERFETTO VIEW android_hwcomposer_output AS
SELECT AndroidHwcomposerMetrics(
  'composition_total_layers', _mean_layers(NULL, 'Total'),
  'composition_dpu_layers', _mean_layers(NULL, 'DPU'),
  'composition_gpu_layers', _mean_layers(NULL, 'GPU'),
  'composition_dpu_cached_layers', _mean_layers(NULL, 'DPU Cached'),
  'composition_sf_cached_layers', _mean_layers(NULL, 'SF Cached'),
  'composition_rcd_layers', _mean_layers(NULL, 'RCD'),
  'skipped_validation_count', _validations(NULL, 'skipped'),
  'unskipped_validation_count', _validations(NULL, 'unskipped'),
  'separated_validation_count', _validations(NULL, 'separated'),
  'unknown_validation_count', _validations(NULL, 'unknown'),
  'avg_all_execution_time_ms', _mean_validation_ms(NULL, NULL),
  'avg_skipped_execution_time_ms', _mean_validation_ms(NULL, 'skipped'),
  'avg_unskipped_execution_time_ms', _mean_validation_ms(NULL, 'unskipped'),
  'avg_separated_execution_time_ms', _mean_validation_ms(NULL, 'separated'),
  'dpu_vote_metrics', (
    SELECT RepeatedField(AndroidHwcomposerMetrics_DpuVoteMetrics(
      'tid', tid,
      'avg_dpu_vote_clock', clock,
      'avg_dpu_vote_avg_bw', avg_bw,
      'avg_dpu_vote_peak_bw', peak_bw,
      'avg_dpu_vote_rt_bw', rt_bw))
    FROM (
      SELECT
        tid,
        max(mean) FILTER (WHERE name = 'dpu_vote_clock') AS clock,
        max(mean) FILTER (WHERE name = 'dpu_vote_avg_bw') AS avg_bw,
        max(mean) FILTER (WHERE name = 'dpu_vote_peak_bw') AS peak_bw,
        max(mean) FILTER (WHERE name = 'dpu_vote_rt_bw') AS rt_bw
      FROM _dpu_vote
      GROUP BY tid
      ORDER BY tid
    )
  ),
  'metrics_per_display', (
    SELECT RepeatedField(AndroidHwcomposerMetrics_MetricsPerDisplay(
      'display_id', display,
      'composition_total_layers', _mean_layers(display, 'Total'),
      'composition_dpu_layers', _mean_layers(display, 'DPU'),
      'composition_gpu_layers', _mean_layers(display, 'GPU'),
      'composition_dpu_cached_layers', _mean_layers(display, 'DPU Cached'),
      'composition_sf_cached_layers', _mean_layers(display, 'SF Cached'),
      'composition_rcd_layers', _mean_layers(display, 'RCD'),
      'skipped_validation_count', _validations(display, 'skipped'),
      'unskipped_validation_count', _validations(display, 'unskipped'),
      'separated_validation_count', _validations(display, 'separated'),
      'unknown_validation_count', _validations(display, 'unknown'),
      'avg_all_execution_time_ms', _mean_validation_ms(display, NULL),
      'avg_skipped_execution_time_ms', _mean_validation_ms(display, 'skipped'),
      'avg_unskipped_execution_time_ms', _mean_validation_ms(display, 'unskipped'),
      'avg_separated_execution_time_ms', _mean_validation_ms(display, 'separated')))
    FROM (SELECT display FROM _display ORDER BY display)
  )
) AS message;
