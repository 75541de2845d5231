-- How long SystemUI took to update notifications when the colours of the system changed.
SELECT run_metric('android/sysui_slice_performance.sql');

CREATE OR REPLACE PERFETTO TABLE _mode_update AS
SELECT s.dur
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread AS th USING (utid)
WHERE th.is_main_thread AND s.dur > 0 AND s.name = 'updateNotifOnUiModeChanged'
ORDER BY s.id;

CREATE OR REPLACE PERFETTO VIEW sysui_update_notif_on_ui_mode_changed_metric_output AS
SELECT SysuiUpdateNotifOnUiModeChangedMetric(
  'all_slices_performance', (
    SELECT _slice_performance('updateNotifOnUiModeChanged', count(*), sum(dur), max(dur))
    FROM _mode_update
  ),
  'slice', (
    SELECT RepeatedField(SysuiUpdateNotifOnUiModeChangedMetric_SliceDuration(
      'name', 'updateNotifOnUiModeChanged', 'dur_ms', dur / 1000000, 'dur_ns', dur))
    FROM _mode_update
  )
) AS message;
