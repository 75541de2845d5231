-- Counters that belong to nothing: no CPU, thread, process or device.

-- Whether a name is all that tells a counter's track from others.
CREATE PERFETTO FUNCTION _counter_track_is_only_name_dimension(track_id LONG) RETURNS BOOL AS
SELECT NOT EXISTS (
  SELECT 1
  FROM counter_track AS t
  JOIN args ON args.arg_set_id = t.dimension_arg_set_id
  WHERE t.id = $track_id AND args.key <> 'name');
