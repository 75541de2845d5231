-- How long updates of scrolls wait between their steps.
SELECT run_metric(
  'chrome/gesture_flow_event_queuing_delay.sql',
  'prefix', 'scroll',
  'id_field', 'gesture_scroll_id');
