-- How long SystemUI took to build the list of notifications: in all, where views were inflated
-- meanwhile, and where nodes were moved.
SELECT run_metric('android/sysui_slice_performance.sql');

CREATE OR REPLACE PERFETTO TABLE _list_build AS
SELECT
  s.id, s.ts, s.dur,
  EXISTS (
    SELECT 1 FROM slice AS i
    WHERE i.ts >= s.ts AND i.ts + i.dur <= s.ts + s.dur
      AND (i.name IN (
          'HybridGroupManager#inflateHybridView', 'NotifChildCont#recreateHeader')
        OR i.name GLOB 'inflate*')
  ) AS inflates,
  EXISTS (
    SELECT 1 FROM slice AS i
    WHERE i.ts >= s.ts AND i.ts + i.dur <= s.ts + s.dur
      AND i.name IN (
        'ShadeNode#addChildAt', 'ShadeNode#removeChildAt', 'ShadeNode#moveChildTo')
  ) AS modifies
FROM slice AS s
WHERE s.name = 'ShadeListBuilder.buildList' AND s.dur >= 0;

CREATE OR REPLACE PERFETTO VIEW sysui_notif_shade_list_builder_metric_output AS
SELECT SysuiNotifShadeListBuilderMetric(
  'all_slices_performance', (
    SELECT _slice_performance('ShadeListBuilder.buildList', count(*), sum(dur), max(dur))
    FROM _list_build
  ),
  'slices_with_inflation_performance', (
    SELECT _slice_performance(
      'ShadeListBuilder.buildList_with_inflation', count(*), sum(dur), max(dur))
    FROM _list_build
    WHERE inflates
  ),
  'slices_with_modification_performance', (
    SELECT _slice_performance(
      'ShadeListBuilder.buildList_with_node_modification', count(*), sum(dur), max(dur))
    FROM _list_build
    WHERE modifies
  ),
  'slice', (
    SELECT RepeatedField(SysuiNotifShadeListBuilderMetric_SliceDuration(
      'name', 'ShadeListBuilder.buildList', 'dur_ms', dur / 1000000, 'dur_ns', dur))
    FROM _list_build
  )
) AS message;
