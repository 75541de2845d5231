-- Names of slices without what differs from one to the next.

-- The name of a slice without what differs from one to the next: numbers, addresses, owners of
-- locks.
CREATE PERFETTO FUNCTION android_standardize_slice_name(
  -- Name of a slice.
  name STRING
)
-- A name that all slices of the kind share.
RETURNS STRING AS
SELECT CASE
  WHEN $name GLOB 'Choreographer#doFrame*' THEN 'Choreographer#doFrame'
  WHEN $name GLOB 'DrawFrames*' THEN 'DrawFrames'
  WHEN $name GLOB '/data/app*.apk' THEN 'APK load'
  WHEN $name GLOB 'OpenDexFilesFromOat*' THEN 'OpenDexFilesFromOat'
  WHEN $name GLOB 'Open oat file*' THEN 'Open oat file'
  WHEN $name GLOB 'GC: Wait For*' THEN 'Garbage Collector'
  WHEN regexp('CancellableContinuationImpl|DispatchedContinuation', $name)
    THEN 'CoroutineContinuation'
  WHEN $name GLOB 'Lock contention on *'
    THEN regexp_replace_simple($name, ' \(owner tid: .*', ' <...>')
  WHEN regexp('^(monitor contention with|SuspendThreadByThreadId|LoadApkAssetsFd|relayoutWindow)',
    $name) THEN regexp_extract($name, '^(monitor contention with|[A-Za-z]+)') || ' <...>'
  WHEN $name GLOB 'InputConsumer processing on ClientState{*'
    THEN 'InputConsumer processing on ClientState<...>'
  WHEN regexp('^Transaction \(.*, \d+\)', $name)
    THEN regexp_replace_simple($name, ', \d+\)', ', <...>)')
  -- A handler says what it runs, or only its own class and a number.
  WHEN regexp('^[\w.]+\$[\w$]*: #\d+$', $name) THEN 'Handler: ' || str_split($name, '$', 0)
  WHEN regexp('^(\w+\.\w+\.[\w.$]*|[\w.$]*Handler): [\w.]+\$', $name)
    THEN 'Handler: ' || regexp_extract($name, ': ([\w.]+)\$')
  ELSE __intrinsic_strip_hex($name, 3)
END;
