-- Processes with the Android package and user that they belong to.

INCLUDE PERFETTO MODULE android.user_list;

-- Whether a process is a kernel thread. Kernel threads are the children of kthreadd (pid 2).
CREATE PERFETTO FUNCTION android_is_kernel_task(
  -- The process.
  upid LONG
)
-- TRUE for kthreadd and its children.
RETURNS BOOL AS
SELECT p.pid = 2 OR coalesce(parent.pid = 2, FALSE)
FROM process AS p
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE p.upid = $upid;

-- A process of an app that has its uid to itself belongs to that app. Where packages share the uid,
-- the process is of the one whose name its own begins with; the longest such name wins.
CREATE PERFETTO TABLE _process_packages AS
WITH uids AS (SELECT uid, count(*) AS packages FROM package_list GROUP BY uid)
SELECT p.upid, uids.packages > 1 AS is_shared, (
    SELECT l.id
    FROM package_list AS l
    WHERE l.uid = p.android_appid
      AND (uids.packages = 1 OR substr(p.name, 1, length(l.package_name)) = l.package_name)
    ORDER BY length(l.package_name) DESC
    LIMIT 1
  ) AS package_id
FROM process AS p
JOIN uids ON uids.uid = p.android_appid;

-- One row per process.
CREATE PERFETTO TABLE android_process_metadata(
  -- The process.
  upid JOINID(process.id),
  -- Pid of the process.
  pid LONG,
  -- Name of the process.
  process_name STRING,
  -- App id of the process: the uid without the user.
  uid LONG,
  -- TRUE if several packages have this uid, else NULL.
  shared_uid BOOL,
  -- The Android user that the process runs for.
  user_id LONG,
  -- Type of the user; NULL if not recorded.
  user_type STRING,
  -- Package that the process belongs to; NULL if not known.
  package_name STRING,
  -- versionCode of the package.
  version_code LONG,
  -- 1 if the package is debuggable.
  debuggable LONG,
  -- Whether the process is a kernel thread.
  is_kernel_task BOOL
) AS
SELECT p.upid, p.pid, p.name AS process_name, p.android_appid AS uid,
  iif(owner.is_shared, TRUE, NULL) AS shared_uid, p.android_user_id AS user_id,
  user.type AS user_type, package.package_name, package.version_code, package.debuggable,
  android_is_kernel_task(p.upid) AS is_kernel_task
FROM process AS p
LEFT JOIN _process_packages AS owner ON owner.upid = p.upid
LEFT JOIN package_list AS package ON package.id = owner.package_id
LEFT JOIN android_user_list AS user ON user.android_user_id = p.android_user_id;
