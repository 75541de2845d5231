-- Feature flags of the device.

-- One row per aconfig flag and time of reading.
CREATE PERFETTO VIEW android_aflags(
  -- When the flags were read.
  ts TIMESTAMP,
  -- Java package that declares the flag.
  package STRING,
  -- The flag's name within its package.
  name STRING,
  -- Namespace in which the flag is rolled out.
  flag_namespace STRING,
  -- Partition, APEX or APK that ships the code which reads the flag.
  container STRING,
  -- The value in force, as text.
  value STRING,
  -- The value from the next boot on, as text; NULL if that does not change.
  staged_value STRING,
  -- Whether the flag can be changed: `read-only`, `read-write`, `unspecified`.
  permission STRING,
  -- Whose value is in force: `default` (of the build), `server`, `local` (an override).
  value_picked_from STRING,
  -- What stores changed values: `aconfigd`, `device_config`, `none`.
  storage_backend STRING,
  -- Type of the value: `boolean`, `integer`.
  type STRING
) AS
SELECT ts, package, name, flag_namespace, container, value, staged_value, permission,
  value_picked_from, storage_backend, type
FROM __intrinsic_android_aflags;
