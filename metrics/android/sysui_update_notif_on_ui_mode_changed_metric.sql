-- How long SystemUI took to update notifications when the colours of the system changed.
SELECT run_metric('android/sysui_slice_performance.sql');

CREATE OR REPLACE PERFETTO TABLE _mode_update AS
SELECT ts, dur FROM slice WHERE name = 'updateNotificationsOnUiModeChanged' AND dur >= 0;

CREATE OR REPLACE PERFETTO VIEW sysui_update_notif_on_ui_mode_changed_metric_output AS
SELECT SysuiUpdateNotifOnUiModeChangedMetric(
  'all_slices_performance', (
    SELECT _slice_performance(
      'updateNotificationsOnUiModeChanged', count(*), sum(dur), max(dur))
    FROM _mode_update
  ),
  'slice', (
    SELECT RepeatedField(SysuiUpdateNotifOnUiModeChangedMetric_SliceDuration(
      'name', 'updateNotificationsOnUiModeChanged', 'dur_ms', dur / 1000000, 'dur_ns', dur))
    FROM (SELECT * FROM _mode_update ORDER BY ts)
  )
) AS message;
