-- Names of threads without what differs from one to the next.

-- Threads of a pool are counted behind one of these signs: "binder:20_1", "pool-4-thread-1".
CREATE PERFETTO FUNCTION android_standardize_thread_name(thread_name STRING) RETURNS STRING AS
SELECT coalesce(nullif(regexp_extract($thread_name, '^[^-\[: ]*'), ''), $thread_name);
