-- Processes with the Android package and user that they belong to.

INCLUDE PERFETTO MODULE android.user_list;

CREATE PERFETTO TABLE _android_kernel_tasks(
  upid LONG
) AS
SELECT p.upid
FROM process AS p
LEFT JOIN process AS parent ON parent.upid = p.parent_upid
WHERE parent.name = 'kthreadd' OR p.pid = 0 OR parent.pid = 0
ORDER BY p.upid;

-- Whether a process is the kernel's: an idle process, kthreadd, or what either started.
CREATE PERFETTO FUNCTION android_is_kernel_task(
  -- The process.
  upid LONG
)
-- TRUE for the kernel's processes, else FALSE.
RETURNS BOOL AS
SELECT EXISTS(SELECT 1 FROM _android_kernel_tasks WHERE upid = $upid);

-- The app id that packages.list has for processes of an app that run under another one: those of SDK
-- sandboxes (20000 to 29999) and of private compute (30000 to 39999).
CREATE PERFETTO FUNCTION _app_id_to_base_package(app_id LONG) RETURNS LONG AS
SELECT iif($app_id BETWEEN 20000 AND 39999, 10000 + $app_id % 10000, $app_id);

-- How many packages share each uid.
CREATE PERFETTO VIEW _uid_package_count AS
SELECT uid, count(*) AS cnt FROM package_list GROUP BY uid;

-- The package with the longest name that the name of a process begins with.
CREATE PERFETTO MACRO _package_named_like(process_name Expr, condition Expr) RETURNS Expr AS (
  SELECT l.id
  FROM package_list AS l
  WHERE $condition AND substr($process_name, 1, length(l.package_name)) = l.package_name
  ORDER BY length(l.package_name) DESC
  LIMIT 1
);

-- The package of a process by its uid, the number of packages that share that, and its name: one row,
-- of NULL where none fits. The longest name of those that fit wins.
CREATE PERFETTO FUNCTION _android_package_for_process(
  uid LONG, uid_count LONG, process_name STRING
) RETURNS TABLE(package_name STRING, version_code LONG, debuggable BOOL) AS
SELECT l.package_name, l.version_code, l.debuggable
FROM (SELECT 1)
LEFT JOIN package_list AS l
  ON $uid = l.uid AND ($uid_count = 1 OR $process_name GLOB l.package_name || '*')
  OR $uid BETWEEN 90000 AND 99999 AND str_split($process_name, ':', 0) GLOB l.package_name || '*'
ORDER BY length(l.package_name) DESC
LIMIT 1;

-- A process of an app that has its uid to itself belongs to that app. Where packages share the uid,
-- the process is of the one whose name its own begins with, as is an isolated process.
CREATE PERFETTO TABLE _process_packages AS
WITH uids AS (SELECT uid, count(*) AS packages, min(id) AS id FROM package_list GROUP BY uid)
SELECT p.upid, uids.packages > 1 AS is_shared,
  CASE
    WHEN uids.packages = 1 THEN uids.id
    WHEN uids.packages > 1 THEN _package_named_like!(p.name, l.uid = uids.uid)
    ELSE _package_named_like!(str_split(p.name, ':', 0), TRUE)
  END AS package_id
FROM process AS p
LEFT JOIN uids ON uids.uid = _app_id_to_base_package(p.android_appid)
WHERE uids.uid IS NOT NULL OR p.android_appid BETWEEN 90000 AND 99999;

-- Whether a name is what the kernel keeps of a longer one, the last or first 15 bytes, or that of a
-- process that had just left the zygote.
CREATE PERFETTO MACRO _is_name_cut(name Expr, cmdline Expr) RETURNS Expr AS (
  length($name) = 15 AND ($cmdline IN ('zygote', 'zygote64', '<pre-initialized>')
    OR $cmdline GLOB '*' || $name)
);

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
SELECT p.upid, p.pid, iif(_is_name_cut!(p.name, p.cmdline), p.cmdline, p.name) AS process_name,
  p.android_appid AS uid,
  iif(owner.is_shared, TRUE, NULL) AS shared_uid, p.android_user_id AS user_id,
  user.type AS user_type, package.package_name, package.version_code, package.debuggable,
  android_is_kernel_task(p.upid) AS is_kernel_task
FROM process AS p
LEFT JOIN _process_packages AS owner ON owner.upid = p.upid
LEFT JOIN package_list AS package ON package.id = owner.package_id
LEFT JOIN android_user_list AS user ON user.android_user_id = p.android_user_id;
