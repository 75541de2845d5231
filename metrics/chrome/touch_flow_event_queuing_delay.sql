-- How long updates of touches wait between their steps.
SELECT run_metric(
  'chrome/gesture_flow_event_queuing_delay.sql',
  'prefix', 'touch',
  'id_field', 'touch_id');
