-- LoadLine 2: when the pages that it loads reached each stage. Pages make marks that are called
-- "LoadLine2/<page>/<mark>".

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE _loadline2_marks(ts TIMESTAMP, page STRING, mark STRING, pid LONG) AS
SELECT ts, str_split(name, '/', 1) AS page, str_split(name, '/', 2) AS mark, pid
FROM thread_or_process_slice
WHERE category = 'blink.user_timing' AND name GLOB 'LoadLine2/*/*';

-- When frames that a process committed at `ts` were shown.
CREATE PERFETTO TABLE _loadline2_presentations(pid LONG, ts TIMESTAMP, shown_ts TIMESTAMP) AS
SELECT s.pid, s.ts, frame.ts + frame.dur AS shown_ts
FROM process_slice AS s
JOIN slice AS frame ON frame.id = s.parent_id
WHERE s.name = 'Commit' AND frame.name = 'PipelineReporter'
  AND coalesce(extract_arg(frame.arg_set_id, 'frame_reporter.state'),
    extract_arg(frame.arg_set_id, 'chrome_frame_reporter.state')) = 'STATE_PRESENTED_ALL';

CREATE PERFETTO MACRO _loadline2_mark(mark Expr) RETURNS Expr AS (
  SELECT m.ts FROM _loadline2_marks AS m WHERE m.page = start.page AND m.mark = $mark
);

CREATE PERFETTO MACRO _loadline2_presentation(mark Expr) RETURNS Expr AS (
  SELECT min(p.shown_ts)
  FROM _loadline2_marks AS m
  JOIN _loadline2_presentations AS p ON p.pid = m.pid AND p.ts > m.ts
  WHERE m.page = start.page AND m.mark = $mark
);

-- Each page that was loaded to the end.
CREATE PERFETTO TABLE chrome_loadline2_stages(
  -- Name of the page.
  page STRING,
  -- When the page's turn started.
  story_start TIMESTAMP,
  -- When the first request was started.
  start_request TIMESTAMP,
  -- When the browser, having sent the commit, began to load a part of the page.
  end_request TIMESTAMP,
  -- When the renderer committed the navigation.
  renderer_ready TIMESTAMP,
  -- When the page took itself for visible.
  visual_mark TIMESTAMP,
  -- First animation frame after visual_mark.
  visual_raf TIMESTAMP,
  -- When the first frame committed after visual_mark was shown.
  visual_presentation TIMESTAMP,
  -- When the page took itself for interactive.
  interactive_mark TIMESTAMP,
  -- First animation frame after interactive_mark.
  interactive_raf TIMESTAMP,
  -- When the first frame committed after interactive_mark was shown.
  interactive_presentation TIMESTAMP,
  -- When the page's turn ended.
  story_finish TIMESTAMP
) AS
SELECT start.page, start.ts AS story_start, (
    SELECT min(ts) FROM slice WHERE name = 'WillStartRequest' AND ts >= start.ts
  ) AS start_request, (
    SELECT min(ts)
    FROM slice
    WHERE name = 'CommitSentToFirstSubresourceLoadStart' AND ts >= start.ts
  ) AS end_request, (
    SELECT min(ts)
    FROM thread_slice
    WHERE name = 'DocumentLoader::CommitNavigation' AND ts >= start.ts AND pid = finish.pid
  ) AS renderer_ready, _loadline2_mark!('visual') AS visual_mark,
  _loadline2_mark!('visual_raf') AS visual_raf,
  _loadline2_presentation!('visual') AS visual_presentation,
  _loadline2_mark!('interactive') AS interactive_mark,
  _loadline2_mark!('interactive_raf') AS interactive_raf,
  _loadline2_presentation!('interactive') AS interactive_presentation,
  finish.ts AS story_finish
FROM _loadline2_marks AS start
JOIN _loadline2_marks AS finish ON finish.page = start.page AND finish.mark = 'finish'
WHERE start.mark = 'start';
