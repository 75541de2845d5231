-- Names of threads without what differs from one to the next.

-- The name of a thread without the number that it has in a pool ("binder:20_1", "pool-4-thread-1").
CREATE PERFETTO FUNCTION android_standardize_thread_name(
  -- Name of a thread.
  thread_name STRING
)
-- What is before the first of the signs - [ : and blank; the whole name if that is nothing.
RETURNS STRING AS
SELECT coalesce(nullif(regexp_extract($thread_name, '^[^-\[: ]*'), ''), $thread_name);
