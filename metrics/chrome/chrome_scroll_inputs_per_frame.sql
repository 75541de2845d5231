-- chrome_scroll_inputs_per_frame: how many updates of scrolls were shown by one frame. An update belongs to the newest one
-- that was not merged into another, and began no later.
CREATE OR REPLACE PERFETTO TABLE _chrome_scroll_input AS
SELECT
  id, ts, dur, track_id,
  extract_arg(arg_set_id, 'chrome_latency_info.is_coalesced') AS is_coalesced
FROM slice
WHERE name = 'InputLatency::GestureScrollUpdate';

CREATE OR REPLACE PERFETTO TABLE chrome_scroll_inputs_per_frame AS
SELECT
  count(*) AS count_for_frame,
  presented_scroll_id,
  ts,
  dur,
  id AS slice_id,
  track_id
FROM (
  SELECT
    i.*,
    (SELECT max(id) FROM _chrome_scroll_input WHERE NOT is_coalesced AND ts <= i.ts) AS presented_scroll_id
  FROM _chrome_scroll_input AS i
)
GROUP BY presented_scroll_id;
