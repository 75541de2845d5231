-- Each garbage collection.
SELECT run_metric('android/garbage_collection_views.sql', 'since', '-1');

CREATE OR REPLACE PERFETTO VIEW android_garbage_collection_unagg_output AS
SELECT message FROM _gc_unagg;
