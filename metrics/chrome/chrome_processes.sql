-- chrome_process: Chrome's processes with their process_type. chrome_thread: their threads with canonical_name, by which
-- threads are called the same in Chrome's own traces and in those of Android.

-- Chrome's own names, or those of its Android packages. A sandboxed or privileged process tells by its main thread what it
-- is: CrRendererMain.
CREATE OR REPLACE PERFETTO FUNCTION _chrome_process_type(name STRING, main_thread STRING)
RETURNS STRING AS
SELECT CASE
  WHEN $name IN ('Browser', 'Renderer', 'Gpu', 'Zygote', 'Utility', 'SandboxHelper', 'PpapiPlugin', 'PpapiBroker') THEN $name
  WHEN $name = 'GPU Process' THEN 'Gpu'
  WHEN replace(str_split($name, ':', 0), '_zygote', '') NOT IN (
    'org.chromium.chrome', 'com.google.android.apps.chrome', 'com.android.chrome', 'com.chrome.beta', 'com.chrome.canary',
    'com.chrome.dev') THEN NULL
  WHEN $name NOT GLOB '*:*' THEN iif($name GLOB '*_zygote', 'Zygote', 'Browser')
  WHEN $name GLOB '*_zygote:*' THEN NULL
  WHEN $name GLOB '*:sandboxed_process*:org.chromium.content.app.SandboxedProcessService*'
    THEN ifnull(substr($main_thread, 3, length($main_thread) - 6), 'Sandboxed')
  WHEN $name GLOB '*:privileged_process*'
    THEN ifnull(substr($main_thread, 3, length($main_thread) - 6), 'Privileged')
END;

DROP VIEW IF EXISTS chrome_process;
CREATE PERFETTO VIEW chrome_process AS
SELECT *
FROM (
  SELECT
    process.*,
    _chrome_process_type(process.name, (
      SELECT min(thread.name) FROM thread WHERE thread.upid = process.upid AND thread.name GLOB 'Cr*Main'
    )) AS process_type
  FROM process
)
WHERE process_type IS NOT NULL;

DROP VIEW IF EXISTS chrome_thread;
CREATE PERFETTO VIEW chrome_thread AS
SELECT
  thread.*,
  CASE
    WHEN thread.name GLOB 'Cr*Main' THEN 'CrProcessMain'
    ELSE ifnull(thread.name, 'Unknown')
  END AS canonical_name
FROM thread
WHERE thread.upid IN (SELECT upid FROM chrome_process);
