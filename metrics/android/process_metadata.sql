-- Who a process belongs to: process_metadata(upid) is what messages hold of it.
INCLUDE PERFETTO MODULE android.process_metadata;

CREATE OR REPLACE PERFETTO VIEW process_metadata_table AS
SELECT * FROM android_process_metadata;

-- Packages of a user id, where it is known which.
CREATE OR REPLACE PERFETTO FUNCTION process_metadata_proto(upid LONG)
RETURNS BYTES AS
SELECT AndroidProcessMetadata(
  'name', m.process_name,
  'uid', m.uid,
  'android_user_id', m.user_id,
  'android_user_type', m.user_type,
  'pid', m.pid,
  'is_kernel_task', android_is_kernel_task(m.upid),
  'package', iif(m.package_name IS NULL, NULL, AndroidProcessMetadata_Package(
    'package_name', m.package_name,
    'apk_version_code', m.version_code,
    'debuggable', m.debuggable)))
FROM android_process_metadata AS m
WHERE m.upid = $upid;

CREATE OR REPLACE PERFETTO VIEW process_metadata AS
SELECT upid, process_metadata_proto(upid) AS metadata FROM process;
