-- Steps of the updates of scrolls.
SELECT run_metric(
  'chrome/gesture_flow_event.sql',
  'prefix', 'scroll',
  'id_field', 'gesture_scroll_id');
