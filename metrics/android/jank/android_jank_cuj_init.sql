-- All that is known of user journeys, for android_jank_cuj and for queries that run this by path.
SELECT run_metric('android/process_metadata.sql');
SELECT run_metric('android/jank/internal/counters.sql');
SELECT run_metric('android/jank/slices.sql');
SELECT run_metric('android/jank/internal/query_base.sql');
SELECT run_metric('android/jank/query_functions.sql');
