-- Frames of apps that came late, and those of them that WebView may be to blame for: its code ran in
-- the frame.
INCLUDE PERFETTO MODULE slices.with_context;
INCLUDE PERFETTO MODULE android.frames.jank_type;

CREATE OR REPLACE PERFETTO TABLE _app_jank AS
SELECT f.upid, f.surface_frame_token, min(f.ts) AS ts, max(f.ts + f.dur) AS ts_end
FROM actual_frame_timeline_slice AS f
JOIN process AS p USING (upid)
WHERE android_is_app_jank_type(f.jank_type)
  AND p.name NOT IN ('com.android.systemui', 'system_server', '/system/bin/surfaceflinger')
GROUP BY f.upid, f.surface_frame_token;

CREATE OR REPLACE PERFETTO TABLE _webview_slice AS
SELECT upid, ts, ts + dur AS ts_end, name GLOB 'WebView*start*' OR name GLOB '*WebViewChromium*' AS is_startup
FROM thread_slice
WHERE dur >= 0
  AND (
    name GLOB '*WebView*' OR name GLOB '*webview*' OR name GLOB 'DrawFn_*' OR name GLOB 'DrawGL*'
    OR category = 'android_webview'
  );

CREATE OR REPLACE PERFETTO TABLE _webview_jank AS
SELECT j.upid, j.surface_frame_token, max(s.is_startup) AS is_startup
FROM _app_jank AS j
JOIN _webview_slice AS s ON s.upid = j.upid AND s.ts < j.ts_end AND s.ts_end > j.ts
GROUP BY j.upid, j.surface_frame_token;

CREATE OR REPLACE PERFETTO VIEW webview_jank_approximation_output AS
SELECT WebViewJankApproximation(
  'webview_janks', (SELECT count(*) FROM _webview_jank),
  'webview_janks_without_startup', (SELECT count(*) FROM _webview_jank WHERE NOT is_startup),
  'webview_app_janks', (
    SELECT count(*) FROM _app_jank
    WHERE upid IN (SELECT upid FROM _webview_slice)
      AND (upid, surface_frame_token) NOT IN (SELECT upid, surface_frame_token FROM _webview_jank)
  ),
  'webview_total_janks', (
    SELECT count(*) FROM _app_jank WHERE upid IN (SELECT upid FROM _webview_slice)
  ),
  'total_janks', (SELECT count(*) FROM _app_jank)
) AS message;
