-- Samples of Chrome's histograms. Needs the category disabled-by-default-histogram_samples.

-- Each sample.
CREATE PERFETTO TABLE chrome_histograms(
  -- Name of the histogram.
  name STRING,
  -- Value that was added.
  value LONG,
  -- When it was added, ns of trace time.
  ts TIMESTAMP,
  -- Name of the thread.
  thread_name STRING,
  -- Thread, joins thread.utid.
  utid LONG,
  -- Thread id of the operating system.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- Process, joins process.upid.
  upid LONG,
  -- Process id of the operating system.
  pid LONG
) AS
SELECT extract_arg(s.arg_set_id, 'chrome_histogram_sample.name') AS name,
  extract_arg(s.arg_set_id, 'chrome_histogram_sample.sample') AS value, s.ts,
  thread.name AS thread_name, thread.utid, thread.tid, process.name AS process_name, process.upid,
  process.pid
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread USING (utid)
JOIN process ON process.upid = thread.upid
WHERE s.name = 'HistogramSample' AND s.category = 'disabled-by-default-histogram_samples';
