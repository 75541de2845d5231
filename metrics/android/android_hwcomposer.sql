-- Layers that the composer put together and how, what validating and presenting frames took, and
-- what the display unit asked for.

-- A counter's or a slice's name may end in the display's id. What a counter says first is about
-- frames from before the recording.
CREATE OR REPLACE PERFETTO TABLE _layers AS
SELECT kind, display, value
FROM (
  SELECT
    str_split(str_split(t.name, ': ', 1), ' Layer', 0) AS kind,
    ifnull(nullif(trim(str_split(t.name, ' Layer', 1)), ''), 'unspecified') AS display,
    c.value,
    row_number() OVER (PARTITION BY c.track_id ORDER BY c.ts) AS number
  FROM counter AS c
  JOIN process_counter_track AS t ON t.id = c.track_id
  WHERE t.name GLOB 'HWComposer: * Layer' OR t.name GLOB 'HWComposer: * Layer *'
)
WHERE number > 1;

CREATE OR REPLACE PERFETTO TABLE _composition AS
SELECT
  str_split(s.name, ' ', 0) AS step,
  ifnull(str_split(s.name, ' ', 1), 'unspecified') AS display,
  t.utid,
  s.ts,
  s.dur
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
WHERE s.name GLOB 'Hwc*Display' OR s.name GLOB 'Hwc*Display *';

-- A frame is presented at once where its validation is skipped, else by a step of its own.
CREATE OR REPLACE PERFETTO TABLE _validation AS
SELECT
  display,
  iif(next_step = 'HwcPresentDisplay', dur + next_dur, dur) AS dur,
  CASE
    WHEN step = 'HwcValidateDisplay' AND next_step = 'HwcPresentDisplay' THEN 'separated'
    WHEN step = 'HwcValidateDisplay' THEN 'unknown'
    WHEN next_step = 'HwcPresentDisplay' THEN 'unskipped'
    ELSE 'skipped'
  END AS kind
FROM (
  SELECT
    *,
    lead(step) OVER frames AS next_step,
    lead(dur) OVER frames AS next_dur
  FROM _composition
  WINDOW frames AS (PARTITION BY display, utid ORDER BY ts)
)
WHERE step IN ('HwcPresentOrValidateDisplay', 'HwcValidateDisplay');

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
WHERE ($kind IS NULL OR kind = $kind) AND ($display IS NULL OR display = $display);

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
