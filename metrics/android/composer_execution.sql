-- What validating and presenting frames took the composer. A template: `output` is the view: id of the first step,
-- display_id, execution_time_ns, validation_type.
--
-- A frame is presented at once where its validation is skipped, else by a step of its own. A display's steps follow each
-- other whatever thread does them; a slice's name may end in the display's id.
DROP VIEW IF EXISTS {{output}};
CREATE PERFETTO VIEW {{output}} AS
WITH composition AS (
  SELECT
    s.id,
    str_split(s.name, ' ', 0) AS step,
    ifnull(str_split(s.name, ' ', 1), 'unspecified') AS display_id,
    s.ts,
    s.dur
  FROM slice AS s
  WHERE s.name GLOB 'Hwc*Display' OR s.name GLOB 'Hwc*Display *'
)
SELECT
  id,
  display_id,
  CASE
    WHEN next_step = 'HwcPresentDisplay' THEN dur + next_dur
    WHEN step = 'HwcPresentOrValidateDisplay' THEN dur
    ELSE 0
  END AS execution_time_ns,
  CASE
    WHEN step = 'HwcValidateDisplay' AND next_step = 'HwcPresentDisplay' THEN 'separated_validation'
    WHEN step = 'HwcValidateDisplay' THEN 'unknown'
    WHEN next_step = 'HwcPresentDisplay' THEN 'unskipped_validation'
    ELSE 'skipped_validation'
  END AS validation_type
FROM (
  SELECT *, lead(step) OVER frames AS next_step, lead(dur) OVER frames AS next_dur
  FROM composition
  WINDOW frames AS (PARTITION BY display_id ORDER BY ts)
)
WHERE step IN ('HwcPresentOrValidateDisplay', 'HwcValidateDisplay');
