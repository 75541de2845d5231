-- Processes of Chrome, with what each is for, and their threads: chrome_process has the columns of process and process_type,
-- chrome_thread those of thread and canonical_name, which is the same in recordings of Chrome and of the system.

-- Chrome names its processes; Android names them by package and service.
CREATE OR REPLACE PERFETTO VIEW all_chrome_processes AS
SELECT upid, type AS process_type
FROM (
  SELECT upid, CASE
      WHEN name IN ('Browser', 'Renderer', 'Gpu', 'Zygote', 'Utility', 'SandboxHelper', 'PpapiPlugin', 'PpapiBroker') THEN name
      WHEN name = 'GPU Process' THEN 'Gpu'
      WHEN service = '' THEN 'Browser'
      WHEN service GLOB ':sandboxed_process*:org.chromium.content.app.SandboxedProcessService*' THEN 'Sandboxed'
      WHEN service GLOB ':privileged_process*' THEN 'Privileged'
      WHEN service = '_zygote' THEN 'Zygote'
    END AS type
  FROM (
    SELECT upid, name, regexp_extract(
        name,
        '^(?:org\.chromium\.chrome|com\.google\.android\.apps\.chrome|com\.android\.chrome|com\.chrome\.(?:beta|canary|dev))(.*)$'
      ) AS service
    FROM process
  )
)
WHERE type IS NOT NULL;

CREATE OR REPLACE PERFETTO VIEW all_chrome_threads AS
SELECT utid, thread.upid, thread.name
FROM thread
JOIN all_chrome_processes USING (upid);

-- What a sandboxed process is for is in the name of its main thread, as CrRendererMain.
CREATE OR REPLACE PERFETTO VIEW chrome_subprocess_types AS
SELECT DISTINCT p.upid, substr(t.name, 3, length(t.name) - 6) AS sandbox_type
FROM all_chrome_processes AS p
JOIN thread AS t USING (upid)
WHERE p.process_type IN ('Sandboxed', 'Privileged') AND t.name GLOB 'Cr*Main';

CREATE OR REPLACE PERFETTO VIEW chrome_process AS
SELECT process.*, ifnull(s.sandbox_type, p.process_type) AS process_type
FROM process
JOIN all_chrome_processes AS p USING (upid)
LEFT JOIN chrome_subprocess_types AS s USING (upid);

CREATE OR REPLACE PERFETTO VIEW chrome_thread AS
SELECT
  thread.*,
  CASE
    WHEN thread.name IS NULL THEN 'Unknown'
    WHEN thread.name GLOB 'Cr*Main' THEN 'CrProcessMain'
    ELSE thread.name
  END AS canonical_name
FROM thread
WHERE thread.upid IN (SELECT upid FROM all_chrome_processes);
