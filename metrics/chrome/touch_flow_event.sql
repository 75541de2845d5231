-- Steps of the updates of touches.
SELECT run_metric(
  'chrome/gesture_flow_event.sql',
  'prefix', 'touch',
  'id_field', 'touch_id');
