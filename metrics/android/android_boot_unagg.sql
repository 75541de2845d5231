-- Processes that were started after Android had, and garbage collections since then.
SELECT run_metric('android/boot_end.sql');
SELECT run_metric('android/android_app_process_starts.sql');
SELECT run_metric('android/garbage_collection_views.sql', 'since', '_boot_end()');

CREATE OR REPLACE PERFETTO VIEW android_boot_unagg_output AS
SELECT AndroidBootUnagg(
  'android_app_process_start_metric', (SELECT message FROM android_app_process_starts_output),
  'android_post_boot_gc_metric', (SELECT message FROM _gc_unagg)
) AS message;
