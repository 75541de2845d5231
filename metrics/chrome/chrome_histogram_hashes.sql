-- Hashes of the names of Chrome's histograms that got samples.
CREATE OR REPLACE PERFETTO VIEW chrome_histogram_hashes_output AS
SELECT ChromeHistogramHashes(
  'hash', (
    SELECT RepeatedField(int_value)
    FROM (
      SELECT a.int_value FROM slice AS s JOIN args AS a USING (arg_set_id)
      WHERE a.key = 'chrome_histogram_sample.name_hash' AND a.int_value IS NOT NULL
      ORDER BY s.id
    )
  )
) AS message;
