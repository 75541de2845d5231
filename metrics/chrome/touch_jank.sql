-- Moves of touches that took longer than their neighbours.
SELECT run_metric(
  'chrome/gesture_jank.sql',
  'prefix', 'touch',
  'gesture_start', 'TouchStart',
  'gesture_update', 'TouchMove',
  'gesture_end', 'TouchEnd',
  'id_field', 'touch_id',
  'proto_name', 'TouchJank');
