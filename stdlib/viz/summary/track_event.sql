-- The tracks of track events in the order in which they are to be shown.

INCLUDE PERFETTO MODULE viz.track_event_callstacks;

CREATE PERFETTO TABLE _track_event_tracks_unordered AS
SELECT t.id, t.name, t.parent_id,
  extract_arg(parent.source_arg_set_id, 'child_ordering') AS parent_ordering,
  coalesce(extract_arg(t.source_arg_set_id, 'sibling_order_rank'), 0) AS rank,
  extract_arg(t.source_arg_set_id, 'description') AS description
FROM track AS t
LEFT JOIN track AS parent ON parent.id = t.parent_id AND parent.type GLOB '*_track_event'
WHERE t.type GLOB '*_track_event';

-- Which of them are above others.
CREATE PERFETTO VIEW _track_event_has_children AS
SELECT DISTINCT parent_id AS id FROM _track_event_tracks_unordered WHERE parent_id IS NOT NULL;

-- When each track has its first event; tracks without any are not there.
CREATE PERFETTO TABLE _min_ts_per_track AS
SELECT id, min(ts) AS min_ts
FROM (
  SELECT track_id AS id, ts FROM counter
  UNION ALL
  SELECT track_id, ts FROM slice
  UNION ALL
  SELECT track_id, ts FROM state
)
WHERE id IN (SELECT id FROM _track_event_tracks_unordered)
GROUP BY id;

-- A track's place among those of its parent: by name, by rank or by time, as the parent says.
CREATE PERFETTO TABLE _track_event_places AS
SELECT t.id, s.min_ts IS NOT NULL AS has_data, row_number() OVER (
    PARTITION BY t.parent_id, t.ordering
    ORDER BY iif(t.ordering = 'explicit', t.rank, NULL),
      iif(t.ordering = 'chronological', s.min_ts, NULL),
      iif(t.ordering = 'lexicographic', t.name, NULL)
  ) AS order_id
FROM (
  SELECT *, coalesce(parent_ordering, 'lexicographic') AS ordering
  FROM _track_event_tracks_unordered
) AS t
LEFT JOIN _min_ts_per_track AS s ON s.id = t.id;

-- Tracks that are shown as one, as they are of one group, are one row.
CREATE PERFETTO TABLE _track_event_tracks_ordered_groups AS
SELECT extract_arg(t.dimension_arg_set_id, 'upid') AS upid,
  extract_arg(t.dimension_arg_set_id, 'utid') AS utid, t.parent_id,
  t.type GLOB '*counter*' AS is_counter, t.type GLOB '*state*' AS is_state, t.name,
  min(extract_arg(t.source_arg_set_id, 'description')) AS description, min(c.unit) AS unit,
  min(extract_arg(t.source_arg_set_id, 'builtin_counter_type')) AS builtin_counter_type,
  min(extract_arg(t.source_arg_set_id, 'y_axis_share_key')) AS y_axis_share_key,
  max(p.has_data) AS has_data,
  max(p.id IN (SELECT id FROM _track_event_has_children)) AS has_children,
  max(p.id IN (SELECT track_id FROM _track_event_tracks_with_callstacks)) AS has_callstacks,
  min(p.id) AS min_track_id, group_concat(p.id) AS track_ids, min(p.order_id) AS order_id
FROM _track_event_places AS p
JOIN track AS t ON t.id = p.id
LEFT JOIN counter_track AS c ON c.id = p.id
GROUP BY t.track_group_id, coalesce(t.track_group_id, t.id)
ORDER BY t.parent_id, p.order_id;
