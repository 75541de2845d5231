-- Taps, clicks, keys and drags on pages. An interaction may consist of several events: this is the
-- longest one.

INCLUDE PERFETTO MODULE slices.with_context;

CREATE PERFETTO TABLE chrome_web_content_interactions(
  id LONG, ts TIMESTAMP, dur DURATION, interaction_type STRING, renderer_upid LONG
) AS
SELECT id, ts, dur, extract_arg(arg_set_id, 'web_content_interaction.type') AS interaction_type,
  upid AS renderer_upid
FROM process_slice
WHERE name = 'Web Interaction';
