-- Samples of Chrome's histograms. Needs the category disabled-by-default-histogram_samples.

CREATE PERFETTO TABLE chrome_histograms(
  name STRING, value LONG, ts TIMESTAMP, thread_name STRING, utid LONG, tid LONG,
  process_name STRING, upid LONG, pid LONG
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
