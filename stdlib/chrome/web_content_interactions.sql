-- Taps, clicks, keys and drags on pages. An interaction may consist of several events: this is the
-- longest one.

INCLUDE PERFETTO MODULE slices.with_context;

-- Each interaction.
CREATE PERFETTO TABLE chrome_web_content_interactions(
  -- Slice of the interaction, joins slice.
  id LONG,
  -- Start, ns of trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Kind of interaction, as INTERACTION_CLICK_TAP.
  interaction_type STRING,
  -- Renderer process, joins process.
  renderer_upid LONG
) AS
SELECT id, ts, dur, extract_arg(arg_set_id, 'web_content_interaction.type') AS interaction_type,
  upid AS renderer_upid
FROM process_slice
WHERE name = 'Web Interaction';
