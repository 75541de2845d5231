-- What code is by the file that it was mapped from.

-- 0: a program, 1: a library, 2: the kernel or a module of it, 3: what has no file.
CREATE PERFETTO FUNCTION _stack_sample_mapping_category(mapping_name STRING) RETURNS LONG AS
WITH mapped AS (
  SELECT replace(regexp_replace_simple($mapping_name, ' \(deleted\)$', ''), '\', '/') AS path
), named AS (
  SELECT path, regexp_replace_simple(path, '^.*/', '') AS file FROM mapped
)
SELECT CASE
  WHEN coalesce(path, '') = '' THEN 3
  WHEN path GLOB '[[]kernel*' OR path = '/kernel' OR path GLOB '/kernel/*' OR file GLOB 'vmlinu[xz]*'
    OR regexp('\.ko(\.xz|\.gz|\.zst)?$', file) THEN 2
  WHEN file = '' OR path GLOB '[[]*' OR path IN ('unknown', '[unknown]') OR path GLOB 'linux-vdso*'
    OR path GLOB 'memfd:*' OR path GLOB '/memfd:*' OR path GLOB 'anon_inode:*' THEN 3
  ELSE regexp('\.(so|dylib|dll|dex|odex|oat|art|jar|apk)$|\.so\.', lower(file))
END
FROM named;

CREATE PERFETTO TABLE _stack_sample_mapping_classification AS
SELECT id, name, _stack_sample_mapping_category(name) AS category
FROM stack_profile_mapping;
