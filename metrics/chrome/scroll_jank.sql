-- Updates of scrolls that took longer than their neighbours.
SELECT run_metric(
  'chrome/gesture_jank.sql',
  'prefix', 'scroll',
  'gesture_start', 'GestureScrollBegin',
  'gesture_update', 'GestureScrollUpdate',
  'gesture_end', 'GestureScrollEnd',
  'id_field', 'gesture_scroll_id',
  'proto_name', 'ScrollJank');
