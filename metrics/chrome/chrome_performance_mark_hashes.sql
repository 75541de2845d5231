-- Hashes of performance marks and their sites.
CREATE OR REPLACE PERFETTO VIEW chrome_performance_mark_hashes_output AS
SELECT ChromePerformanceMarkHashes(
  'site_hash', (
    SELECT RepeatedField(int_value)
    FROM (
      SELECT a.int_value FROM slice AS s JOIN args AS a USING (arg_set_id)
      WHERE a.key = 'chrome_hashed_performance_mark.site_hash' AND a.int_value IS NOT NULL
      ORDER BY s.id
    )
  ),
  'mark_hash', (
    SELECT RepeatedField(int_value)
    FROM (
      SELECT a.int_value FROM slice AS s JOIN args AS a USING (arg_set_id)
      WHERE a.key = 'chrome_hashed_performance_mark.mark_hash' AND a.int_value IS NOT NULL
      ORDER BY s.id
    )
  )
) AS message;
