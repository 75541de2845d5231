-- What users wait for. `type` is the table that tells more, `scoped_id` an id in that table.

INCLUDE PERFETTO MODULE chrome.page_loads;
INCLUDE PERFETTO MODULE chrome.startups;
INCLUDE PERFETTO MODULE chrome.web_content_interactions;

-- Page loads, startups, and what users did on pages.
CREATE PERFETTO TABLE chrome_interactions(
  -- Id of the row in the table that `type` names.
  scoped_id LONG,
  -- Table that tells more, as chrome_page_loads.
  type STRING,
  -- Kind of interaction, as PageLoad.
  name STRING,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Time to the first or largest paint, ns.
  dur DURATION
) AS
SELECT id AS scoped_id, 'chrome_page_loads' AS type, 'PageLoad' AS name,
  navigation_start_ts AS ts, coalesce(lcp, fcp) AS dur
FROM chrome_page_loads
UNION ALL
SELECT id, 'chrome_startups', name, startup_begin_ts,
  coalesce(first_visible_content_ts - startup_begin_ts, 0)
FROM chrome_startups
UNION ALL
SELECT id, 'chrome_web_content_interactions', 'InteractionToFirstPaint', ts, dur
FROM chrome_web_content_interactions;
