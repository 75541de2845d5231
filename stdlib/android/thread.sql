-- Names of threads without what differs from one to the next.

-- The name of a thread without the number that it has in a pool ("binder:20_1", "pool-4-thread-1").
CREATE PERFETTO FUNCTION android_standardize_thread_name(
  -- Name of a thread.
  thread_name STRING
)
-- What is before the first of the signs - [ : and blank, with "<num>" for numbers; "kworker" for those of the kernel.
RETURNS STRING AS
SELECT iif(
  $thread_name GLOB 'kworker/*',
  'kworker',
  __intrinsic_strip_hex(regexp_extract($thread_name, '^([^-\[: ]*)'), 1));

-- Threads that were created by process and standard name, by most within `sliding_window_dur` ns of one; of those alone
-- that lived `max_thread_dur` ns at most, if that is given.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_thread(
  max_thread_dur DOUBLE,
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  process_name STRING,
  upid JOINID(process.id),
  thread_name_prefix STRING,
  max_count_per_sec LONG
) AS
SELECT process_name, upid, prefix AS thread_name_prefix, max(number) AS max_count_per_sec
FROM (
  SELECT
    process.name AS process_name,
    upid,
    android_standardize_thread_name(thread.name) AS prefix,
    count(thread.start_ts) OVER (
      PARTITION BY upid, android_standardize_thread_name(thread.name)
      ORDER BY thread.start_ts
      RANGE BETWEEN CURRENT ROW AND CAST($sliding_window_dur AS INTEGER) FOLLOWING
    ) AS number
  FROM thread
  JOIN process USING (upid)
  WHERE $max_thread_dur IS NULL OR ($max_thread_dur != 0 AND thread.end_ts - thread.start_ts <= $max_thread_dur)
)
GROUP BY upid, prefix
HAVING max(number) > 0
ORDER BY max(number) DESC, upid, prefix;

-- The same by process alone.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_process(
  max_thread_dur DOUBLE,
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  process_name STRING,
  upid JOINID(process.id),
  max_count_per_sec LONG
) AS
SELECT process_name, upid, max(number) AS max_count_per_sec
FROM (
  SELECT
    process.name AS process_name,
    upid,
    count(thread.start_ts) OVER (
      PARTITION BY upid
      ORDER BY thread.start_ts
      RANGE BETWEEN CURRENT ROW AND CAST($sliding_window_dur AS INTEGER) FOLLOWING
    ) AS number
  FROM thread
  JOIN process USING (upid)
  WHERE $max_thread_dur IS NULL OR ($max_thread_dur != 0 AND thread.end_ts - thread.start_ts <= $max_thread_dur)
)
GROUP BY upid
HAVING max(number) > 0
ORDER BY max(number) DESC, upid;
